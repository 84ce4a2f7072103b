//! Fills standard output with as many pseudorandom bytes as are asked for, of a secret seed from
//! standard input: the same seed gives the same bytes.
//!
//! ```text
//! head -c 32 /dev/urandom > seed
//! cargo run --release --example drbg -- 1000000 < seed > bytes
//! ```

use std::io::{self, Read as _, Write as _};
use std::{env, process};

use blake3_lanes::{Hasher, OutputReader};

const CONTEXT: &str = "blake3-lanes example drbg 2026-01-01 output";

/// The least seed in bytes that is not guessed.
const SEED_LEN: usize = 32;

/// A generator, as good as the seed.
fn generator(seed: &[u8]) -> OutputReader {
    Hasher::new_derive_key(CONTEXT).update(seed).finalize_xof()
}

fn main() -> io::Result<()> {
    let Some(mut left) = env::args()
        .nth(1)
        .and_then(|count| count.parse::<u64>().ok())
    else {
        eprintln!("usage: drbg BYTES < SEED");
        process::exit(2);
    };
    let mut seed = Vec::new();
    io::stdin().read_to_end(&mut seed)?;
    if seed.len() < SEED_LEN {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!(
                "a seed of {} bytes can be guessed: {SEED_LEN} are needed",
                seed.len()
            ),
        ));
    }
    let mut reader = generator(&seed);
    // Long pieces fill all lanes.
    let mut buffer = vec![0; 64 * 1024];
    let mut out = io::stdout().lock();
    while left > 0 {
        let piece = &mut buffer[..usize::try_from(left).unwrap_or(usize::MAX).min(64 * 1024)];
        reader.fill(piece);
        out.write_all(piece)?;
        left -= piece.len() as u64;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_do_not_show() {
        let seed = [7; SEED_LEN];
        let mut at_once = vec![0; 200_000];
        generator(&seed).fill(&mut at_once);
        let mut reader = generator(&seed);
        let mut pieces = Vec::new();
        while pieces.len() < at_once.len() {
            let mut piece = [0; 1000];
            reader.fill(&mut piece);
            pieces.extend(piece);
        }
        assert!(pieces == at_once);
        assert_eq!(at_once[..32], blake3_lanes::derive_key(CONTEXT, &seed));
    }
}
