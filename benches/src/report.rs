//! The figures, as they are kept in JSON.

use std::fs;
use std::ops::Range;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use statrs::statistics::{Data, OrderStatistics, Statistics};

use crate::sizes::{KIB, MEAN_LIMIT, ladder};

/// All that one invocation of `ladder` measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// Where.
    pub machine: Machine,
    /// By which build.
    pub build: Build,
    /// Each of our tiers against each peer, in each mode.
    pub runs: Vec<Run>,
}

/// The machine, as far as the figures depend on it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's own name.
    pub cpu: String,
    /// Family, model and stepping, where the processor tells them: names are sometimes vague.
    pub model: Option<String>,
    /// Architecture.
    pub arch: String,
    /// Operating system.
    pub os: String,
    /// The widest tier.
    pub tier: String,
}

/// The build.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Build {
    /// `release`, or `debug` where debug assertions are on.
    pub profile: String,
    /// The compiler.
    pub rustc: String,
}

/// Our code against one peer, in one mode, at several sizes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// Our tier.
    pub tier: String,
    /// What was done with the input.
    pub mode: Mode,
    /// Against whom.
    pub peer: Peer,
    /// The peer's tier, under our names, where it says.
    pub peer_tier: Option<String>,
    /// By size, ascending.
    pub points: Vec<Point>,
}

/// One size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Point {
    /// Input length in bytes.
    pub size: usize,
    /// Hashes per sample.
    pub iterations: u32,
    /// What the pairs say together.
    pub summary: Summary,
    /// The samples.
    pub pairs: Vec<Pair>,
}

/// Two samples taken one right after the other, in ns per hash.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Pair {
    /// Our time.
    pub ours: f64,
    /// The peer's time.
    pub theirs: f64,
}

/// Medians over pairs.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// Our median time in ns.
    pub ours: f64,
    /// The peer's median time in ns.
    pub theirs: f64,
    /// The median of the pairs' ratios, their time over ours: above 1 we are faster.
    pub ratio: f64,
    /// The ratios' 10th percentile.
    pub low: f64,
    /// The ratios' 90th percentile.
    pub high: f64,
}

/// What is done with the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// One-shot hash.
    Hash,
    /// One-shot keyed hash.
    Keyed,
    /// One-shot key derivation; the time includes the context's.
    Derive,
    /// One-shot hash by the trait `Digest`.
    Digest,
    /// A hasher made, fed at once, finished.
    Hasher,
    /// A hasher fed in pieces of 64 B.
    #[serde(rename = "update-64")]
    #[value(name = "update-64")]
    Update64,
    /// A hasher fed in pieces of 1 KiB.
    #[serde(rename = "update-1k")]
    #[value(name = "update-1k")]
    Update1k,
    /// A hasher fed in pieces of 8 KiB.
    #[serde(rename = "update-8k")]
    #[value(name = "update-8k")]
    Update8k,
    /// A hasher fed in pieces of 64 KiB.
    #[serde(rename = "update-64k")]
    #[value(name = "update-64k")]
    Update64k,
    /// A hasher fed 8 bytes, then the rest at once.
    Prefix,
    /// A hasher made and finished: size 0 only.
    Construct,
    /// So many inputs of the size, in one call, against a loop.
    #[serde(rename = "many-1")]
    #[value(name = "many-1")]
    Many1,
    /// As the one before.
    #[serde(rename = "many-3")]
    #[value(name = "many-3")]
    Many3,
    /// As the one before.
    #[serde(rename = "many-16")]
    #[value(name = "many-16")]
    Many16,
    /// As the one before.
    #[serde(rename = "many-100")]
    #[value(name = "many-100")]
    Many100,
    /// As the one before.
    #[serde(rename = "many-1024")]
    #[value(name = "many-1024")]
    Many1024,
    /// As the one before.
    #[serde(rename = "many-4096")]
    #[value(name = "many-4096")]
    Many4096,
    /// So many inputs of 16 bytes to the size.
    #[serde(rename = "mixed-16")]
    #[value(name = "mixed-16")]
    Mixed16,
    /// As the one before.
    #[serde(rename = "mixed-1024")]
    #[value(name = "mixed-1024")]
    Mixed1024,
    /// As the one before.
    #[serde(rename = "mixed-4096")]
    #[value(name = "mixed-4096")]
    Mixed4096,
    /// Extended output of the size, of a short input that a hasher holds.
    Output,
    /// A hasher fed at once, by rayon's global pool.
    Threads,
    /// One-shot hash that fans out by itself, against the official hasher and rayon's global pool.
    Parallel,
    /// A reader of bytes in memory.
    Reader,
    /// A file in the cache, read by one thread.
    File,
    /// A file in the cache, read ahead and hashed by several threads, against the official map and threads.
    FileThreads,
    /// A file in the cache, mapped and hashed by several threads.
    MapThreads,
}

/// Whom we are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Peer {
    /// The official `blake3` crate.
    Official,
    /// The BLAKE3 of the `rscrypto` crate.
    Rscrypto,
    /// SHA-256 of the `sha2` crate.
    Sha2,
    /// Our own one-shot hash, for the mode `digest`.
    Ourselves,
}

impl Machine {
    /// This machine, whose widest tier is `tier`.
    pub fn this(tier: &str) -> Self {
        let (cpu, model) = cpu();
        Self {
            cpu: cpu.unwrap_or_else(|| "unknown processor".to_owned()),
            model,
            arch: std::env::consts::ARCH.to_owned(),
            os: std::env::consts::OS.to_owned(),
            tier: tier.to_owned(),
        }
    }
}

/// The processor's name, and its family, model and stepping.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn cpu() -> (Option<String>, Option<String>) {
    let cpuid = raw_cpuid::CpuId::new();
    let name = cpuid
        .get_processor_brand_string()
        .map(|brand| brand.as_str().trim().to_owned());
    let model = cpuid.get_feature_info().map(|info| {
        format!(
            "family {}, model {}, stepping {}",
            info.family_id(),
            info.model_id(),
            info.stepping_id()
        )
    });
    (name.or_else(|| proc_cpuinfo("model name")), model)
}

/// The processor's name, and its part number.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn cpu() -> (Option<String>, Option<String>) {
    let part = proc_cpuinfo("CPU implementer").zip(proc_cpuinfo("CPU part"));
    let part = part.map(|(implementer, part)| format!("implementer {implementer}, part {part}"));
    (proc_cpuinfo("model name").or_else(|| part.clone()), part)
}

/// A field of Linux's description of the first processor.
fn proc_cpuinfo(field: &str) -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let value = info
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim() == field)?
        .1;
    Some(value.trim().to_owned())
}

impl Build {
    /// This build.
    pub fn this() -> Self {
        Self {
            profile: if cfg!(debug_assertions) {
                "debug"
            } else {
                "release"
            }
            .to_owned(),
            rustc: env!("RUSTC_VERSION").to_owned(),
        }
    }

    /// Whether the build is one without optimization.
    pub fn is_debug(&self) -> bool {
        self.profile == "debug"
    }
}

impl Run {
    /// The point at `size`, if it was measured.
    pub fn at(&self, size: usize) -> Option<&Point> {
        self.points.iter().find(|point| point.size == size)
    }

    /// The geometric mean of the ratios over the ladder's sizes up to [`MEAN_LIMIT`], and whether none was missing.
    pub fn mean(&self) -> Option<(f64, bool)> {
        let sizes = ladder()
            .into_iter()
            .filter(|&size| size <= MEAN_LIMIT && self.mode.takes(size));
        let ratios: Vec<_> = sizes
            .map(|size| self.at(size).map(|point| point.summary.ratio))
            .collect();
        let measured: Vec<_> = ratios.iter().flatten().copied().collect();
        let complete = measured.len() == ratios.len();
        (!measured.is_empty()).then(|| (measured.iter().geometric_mean(), complete))
    }

    /// The peer with its version and, where known, its tier.
    pub fn peer_label(&self) -> String {
        match &self.peer_tier {
            Some(tier) => format!("{} ({tier})", self.peer.label()),
            None => self.peer.label().to_owned(),
        }
    }
}

impl Point {
    /// Summarizes the samples of a size. Panics if there are none.
    pub fn new(size: usize, iterations: u32, pairs: Vec<Pair>) -> Self {
        assert!(!pairs.is_empty(), "no samples");
        let median =
            |time: fn(&Pair) -> f64| Data::new(pairs.iter().map(time).collect::<Vec<_>>()).median();
        let mut ratios = Data::new(
            pairs
                .iter()
                .map(|pair| pair.theirs / pair.ours)
                .collect::<Vec<_>>(),
        );
        let summary = Summary {
            ours: median(|pair| pair.ours),
            theirs: median(|pair| pair.theirs),
            ratio: ratios.median(),
            low: ratios.percentile(10),
            high: ratios.percentile(90),
        };
        Self {
            size,
            iterations,
            summary,
            pairs,
        }
    }
}

impl Mode {
    /// Whether an input of this size is of any interest in this mode.
    pub fn takes(self, size: usize) -> bool {
        match self {
            Self::Construct => size == 0,
            Self::Prefix => size > Self::PREFIX,
            Self::Output => size > 0,
            Self::Threads | Self::Parallel => size >= 64 * KIB,
            _ if self.is_real() => size >= KIB,
            _ if self.mixed() => size > Self::SHORTEST && size <= Self::LONGEST_OF_MANY,
            _ if self.count().is_some() => size <= Self::LONGEST_OF_MANY,
            // At least two pieces.
            _ => self.piece().is_none_or(|piece| size > piece),
        }
    }

    /// How many bytes go first in [`Mode::Prefix`].
    pub const PREFIX: usize = 8;

    /// The shortest input of mixed lengths.
    pub const SHORTEST: usize = 16;

    /// No longer inputs are measured in batches.
    pub const LONGEST_OF_MANY: usize = 4 * KIB;

    /// How many inputs there are, where there are many.
    pub fn count(self) -> Option<usize> {
        match self {
            Self::Many1 => Some(1),
            Self::Many3 => Some(3),
            Self::Many16 | Self::Mixed16 => Some(16),
            Self::Many100 => Some(100),
            Self::Many1024 | Self::Mixed1024 => Some(1024),
            Self::Many4096 | Self::Mixed4096 => Some(4096),
            _ => None,
        }
    }

    /// Whether it is about readers, files or threads.
    pub fn is_real(self) -> bool {
        matches!(
            self,
            Self::Threads
                | Self::Parallel
                | Self::Reader
                | Self::File
                | Self::FileThreads
                | Self::MapThreads
        )
    }

    /// Whether inputs have many lengths.
    fn mixed(self) -> bool {
        matches!(self, Self::Mixed16 | Self::Mixed1024 | Self::Mixed4096)
    }

    /// How many bytes lie in memory for a size.
    pub fn room(self, size: usize) -> usize {
        size * self.count().unwrap_or(1)
    }

    /// Where the inputs lie in them.
    pub fn ranges(self, size: usize) -> Vec<Range<usize>> {
        // Multiples of the golden ratio: every length comes as often as any other, in no order.
        let spread = |i: usize| (i as u32).wrapping_mul(0x9e37_79b9) as usize;
        let len = |i: usize| match self.mixed() {
            true => Self::SHORTEST + (spread(i) >> 8) % (size - Self::SHORTEST + 1),
            false => size,
        };
        let starts = (0..self.count().unwrap_or(1)).map(|i| i * size);
        starts
            .enumerate()
            .map(|(i, start)| start..start + len(i))
            .collect()
    }

    /// How many bytes are hashed for a size, or put out.
    pub fn bytes(self, size: usize) -> usize {
        self.ranges(size).iter().map(Range::len).sum()
    }

    /// The sizes of a batch that are measured unless others are asked for.
    pub fn sizes_of_many() -> Vec<usize> {
        vec![
            8,
            16,
            32,
            48,
            64,
            65,
            100,
            128,
            256,
            512,
            1000,
            KIB,
            2 * KIB,
            4 * KIB,
        ]
    }

    /// The length of a piece, where the input is fed in pieces.
    pub fn piece(self) -> Option<usize> {
        match self {
            Self::Update64 => Some(64),
            Self::Update1k => Some(KIB),
            Self::Update8k => Some(8 * KIB),
            Self::Update64k => Some(64 * KIB),
            _ => None,
        }
    }

    /// The name on the command line.
    pub fn name(self) -> String {
        self.to_possible_value()
            .map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

impl Peer {
    /// Crate and version, as pinned in `Cargo.toml`.
    pub fn label(self) -> &'static str {
        match self {
            Self::Official => "blake3 1.8.7",
            Self::Rscrypto => "rscrypto 0.9.0",
            Self::Sha2 => "sha2 0.11.1",
            Self::Ourselves => "blake3_lanes::hash",
        }
    }

    /// Whether it computes BLAKE3.
    pub fn is_blake3(self) -> bool {
        self != Self::Sha2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn the_ratio_is_the_median_of_the_pairs_not_the_ratio_of_medians() {
        let pairs =
            [(1.0, 3.0), (2.0, 2.0), (4.0, 8.0)].map(|(ours, theirs)| Pair { ours, theirs });
        let summary = Point::new(64, 1, pairs.to_vec()).summary;
        assert!(
            close(summary.ours, 2.0) && close(summary.theirs, 3.0) && close(summary.ratio, 2.0)
        );
    }

    #[test]
    fn the_spread_leaves_out_a_tenth_on_either_side() {
        let pairs = (0..=1000)
            .map(|i| Pair {
                ours: 1.0,
                theirs: f64::from(i),
            })
            .collect();
        let summary = Point::new(64, 1, pairs).summary;
        assert!(close(summary.ratio, 500.0));
        assert!((summary.low - 100.0).abs() < 2.0 && (summary.high - 900.0).abs() < 2.0);
    }

    #[test]
    fn the_mean_is_geometric_and_ends_at_its_limit() {
        let point = |size, theirs| Point::new(size, 1, vec![Pair { ours: 1.0, theirs }]);
        let mut run = Run {
            tier: "portable".to_owned(),
            mode: Mode::Hash,
            peer: Peer::Official,
            peer_tier: None,
            points: vec![point(0, 1.0), point(64, 4.0), point(2 * MEAN_LIMIT, 100.0)],
        };
        let (mean, complete) = run.mean().unwrap();
        assert!(close(mean, 2.0) && !complete);
        run.points = ladder().into_iter().map(|size| point(size, 1.5)).collect();
        let (mean, complete) = run.mean().unwrap();
        assert!(close(mean, 1.5) && complete);
        run.points.clear();
        assert!(run.mean().is_none());
    }

    #[test]
    fn batches_lie_in_their_room() {
        for mode in [Mode::Hash, Mode::Many1, Mode::Many100, Mode::Mixed1024] {
            let ranges = mode.ranges(KIB);
            assert_eq!(ranges.len(), mode.count().unwrap_or(1));
            assert!(ranges.is_sorted_by(|a, b| a.end <= b.start));
            assert!(ranges.iter().all(|range| range.end <= mode.room(KIB)));
        }
        assert_eq!(Mode::Many100.bytes(64), 6400);
        let mean = Mode::Mixed1024.bytes(KIB) / KIB;
        assert!(mean.abs_diff(520) < 10, "{mean}");
        let lengths = Mode::Mixed1024
            .ranges(KIB)
            .into_iter()
            .map(|range| range.len());
        assert!(lengths.clone().min() < Some(24) && lengths.max() > Some(1016));
    }

    #[test]
    fn reports_are_read_back() {
        let report = Report {
            machine: Machine::this("portable"),
            build: Build::this(),
            runs: vec![Run {
                tier: "portable".to_owned(),
                mode: Mode::Update8k,
                peer: Peer::Sha2,
                peer_tier: Some("avx2".to_owned()),
                points: vec![Point::new(
                    3,
                    5,
                    vec![Pair {
                        ours: 1.0,
                        theirs: 2.0,
                    }],
                )],
            }],
        };
        let json = serde_json::to_string(&report).unwrap();
        assert!(json.contains("\"update-8k\"") && json.contains("\"sha2\""));
        let back: Report = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::to_string(&back).unwrap(), json);
    }
}
