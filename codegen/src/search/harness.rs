//! Measures variants of the chunks kernels against each other: a sample of each in turn, again and again,
//! so that what disturbs the machine disturbs all alike; medians are compared.

use std::arch::is_x86_feature_detected as has;
use std::time::Instant;

/// As in the library; the kernels that are measured have no need of them.
macro_rules! cfi {
    ($directive:literal) => {
        $directive
    };
}
use cfi;

type Kernel = unsafe extern "sysv64" fn(*const u8, usize, *const u32, u64, *const u32, *mut u32);

struct Variant {
    group: &'static str,
    name: &'static str,
    lanes: usize,
    kernel: Kernel,
}

const GROUPS: usize = 4;
const ROUNDS: usize = 300;

fn main() {
    let input: Vec<u8> = (0..GROUPS * 16 * 1024).map(|i| (i % 251) as u8).collect();
    let (key, flags) = ([1_u32; 8], [1_u32, 0, 2]);
    let mut out = vec![0_u32; GROUPS * 16 * 8];
    let variants = variants();
    let mut samples = vec![Vec::with_capacity(ROUNDS); variants.len()];
    for _ in 0..ROUNDS {
        for (variant, samples) in variants.iter().zip(&mut samples) {
            let mut run = || {
                // SAFETY: the input is GROUPS groups of chunks of each variant's lanes, the output as many
                // values; a variant is in the list only where the CPU has its features.
                unsafe {
                    (variant.kernel)(input.as_ptr(), GROUPS, key.as_ptr(), 0, flags.as_ptr(), out.as_mut_ptr());
                }
            };
            run();
            let start = Instant::now();
            for _ in 0..8 {
                run();
            }
            let blocks = 8 * GROUPS * 16 * variant.lanes;
            samples.push(start.elapsed().as_nanos() as f64 / blocks as f64);
        }
    }
    let mut rows: Vec<(&str, f64, &str)> = Vec::new();
    for (variant, samples) in variants.iter().zip(&mut samples) {
        samples.sort_by(f64::total_cmp);
        rows.push((variant.group, samples[ROUNDS / 2], variant.name));
    }
    rows.sort_by(|a, b| a.0.cmp(b.0).then(a.1.total_cmp(&b.1)));
    let mut best = ("", 0.0);
    for (group, time, name) in rows {
        if group != best.0 {
            best = (group, time);
            println!("{group}: ns a block and lane, and against the best");
        }
        println!("  {time:7.3}  {:.3}  {name}", time / best.1);
    }
}
