//! Files as memory maps.

use crate::Hasher;
use memmap2::{Mmap, MmapOptions};
use std::fs::File;
use std::io::{Result, Seek, SeekFrom};
use std::path::Path;

/// Shorter files are read: a map costs more than that.
const SHORTEST_MAP: u64 = 16 * 1024;

impl Hasher {
    /// Adds a whole file by a memory map, or by reading it, where it is shorter than 16 KiB or
    /// cannot be mapped: special files, pipes, file systems without maps.
    ///
    /// This saves copying a file that is in the system's cache already. It is not the default
    /// because of what can go wrong: **if another process truncates the file meanwhile, the
    /// system ends this one** (`SIGBUS` on Unix, an exception on Windows), and a disk error does
    /// the same. The whole file may count as this process's memory. [`update_reader`] has none of
    /// these dangers. Bytes that change meanwhile give the hash of some mixture in both cases.
    ///
    /// [`update_reader`]: Self::update_reader
    ///
    /// # Errors
    ///
    /// Where the file cannot be opened or read. What was read before an error has been added.
    ///
    /// # Panics
    ///
    /// As [`update`](Self::update).
    ///
    /// ```
    /// # fn main() -> std::io::Result<()> {
    /// let mut hasher = blake3_lanes::Hasher::new();
    /// hasher.update_mmap("Cargo.lock")?;
    /// assert_eq!(hasher.finalize(), blake3_lanes::hash(&std::fs::read("Cargo.lock")?));
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_mmap(&mut self, path: impl AsRef<Path>) -> Result<&mut Self> {
        let mut file = File::open(path)?;
        match map(&mut file)? {
            Some(map) => Ok(self.update(&map)),
            None => self.update_reader(file),
        }
    }

    /// [`update_mmap`](Self::update_mmap), with its dangers, on several threads, as
    /// [`update_rayon`](Self::update_rayon) does it.
    ///
    /// The threads read at several places at once, which a spinning disk is slow at:
    /// [`update_reader_rayon`](Self::update_reader_rayon) reads from front to back.
    ///
    /// # Errors
    ///
    /// As [`update_mmap`](Self::update_mmap).
    ///
    /// # Panics
    ///
    /// As [`update_rayon`](Self::update_rayon).
    ///
    /// ```
    /// # fn main() -> std::io::Result<()> {
    /// let mut hasher = blake3_lanes::Hasher::new();
    /// hasher.update_mmap_rayon("Cargo.lock")?;
    /// assert_eq!(hasher.finalize(), blake3_lanes::hash(&std::fs::read("Cargo.lock")?));
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "rayon")]
    pub fn update_mmap_rayon(&mut self, path: impl AsRef<Path>) -> Result<&mut Self> {
        let mut file = File::open(path)?;
        match map(&mut file)? {
            Some(map) => Ok(self.update_rayon(&map)),
            None => self.update_reader(file),
        }
    }
}

/// The file as a map, or none where it is to be read, from its start on.
fn map(file: &mut File) -> Result<Option<Mmap>> {
    // The length that metadata give is 0 for block devices.
    let Ok(len) = file.seek(SeekFrom::End(0)) else {
        return Ok(None);
    };
    let mut map = None;
    if len >= SHORTEST_MAP
        && let Ok(short_enough) = usize::try_from(len)
    {
        map = open(file, short_enough);
    }
    // A file that was truncated between the two calls would be known to end this process.
    if map.is_some() && file.seek(SeekFrom::End(0)).ok() != Some(len) {
        map = None;
    }
    if map.is_none() {
        file.rewind()?;
    }
    Ok(map)
}

/// The only `unsafe` outside the kernels and their calls: the crate that maps files has no safe
/// call, since no crate can keep other processes from changing what is mapped.
#[allow(unsafe_code)]
fn open(file: &File, len: usize) -> Option<Mmap> {
    let mut options = MmapOptions::new();
    options.len(len);
    // SAFETY: the map is never given away, and nothing here branches on its bytes or takes addresses
    // from them. No crate can keep another process from writing to the file meanwhile: then there is no
    // telling what is hashed, and if the file is truncated, the system ends this process. Whoever calls
    // `update_mmap` takes that on, as it says.
    unsafe { options.map(file) }.ok()
}
