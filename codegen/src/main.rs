//! `cargo codegen`: writes `generated/`. `--check` compares instead, `--stats` prints op counts.

use std::env;
use std::process::ExitCode;

use codegen::{files, search, stats};

const USAGE: &str = "usage: cargo codegen [--check | --stats | --search]
  (nothing)  proves all kernels and writes generated/ and codegen/tests/probes/
  --check    proves all kernels and fails if those folders are not what it would write
  --stats    prints each kernel's operations, registers, spills and floor
  --search   measures the tunings of the chunks kernels on this machine";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("codegen: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<String, String> {
    if !matches!(
        arguments,
        [] | ["--check" | "--stats" | "--search" | "--help"]
    ) {
        return Err(format!("unknown arguments {arguments:?}\n{USAGE}"));
    }
    if arguments == ["--help"] {
        return Ok(format!("{USAGE}\n"));
    }
    if arguments == ["--search"] {
        return search::run();
    }
    let (made, proved) = files::make()?;
    match arguments {
        ["--stats"] => return Ok(stats::table(&proved)),
        ["--check"] => {
            let wrong = files::check(&files::root(), &made)?;
            if !wrong.is_empty() {
                return Err(format!(
                    "{}\nrun `cargo codegen` and commit what it writes",
                    wrong.join("\n")
                ));
            }
        }
        _ => files::write(&files::root(), &made)?,
    }
    Ok(stats::proofs(&proved))
}
