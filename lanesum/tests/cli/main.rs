//! Runs the built `lanesum` and compares what it prints with the `blake3` crate and with text known from `b3sum`.

mod check;
mod commands;
mod errors;
mod folders;
mod inputs;
mod modes;
mod names;
mod tiers;

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// `lanesum`, by the emulator that `LANESUM_RUNNER` names where it is built for another machine.
fn lanesum() -> Command {
    let program = env!("CARGO_BIN_EXE_lanesum");
    let runner = std::env::var("LANESUM_RUNNER").unwrap_or_default();
    let mut words = runner.split_whitespace();
    match words.next() {
        None => Command::new(program),
        Some(emulator) => {
            let mut command = Command::new(emulator);
            command.args(words).arg(program);
            command
        }
    }
}

/// A folder of its own for one test, in which `lanesum` is run.
struct Folder(PathBuf);

impl Folder {
    /// `name` must differ between tests: they run at the same time.
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lanesum-{name}"));
        // What an earlier run left.
        if path.exists() {
            fs::remove_dir_all(&path).unwrap();
        }
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self) -> &Path {
        &self.0
    }

    fn write(&self, name: impl AsRef<OsStr>, content: &[u8]) {
        fs::write(self.0.join(name.as_ref()), content).unwrap();
    }

    /// Runs `lanesum` with `stdin` as its standard input, through a pipe.
    fn run_with<A: AsRef<OsStr>>(&self, stdin: &[u8], args: impl IntoIterator<Item = A>) -> Run {
        let mut child = lanesum()
            .args(args)
            .current_dir(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let stdin = stdin.to_vec();
        // On a thread, so that an input and an output larger than the pipes can't wait for each other. A `lanesum` that
        // doesn't read its input breaks the pipe, which is its right.
        let feeder = std::thread::spawn(move || pipe.write_all(&stdin).unwrap_or_default());
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap();
        Run(output)
    }

    fn run<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Run {
        self.run_with(b"", args)
    }
}

/// What a run of `lanesum` left behind.
struct Run(Output);

impl Run {
    fn stderr(&self) -> String {
        String::from_utf8(self.0.stderr.clone()).unwrap()
    }

    fn stdout(&self) -> String {
        String::from_utf8(self.0.stdout.clone()).unwrap()
    }

    /// Asserts success and silence, and gives the output.
    #[track_caller]
    fn bytes(self) -> Vec<u8> {
        assert_eq!(
            (self.0.status.code(), self.stderr().as_str()),
            (Some(0), "")
        );
        self.0.stdout
    }

    /// As `bytes`, as text.
    #[track_caller]
    fn text(self) -> String {
        String::from_utf8(self.bytes()).unwrap()
    }

    /// Asserts exit code 1, `stdout` as output, and that the message holds each of `words`.
    #[track_caller]
    fn fails(self, stdout: &str, words: &[&str]) {
        let message = self.stderr();
        assert_eq!(self.0.status.code(), Some(1), "{message}");
        assert_eq!(self.stdout(), stdout, "{message}");
        for word in words {
            assert!(message.contains(word), "{word:?} is missing in: {message}");
        }
        assert!(!message.contains("panicked"), "{message}");
    }
}

/// Bytes that repeat late and at no power of two, as the official vectors have them.
fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 251) as u8).collect()
}

/// The digest by the official crate.
fn hex(content: &[u8]) -> String {
    blake3::hash(content).to_hex().to_string()
}

/// `length` bytes from `seek` of an output of the official crate, in hex.
fn xof_hex(hasher: &blake3::Hasher, seek: u64, length: usize) -> String {
    xof(hasher, seek, length)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn xof(hasher: &blake3::Hasher, seek: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    let mut reader = hasher.finalize_xof();
    reader.set_position(seek);
    reader.fill(&mut bytes);
    bytes
}
