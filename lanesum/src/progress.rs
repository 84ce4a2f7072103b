//! How far it is, on a terminal.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};

use crate::args::When;

/// What is done within this is not worth a bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bar, or nothing.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    files: ProgressBar,
}

impl Progress {
    pub(crate) fn new(when: When) -> Self {
        let terminal = io::stderr().is_terminal();
        let target = match when {
            When::Never => None,
            When::Auto => terminal.then(ProgressDrawTarget::stderr),
            When::Always if terminal => Some(ProgressDrawTarget::stderr()),
            When::Always => Some(ProgressDrawTarget::term_like_with_hz(Box::new(Lines), 1)),
        };
        let bar = target.map(|target| {
            let hidden = ProgressDrawTarget::hidden();
            let bar = ProgressBar::with_draw_target(None, hidden);
            let style = ProgressStyle::with_template("{msg}{bytes} in {elapsed}, {bytes_per_sec}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            // Shown by whoever finds that it takes long.
            if when == When::Always {
                bar.set_draw_target(target);
            } else {
                show_later(&bar, target);
            }
            bar
        });
        Self {
            bar,
            files: ProgressBar::hidden(),
        }
    }

    pub(crate) fn is_wanted(&self) -> bool {
        self.bar.is_some()
    }

    /// Says how much there is to do.
    pub(crate) fn set_total(&self, bytes: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(bytes);
            let style = ProgressStyle::with_template(
                "{msg}{bytes} of {total_bytes} [{bar:30}] {percent}%, {bytes_per_sec}, {eta} left",
            );
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        }
    }

    pub(crate) fn add(&self, bytes: u64) {
        if let Some(bar) = &self.bar {
            bar.inc(bytes);
        }
    }

    pub(crate) fn add_file(&self) {
        if let Some(bar) = &self.bar {
            self.files.inc(1);
            bar.set_message(format!("{} files, ", self.files.position()));
        }
    }

    /// Writes lines, from which the bar keeps away.
    pub(crate) fn aside<R>(&self, write: impl FnOnce() -> R) -> R {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Gives the bar its target after a while, if it still lives then.
fn show_later(bar: &ProgressBar, target: ProgressDrawTarget) {
    let bar = bar.downgrade();
    let start = Instant::now();
    // Without a thread there is no bar, which is no harm.
    let _ = std::thread::Builder::new().spawn(move || {
        std::thread::sleep(PATIENCE.saturating_sub(start.elapsed()));
        if let Some(bar) = bar.upgrade()
            && !bar.is_finished()
        {
            bar.set_draw_target(target);
        }
    });
}

/// Standard error that is no terminal, on which `--progress=always` insists: a line now and then.
#[derive(Debug)]
struct Lines;

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("standard error")
    }
}

impl TermLike for Lines {
    fn width(&self) -> u16 {
        100
    }

    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn write_line(&self, line: &str) -> io::Result<()> {
        self.write_str(line)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(());
        }
        writeln!(io::stderr(), "{text}")
    }

    fn clear_line(&self) -> io::Result<()> {
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}
