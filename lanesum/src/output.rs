//! What is printed for one input.

use std::ffi::OsStr;
use std::io::{self, Write};

use blake3_lanes::OutputReader;

use crate::args::Args;
use crate::name;

/// Bytes of digest made at a time: many blocks, so that long outputs come from the widest kernel.
const PIECE: usize = 8 * 1024;

/// Writes the digest of `file` in the form that `args` asks for.
pub(crate) fn write(
    out: &mut impl Write,
    args: &Args,
    file: &OsStr,
    mut digest: OutputReader,
) -> io::Result<()> {
    digest.set_position(args.seek);
    if args.raw {
        return pieces(digest, args.length, |piece| out.write_all(piece));
    }
    if args.no_names {
        write_hex(out, digest, args.length)?;
        return out.write_all(b"\n");
    }
    let name = name::for_output(file);
    if name.escaped {
        out.write_all(b"\\")?;
    }
    if args.tag {
        write!(out, "BLAKE3 ({}) = ", name.text)?;
        write_hex(out, digest, args.length)?;
        writeln!(out)
    } else {
        write_hex(out, digest, args.length)?;
        writeln!(out, "  {}", name.text)
    }
}

fn write_hex(out: &mut impl Write, digest: OutputReader, length: u64) -> io::Result<()> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut hex = [0; 2 * PIECE];
    pieces(digest, length, |piece| {
        for (pair, byte) in hex.chunks_exact_mut(2).zip(piece) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        out.write_all(&hex[..2 * piece.len()])
    })
}

/// Hands the next `length` bytes of the digest to `write`, a piece at a time.
fn pieces(
    mut digest: OutputReader,
    length: u64,
    mut write: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut buffer = [0; PIECE];
    let mut left = length;
    while left > 0 {
        let take = left.min(PIECE as u64) as usize;
        digest.fill(&mut buffer[..take]);
        write(&buffer[..take])?;
        left -= take as u64;
    }
    Ok(())
}
