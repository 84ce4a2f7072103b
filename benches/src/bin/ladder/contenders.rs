//! The contenders: each way of hashing, ours and the peers', behind one face.

use std::cell::RefCell;
use std::fmt;
use std::hint::black_box;
use std::ops::Range;
use std::rc::Rc;
use std::time::{Duration, Instant};

use benches::{Mode, Peer};
use blake3::platform::Platform;
use blake3_lanes::Tier;
use rscrypto::Digest as _;
use sha2::Digest as _;

use super::real;

pub(super) type Digest = [u8; 32];

const KEY: &[u8; 32] = b"thirty-two bytes make a good key";
const CONTEXT: &str = "benches 2026-01-01 ladder derived key";

type Once = dyn Fn(&[u8]) -> Digest;
type Timed = dyn Fn(&[u8], u32) -> Duration;

/// Somebody who hashes.
pub(crate) struct Contender {
    digest: Box<Once>,
    time: Box<Timed>,
}

impl Contender {
    pub(super) fn new(work: impl Fn(&[u8]) -> Digest + Clone + 'static) -> Self {
        let digest = Box::new(work.clone());
        // The loop lies behind the virtual call, not around it.
        let time = Box::new(move |input: &[u8], iterations| {
            let start = Instant::now();
            for _ in 0..iterations {
                black_box(work(black_box(input)));
            }
            start.elapsed()
        });
        Self { digest, time }
    }

    /// Work that has many results: those of a batch, or the pieces of a long output. They stay where
    /// they are while the time is taken.
    fn with_results(work: impl Fn(&[u8], &mut Results) + Clone + 'static, mode: Mode) -> Self {
        let results = Rc::new(RefCell::new(Results::default()));
        let kept = Rc::clone(&results);
        let run = move |input: &[u8]| {
            let results = &mut *kept.borrow_mut();
            results.make_room(mode, input.len());
            work(input, results);
            results.first()
        };
        let Self { time, digest: run } = Self::new(run);
        // All of them are looked at, but not for the time.
        let digest = Box::new(move |input: &[u8]| {
            run(input);
            results.borrow().all()
        });
        Self { digest, time }
    }

    /// A hasher, fed as the mode says.
    fn incremental<H>(
        mode: Mode,
        new: impl Fn() -> H + Clone + 'static,
        update: impl Fn(&mut H, &[u8]) + Clone + 'static,
        finish: impl Fn(H) -> Digest + Clone + 'static,
    ) -> Self {
        if let Some(piece) = mode.piece() {
            return Self::new(move |input| {
                let mut hasher = new();
                for piece in input.chunks(piece) {
                    update(&mut hasher, piece);
                }
                finish(hasher)
            });
        }
        match mode {
            Mode::Prefix => Self::new(move |input| {
                let (prefix, bulk) = input.split_at(Mode::PREFIX);
                let mut hasher = new();
                update(&mut hasher, prefix);
                update(&mut hasher, bulk);
                finish(hasher)
            }),
            Mode::Construct => Self::new(move |_| finish(new())),
            _ => Self::new(move |input| {
                let mut hasher = new();
                update(&mut hasher, input);
                finish(hasher)
            }),
        }
    }

    /// One call for many inputs, or a long output, of ours.
    fn our_results(tier: Tier, mode: Mode) -> Self {
        if mode == Mode::Output {
            let mut hasher = blake3_lanes::Hasher::on_tier(tier);
            hasher.update(KEY);
            return Self::with_results(
                move |_, results| hasher.finalize_xof().fill(&mut results.output),
                mode,
            );
        }
        let batch = blake3_lanes::many::Batch::on_tier(tier);
        Self::with_results(
            move |input, results| batch.hash_ranges(input, &results.ranges, &mut results.hashes),
            mode,
        )
    }

    /// The same of the official crate, in a loop.
    fn official_results(mode: Mode) -> Self {
        if mode == Mode::Output {
            let mut hasher = blake3::Hasher::new();
            hasher.update(KEY);
            return Self::with_results(
                move |_, results| hasher.finalize_xof().fill(&mut results.output),
                mode,
            );
        }
        let work = |input: &[u8], results: &mut Results| {
            for (range, hash) in results.ranges.iter().zip(&mut results.hashes) {
                *hash = blake3::hash(&input[range.clone()]).into();
            }
        };
        Self::with_results(work, mode)
    }

    /// Our code on a tier.
    pub(crate) fn ours(tier: Tier, mode: Mode) -> Self {
        // On the widest tier, what people call: finding the tier is a part of the time.
        let widest = tier == Tier::detect();
        if let Some(real) = real::ours(tier, mode) {
            return real;
        }
        match mode {
            Mode::Hash if widest => Self::new(|input| blake3_lanes::hash(input).into()),
            Mode::Hash => Self::new(move |input| blake3_lanes::hash_on_tier(tier, input).into()),
            Mode::Keyed if widest => Self::new(|input| blake3_lanes::keyed_hash(KEY, input).into()),
            Mode::Keyed => {
                Self::new(move |input| blake3_lanes::keyed_hash_on_tier(tier, KEY, input).into())
            }
            Mode::Derive if widest => Self::new(|input| blake3_lanes::derive_key(CONTEXT, input)),
            Mode::Derive => {
                Self::new(move |input| blake3_lanes::derive_key_on_tier(tier, CONTEXT, input))
            }
            Mode::Digest if widest => Self::new(|input| blake3_lanes::Blake3::digest(input).into()),
            Mode::Digest => Self::new(move |input| {
                let hasher = blake3_lanes::Blake3::on_tier(tier);
                hasher.chain_update(input).finalize().into()
            }),
            _ if mode == Mode::Output || mode.count().is_some() => Self::our_results(tier, mode),
            _ => {
                let update = |hasher: &mut blake3_lanes::Hasher, input: &[u8]| {
                    hasher.update(input);
                };
                let finish = |hasher: blake3_lanes::Hasher| hasher.finalize().into();
                if widest {
                    Self::incremental(mode, blake3_lanes::Hasher::new, update, finish)
                } else {
                    Self::incremental(
                        mode,
                        move || blake3_lanes::Hasher::on_tier(tier),
                        update,
                        finish,
                    )
                }
            }
        }
    }

    /// A peer, if it has the mode.
    pub(crate) fn theirs(peer: Peer, mode: Mode) -> Option<Self> {
        if mode == Mode::Output || mode.count().is_some() {
            return (peer == Peer::Official).then(|| Self::official_results(mode));
        }
        if mode.is_real() {
            return (peer == Peer::Official).then(|| real::official(mode))?;
        }
        Some(match (peer, mode) {
            (Peer::Official, Mode::Hash) => Self::new(|input| blake3::hash(input).into()),
            (Peer::Official, Mode::Keyed) => {
                Self::new(|input| blake3::keyed_hash(KEY, input).into())
            }
            (Peer::Official, Mode::Derive) => Self::new(|input| blake3::derive_key(CONTEXT, input)),
            (Peer::Official, _) => Self::incremental(
                mode,
                blake3::Hasher::new,
                |hasher, input| {
                    hasher.update(input);
                },
                |hasher| hasher.finalize().into(),
            ),
            (Peer::Rscrypto, Mode::Hash) => Self::new(rscrypto::Blake3::digest),
            (Peer::Rscrypto, Mode::Keyed) => {
                Self::new(|input| *rscrypto::Blake3::keyed_digest(KEY, input).as_bytes())
            }
            // It keeps the contexts it has seen, so that only its first call hashes this one.
            (Peer::Rscrypto, Mode::Derive) => {
                Self::new(|input| rscrypto::Blake3::derive_key(CONTEXT, input))
            }
            (Peer::Rscrypto, _) => Self::incremental(
                mode,
                rscrypto::Blake3::new,
                |hasher, input| hasher.update(input),
                |hasher| hasher.finalize(),
            ),
            (Peer::Ourselves, Mode::Digest) => Self::new(|input| blake3_lanes::hash(input).into()),
            (Peer::Ourselves, _) => return None,
            (Peer::Sha2, Mode::Keyed | Mode::Derive) => return None,
            (Peer::Sha2, Mode::Hash | Mode::Digest) => {
                Self::new(|input| sha2::Sha256::digest(input).into())
            }
            (Peer::Sha2, _) => Self::incremental(
                mode,
                sha2::Sha256::new,
                |hasher, input| hasher.update(input),
                |hasher| hasher.finalize().into(),
            ),
        })
    }

    /// Hashes once.
    pub(crate) fn digest(&self, input: &[u8]) -> Digest {
        (self.digest)(input)
    }

    /// Hashes so many times, and says how long that took.
    pub(crate) fn time(&self, input: &[u8], iterations: u32) -> Duration {
        (self.time)(input, iterations)
    }
}

impl fmt::Debug for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contender").finish_non_exhaustive()
    }
}

/// Room for results.
#[derive(Debug, Default)]
struct Results {
    /// Bytes that the inputs lie in.
    room: usize,
    ranges: Vec<Range<usize>>,
    hashes: Vec<Digest>,
    output: Vec<u8>,
}

impl Results {
    /// For inputs that lie in so many bytes, or for so many bytes of output.
    fn make_room(&mut self, mode: Mode, room: usize) {
        if room == self.room && !self.ranges.is_empty() {
            return;
        }
        self.room = room;
        self.ranges = mode.ranges(room / mode.count().unwrap_or(1));
        self.hashes = vec![[0; 32]; self.ranges.len()];
        self.output = vec![0; if mode == Mode::Output { room } else { 0 }];
    }

    fn first(&self) -> Digest {
        self.hashes[0]
    }

    /// A digest of all results.
    fn all(&self) -> Digest {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.hashes.as_flattened());
        hasher.update(&self.output);
        hasher.finalize().into()
    }
}

/// The tier a peer runs on, under our name for it. Only the official crate says (and can be held to one, at build time).
pub(crate) fn peer_tier(peer: Peer) -> Option<String> {
    (peer == Peer::Official).then(|| format!("{:?}", Platform::detect()).to_lowercase())
}
