//! The contenders: each way of hashing, ours and the peers', behind one face.

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

use benches::{Mode, Peer};
use blake3::platform::Platform;
use blake3_lanes::Tier;
use rscrypto::Digest as _;
use sha2::Digest as _;

type Digest = [u8; 32];

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
    fn new(work: impl Fn(&[u8]) -> Digest + Clone + 'static) -> Self {
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

    /// Our code on a tier.
    pub(crate) fn ours(tier: Tier, mode: Mode) -> Self {
        // On the widest tier, what people call: finding the tier is a part of the time.
        let widest = tier == Tier::detect();
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
            (Peer::Sha2, Mode::Keyed | Mode::Derive) => return None,
            (Peer::Sha2, Mode::Hash) => Self::new(|input| sha2::Sha256::digest(input).into()),
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

/// The tier a peer runs on, under our name for it. Only the official crate says (and can be held to one, at build time).
pub(crate) fn peer_tier(peer: Peer) -> Option<String> {
    (peer == Peer::Official).then(|| format!("{:?}", Platform::detect()).to_lowercase())
}
