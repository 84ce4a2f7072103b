//! What is printed for one input, and how it gets out: whole lines only.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use blake3_lanes::OutputReader;
use serde::Serialize;

use crate::args::Args;
use crate::name;
use crate::progress::Progress;

/// Bytes of digest made at a time: many blocks, so that long outputs come from the widest kernel.
const PIECE: usize = 8 * 1024;
/// Lines are written together up to about this many bytes.
const TOGETHER: usize = 64 * 1024;

/// Held while lines are written, so that Ctrl-C finds none half written.
static LINES: Mutex<()> = Mutex::new(());

fn hold() -> MutexGuard<'static, ()> {
    LINES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until no line is half written, but not for ever: a reader may have stopped reading.
pub(crate) fn wait_for_whole_lines() -> Option<MutexGuard<'static, ()>> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(1) {
        match LINES.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(error)) => return Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
    None
}

/// Standard output, in whole lines.
#[derive(Debug)]
pub(crate) struct Output<'a> {
    lines: Vec<u8>,
    progress: &'a Progress,
}

impl<'a> Output<'a> {
    pub(crate) fn new(progress: &'a Progress) -> Self {
        Self {
            lines: Vec::new(),
            progress,
        }
    }

    /// Lets `line` write a line, or several, into what goes out later.
    pub(crate) fn line(
        &mut self,
        line: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
    ) -> io::Result<()> {
        line(&mut self.lines)?;
        if self.lines.len() >= TOGETHER {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes the digest of `file` in the form that `args` asks for.
    pub(crate) fn digest(
        &mut self,
        args: &Args,
        file: &OsStr,
        digest: OutputReader,
    ) -> io::Result<()> {
        if args.length <= TOGETHER as u64 {
            return self.line(|line| write(line, args, file, digest));
        }
        // Too long to be held.
        self.flush()?;
        self.progress.aside(|| {
            let _held = hold();
            let mut out = io::BufWriter::new(io::stdout().lock());
            write(&mut out, args, file, digest)?;
            out.flush()
        })
    }

    /// Sends out what was written.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        self.progress.aside(|| {
            let _held = hold();
            let mut out = io::stdout().lock();
            out.write_all(&self.lines)?;
            out.flush()
        })?;
        self.lines.clear();
        Ok(())
    }

    /// Says on standard error what went wrong, after what was written before.
    pub(crate) fn report(&mut self, message: &str) -> io::Result<()> {
        self.flush()?;
        self.progress.aside(|| {
            let _held = hold();
            crate::report(message);
        });
        Ok(())
    }
}

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
    if args.json {
        return write_json(out, args, file, digest);
    }
    let end: &[u8] = if args.zero { b"\0" } else { b"\n" };
    if args.no_names {
        write_hex(out, digest, args.length)?;
        return out.write_all(end);
    }
    let name = if args.zero {
        name::verbatim(file)
    } else {
        name::for_output(file)
    };
    if name.escaped {
        out.write_all(b"\\")?;
    }
    if args.tag {
        out.write_all(b"BLAKE3 (")?;
        out.write_all(&name.bytes)?;
        out.write_all(b") = ")?;
        write_hex(out, digest, args.length)?;
    } else {
        write_hex(out, digest, args.length)?;
        out.write_all(b"  ")?;
        out.write_all(&name.bytes)?;
    }
    out.write_all(end)
}

fn write_json(
    out: &mut impl Write,
    args: &Args,
    file: &OsStr,
    digest: OutputReader,
) -> io::Result<()> {
    #[derive(Serialize)]
    struct Line<'a> {
        #[serde(flatten)]
        name: name::Json<'a>,
        length: u64,
        #[serde(skip_serializing_if = "is_zero")]
        seek: u64,
    }

    fn is_zero(seek: &u64) -> bool {
        *seek == 0
    }

    // The digest goes by itself, since it may be long.
    let line = serde_json::to_vec(&Line {
        name: name::Json::new(file),
        length: args.length,
        seek: args.seek,
    })?;
    let open = line.strip_suffix(b"}").unwrap_or(&line);
    out.write_all(open)?;
    out.write_all(b",\"blake3\":\"")?;
    write_hex(out, digest, args.length)?;
    out.write_all(b"\"}\n")
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
