//! The contenders for real data: readers, files and threads.

use std::cell::RefCell;
use std::fs::{self, File};
use std::path::PathBuf;
use std::rc::Rc;

use benches::Mode;
use blake3_lanes::Tier;
use tempfile::TempDir;

use super::contenders::{Contender, Digest};

/// A file that holds the input, or an input of the same length that came first.
#[derive(Clone, Default)]
struct Stored(Rc<RefCell<Option<(TempDir, usize)>>>);

impl Stored {
    /// Its path. Written when the length is another one than before: the ladder asks for a digest before it takes any
    /// time.
    fn path(&self, input: &[u8]) -> PathBuf {
        let mut stored = self.0.borrow_mut();
        let file = |folder: &TempDir| folder.path().join("input");
        match &*stored {
            Some((folder, len)) if *len == input.len() => file(folder),
            _ => {
                let folder = tempfile::tempdir().expect("a folder for temporary files");
                let path = file(&folder);
                fs::write(&path, input).expect("room for the input");
                *stored = Some((folder, input.len()));
                path
            }
        }
    }
}

/// Our code in one of these modes.
pub(super) fn ours(tier: Tier, mode: Mode) -> Option<Contender> {
    let hasher = move || blake3_lanes::Hasher::on_tier(tier);
    let digest = |hasher: &blake3_lanes::Hasher| -> Digest { hasher.finalize().into() };
    let stored = Stored::default();
    Some(match mode {
        Mode::Threads => Contender::new(move |input| digest(hasher().update_rayon(input))),
        Mode::Parallel => Contender::new(|input| blake3_lanes::parallel::hash(input).into()),
        Mode::Reader => {
            Contender::new(move |input| digest(hasher().update_reader(input).expect("no error")))
        }
        Mode::File => Contender::new(move |input| {
            let file = File::open(stored.path(input)).expect("there");
            digest(hasher().update_reader(file).expect("no error"))
        }),
        Mode::FileThreads => Contender::new(move |input| {
            let file = File::open(stored.path(input)).expect("there");
            digest(hasher().update_reader_rayon(file).expect("no error"))
        }),
        Mode::MapThreads => Contender::new(move |input| {
            let path = stored.path(input);
            digest(hasher().update_mmap_rayon(path).expect("no error"))
        }),
        _ => return None,
    })
}

/// The official crate in one of these modes. It has no reader on several threads: what it has for files is the map.
pub(super) fn official(mode: Mode) -> Option<Contender> {
    let digest = |hasher: &blake3::Hasher| -> Digest { hasher.finalize().into() };
    let hasher = blake3::Hasher::new;
    let stored = Stored::default();
    Some(match mode {
        Mode::Threads | Mode::Parallel => {
            Contender::new(move |input| digest(hasher().update_rayon(input)))
        }
        Mode::Reader => {
            Contender::new(move |input| digest(hasher().update_reader(input).expect("no error")))
        }
        Mode::File => Contender::new(move |input| {
            let file = File::open(stored.path(input)).expect("there");
            digest(hasher().update_reader(file).expect("no error"))
        }),
        Mode::FileThreads | Mode::MapThreads => Contender::new(move |input| {
            let path = stored.path(input);
            digest(hasher().update_mmap_rayon(path).expect("no error"))
        }),
        _ => return None,
    })
}
