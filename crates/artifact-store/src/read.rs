//! A part of an artifact.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

/// Which part is wanted.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum ReadRange {
    /// From the start.
    #[default]
    All,
    /// From byte `start`, counted from 0.
    Bytes {
        /// The first byte.
        start: u64,
        /// How many.
        count: u64,
    },
    /// From line `first`, counted from 1, with their line breaks.
    Lines {
        /// The first line.
        first: u64,
        /// How many.
        count: u64,
    },
}

/// What was read.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Excerpt {
    /// The bytes; fewer than asked for at the end, or when the limit of one read is reached.
    pub bytes: Vec<u8>,
    /// Where they begin, in bytes from the start of the artifact.
    pub start: u64,
    /// The size of the whole artifact in bytes.
    pub size: u64,
}

impl Excerpt {
    /// Whether the artifact goes on behind these bytes.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.start.saturating_add(self.bytes.len() as u64) < self.size
    }
}

/// Reads `range` of `from`, which has `size` bytes, and never more than `limit`.
pub(crate) fn read_range(
    mut from: impl Read + Seek,
    size: u64,
    range: ReadRange,
    limit: u64,
) -> io::Result<Excerpt> {
    let mut bytes = Vec::new();
    let start = match range {
        ReadRange::All => {
            from.take(limit).read_to_end(&mut bytes)?;
            0
        }
        ReadRange::Bytes { start, count } => {
            let start = start.min(size);
            from.seek(SeekFrom::Start(start))?;
            from.take(count.min(limit)).read_to_end(&mut bytes)?;
            start
        }
        ReadRange::Lines { first, count } => {
            let mut reader = io::BufReader::with_capacity(64 * 1024, from);
            let mut start = 0_u64;
            for _ in 1..first {
                let skipped = reader.skip_until(b'\n')? as u64;
                start += skipped;
                if skipped == 0 {
                    break;
                }
            }
            let mut reader = reader.take(limit);
            for _ in 0..count {
                if reader.read_until(b'\n', &mut bytes)? == 0 {
                    break;
                }
            }
            start
        }
    };
    Ok(Excerpt { bytes, start, size })
}
