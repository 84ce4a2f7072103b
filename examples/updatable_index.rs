//! The hash of a large file that changes here and there: an index of its pieces is kept beside it, and only the pieces that
//! have changed are hashed anew.
//!
//! ```text
//! cargo run --release --example updatable_index -- FILE INDEX           # makes the index, or reads it, and prints the hash
//! cargo run --release --example updatable_index -- FILE INDEX 3 17      # after pieces 3 and 17 have changed
//! ```

use std::error::Error;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use blake3_lanes::subtree::{Collector, Piece, Plan, Subtree};

const PIECE_LEN: u64 = 1 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, index, changed @ ..] = &words[..] else {
        return Err(
            "expected a file, its index, and the numbers of pieces that have changed".into(),
        );
    };
    let mut file = File::open(file)?;
    let plan = Plan::new(file.metadata()?.len(), PIECE_LEN)?;
    let index = Path::new(index);
    let mut collector = plan.collector();
    if index.exists() {
        // An index of a file of another length is refused here.
        for bytes in fs::read(index)?.chunks(Subtree::BYTES) {
            collector.insert(Subtree::from_bytes(bytes)?)?;
        }
    } else {
        for piece in plan.pieces() {
            collector.insert(hash(&plan, &mut file, piece)?)?;
        }
    }
    for number in changed {
        let piece = plan.piece(number.parse()?).ok_or("no such piece")?;
        collector.replace(hash(&plan, &mut file, piece)?)?;
    }
    println!("{}", collector.finalize()?);
    write(index, &collector)
}

fn hash(plan: &Plan, file: &mut File, piece: Piece) -> Result<Subtree, Box<dyn Error>> {
    let mut hasher = plan.hasher(piece.index())?;
    file.seek(SeekFrom::Start(piece.offset()))?;
    std::io::copy(&mut file.take(piece.len()), &mut hasher)?;
    Ok(hasher.finalize()?)
}

fn write(index: &Path, collector: &Collector) -> Result<(), Box<dyn Error>> {
    let subtrees = collector
        .plan()
        .pieces()
        .filter_map(|piece| collector.subtree(piece.span()));
    let bytes: Vec<u8> = subtrees.flat_map(|subtree| subtree.to_bytes()).collect();
    Ok(fs::write(index, bytes)?)
}
