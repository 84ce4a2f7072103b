//! Where bytes come from: files, standard input, and the key.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::ops::ControlFlow;

use blake3_lanes::io::{HashReader, ReadAhead};
use blake3_lanes::parallel::{Rayon, Serial};
use blake3_lanes::{Hasher, KEY_LEN, OutputReader};

use crate::progress::Progress;
use crate::threads::Threads;

/// Read before it is known whether a file is long, and hashed on the thread that has read it.
const SHORT: usize = 64 * 1024;

/// Why an input could not be hashed.
#[derive(Debug)]
pub(crate) enum Problem {
    Io(io::Error),
    /// The key has been read from where the input should come.
    StdinHoldsKey,
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The system's words.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::StdinHoldsKey => f.write_str(
                "standard input holds the key when --keyed is given; expected a file (./- for one named -)",
            ),
        }
    }
}

impl Problem {
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == ErrorKind::NotFound)
    }

    /// What was wrong, and what was expected instead where that is known.
    pub(crate) fn explain(&self, file: &OsStr) -> String {
        let Self::Io(error) = self else {
            return self.to_string();
        };
        let is_folder =
            || !crate::is_stdin(file) && fs::metadata(file).is_ok_and(|found| found.is_dir());
        match error.kind() {
            ErrorKind::NotFound => {
                format!("{error}; expected the name of a file, or - for standard input")
            }
            ErrorKind::IsADirectory => format!("{error}; expected a file, or --recursive"),
            _ if is_folder() => {
                format!("{error}; this is a folder, expected a file, or --recursive")
            }
            ErrorKind::PermissionDenied => format!("{error}; expected a file that may be read"),
            _ => error.to_string(),
        }
    }
}

/// How inputs are hashed.
#[derive(Debug)]
pub(crate) struct Inputs<'a> {
    /// What every hash starts from.
    pub(crate) base: Hasher,
    pub(crate) keyed: bool,
    pub(crate) mmap: bool,
    pub(crate) threads: &'a Threads,
    pub(crate) progress: &'a Progress,
}

impl Inputs<'_> {
    /// Hashes one input.
    ///
    /// Unless maps are asked for, it is read from front to back, whatever its size: a truncated file is no crash, a
    /// pipe will do, and a disk need not seek.
    pub(crate) fn hash(&self, file: &OsStr) -> Result<OutputReader, Problem> {
        let mut hasher = self.base.clone();
        if crate::is_stdin(file) {
            if self.keyed {
                return Err(Problem::StdinHoldsKey);
            }
            self.update(&mut hasher, io::stdin())?;
        } else if self.mmap {
            match self.threads.pool() {
                Some(pool) => pool.install(|| hasher.update_mmap_rayon(file).map(drop))?,
                None => drop(hasher.update_mmap(file)?),
            }
            self.progress.add(hasher.count());
        } else {
            // A folder opens well on Unix and fails at the first read; elsewhere it may fail to open.
            self.update(&mut hasher, File::open(file)?)?;
        }
        self.progress.add_file();
        Ok(hasher.finalize_xof())
    }

    fn update(&self, hasher: &mut Hasher, mut reader: impl Read + Send) -> io::Result<()> {
        thread_local! {
            static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
        }
        let end = BUFFER.with_borrow_mut(|buffer| {
            buffer.resize(SHORT, 0);
            let (len, end) = fill(&mut reader, buffer);
            hasher.update(&buffer[..len]);
            self.progress.add(len as u64);
            end
        })?;
        if end {
            return Ok(());
        }
        let mut told = 0;
        let progress = |done| {
            self.progress.add(done - told);
            told = done;
            ControlFlow::<()>::Continue(())
        };
        // Only now that there is work for them.
        let _ = match self.threads.pool() {
            Some(pool) => {
                pool.install(|| ReadAhead::new().update(hasher, &Rayon, reader, progress))?
            }
            None => ReadAhead::new().update(hasher, &Serial, reader, progress)?,
        };
        Ok(())
    }

    /// Hashes one input, and copies it to `out`.
    pub(crate) fn tee(&self, file: &OsStr, out: &mut impl Write) -> Result<Teed, Problem> {
        let reader: Box<dyn Read> = if !crate::is_stdin(file) {
            Box::new(File::open(file)?)
        } else if self.keyed {
            return Err(Problem::StdinHoldsKey);
        } else {
            Box::new(io::stdin().lock())
        };
        let mut reader = HashReader::with_hasher(self.base.clone(), reader);
        let mut buffer = vec![0; SHORT];
        loop {
            // As it comes: whoever reads the copy should not wait for more.
            let len = match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(len) => len,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            if let Err(error) = out.write_all(&buffer[..len]).and_then(|()| out.flush()) {
                return Ok(Err(error));
            }
            self.progress.add(len as u64);
        }
        Ok(Ok(reader.hasher().finalize_xof()))
    }
}

/// The digest, or why the copy could not be written.
pub(crate) type Teed = io::Result<OutputReader>;

/// Reads until the buffer is full or the reader at its end, and says how many bytes that gave, and whether it is.
fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> (usize, io::Result<bool>) {
    let mut len = 0;
    while len < buffer.len() {
        match reader.read(&mut buffer[len..]) {
            Ok(0) => return (len, Ok(true)),
            Ok(n) => len += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return (len, Err(error)),
        }
    }
    (len, Ok(false))
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
