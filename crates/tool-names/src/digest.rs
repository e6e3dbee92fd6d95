//! The digest that keeps clashing and shortened names apart.

use sha2::{Digest as _, Sha256};

/// Hex digits of a digest in a name, where eight are enough.
pub(crate) const SHORT_HEX: usize = 8;

/// Hex digits where eight were not.
pub(crate) const LONG_HEX: usize = 32;

/// SHA-256 over `parts` with a NUL between each two, as 64 lower-case hex digits.
pub(crate) fn hex<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            hasher.update([0]);
        }
        hasher.update(part.as_bytes());
    }
    let mut hex = String::with_capacity(64);
    for byte in hasher.finalize() {
        for nibble in [byte >> 4, byte & 15] {
            hex.extend(char::from_digit(u32::from(nibble), 16));
        }
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_sha_256_with_a_nul_between_the_parts() {
        assert_eq!(hex(["s", "a-b"]).get(..8), Some("ed3867d6"));
        assert_eq!(
            hex([]),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }
}
