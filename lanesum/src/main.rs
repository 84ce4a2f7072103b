//! `lanesum`: prints BLAKE3 digests of files, with the options and the output of `b3sum`.

mod args;
mod input;
mod name;
mod output;

use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use args::Args;
use blake3_lanes::Hasher;

fn main() -> ExitCode {
    let args = match Args::from_command_line() {
        Ok(args) => args,
        Err(error) => {
            // Help and version come this way too, and are no failure. Where even the message can't be written, the
            // exit code is all that is left.
            let _ = error.print();
            return if error.use_stderr() {
                ExitCode::FAILURE
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    match run(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            report(&message);
            ExitCode::FAILURE
        }
    }
}

/// Hashes every input in turn. `false` says that some could not be hashed and were reported; an error is one that
/// leaves nothing more to do.
fn run(args: &Args) -> Result<bool, String> {
    let hasher = base_hasher(args)?;
    // One write per line and not one per piece of it; flushed after each file, so that lines and messages come in the
    // order of the files even where both go to one terminal.
    let mut out = BufWriter::new(io::stdout().lock());
    let mut all_hashed = true;
    for file in args.files() {
        match input::hash(&hasher, file, args.keyed) {
            Ok(digest) => {
                let written =
                    output::write(&mut out, args, file, digest).and_then(|()| out.flush());
                if let Err(error) = written {
                    // A reader that has seen enough (`lanesum * | head -1`) is no news to anyone.
                    if error.kind() == io::ErrorKind::BrokenPipe {
                        return Ok(false);
                    }
                    return Err(format!("cannot write to standard output: {error}"));
                }
            }
            Err(problem) => {
                report(&format!("{}: {problem}", name::for_message(file)));
                all_hashed = false;
            }
        }
    }
    Ok(all_hashed)
}

/// The hasher that every input starts from.
fn base_hasher(args: &Args) -> Result<Hasher, String> {
    let tier = args.tier();
    if args.keyed {
        let key =
            input::read_key(io::stdin().lock()).map_err(|problem| format!("--keyed: {problem}"))?;
        Ok(Hasher::new_keyed_on_tier(tier, &key))
    } else if let Some(context) = &args.derive_key {
        Ok(Hasher::new_derive_key_on_tier(tier, context))
    } else {
        Ok(Hasher::on_tier(tier))
    }
}

/// Says on standard error what went wrong.
fn report(message: &str) {
    // A closed standard error is no reason to stop hashing, as `eprintln!` would.
    let _ = writeln!(io::stderr(), "lanesum: {message}");
}

/// Whether a name on the command line stands for standard input.
fn is_stdin(file: &OsStr) -> bool {
    file == "-"
}
