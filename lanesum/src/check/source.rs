//! The lines of checkfiles, one after the other, in whatever encoding they are.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};

use super::line::{Line, parse, parse_verbatim};
use crate::input::Problem;
use crate::name;

/// No name is nearly as long: a checkfile that is none should not fill the memory.
const LONGEST: u64 = 1 << 24;

pub(super) enum Item {
    /// A line, and where it stands.
    Line(String, Line),
    /// A checkfile that could not be read, or not to its end.
    Unreadable { checkfile: String, why: String },
    /// The end of a checkfile.
    End { checkfile: String },
}

/// All lines of all checkfiles, in order. Each is read when its lines are asked for.
pub(super) fn items<'a>(
    files: &'a [&'a OsStr],
    zero: bool,
    strict: bool,
) -> impl Iterator<Item = Item> + Send + 'a {
    files.iter().flat_map(move |file| Checkfile {
        name: name::for_message(file),
        state: State::Closed(file),
        zero,
        strict,
        line: 0,
    })
}

struct Checkfile<'a> {
    name: String,
    state: State<'a>,
    zero: bool,
    strict: bool,
    line: u64,
}

enum State<'a> {
    Closed(&'a OsStr),
    Open(Box<dyn BufRead + Send>),
    Ending,
    Ended,
}

impl Iterator for Checkfile<'_> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        if let State::Closed(file) = self.state {
            match open(file) {
                Ok(reader) => self.state = State::Open(reader),
                Err(error) => {
                    self.state = State::Ending;
                    return Some(Item::Unreadable {
                        checkfile: self.name.clone(),
                        why: Problem::Io(error).explain(file),
                    });
                }
            }
        }
        if let State::Open(reader) = &mut self.state {
            let end = if self.zero { b'\0' } else { b'\n' };
            let mut line = Vec::new();
            match reader.take(LONGEST).read_until(end, &mut line) {
                Ok(0) => self.state = State::Ending,
                Ok(len) if len as u64 == LONGEST => {
                    self.state = State::Ending;
                    return Some(Item::Unreadable {
                        checkfile: self.name.clone(),
                        why: format!("a line of more than {LONGEST} bytes; expected a checkfile"),
                    });
                }
                Ok(_) => {
                    self.line += 1;
                    let place = format!("{}: {}", self.name, self.line);
                    let line = if self.zero {
                        parse_verbatim(line.strip_suffix(b"\0").unwrap_or(&line))
                    } else {
                        let len = line.iter().rposition(|byte| !b"\r\n".contains(byte));
                        parse(&line[..len.map_or(0, |last| last + 1)], self.strict)
                    };
                    return Some(Item::Line(place, line));
                }
                Err(error) => {
                    self.state = State::Ending;
                    return Some(Item::Unreadable {
                        checkfile: self.name.clone(),
                        why: error.to_string(),
                    });
                }
            }
        }
        match self.state {
            State::Ending => {
                self.state = State::Ended;
                Some(Item::End {
                    checkfile: self.name.clone(),
                })
            }
            _ => None,
        }
    }
}

/// A checkfile as UTF-8, without the mark that may stand before it.
fn open(file: &OsStr) -> io::Result<Box<dyn BufRead + Send>> {
    let mut reader: Box<dyn Read + Send> = if crate::is_stdin(file) {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(file)?)
    };
    let mut start = Vec::new();
    (&mut reader).take(3).read_to_end(&mut start)?;
    let wide: fn([u8; 2]) -> u16 = match start.as_slice() {
        [0xef, 0xbb, 0xbf] => return Ok(Box::new(BufReader::new(reader))),
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return Ok(Box::new(BufReader::new(Cursor::new(start).chain(reader)))),
    };
    // What PowerShell's `>` writes. Checkfiles are small enough to be decoded at once.
    let mut bytes = start[2..].to_vec();
    reader.read_to_end(&mut bytes)?;
    let (pairs, odd) = bytes.as_chunks();
    let units = pairs.iter().map(|&pair| wide(pair));
    let text: Result<String, _> = char::decode_utf16(units).collect();
    match text {
        Ok(text) if odd.is_empty() => Ok(Box::new(Cursor::new(text.into_bytes()))),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "not UTF-16, which its first two bytes promise",
        )),
    }
}
