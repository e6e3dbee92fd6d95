//! Base64 as servers send it, decoded piece by piece.

use base64_simd::{AsOut, STANDARD_NO_PAD};

/// Characters taken at once: four for three bytes, so this is a multiple of four.
const CHUNK: usize = 128 * 1024;

/// The text is not base64, whatever line breaks, alphabet and padding are allowed for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Invalid;

/// Yields the decoded bytes of `text` in pieces of at most 96 KiB. Line breaks, the URL-safe alphabet and
/// missing padding are accepted; wrong padding is not.
pub(crate) struct Decoder<'a> {
    rest: &'a [u8],
    clean: Vec<u8>,
    out: Vec<u8>,
    padding: usize,
    total: usize,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let size = CHUNK.min(text.len() + 4);
        Self {
            rest: text.as_bytes(),
            clean: Vec::new(),
            out: vec![0; size],
            padding: 0,
            total: 0,
        }
    }

    /// The next piece, or `None` at the end.
    pub(crate) fn next_piece(&mut self) -> Result<Option<&[u8]>, Invalid> {
        let take = self.rest.len().min(CHUNK);
        if let Some((piece, rest)) = self.rest.split_at_checked(take) {
            // The common case, standard and unbroken, is decoded where it stands.
            if take > 0
                && take.is_multiple_of(4)
                && self.padding == 0
                && let Ok(done) = STANDARD_NO_PAD.decode(piece, self.out.as_mut_slice().as_out())
            {
                let length = done.len();
                self.rest = rest;
                self.total += take;
                return Ok(self.out.get(..length));
            }
        }
        self.fill()?;
        if self.clean.is_empty() {
            return self.check_end().map(|()| None);
        }
        let length = STANDARD_NO_PAD
            .decode(&self.clean, self.out.as_mut_slice().as_out())
            .map_err(|_| Invalid)?
            .len();
        Ok(self.out.get(..length))
    }

    /// Collects a multiple of four characters, or what is left at the end.
    fn fill(&mut self) -> Result<(), Invalid> {
        self.clean.clear();
        let limit = (self.out.len() / 4 * 4).max(4);
        while self.clean.len() < limit {
            let Some((&byte, rest)) = self.rest.split_first() else {
                break;
            };
            self.rest = rest;
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | 0x0C => {}
                b'=' => self.padding += 1,
                _ if self.padding > 0 => return Err(Invalid),
                b'-' => self.clean.push(b'+'),
                b'_' => self.clean.push(b'/'),
                _ => self.clean.push(byte),
            }
        }
        self.total += self.clean.len();
        if !self.clean.len().is_multiple_of(4) {
            self.check_end()?;
            self.clear_spare_bits()?;
        }
        Ok(())
    }

    fn check_end(&self) -> Result<(), Invalid> {
        let spare = self.total % 4;
        let right = match spare {
            0 => self.padding == 0,
            1 => false,
            _ => self.padding == 0 || self.padding == 4 - spare,
        };
        if right { Ok(()) } else { Err(Invalid) }
    }

    /// Bits beyond the last whole byte are ignored, as most decoders do.
    fn clear_spare_bits(&mut self) -> Result<(), Invalid> {
        const ALPHABET: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mask = if self.clean.len() % 4 == 2 {
            0x30
        } else {
            0x3C
        };
        let last = self.clean.last_mut().ok_or(Invalid)?;
        let value = ALPHABET
            .iter()
            .position(|known| known == last)
            .ok_or(Invalid)?;
        *last = *ALPHABET.get(value & mask).ok_or(Invalid)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Result<Vec<u8>, Invalid> {
        let mut decoder = Decoder::new(text);
        let mut bytes = Vec::new();
        while let Some(piece) = decoder.next_piece()? {
            bytes.extend_from_slice(piece);
        }
        Ok(bytes)
    }

    #[test]
    fn common_slips_are_forgiven_and_nonsense_is_not() {
        let cases: [(&str, Result<&[u8], Invalid>); 14] = [
            ("", Ok(b"")),
            ("aGVsbG8=", Ok(b"hello")),
            ("aGVsbG8", Ok(b"hello")),
            (" aGVs\r\nbG8=\n", Ok(b"hello")),
            ("aGVsbG9=", Ok(b"hello")),
            ("-_-_", Ok(&[0xFB, 0xFF, 0xBF])),
            ("+/+/", Ok(&[0xFB, 0xFF, 0xBF])),
            ("aGVsbG8==", Err(Invalid)),
            ("aGVs=", Err(Invalid)),
            ("=", Err(Invalid)),
            ("a", Err(Invalid)),
            ("aG=Vs", Err(Invalid)),
            ("\u{e9}", Err(Invalid)),
            ("not base64!", Err(Invalid)),
        ];
        for (given, want) in cases {
            assert_eq!(all(given), want.map(<[u8]>::to_vec), "given {given:?}");
        }
    }

    #[test]
    fn large_payloads_arrive_whole_whatever_their_line_breaks() {
        let bytes: Vec<u8> = (0_u32..700_001)
            .map(|n| n.to_le_bytes()[0] ^ n.to_le_bytes()[1])
            .collect();
        let plain = base64_simd::STANDARD.encode_to_string(&bytes);
        let wrapped: Vec<&str> = plain
            .as_bytes()
            .chunks(76)
            .map(|line| std::str::from_utf8(line).unwrap_or_default())
            .collect();
        for text in [
            plain.clone(),
            wrapped.join("\r\n"),
            base64_simd::URL_SAFE_NO_PAD.encode_to_string(&bytes),
        ] {
            assert_eq!(all(&text).map(|got| got == bytes), Ok(true));
        }
    }
}
