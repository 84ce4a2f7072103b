//! `ladder`: our code against its peers, paired, in one process.
//!
//! Machines are noisy and differ, so nothing is said about times, only about ratios: a sample of ours and a sample of
//! theirs, taken one right after the other, taking turns at who goes first, on the same bytes. What is reported is the
//! median of the pairs' ratios, with their 10th and 90th percentiles.
//!
//! ```text
//! cargo run --release -p benches                                     # the widest tier, one-shot, all peers
//! cargo run --release -p benches -- --quick                          # the same, in less than a minute
//! cargo run --release -p benches -- --mode all --json ladder.json    # everything, for `charts`
//! cargo run --release -p benches --features no_avx512 -- --tier avx2 --peer official
//! cargo run --release -p benches -- --mode threads,file-threads --sizes 128KiB,1MiB,1GiB    # real data
//! cargo run -p benches -- --quick                                    # a debug build, at the three sizes asked of it
//! ```

mod contenders;
mod real;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use benches::{Build, KIB, MIB, Machine, Mode, Pair, Peer, Point, Report, Run, bars, label};
use blake3_lanes::Tier;
use clap::{Parser, ValueEnum as _};

use contenders::{Contender, peer_tier};

const PAGE: usize = 4096;

/// Pairs that are measured at any size, whatever the budget.
const LEAST_PAIRS: usize = 5;

/// Our BLAKE3 against its peers, paired, in one process.
#[derive(Debug, Parser)]
struct Args {
    /// Less than a minute: fewer and shorter samples, and for several modes or tiers nothing above 1 MiB.
    #[arg(long)]
    quick: bool,
    /// Input sizes, as in `64,3.5KiB,1MiB` [default: the whole ladder; in a debug build 64 B, 16 KiB and 1 MiB].
    #[arg(long, value_delimiter = ',', value_parser = benches::parse)]
    sizes: Vec<usize>,
    /// Modes: hash, keyed, derive, digest, hasher, update-64, update-1k, update-8k, update-64k, prefix, construct,
    /// many-1 to many-4096, mixed-16 to mixed-4096, output, threads, parallel, reader, file, file-threads, map-threads,
    /// or all.
    #[arg(long, value_delimiter = ',', default_value = "hash", value_parser = parse_mode, hide_possible_values = true)]
    mode: Vec<Choice<Mode>>,
    /// Peers.
    #[arg(long, value_delimiter = ',', default_value = "official,rscrypto,sha2")]
    peer: Vec<Peer>,
    /// Our tiers, by name, or `all` [default: the widest of this machine].
    #[arg(long, value_delimiter = ',', value_parser = parse_tier)]
    tier: Vec<Choice<Tier>>,
    /// Pairs of samples per size, fewer where they take long [default: 401, quick 101].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    samples: Option<u32>,
    /// Microseconds that one sample should take, where one hash takes less [default: 60, quick 40].
    #[arg(long)]
    sample_us: Option<u32>,
    /// The input starts at a different multiple of this many bytes of a page in every pair (a power of two).
    #[arg(long, default_value_t = 16)]
    align: usize,
    /// Writes everything, down to the single sample, here.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// One, or all of them.
#[derive(Clone, Copy, Debug)]
enum Choice<T> {
    All,
    One(T),
}

fn parse_mode(name: &str) -> Result<Choice<Mode>, String> {
    if name == "all" {
        Ok(Choice::All)
    } else {
        Mode::from_str(name, false).map(Choice::One)
    }
}

fn parse_tier(name: &str) -> Result<Choice<Tier>, String> {
    if name == "all" {
        return Ok(Choice::All);
    }
    Tier::available()
        .find(|tier| tier.name() == name)
        .map(Choice::One)
        .ok_or_else(|| {
            let names: Vec<_> = Tier::available().map(Tier::name).collect();
            format!("this machine has {}", names.join(", "))
        })
}

fn chosen<T>(choices: &[Choice<T>], all: impl IntoIterator<Item = T>) -> Vec<T>
where
    T: Copy,
{
    let one = |choice: &Choice<T>| match choice {
        Choice::All => None,
        Choice::One(one) => Some(*one),
    };
    // One `all` among the choices is all.
    choices
        .iter()
        .map(one)
        .collect::<Option<_>>()
        .unwrap_or_else(|| all.into_iter().collect())
}

/// How much to measure.
#[derive(Clone, Copy, Debug)]
struct Plan {
    samples: usize,
    sample: Duration,
    /// What a size may take.
    budget: Duration,
    align: usize,
}

fn main() -> Result<()> {
    let args = Args::parse();
    ensure!(
        args.align.is_power_of_two() && args.align <= PAGE,
        "--align takes a power of two up to a page"
    );

    let modes = chosen(&args.mode, Mode::value_variants().iter().copied());
    let tiers = if args.tier.is_empty() {
        vec![Tier::detect()]
    } else {
        chosen(&args.tier, Tier::available())
    };

    let mut sizes = args.sizes.clone();
    if sizes.is_empty() {
        sizes = if cfg!(debug_assertions) {
            vec![64, 16 * KIB, MIB]
        } else {
            benches::ladder()
        };
        if args.quick && modes.len() * tiers.len() > 1 {
            sizes.retain(|&size| size <= MIB);
        }
    }
    sizes.sort_unstable();
    sizes.dedup();

    let mut jobs = Vec::new();
    for &tier in &tiers {
        for &mode in &modes {
            let mut sizes: Vec<_> = sizes
                .iter()
                .copied()
                .filter(|&size| mode.takes(size))
                .collect();
            if mode == Mode::Construct {
                sizes = vec![0];
            }
            if mode.count().is_some() && args.sizes.is_empty() {
                sizes = Mode::sizes_of_many();
                sizes.retain(|&size| mode.takes(size));
            }
            if mode == Mode::Output && args.sizes.is_empty() {
                sizes = vec![32];
                sizes.extend((6..=20).map(|n| 1 << n));
            }
            let peers = args
                .peer
                .iter()
                .filter_map(|&peer| Some((peer, Contender::theirs(peer, mode)?)));
            jobs.extend(peers.map(|(peer, theirs)| (tier, mode, peer, theirs, sizes.clone())));
        }
    }
    jobs.retain(|(.., sizes)| !sizes.is_empty());

    let points: usize = jobs.iter().map(|(.., sizes)| sizes.len()).sum();
    let budget = if args.quick {
        // Warming up, and the least number of pairs, may overrun it, hence not a whole minute.
        (Duration::from_secs(40) / points.max(1) as u32).min(Duration::from_millis(250))
    } else {
        Duration::from_secs(1)
    };
    let plan = Plan {
        samples: args.samples.unwrap_or(if args.quick { 101 } else { 401 }) as usize,
        sample: Duration::from_micros(
            args.sample_us
                .unwrap_or(if args.quick { 40 } else { 60 })
                .into(),
        ),
        budget,
        align: args.align,
    };

    // Opened now: a wrong path should not be found out after the measurement.
    let json = args
        .json
        .as_ref()
        .map(|path| File::create(path).with_context(|| path.display().to_string()));
    let json = json.transpose()?;

    let mut report = Report {
        machine: Machine::this(Tier::detect().name()),
        build: Build::this(),
        runs: Vec::new(),
    };
    let mut out = io::stdout().lock();
    let Machine { cpu, model, .. } = &report.machine;
    let model = model
        .as_ref()
        .map(|model| format!(" ({model})"))
        .unwrap_or_default();
    writeln!(
        out,
        "{cpu}{model}, {}, {} build",
        report.build.rustc, report.build.profile
    )?;

    let rooms = jobs
        .iter()
        .filter_map(|(_, mode, .., sizes)| Some(mode.room(*sizes.last()?)));
    let input = Input::new(rooms.max().unwrap_or(0));
    for (tier, mode, peer, theirs, sizes) in jobs {
        let ours = Contender::ours(tier, mode);
        let tier = tier.name().to_owned();
        let mut run = Run {
            tier,
            mode,
            peer,
            peer_tier: peer_tier(peer),
            points: Vec::new(),
        };
        writeln!(
            out,
            "\n{} {}: {} against ours",
            run.tier,
            mode.name(),
            run.peer_label()
        )?;
        writeln!(
            out,
            "{:>10} {:>12} {:>12} {:>7} {:>15} {:>10} {:>10}",
            "size", "ours ns", "peer ns", "ratio", "p10 .. p90", "ours GB/s", "peer GB/s"
        )?;
        for size in sizes {
            if peer.is_blake3() {
                let input = input.at(0, mode.room(size));
                ensure!(
                    ours.digest(input) == theirs.digest(input),
                    "digests of {size} bytes differ"
                );
            }
            let point = measure(&ours, &theirs, &input, mode, size, plan);
            print_row(&mut out, mode, &point)?;
            run.points.push(point);
        }
        if let Some((mean, complete)) = run.mean() {
            let of = if complete {
                "the ladder"
            } else {
                "the sizes measured"
            };
            writeln!(
                out,
                "geometric mean of {of} up to {}: {mean:.3}",
                label(benches::MEAN_LIMIT)
            )?;
        }
        report.runs.push(run);
    }

    print_bars(&mut out, &report)?;
    if let Some(file) = json {
        let mut file = BufWriter::new(file);
        serde_json::to_writer(&mut file, &report)?;
        file.flush()?;
    }
    Ok(())
}

/// The bytes that are hashed, on pages of their own.
#[derive(Debug)]
struct Input {
    bytes: Vec<u8>,
    start: usize,
}

impl Input {
    fn new(longest: usize) -> Self {
        // A period that no power of two divides, so that no two blocks or chunks near each other are alike.
        let bytes: Vec<_> = (0..=250).cycle().take(longest + 2 * PAGE).collect();
        let start = bytes.as_ptr().align_offset(PAGE);
        Self { bytes, start }
    }

    fn at(&self, offset: usize, size: usize) -> &[u8] {
        &self.bytes[self.start + offset..][..size]
    }
}

fn measure(
    ours: &Contender,
    theirs: &Contender,
    input: &Input,
    mode: Mode,
    size: usize,
    plan: Plan,
) -> Point {
    let start = Instant::now();
    let room = mode.room(size);
    let iterations = calibrate(ours, theirs, input.at(0, room), plan.sample);
    let nanos = |time: Duration| {
        // Hundredths of a nanosecond are below the noise, and more digits swell the report.
        (time.as_nanos() as f64 / f64::from(iterations) * 100.0).round() / 100.0
    };
    let mut pairs = Vec::with_capacity(plan.samples);
    for i in 0..plan.samples {
        if i >= LEAST_PAIRS && start.elapsed() > plan.budget {
            break;
        }
        // Multiples of the golden ratio spread evenly over the page, however many there are.
        let offset = (i as u32).wrapping_mul(0x9e37_79b9) as usize >> (32 - PAGE.ilog2())
            & !(plan.align - 1);
        let input = input.at(offset, room);
        let (first, second) = if i % 2 == 0 {
            (ours, theirs)
        } else {
            (theirs, ours)
        };
        let first = nanos(first.time(input, iterations));
        let second = nanos(second.time(input, iterations));
        let (ours, theirs) = if i % 2 == 0 {
            (first, second)
        } else {
            (second, first)
        };
        pairs.push(Pair { ours, theirs });
    }
    Point::new(size, iterations, pairs)
}

/// How many hashes make a sample of about the wished duration. Warms up both along the way.
fn calibrate(ours: &Contender, theirs: &Contender, input: &[u8], sample: Duration) -> u32 {
    let mut iterations = 1;
    loop {
        let time = (ours.time(input, iterations) + theirs.time(input, iterations)) / 2;
        if time >= sample {
            let wanted = f64::from(iterations) * sample.as_secs_f64() / time.as_secs_f64();
            return (wanted.round() as u32).max(1);
        }
        iterations *= 2;
    }
}

fn print_row(out: &mut impl Write, mode: Mode, point: &Point) -> io::Result<()> {
    let summary = point.summary;
    // Bytes per nanosecond are gigabytes per second.
    let speed = |time: f64| match mode.bytes(point.size) {
        0 => format!("{:>10}", "-"),
        size => format!("{:>10.2}", size as f64 / time),
    };
    writeln!(
        out,
        "{:>10} {:>12.1} {:>12.1} {:>7.3} {:>15} {} {}",
        label(point.size),
        summary.ours,
        summary.theirs,
        summary.ratio,
        format!("{:.3} .. {:.3}", summary.low, summary.high),
        speed(summary.ours),
        speed(summary.theirs),
    )
}

/// The special bars one by one; of the rest, those missed.
fn print_bars(out: &mut impl Write, report: &Report) -> io::Result<()> {
    let bars = bars(report);
    if bars.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nbars")?;
    for bar in bars.iter().filter(|bar| bar.special || !bar.is_met()) {
        writeln!(
            out,
            "{:>8.3} of {:<6.3} {:<26} {}",
            bar.measured,
            bar.wanted,
            bar.verdict(),
            bar.what
        )?;
    }
    let met = bars.iter().filter(|bar| bar.is_met()).count();
    writeln!(out, "{met} of {} met", bars.len())
}
