//! The command line: what may be said, and what goes together.

use std::ffi::{OsStr, OsString};

use blake3_lanes::{OUT_LEN, Tier};
use clap::error::{Error, ErrorKind};
use clap::{CommandFactory, Parser};

/// Prints BLAKE3 digests of files
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    after_help = "Exit status: 0 when every input was hashed, 1 when anything went wrong. A file that can't be read is \
                  reported on standard error, and the others are still hashed."
)]
pub(crate) struct Args {
    /// Files to hash
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

    /// The kernels to use, instead of the fastest that this machine runs
    ///
    /// The digest is the same on every tier.
    #[arg(long, value_name = "NAME", value_parser = tier_by_name)]
    tier: Option<Tier>,
}

impl Args {
    /// Reads and checks the command line. Help and version are errors here, as clap has it.
    pub(crate) fn from_command_line() -> Result<Self, Error> {
        let mut args = Self::try_parse()?;
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
        if self.raw && self.files.len() > 1 {
            return Err((
                ErrorKind::TooManyValues,
                format!("--raw expects a single FILE, found {}", self.files.len()),
            ));
        }
        Ok(())
    }

    /// The inputs in the order given; standard input if none was.
    pub(crate) fn files(&self) -> impl Iterator<Item = &OsStr> {
        self.files.iter().map(OsString::as_os_str)
    }

    /// The kernels to hash with.
    pub(crate) fn tier(&self) -> Tier {
        self.tier.unwrap_or_else(Tier::detect)
    }
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
