//! `lanesum`: prints and checks BLAKE3 digests of files, with the options and the output of `b3sum`.

mod args;
mod check;
mod commands;
mod input;
mod name;
mod output;
mod progress;
mod threads;
mod walk;

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;

use args::Args;
use blake3_lanes::{Hasher, OutputReader};
use input::{Inputs, Problem};
use output::Output;
use progress::Progress;
use threads::Threads;
use walk::Found;

/// What a shell makes of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

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
    let done = match &args.command {
        Some(command) => commands::run(command, &args)
            .map(|()| true)
            .map_err(Failure::from),
        None => run(&args),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        // A reader that has seen enough (`lanesum * | head -1`) is no news to anyone.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::FAILURE
        }
        Err(Failure::Output(error)) => {
            report(&format!("cannot write to standard output: {error}"));
            ExitCode::FAILURE
        }
        Err(Failure::Said(message)) => {
            report(&message);
            ExitCode::FAILURE
        }
    }
}

/// What leaves nothing more to do.
enum Failure {
    Output(io::Error),
    Said(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Hashes or checks every input. `false` says that some could not be, and were reported.
fn run(args: &Args) -> Result<bool, Failure> {
    let base = base_hasher(args).map_err(Failure::Said)?;
    let progress = Arc::new(Progress::new(args.progress));
    end_in_whole_lines(&progress);
    let threads = Threads::new(args.threads());
    let inputs = Inputs {
        base,
        keyed: args.keyed,
        mmap: args.mmap,
        threads: &threads,
        progress: &progress,
    };
    let mut out = Output::new(&progress);
    let done = if args.check {
        check::run(args, &inputs, &threads, &mut out)
    } else if args.tee {
        tee(args, &inputs)
    } else {
        hash_all(args, &inputs, &threads, &mut out)
    };
    progress.clear();
    Ok(done?)
}

/// Hashes all inputs, in order.
fn hash_all(
    args: &Args,
    inputs: &Inputs<'_>,
    threads: &Threads,
    out: &mut Output<'_>,
) -> io::Result<bool> {
    enum Outcome {
        Digest(OsString, OutputReader),
        Problem(OsString, Problem),
        Skipped(OsString, &'static str),
        Failed(OsString, String),
    }

    if inputs.progress.is_wanted()
        && let Some(total) = walk::total(args)
    {
        inputs.progress.set_total(total);
    }
    let work = |found| match found {
        Found::File(file) => match inputs.hash(&file) {
            Ok(digest) => Outcome::Digest(file, digest),
            Err(problem) => Outcome::Problem(file, problem),
        },
        Found::Skipped(file, why) => Outcome::Skipped(file, why),
        Found::Failed(file, why) => Outcome::Failed(file, why),
    };
    let mut all_hashed = true;
    let out = RefCell::new(out);
    let tell = |outcome| -> io::Result<()> {
        let mut out = out.borrow_mut();
        match outcome {
            Outcome::Digest(file, digest) => {
                out.digest(args, &file, digest)?;
                let named = !(args.no_names || args.raw || args.zero || args.json);
                if named && let Some(lost) = name::lost(&file) {
                    out.report(&format!("{}: {lost}", name::for_message(&file)))?;
                }
                Ok(())
            }
            Outcome::Skipped(file, why) => {
                out.report(&format!("{}: skipped: {why}", name::for_message(&file)))
            }
            Outcome::Problem(file, problem) => {
                all_hashed = false;
                let why = problem.explain(&file);
                out.report(&format!("{}: {why}", name::for_message(&file)))
            }
            Outcome::Failed(file, why) => {
                all_hashed = false;
                out.report(&format!("{}: {why}", name::for_message(&file)))
            }
        }
    };
    let mut tell = tell;
    let take = |outcome| tell(outcome).map_or_else(ControlFlow::Break, ControlFlow::Continue);
    let idle = || {
        let flushed = out.borrow_mut().flush();
        flushed.map_or_else(ControlFlow::Break, ControlFlow::Continue)
    };
    // What is read from standard input twice is told apart by which comes first.
    let at_once = args.files().filter(|file| is_stdin(file)).count() <= 1;
    match threads.in_order(at_once, walk::files(args), work, take, idle) {
        ControlFlow::Continue(()) => Ok(all_hashed),
        ControlFlow::Break(error) => Err(error),
    }
}

/// Copies the only input to standard output, and prints its line on standard error.
fn tee(args: &Args, inputs: &Inputs<'_>) -> io::Result<bool> {
    let Some(file) = args.files().next() else {
        return Ok(true);
    };
    match inputs.tee(file, &mut io::stdout().lock()) {
        Ok(digest) => {
            let mut line = Vec::new();
            output::write(&mut line, args, file, digest?)?;
            inputs.progress.clear();
            // Standard error may be closed, as for messages.
            let _ = io::stderr().write_all(&line);
            Ok(true)
        }
        Err(problem) => {
            let why = problem.explain(file);
            inputs.progress.clear();
            report(&format!("{}: {why}", name::for_message(file)));
            Ok(false)
        }
    }
}

/// Makes Ctrl-C, and a request to end, wait for the line that is being written.
fn end_in_whole_lines(progress: &Arc<Progress>) {
    let progress = Arc::clone(progress);
    // Without a handler the program ends at once, which is no error.
    let _ = ctrlc::set_handler(move || {
        let _held = output::wait_for_whole_lines();
        progress.clear();
        std::process::exit(INTERRUPTED);
    });
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
