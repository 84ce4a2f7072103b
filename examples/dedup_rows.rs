//! Counts the different lines of a file: each is hashed, all in one call, and equal hashes are equal
//! lines.
//!
//! ```text
//! cargo run --release --example dedup_rows -- FILE
//! ```

use std::collections::HashMap;
use std::{env, fs, io};

use blake3_lanes::many;

/// The hash of each line, and how often which occurs, the first of them with its place.
fn count(text: &[u8]) -> HashMap<[u8; 32], (usize, usize)> {
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    // An end of line is not the start of another one.
    let lines = match lines.split_last() {
        Some((&[], lines)) => lines,
        _ => &lines,
    };
    let mut hashes = vec![[0; 32]; lines.len()];
    many::hash(lines, &mut hashes);
    let mut counts = HashMap::new();
    for (at, hash) in hashes.into_iter().enumerate() {
        counts.entry(hash).or_insert((at, 0)).1 += 1;
    }
    counts
}

fn main() -> io::Result<()> {
    let Some(path) = env::args_os().nth(1) else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "usage: dedup_rows FILE",
        ));
    };
    let text = fs::read(path)?;
    let counts = count(&text);
    let lines: usize = counts.values().map(|(_, count)| count).sum();
    println!("{lines} lines, {} of them different", counts.len());
    if let Some((at, times)) = counts
        .values()
        .max_by_key(|(at, times)| (times, usize::MAX - at))
        && *times > 1
    {
        println!("the most frequent one is line {}, {times} times", at + 1);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted() {
        let counts = count(b"one\ntwo\none\n\none\n");
        let of = |line: &[u8]| counts[blake3_lanes::hash(line).as_bytes()];
        assert_eq!((of(b"one"), of(b"two"), of(b"")), ((0, 3), (1, 1), (3, 1)));
        assert_eq!(counts.len(), 3);
        assert!(count(b"").is_empty());
    }
}
