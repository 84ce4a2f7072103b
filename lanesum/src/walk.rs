//! The files that are to be hashed, in order.

use std::ffi::{OsStr, OsString};
use std::fs;

use walkdir::WalkDir;

use crate::args::Args;

/// A file, or why there is none.
#[derive(Debug)]
pub(crate) enum Found {
    File(OsString),
    /// Something in a folder that is no file.
    Skipped(OsString, &'static str),
    Failed(OsString, String),
}

/// What the command line names, and with `--recursive` what is in folders, by name.
pub(crate) fn files(args: &Args) -> Box<dyn Iterator<Item = Found> + Send + '_> {
    let files = args.files();
    if !args.recursive {
        return Box::new(files.map(|file| Found::File(file.to_owned())));
    }
    Box::new(files.flat_map(below))
}

fn below(root: &OsStr) -> Box<dyn Iterator<Item = Found> + Send> {
    if crate::is_stdin(root) || !fs::metadata(root).is_ok_and(|found| found.is_dir()) {
        return Box::new(std::iter::once(Found::File(root.to_owned())));
    }
    let root = root.to_owned();
    let entries = WalkDir::new(&root).sort_by_file_name().into_iter();
    Box::new(entries.filter_map(move |entry| match entry {
        Ok(entry) => {
            let kind = entry.file_type();
            if kind.is_dir() {
                return None;
            }
            let path = entry.into_path().into_os_string();
            Some(if kind.is_file() {
                Found::File(path)
            } else if kind.is_symlink() {
                Found::Skipped(path, "a symbolic link")
            } else {
                Found::Skipped(path, "a special file")
            })
        }
        Err(error) => {
            let path = error.path().map(|path| path.as_os_str().to_owned());
            let why = match error.io_error() {
                Some(error) => error.to_string(),
                None => error.to_string(),
            };
            Some(Found::Failed(path.unwrap_or_else(|| root.clone()), why))
        }
    }))
}

/// How many bytes there are to hash, where that can be told without reading: for a bar.
pub(crate) fn total(args: &Args) -> Option<u64> {
    let mut total = 0_u64;
    for found in files(args) {
        if let Found::File(file) = found {
            let metadata = fs::metadata(&file).ok();
            total += metadata.filter(fs::Metadata::is_file)?.len();
        }
    }
    Some(total)
}
