//! What the program can do besides hashing and checking.

use std::hint::black_box;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use blake3_lanes::{Hash, Hasher, Tier, hash_on_tier};
use clap::CommandFactory;

use crate::args::{Args, Command};
use crate::threads::Threads;

/// Runs a command. Its result goes to standard output.
pub(crate) fn run(command: &Command, args: &Args) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match command {
        Command::Tiers => tiers(&mut out)?,
        Command::Bench => bench(&mut out, args)?,
        Command::Completions { shell } => {
            // To a buffer, since the generator panics where it cannot write.
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Args::command(), "lanesum", &mut script);
            out.write_all(&script)?;
        }
        Command::Man => clap_mangen::Man::new(Args::command()).render(&mut out)?,
    }
    out.flush()
}

fn tiers(out: &mut impl Write) -> io::Result<()> {
    for tier in Tier::available() {
        let mark = if tier == Tier::detect() {
            " (used)"
        } else {
            ""
        };
        writeln!(out, "{}{mark}", tier.name())?;
    }
    Ok(())
}

/// How long each size is measured.
const SPAN: Duration = Duration::from_millis(60);

fn bench(out: &mut impl Write, args: &Args) -> io::Result<()> {
    const MIB: usize = 1 << 20;
    let threads = Threads::new(args.threads());
    writeln!(
        out,
        "tier {}, {} on {} threads\n",
        Tier::detect(),
        std::env::consts::ARCH,
        args.threads()
    )?;
    write!(out, "{:>10}", "bytes")?;
    for tier in Tier::available() {
        write!(out, "{:>10}", tier.name())?;
    }
    writeln!(out, "{:>10}   GB/s", "threads")?;
    let input = vec![7; 16 * MIB];
    for len in [64, 1024, 4096, 16 * 1024, 64 * 1024, MIB, 16 * MIB] {
        let input = &input[..len];
        write!(out, "{len:>10}")?;
        for tier in Tier::available() {
            write!(
                out,
                "{:>10.2}",
                speed(input, |input| hash_on_tier(tier, input))
            )?;
        }
        let many = |input: &[u8]| Hasher::new().update_rayon(input).finalize();
        let speed = match threads.pool() {
            Some(pool) => pool.install(|| speed(input, many)),
            None => speed(input, many),
        };
        writeln!(out, "{speed:>10.2}")?;
    }
    Ok(())
}

/// Gigabytes a second, the best of several tries.
fn speed(input: &[u8], hash: impl Fn(&[u8]) -> Hash) -> f64 {
    let start = Instant::now();
    let mut best = f64::INFINITY;
    let mut times = 1;
    while start.elapsed() < SPAN {
        let try_start = Instant::now();
        for _ in 0..times {
            black_box(hash(black_box(input)));
        }
        let took = try_start.elapsed();
        best = best.min(took.as_secs_f64() / f64::from(times));
        // Long enough for the clock.
        if took < Duration::from_micros(100) {
            times *= 2;
        }
    }
    input.len() as f64 / best / 1e9
}
