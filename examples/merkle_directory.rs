//! The root of a Merkle tree over the files of a directory: it changes if the content or the name of
//! any file does.
//!
//! ```text
//! cargo run --release --example merkle_directory -- DIRECTORY
//! ```
//!
//! A leaf stands for one file, in the order of their paths: a hash of the path's hash and the
//! content's. Leaves, nodes and the root are derived in contexts of their own, so that none can be taken
//! for another, and the root counts the leaves.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::{env, io};

use blake3_lanes::many::{self, Batch};
use blake3_lanes::{Hash, Hasher};

const LEAF: &str = "blake3-lanes example merkle_directory 2026-01-01 leaf";
const NODE: &str = "blake3-lanes example merkle_directory 2026-01-01 node";
const ROOT: &str = "blake3-lanes example merkle_directory 2026-01-01 root";

/// The paths of all regular files, from `directory` on. Links are not followed.
fn files(directory: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            files(&entry.path(), found)?;
        } else if kind.is_file() {
            found.push(entry.path());
        }
    }
    Ok(())
}

fn root(directory: &Path) -> io::Result<(usize, Hash)> {
    let mut paths = Vec::new();
    files(directory, &mut paths)?;
    paths.sort();
    let names: Vec<&[u8]> = paths
        .iter()
        .map(|path| path.strip_prefix(directory).unwrap_or(path))
        .map(|path| path.as_os_str().as_encoded_bytes())
        .collect();

    let mut names_and_contents = vec![[[0; 32]; 2]; paths.len()];
    let mut hashes = vec![[0; 32]; paths.len()];
    many::hash(&names, &mut hashes);
    for ((path, pair), name) in paths.iter().zip(&mut names_and_contents).zip(hashes) {
        let content = Hasher::new().update_reader(File::open(path)?)?.finalize();
        *pair = [name, content.into()];
    }

    let mut leaves = vec![[0; 32]; paths.len()];
    let pairs = names_and_contents.as_flattened().as_flattened();
    Batch::new_derive_key(LEAF).hash_records(pairs, 64, &mut leaves);
    let mut root = Hasher::new_derive_key(ROOT);
    root.update(&(leaves.len() as u64).to_le_bytes());
    if let Some(top) = Batch::new_derive_key(NODE).merkle_root(&mut leaves) {
        root.update(&top);
    }
    Ok((paths.len(), root.finalize()))
}

fn main() -> io::Result<()> {
    let directory = env::args_os().nth(1).unwrap_or_else(|| ".".into());
    let (files, root) = root(directory.as_ref())?;
    println!("{root}  {} ({files} files)", directory.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_contents_count() -> io::Result<()> {
        let directory = env::temp_dir().join(format!("merkle-directory-{}", std::process::id()));
        fs::create_dir_all(directory.join("b"))?;
        let mut roots = vec![root(&directory)?];
        for (name, content) in [("a", "one"), ("b/c", "two"), ("b/d", ""), ("b/d", "three")] {
            fs::write(directory.join(name), content)?;
            roots.push(root(&directory)?);
        }
        fs::rename(directory.join("b/d"), directory.join("b/e"))?;
        roots.push(root(&directory)?);
        let again = root(&directory)?;
        fs::remove_dir_all(&directory)?;
        assert_eq!(
            roots.iter().map(|(files, _)| *files).collect::<Vec<_>>(),
            [0, 1, 2, 3, 3, 3]
        );
        assert_eq!(roots[5], again);
        for (i, (_, root)) in roots.iter().enumerate() {
            assert!(
                !roots[..i].iter().any(|(_, other)| other == root),
                "root {i}"
            );
        }
        Ok(())
    }
}
