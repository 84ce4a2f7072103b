//! Criterion benches for everyday use: sizes x tiers x interface. For a comparison with others, see `ladder`.

use std::hint::black_box;
use std::time::Duration;

use blake3_lanes::{Hasher, Tier, derive_key_on_tier, hash_on_tier, keyed_hash_on_tier};
use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};

const KIB: usize = 1 << 10;
const SIZES: [usize; 9] = [
    0,
    64,
    KIB,
    3 * KIB + KIB / 2,
    8 * KIB,
    16 * KIB,
    31 * KIB,
    64 * KIB,
    1024 * KIB,
];
const KEY: &[u8; 32] = &[0x42; 32];
const CONTEXT: &str = "benches 2026-01-01 criterion derived key";

/// One interface, on every tier, at every size from `least` up.
fn group(c: &mut Criterion, name: &str, least: usize, work: impl Fn(Tier, &[u8])) {
    let input = vec![0xa5; SIZES[SIZES.len() - 1]];
    let mut group: BenchmarkGroup<'_, WallTime> = c.benchmark_group(name);
    for tier in Tier::available() {
        for size in SIZES.into_iter().filter(|&size| size >= least) {
            group.throughput(Throughput::Bytes(size as u64));
            let id = BenchmarkId::new(tier.name(), benches::label(size));
            group.bench_with_input(id, &input[..size], |b, input| {
                b.iter(|| work(tier, black_box(input)))
            });
        }
    }
    group.finish();
}

fn one_shot(c: &mut Criterion) {
    group(c, "hash", 0, |tier, input| {
        black_box(hash_on_tier(tier, input));
    });
    group(c, "keyed_hash", 0, |tier, input| {
        black_box(keyed_hash_on_tier(tier, KEY, input));
    });
    group(c, "derive_key", 0, |tier, input| {
        black_box(derive_key_on_tier(tier, CONTEXT, input));
    });
}

fn incremental(c: &mut Criterion) {
    group(c, "update at once", 0, |tier, input| {
        black_box(Hasher::on_tier(tier).update(input).finalize());
    });
    for piece in [64, KIB, 8 * KIB, 64 * KIB] {
        group(
            c,
            &format!("update by {}", benches::label(piece)),
            piece,
            |tier, input| {
                let mut hasher = Hasher::on_tier(tier);
                for piece in input.chunks(piece) {
                    hasher.update(piece);
                }
                black_box(hasher.finalize());
            },
        );
    }
}

/// Here the size is the output's.
fn extended(c: &mut Criterion) {
    group(c, "finalize_xof", 64, |tier, output| {
        let mut hasher = Hasher::on_tier(tier);
        hasher.update(b"a short input");
        let mut reader = hasher.finalize_xof();
        let mut piece = [0; 4 * KIB];
        for wanted in output.chunks(piece.len()) {
            reader.fill(&mut piece[..wanted.len()]);
            black_box(&piece);
        }
    });
}

criterion_group! {
    name = benches;
    // Short: there are some hundred of them.
    config = Criterion::default().warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    targets = one_shot, incremental, extended
}
criterion_main!(benches);
