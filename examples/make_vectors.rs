//! Writes `tests/data/vectors.txt`, the known answers of the tests, with the `blake3` crate as the
//! judge. With `--check` it compares instead.

use std::fmt::Write as _;
use std::process::ExitCode;

const KEY: &[u8; 32] = b"whats the Elvish word for friend";
const CONTEXT: &str = "BLAKE3 2019-12-27 16:29:52 test vectors context";

/// Not a multiple of 4, and more than two blocks.
const OUTPUT_LEN: usize = 131;

/// The empty input and the first bytes, both sides of the edges of blocks and chunks, every number
/// of whole chunks up to twice the widest kernel's lanes, 31 chunks (a tree of 16 + 8 + 4 + 2 + 1)
/// and 100.
fn lengths() -> Vec<usize> {
    let mut lengths: Vec<usize> = (0..=8).collect();
    lengths.extend([
        63, 64, 65, 127, 128, 129, 1023, 1024, 1025, 1087, 1088, 1089,
    ]);
    lengths
        .extend((2..=32).flat_map(|chunks| [chunks * 1024 - 1, chunks * 1024, chunks * 1024 + 1]));
    lengths.push(100 * 1024);
    lengths
}

fn hex(mut hasher: blake3::Hasher, input: &[u8]) -> String {
    let mut output = [0; OUTPUT_LEN];
    hasher.update(input).finalize_xof().fill(&mut output);
    output.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("a string takes all");
        hex
    })
}

fn vectors() -> String {
    let mut text = String::from(
        "# Made by `cargo run --example make_vectors` with the blake3 crate. Do not edit.\n\
         # Byte i of each input is i % 251.\n",
    );
    writeln!(text, "# key: {}", KEY.escape_ascii()).expect("a string takes all");
    writeln!(text, "# context: {CONTEXT}").expect("a string takes all");
    text += "# input length, hash, keyed_hash, derive_key\n";
    for len in lengths() {
        let input: Vec<u8> = (0..len).map(|i| (i % 251) as u8).collect();
        let hash = hex(blake3::Hasher::new(), &input);
        let keyed_hash = hex(blake3::Hasher::new_keyed(KEY), &input);
        let derive_key = hex(blake3::Hasher::new_derive_key(CONTEXT), &input);
        writeln!(text, "{len}\n{hash}\n{keyed_hash}\n{derive_key}").expect("a string takes all");
    }
    text
}

fn main() -> ExitCode {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/vectors.txt");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let check = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--check"] => true,
        _ => {
            eprintln!("usage: make_vectors [--check]");
            return ExitCode::FAILURE;
        }
    };
    let text = vectors();
    if !check {
        if let Err(error) = std::fs::write(path, text) {
            eprintln!("{path}: {error}");
            return ExitCode::FAILURE;
        }
        return ExitCode::SUCCESS;
    }
    match std::fs::read_to_string(path) {
        Ok(found) if found.replace("\r\n", "\n") == text => ExitCode::SUCCESS,
        Ok(_) => {
            eprintln!("{path} is stale: run `cargo run --example make_vectors`");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::FAILURE
        }
    }
}
