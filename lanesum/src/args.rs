//! The command line: what may be said, and what goes together.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use blake3_lanes::{OUT_LEN, Tier};
use clap::error::{Error, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// Prints BLAKE3 digests of files, and checks them
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = "Exit status: 0 when every input was hashed, or was checked and matched; 1 when anything went wrong, \
                  which is said on standard error while the other inputs go on; 130 after Ctrl-C.\n\n\
                  A file that has the name of a command is a file: write ./bench or -- bench where that must be sure."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Files to hash, or checkfiles to check
    ///
    /// When no file is given, or when - is given, read standard input.
    // Not a PathBuf, for which clap refuses the empty name before any other file is hashed.
    #[arg(value_name = "FILE")]
    files: Vec<OsString>,

    /// Use the keyed mode, reading the 32-byte key from standard input
    ///
    /// The key is the raw bytes, not hex, and nothing may follow it.
    #[arg(long)]
    pub(crate) keyed: bool,

    /// Use the key derivation mode, with the given context string
    ///
    /// Cannot be used with --keyed.
    #[arg(long, value_name = "CONTEXT", conflicts_with = "keyed")]
    pub(crate) derive_key: Option<String>,

    /// The number of output bytes, before hex encoding
    ///
    /// Bytes, as b3sum has it, and not bits, as cksum has it. More than 32 bytes are no safer against collisions.
    #[arg(
        short,
        long,
        default_value_t = OUT_LEN as u64,
        value_name = "LEN",
        value_parser = byte_count,
        allow_negative_numbers = true
    )]
    pub(crate) length: u64,

    /// The starting output byte offset, before hex encoding
    #[arg(
        long,
        default_value_t = 0,
        value_name = "SEEK",
        value_parser = byte_count,
        allow_negative_numbers = true
    )]
    pub(crate) seek: u64,

    /// The maximum number of threads to use
    ///
    /// By default, this is the number of logical cores. If this flag is omitted, or if its value is 0,
    /// RAYON_NUM_THREADS is also respected.
    #[arg(long, value_name = "NUM")]
    num_threads: Option<usize>,

    /// Map files into memory instead of reading them
    ///
    /// Can be faster for files in the cache. A file that is truncated meanwhile ends the program, and a spinning disk is
    /// slow at it.
    #[arg(long, overrides_with = "no_mmap")]
    pub(crate) mmap: bool,

    /// Read files from front to back, which is the default
    ///
    /// Other than in b3sum, this does not disable multithreading.
    #[arg(long, overrides_with = "mmap")]
    no_mmap: bool,

    /// Omit file names in the output
    #[arg(long)]
    pub(crate) no_names: bool,

    /// Write raw output bytes to standard output, rather than hex
    ///
    /// --no-names is implied. In this case, only a single input is allowed.
    #[arg(long)]
    pub(crate) raw: bool,

    /// Output BSD-style checksums: BLAKE3 (FILE) = HASH
    #[arg(long)]
    pub(crate) tag: bool,

    /// Output a JSON object for each file, one a line
    #[arg(long, conflicts_with_all = ["raw", "tag", "zero", "no_names"])]
    pub(crate) json: bool,

    /// End each line with NUL instead of newline, and escape no names
    ///
    /// With --check, expect checkfiles of this form.
    #[arg(short, long)]
    pub(crate) zero: bool,

    /// Hash all files in folders
    ///
    /// In the order of their names. Symbolic links and special files in folders are skipped, with a word on standard
    /// error.
    #[arg(short, long, conflicts_with = "check")]
    pub(crate) recursive: bool,

    /// Copy the input to standard output, and print its line on standard error
    ///
    /// In this case, only a single input is allowed.
    #[arg(long, conflicts_with_all = ["check", "raw", "recursive"])]
    pub(crate) tee: bool,

    /// Show progress on standard error
    ///
    /// By default on a terminal, where it takes longer than a second.
    #[arg(long, value_name = "WHEN", default_value = "auto", default_missing_value = "always", num_args = 0..=1, require_equals = true)]
    pub(crate) progress: When,

    /// Read BLAKE3 sums from the FILEs and check them
    ///
    /// Takes the lines that this program, b3sum and GNU's and BSD's tools write, of 32 bytes or more. Says nothing about
    /// files that are not listed: it finds damage, and is no proof against an attacker who can change the checkfile.
    #[arg(
        short,
        long,
        conflicts_with_all = ["derive_key", "keyed", "length", "raw", "tag", "no_names"]
    )]
    pub(crate) check: bool,

    /// Don't print OK for each checked file
    ///
    /// Must be used with --check.
    #[arg(long, requires = "check")]
    pub(crate) quiet: bool,

    /// Don't fail or report status for missing files
    ///
    /// It is still an error if no file at all was verified. Must be used with --check.
    #[arg(long, requires = "check")]
    pub(crate) ignore_missing: bool,

    /// Don't output anything, the exit status shows success
    ///
    /// Must be used with --check.
    #[arg(long, requires = "check")]
    pub(crate) status: bool,

    /// Count blank lines, comments, and lines with a single space as improperly formatted
    ///
    /// Other improperly formatted lines always fail the check. Must be used with --check.
    #[arg(long, requires = "check")]
    pub(crate) strict: bool,

    /// Warn about each line that was skipped
    ///
    /// Must be used with --check.
    #[arg(short, long, requires = "check")]
    pub(crate) warn: bool,

    /// The kernels to use, instead of the fastest that this machine runs
    ///
    /// The digest is the same on every tier.
    #[arg(long, value_name = "NAME", value_parser = tier_by_name)]
    tier: Option<Tier>,
}

/// What else the program can do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure how fast this machine hashes
    Bench,
    /// List the sets of kernels that this machine runs
    Tiers,
    /// Write a completion script for a shell to standard output
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write the manual page to standard output
    Man,
}

/// When to show something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    Never,
    Auto,
    Always,
}

impl Args {
    /// Reads and checks the command line. Help and version are errors here, as clap has it.
    pub(crate) fn from_command_line() -> Result<Self, Error> {
        #[cfg(windows)]
        let words = wild::args_os();
        #[cfg(not(windows))]
        let words = std::env::args_os();
        let mut args = Self::try_parse_from(files_first(words.collect()))?;
        args.check()
            .map_err(|(kind, problem)| Self::command().error(kind, problem))?;
        if args.files.is_empty() {
            args.files.push("-".into());
        }
        Ok(args)
    }

    /// What clap's own rules don't say, or don't explain.
    fn check(&self) -> Result<(), (ErrorKind, String)> {
        if self.keyed && self.files.is_empty() {
            return Err((
                ErrorKind::MissingRequiredArgument,
                "--keyed reads its key from standard input, so it expects at least one FILE to hash".to_owned(),
            ));
        }
        for (option, given) in [("--raw", self.raw), ("--tee", self.tee)] {
            if given && self.files.len() > 1 {
                return Err((
                    ErrorKind::TooManyValues,
                    format!("{option} expects a single FILE, found {}", self.files.len()),
                ));
            }
        }
        Ok(())
    }

    /// The inputs in the order given; standard input if none was.
    pub(crate) fn files(&self) -> impl Iterator<Item = &OsStr> + Send {
        self.files.iter().map(OsString::as_os_str)
    }

    /// The kernels to hash with.
    pub(crate) fn tier(&self) -> Tier {
        self.tier.unwrap_or_else(Tier::detect)
    }

    /// How many threads may hash.
    pub(crate) fn threads(&self) -> usize {
        let environment = || {
            let number = std::env::var("RAYON_NUM_THREADS").ok()?;
            number.parse().ok()
        };
        let asked = self.num_threads.filter(|&threads| threads > 0);
        asked
            .or_else(|| environment().filter(|&threads| threads > 0))
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }
}

/// `b3sum *` hashes a file that is called `bench`, and so does this program.
fn files_first(mut words: Vec<OsString>) -> Vec<OsString> {
    let is_command = |word: &OsStr| {
        let mut commands = Args::command();
        commands.build();
        commands.find_subcommand(word).is_some()
    };
    if let Some(first) = words.get(1)
        && Path::new(first).exists()
        && is_command(first)
    {
        words.insert(1, "--".into());
    }
    words
}

fn byte_count(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("expected a number of bytes from 0 to {}", u64::MAX))
}

fn tier_by_name(name: &str) -> Result<Tier, String> {
    Tier::available()
        .find(|tier| tier.name() == name)
        .ok_or_else(|| {
            let names: Vec<_> = Tier::available().map(Tier::name).collect();
            format!("expected a tier of this machine: {}", names.join(", "))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }
}
