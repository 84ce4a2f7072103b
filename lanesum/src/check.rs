//! Checkfiles: which lines there are, and what is said of each.

mod line;
mod source;

use std::ffi::OsStr;
use std::io;
use std::ops::ControlFlow;

use blake3_lanes::OutputReader;
use serde::Serialize;

use crate::args::Args;
use crate::input::{Inputs, Problem};
use crate::name;
use crate::output::Output;
use crate::threads::Threads;
use line::{Expected, Line};
use source::{Item, items};

/// What a line came to.
enum Outcome {
    /// A file was hashed, or could not be.
    Hashed(Expected, Result<bool, Problem>),
    /// A line that says nothing.
    Skipped {
        place: String,
        why: &'static str,
    },
    Malformed {
        place: String,
        why: String,
    },
    Unreadable {
        checkfile: String,
        why: String,
    },
    End {
        checkfile: String,
    },
}

/// What all lines came to.
#[derive(Debug, Default)]
struct Counts {
    matched: u64,
    failed: u64,
    unreadable: u64,
    missing: u64,
    malformed: u64,
    /// Checkfiles that could not be read, or in which nothing was found.
    checkfiles: u64,
}

/// Checks all that the checkfiles list. `false` says that something was wrong, and was reported.
pub(crate) fn run(
    args: &Args,
    inputs: &Inputs<'_>,
    threads: &Threads,
    out: &mut Output<'_>,
) -> io::Result<bool> {
    let mut all = Counts::default();
    let mut this = Counts::default();
    let files: Vec<&OsStr> = args.files().collect();
    let items = items(&files, args.zero, args.strict);
    let work = |item| match item {
        Item::Line(_, Line::File(expected)) => {
            let found = inputs.hash(&expected.file);
            let found = found.map(|digest| matches(&expected, args.seek, digest));
            Outcome::Hashed(expected, found)
        }
        Item::Line(place, Line::Empty) if !args.strict => Outcome::Skipped {
            place,
            why: "a blank line or comment",
        },
        Item::Line(place, Line::Empty) => Outcome::Malformed {
            place,
            why: "a blank line or comment, which --strict does not take".to_owned(),
        },
        Item::Line(place, Line::Malformed(why)) => Outcome::Malformed { place, why },
        Item::Unreadable { checkfile, why } => Outcome::Unreadable { checkfile, why },
        Item::End { checkfile } => Outcome::End { checkfile },
    };
    let out = std::cell::RefCell::new(out);
    let take = |outcome| {
        let told = tell(args, outcome, &mut this, &mut all, &mut out.borrow_mut());
        told.map_or_else(ControlFlow::Break, ControlFlow::Continue)
    };
    let idle = || {
        let flushed = out.borrow_mut().flush();
        flushed.map_or_else(ControlFlow::Break, ControlFlow::Continue)
    };
    // A line of standard input may be the name of standard input.
    let at_once = !files.iter().any(|file| crate::is_stdin(file));
    if let ControlFlow::Break(error) = threads.in_order(at_once, items, work, take, idle) {
        return Err(error);
    }
    let out = out.into_inner();
    let mut warn = |count: u64, one: &str, many: &str| {
        if count == 0 || args.status {
            return Ok(());
        }
        out.report(&format!(
            "WARNING: {count} {}",
            if count == 1 { one } else { many }
        ))
    };
    warn(
        all.malformed,
        "line is improperly formatted",
        "lines are improperly formatted",
    )?;
    warn(
        all.unreadable,
        "listed file could not be read",
        "listed files could not be read",
    )?;
    warn(
        all.failed,
        "computed checksum did NOT match",
        "computed checksums did NOT match",
    )?;
    let wrong = [all.malformed, all.unreadable, all.failed, all.checkfiles];
    Ok(wrong.iter().all(|&count| count == 0))
}

fn matches(expected: &Expected, seek: u64, mut digest: OutputReader) -> bool {
    let mut found = vec![0; expected.hash.len()];
    digest.set_position(seek);
    digest.fill(&mut found);
    // Not the first difference, but whether there is any.
    let pairs = found.iter().zip(&expected.hash);
    pairs.fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

fn tell(
    args: &Args,
    outcome: Outcome,
    this: &mut Counts,
    all: &mut Counts,
    out: &mut Output<'_>,
) -> io::Result<()> {
    match outcome {
        Outcome::Hashed(expected, found) => {
            let verdict = match &found {
                Ok(true) => {
                    this.matched += 1;
                    "OK".to_owned()
                }
                Ok(false) => {
                    this.failed += 1;
                    "FAILED".to_owned()
                }
                Err(problem) if args.ignore_missing && problem.is_missing() => {
                    this.missing += 1;
                    return Ok(());
                }
                Err(problem) => {
                    this.unreadable += 1;
                    format!("FAILED ({problem})")
                }
            };
            let matched = matches!(found, Ok(true));
            if args.status || (args.quiet && matched) {
                return Ok(());
            }
            if args.json {
                #[derive(Serialize)]
                struct Line<'a> {
                    #[serde(flatten)]
                    name: name::Json<'a>,
                    ok: bool,
                    #[serde(skip_serializing_if = "Option::is_none")]
                    error: Option<String>,
                }

                let line = Line {
                    name: name::Json::new(&expected.file),
                    ok: matched,
                    error: found.err().map(|problem| problem.to_string()),
                };
                return out.line(|out| {
                    serde_json::to_writer(&mut *out, &line)?;
                    out.push(b'\n');
                    Ok(())
                });
            }
            out.line(|line| {
                line.extend_from_slice(&expected.shown);
                line.extend_from_slice(b": ");
                line.extend_from_slice(verdict.as_bytes());
                line.push(b'\n');
                Ok(())
            })
        }
        Outcome::Skipped { place, why } if args.warn && !args.status => {
            out.report(&format!("{place}: skipped: {why}"))
        }
        Outcome::Skipped { .. } => Ok(()),
        Outcome::Malformed { place, why } => {
            this.malformed += 1;
            if args.status {
                return Ok(());
            }
            out.report(&format!("{place}: improperly formatted: {why}"))
        }
        Outcome::Unreadable { checkfile, why } => {
            this.checkfiles += 1;
            out.report(&format!("{checkfile}: {why}"))
        }
        Outcome::End { checkfile } => {
            let Counts {
                matched,
                failed,
                unreadable,
                missing,
                malformed,
                checkfiles,
            } = std::mem::take(this);
            if matched + failed + unreadable + missing == 0 && checkfiles == 0 {
                // Even with --status, as GNU's tools do: nothing was checked at all.
                all.checkfiles += 1;
                out.report(&format!(
                    "{checkfile}: no properly formatted checksum lines found"
                ))?;
            } else if matched + failed + unreadable == 0 && checkfiles == 0 {
                all.checkfiles += 1;
                if !args.status {
                    out.report(&format!("{checkfile}: no file was verified"))?;
                }
            }
            // A count that came back to 0 would be a success.
            all.matched = all.matched.saturating_add(matched);
            all.failed = all.failed.saturating_add(failed);
            all.unreadable = all.unreadable.saturating_add(unreadable);
            all.malformed = all.malformed.saturating_add(malformed);
            all.checkfiles = all.checkfiles.saturating_add(checkfiles);
            Ok(())
        }
    }
}
