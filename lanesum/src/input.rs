//! Where bytes come from: files, standard input, and the key.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};

use blake3_lanes::{Hasher, KEY_LEN, OutputReader};

/// Hashes one input, starting from a copy of `base`. The error says what was wrong and what was expected.
///
/// The input is read from front to back through one buffer, whatever its size: no memory map, which a truncated file
/// would turn into a crash, and no seeking, which a pipe can't do.
pub(crate) fn hash(base: &Hasher, file: &OsStr, keyed: bool) -> Result<OutputReader, String> {
    let mut hasher = base.clone();
    if crate::is_stdin(file) {
        if keyed {
            return Err(
                "standard input holds the key when --keyed is given; expected a file (./- for one \
                        named -)"
                    .to_owned(),
            );
        }
        hasher
            .update_reader(io::stdin().lock())
            .map_err(|error| explain(&error, None))?;
    } else {
        // A folder opens well on Unix and fails at the first read; elsewhere it may fail to open.
        File::open(file)
            .and_then(|opened| hasher.update_reader(opened).map(drop))
            .map_err(|error| explain(&error, Some(file)))?;
    }
    Ok(hasher.finalize_xof())
}

/// The system's words for an error, and what was expected instead where that is known.
fn explain(error: &io::Error, file: Option<&OsStr>) -> String {
    let is_folder =
        || file.is_some_and(|file| fs::metadata(file).is_ok_and(|found| found.is_dir()));
    match error.kind() {
        ErrorKind::NotFound => {
            format!("{error}; expected the name of a file, or - for standard input")
        }
        ErrorKind::IsADirectory => format!("{error}; expected a file"),
        _ if is_folder() => format!("{error}; this is a folder, expected a file"),
        ErrorKind::PermissionDenied => format!("{error}; expected a file that may be read"),
        _ => error.to_string(),
    }
}

/// Reads a key, which must be all that `reader` holds.
pub(crate) fn read_key(reader: impl Read) -> Result<[u8; KEY_LEN], String> {
    let mut bytes = Vec::with_capacity(KEY_LEN + 1);
    reader
        .take(KEY_LEN as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("cannot read the key from standard input: {error}"))?;
    bytes.try_into().map_err(|bytes: Vec<u8>| {
        let found = if bytes.len() > KEY_LEN {
            "more".to_owned()
        } else {
            bytes.len().to_string()
        };
        format!("expected a key of exactly {KEY_LEN} raw bytes on standard input, found {found}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_key_of_the_right_length_is_taken() {
        for len in [0, 1, KEY_LEN - 1, KEY_LEN + 1, KEY_LEN + 2, 10_000] {
            let problem = read_key(&vec![7; len][..]).unwrap_err();
            assert!(problem.contains("exactly 32 raw bytes"), "{problem}");
        }
        assert_eq!(read_key(&[7; KEY_LEN][..]), Ok([7; KEY_LEN]));
    }
}
