//! The bars this crate sets itself, and whether a report clears them.

use crate::report::{Mode, Peer, Report, Run};
use crate::sizes::{KIB, MEAN_LIMIT, MIB, label};

/// The least ratio at sizes from the first to the second, one-shot, widest tier, against the official crate.
const AVX512: &[(usize, usize, f64)] = &[
    (0, 64, 1.15),
    (65, KIB, 1.04),
    (1025, 1025, 1.05),
    (2 * KIB, 2 * KIB, 1.0),
    (3 * KIB, 3 * KIB, 1.6),
    (3 * KIB + 512, 3 * KIB + 512, 1.9),
    (4 * KIB, 4 * KIB, 1.07),
    (5 * KIB, 5 * KIB, 1.5),
    (6 * KIB, 6 * KIB, 1.55),
    (7 * KIB, 7 * KIB, 2.1),
    (8 * KIB, 8 * KIB, 1.03),
    (12 * KIB, 12 * KIB, 1.2),
    (15 * KIB, 15 * KIB, 1.9),
    (16 * KIB, 16 * KIB, 1.09),
    (17 * KIB, 17 * KIB, 1.05),
    (31 * KIB, 31 * KIB, 1.55),
    (64 * KIB, 64 * KIB, 1.11),
    (256 * KIB, 256 * KIB, 1.14),
    (MIB, MIB, 1.16),
    (64 * MIB, 64 * MIB, 1.0),
];
const AVX2: &[(usize, usize, f64)] = &[(64 * KIB, 64 * KIB, 1.04)];
const SSE41: &[(usize, usize, f64)] = &[(64 * KIB, MIB, 1.05)];

/// The same for many inputs in a call, against a loop, and for extended output, by tier.
const MANY: &[(&str, Mode, usize, usize, f64)] = &[
    ("avx512", Mode::Many1024, 32, 32, 6.5),
    ("avx512", Mode::Many1024, 64, 64, 6.5),
    ("avx512", Mode::Many1024, KIB, KIB, 6.0),
    ("avx512", Mode::Mixed1024, KIB, KIB, 4.5),
    ("avx512", Mode::Many3, 0, 4 * KIB, 1.0),
    ("avx2", Mode::Many1024, 64, 64, 3.5),
    ("avx512", Mode::Output, 1, 64, 1.0),
    ("avx512", Mode::Output, KIB, MIB, 1.1),
    ("avx2", Mode::Output, KIB, MIB, 3.5),
    ("sse41", Mode::Output, KIB, MIB, 2.0),
];

/// The least geometric mean, by tier.
const MEANS: &[(&str, f64)] = &[("avx512", 1.25), ("avx2", 1.12)];

/// What an unoptimized build is measured at.
const DEBUG: &[usize] = &[64, 16 * KIB, MIB];

/// One bar and what was measured.
#[derive(Clone, Debug)]
pub struct Bar {
    /// What is compared.
    pub what: String,
    /// The least ratio.
    pub wanted: f64,
    /// The ratio.
    pub measured: f64,
    /// Its 10th and 90th percentile, where it is a median.
    pub spread: Option<(f64, f64)>,
    /// Whether the bar is one of its own, and not just that nobody be faster.
    pub special: bool,
}

impl Bar {
    /// Whether the bar is cleared.
    pub fn is_met(&self) -> bool {
        self.measured >= self.wanted
    }

    /// `met`, `missed`, and whether that is clear of the noise.
    pub fn verdict(&self) -> String {
        let near = self
            .spread
            .is_some_and(|(low, high)| (low..=high).contains(&self.wanted));
        format!(
            "{}{}",
            if self.is_met() { "met" } else { "missed" },
            if near { ", within the spread" } else { "" }
        )
    }
}

/// Every bar that the report has something to say about.
pub fn bars(report: &Report) -> Vec<Bar> {
    let mut bars = Vec::new();
    for run in &report.runs {
        // Like with like: the official crate on our tier, the others, which choose for themselves, against our widest.
        let fair = match &run.peer_tier {
            Some(peer_tier) => *peer_tier == run.tier,
            None => run.tier == report.machine.tier,
        };
        if !fair {
            continue;
        }
        for point in &run.points {
            if let Some((wanted, special)) = least(report, run, point.size) {
                bars.push(Bar {
                    what: format!("{}, {}", title(run), label(point.size)),
                    wanted,
                    measured: point.summary.ratio,
                    spread: Some((point.summary.low, point.summary.high)),
                    special,
                });
            }
        }
        if run.mode == Mode::Hash
            && run.peer == Peer::Official
            && !report.build.is_debug()
            && let Some(&(_, wanted)) = MEANS.iter().find(|(tier, _)| *tier == run.tier)
            && let Some((measured, true)) = run.mean()
        {
            let what = format!("{}, geometric mean to {}", title(run), label(MEAN_LIMIT));
            bars.push(Bar {
                what,
                wanted,
                measured,
                spread: None,
                special: true,
            });
        }
    }
    if !report.build.is_debug() {
        bars.extend(incremental(report));
    }
    bars
}

fn title(run: &Run) -> String {
    format!(
        "{} {} against {}",
        run.tier,
        run.mode.name(),
        run.peer_label()
    )
}

/// The least ratio at a size, and whether it is a special one.
fn least(report: &Report, run: &Run, size: usize) -> Option<(f64, bool)> {
    if report.build.is_debug() {
        let asked = run.mode == Mode::Hash && run.peer == Peer::Official && DEBUG.contains(&size);
        return asked.then_some((1.0, true));
    }
    match (run.mode, run.peer) {
        (Mode::Hash, Peer::Official) => {
            let table = match run.tier.as_str() {
                "avx512" => AVX512,
                "avx2" => AVX2,
                "sse41" => SSE41,
                _ => &[],
            };
            let special = table
                .iter()
                .find(|(first, last, _)| (*first..=*last).contains(&size));
            Some(special.map_or((1.0, false), |&(.., ratio)| (ratio, true)))
        }
        (Mode::Construct, _) => Some((1.0, true)),
        (mode, Peer::Official) if mode.count().is_some() || mode == Mode::Output => {
            let special = MANY.iter().find(|&&(tier, at, first, last, _)| {
                tier == run.tier && at == mode && (first..=last).contains(&size)
            });
            Some(special.map_or((1.0, false), |&(.., ratio)| (ratio, true)))
        }
        // Two threads or more, whichever the machine has.
        (Mode::Threads, Peer::Official) if size == MIB => Some((1.1, true)),
        (Mode::Threads, Peer::Official) => (size >= 128 * KIB).then_some((1.0, false)),
        // Below, it does not wake a thread that the official one has kept awake.
        (Mode::Parallel, Peer::Official) => (size >= 512 * KIB).then_some((1.0, false)),
        (Mode::FileThreads, Peer::Official) => (size == 1024 * MIB).then_some((1.0, true)),
        // SHA-NI is not to be beaten between 64 B and 2 KiB, where BLAKE3 is one chunk long.
        (Mode::Hash, Peer::Sha2) => (size == 64 || size >= 2 * KIB).then_some((1.0, size == 64)),
        // What the trait may cost.
        (_, Peer::Ourselves) => [64, 16 * KIB].contains(&size).then_some((1.0 / 1.03, true)),
        (_, Peer::Sha2) => None,
        _ => Some((1.0, false)),
    }
}

/// What incremental use may cost, against one-shot use of the same tier. These are ratios of medians, not of pairs.
fn incremental(report: &Report) -> Vec<Bar> {
    let ours = |tier: &str, mode: Mode, size: usize| {
        let mut runs = report
            .runs
            .iter()
            .filter(|run| run.tier == tier && run.mode == mode);
        runs.find_map(|run| run.at(size))
            .map(|point| point.summary.ours)
    };
    let mut tiers: Vec<_> = report.runs.iter().map(|run| run.tier.as_str()).collect();
    tiers.dedup();
    let mut bars = Vec::new();
    let mut push = |what, wanted, allowed: Option<f64>, measured: Option<f64>| {
        if let (Some(allowed), Some(measured)) = (allowed, measured) {
            bars.push(Bar {
                what,
                wanted,
                measured: allowed / measured,
                spread: None,
                special: true,
            });
        }
    };
    for tier in tiers {
        for mode in [Mode::Update8k, Mode::Update64k] {
            let piece = mode.piece().expect("fed in pieces");
            push(
                format!(
                    "{tier} {}, 1 MiB against one-shot hashes of a piece",
                    mode.name()
                ),
                1.0 / 1.05,
                ours(tier, Mode::Hash, piece).map(|time| time * (MIB / piece) as f64),
                ours(tier, mode, MIB),
            );
        }
        for size in [64 * KIB, MIB] {
            let one_shot = ours(tier, Mode::Hash, size).zip(ours(tier, Mode::Hash, KIB));
            push(
                format!(
                    "{tier} prefix, {} against one-shot and one chunk",
                    label(size)
                ),
                1.0,
                one_shot.map(|(bulk, chunk)| bulk + chunk),
                ours(tier, Mode::Prefix, size),
            );
        }
    }
    bars
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Build, Machine, Pair, Point};
    use crate::sizes::ladder;

    fn report(profile: &str, tier: &str, peer_tier: &str, ratio: f64) -> Report {
        let point = |size| {
            Point::new(
                size,
                1,
                vec![Pair {
                    ours: 1.0,
                    theirs: ratio,
                }],
            )
        };
        Report {
            machine: Machine::this("avx512"),
            build: Build {
                profile: profile.to_owned(),
                rustc: String::new(),
            },
            runs: vec![Run {
                tier: tier.to_owned(),
                mode: Mode::Hash,
                peer: Peer::Official,
                peer_tier: Some(peer_tier.to_owned()),
                points: ladder().into_iter().map(point).collect(),
            }],
        }
    }

    #[test]
    fn every_size_has_a_bar_and_the_ladder_one() {
        let bars = bars(&report("release", "avx512", "avx512", 3.0));
        assert_eq!(bars.len(), ladder().len() + 1);
        assert!(bars.iter().all(Bar::is_met));
        // Every row of the table was asked about.
        let rows = AVX512.iter().map(|row| row.2).fold(0.0, f64::max);
        assert!(bars.iter().any(|bar| bar.wanted == rows));
        assert!(
            AVX512
                .iter()
                .all(|row| ladder().contains(&row.0) && ladder().contains(&row.1))
        );
    }

    #[test]
    fn slower_is_missed() {
        assert!(
            bars(&report("release", "sse41", "sse41", 0.9))
                .iter()
                .all(|bar| !bar.is_met())
        );
    }

    #[test]
    fn unlike_tiers_are_not_judged() {
        assert!(bars(&report("release", "avx2", "avx512", 0.9)).is_empty());
    }

    #[test]
    fn a_debug_build_has_bars_of_its_own() {
        assert_eq!(
            bars(&report("debug", "avx512", "avx512", 1.0)).len(),
            DEBUG.len()
        );
    }

    #[test]
    fn incremental_use_is_held_against_one_shot_use() {
        let mut report = report("release", "avx2", "avx512", 1.0);
        let mut prefix = report.runs[0].clone();
        prefix.mode = Mode::Prefix;
        report.runs.push(prefix);
        let bars = bars(&report);
        assert_eq!(bars.len(), 2);
        assert!(bars.iter().all(|bar| bar.measured == 2.0));
    }
}
