//! The proofs rest on what the prover takes each instruction to do. Here every form of instruction that a kernel has is
//! executed, on random and on edge values, and what it leaves in memory is compared with what the symbolic machine
//! leaves there, evaluated for the same values.
#![cfg(all(
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        all(target_arch = "wasm32", target_feature = "simd128")
    ),
    not(miri)
))]

use std::io::Write as _;

use codegen::ir::Gpr;
use codegen::isa::{self, Constants, Isa};
use codegen::kernel::kernels;
use codegen::print::probes::{self, BUFFER, Probe};
use codegen::prove::machine::{Machine, Region, Stop, Value};
use codegen::prove::term::{Symbol, Term, Terms};

#[cfg(target_arch = "aarch64")]
macro_rules! table {
    () => {
        "adrp x15, {constants}\nadd x15, x15, :lo12:{constants}"
    };
}
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
#[path = "probes/avx2.rs"]
mod avx2;
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
#[path = "probes/avx512.rs"]
mod avx512;
#[cfg(target_arch = "aarch64")]
#[rustfmt::skip]
#[path = "probes/neon.rs"]
mod neon;
#[cfg(target_arch = "wasm32")]
#[rustfmt::skip]
#[path = "probes/simd128.rs"]
#[expect(unused_variables, unused_assignments, reason = "a probe keeps what it is about and nothing else")]
mod simd128;
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
#[path = "probes/sse2.rs"]
mod sse2;
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
#[path = "probes/sse41.rs"]
mod sse41;
#[cfg(target_arch = "aarch64")]
#[rustfmt::skip]
#[path = "probes/sve2.rs"]
mod sve2;

const WORDS: usize = BUFFER / 4;

/// The buffer of a probe, aligned as the prover is told.
#[derive(Clone, Copy, PartialEq)]
#[repr(C, align(64))]
struct Buffer([u32; WORDS]);

#[cfg(target_arch = "x86_64")]
type Function = unsafe extern "sysv64" fn(*mut u32, u64);
#[cfg(not(target_arch = "x86_64"))]
type Function = unsafe extern "C" fn(*mut u32, u64);

/// The probes of a tier of this architecture, if this machine can execute them.
#[cfg(target_arch = "aarch64")]
fn executable(isa: &Isa) -> Option<&'static [(&'static str, Function)]> {
    use std::arch::is_aarch64_feature_detected as has;
    match isa.name {
        "neon" => Some(neon::PROBES),
        "sve2" => has!("sve2").then_some(sve2::PROBES),
        other => panic!("a tier without probes: {other}"),
    }
}

/// The probes of a tier of this architecture, if this machine can execute them.
#[cfg(target_arch = "wasm32")]
fn executable(isa: &Isa) -> Option<&'static [(&'static str, Function)]> {
    match isa.name {
        "simd128" => Some(simd128::PROBES),
        other => panic!("a tier without probes: {other}"),
    }
}

/// The probes of a tier of this architecture, if this machine can execute them.
#[cfg(target_arch = "x86_64")]
fn executable(isa: &Isa) -> Option<&'static [(&'static str, Function)]> {
    use std::arch::is_x86_feature_detected as has;
    match isa.name {
        "sse2" => Some(sse2::PROBES),
        "sse41" => (has!("ssse3") && has!("sse4.1")).then_some(sse41::PROBES),
        "avx2" => has!("avx2").then_some(avx2::PROBES),
        "avx512" => (has!("avx512f") && has!("avx512vl")).then_some(avx512::PROBES),
        other => panic!("a tier without probes: {other}"),
    }
}

/// Random numbers, the same each time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as u32
    }
}

/// What buffers are filled with: each edge value everywhere, edge values mixed, random words.
fn inputs() -> Vec<Buffer> {
    const EDGES: [u32; 8] = [
        0,
        1,
        u32::MAX,
        0x7FFF_FFFF,
        0x8000_0000,
        0xFFFF_FFFE,
        0x0000_FFFF,
        0x0102_0408,
    ];
    let mut random = Random(1);
    let mut inputs: Vec<Buffer> = EDGES.map(|edge| Buffer([edge; WORDS])).into();
    for _ in 0..12 {
        inputs.push(Buffer(std::array::from_fn(|_| {
            EDGES[random.next() as usize % EDGES.len()]
        })));
        inputs.push(Buffer(std::array::from_fn(|_| random.next())));
    }
    inputs
}

/// Runs a probe on symbols: what is in each word of the buffer then.
fn run(
    terms: &mut Terms,
    isa: &Isa,
    constants: &[u8],
    probe: &Probe,
    number: u64,
) -> Result<Vec<Term>, String> {
    let mut machine = Machine::new(terms, &probe.blocks, constants, isa.encoding, probe.frame);
    let buffer = machine.region(Region {
        name: "buffer",
        index: 0,
        start: 0,
        end: BUFFER as i64,
        align: 64,
        writable: true,
        defined: true,
    });
    let pointer = Value::Pointer {
        region: buffer,
        offset: 0,
    };
    machine.set(Gpr::A0, pointer);
    machine.set(Gpr::A1, Value::Number(number as i64));
    assert_eq!(machine.run(&[])?, Stop::Returned);
    Ok((0..WORDS as i64)
        .map(|word| machine.word(buffer, 4 * word))
        .collect())
}

fn compare(isa: &'static Isa, functions: &[(&str, Function)]) {
    let table = Constants::new(isa);
    let constants = probes::constants(isa, &table);
    let probes = probes::probes(isa, &table, &kernels(isa));
    let inputs = inputs();
    assert_eq!(
        functions.len(),
        probes.len(),
        "stale probes: run `cargo codegen`"
    );
    for (probe, (text, function)) in probes.iter().zip(functions) {
        assert_eq!(probe.text, *text, "stale probes: run `cargo codegen`");
        let mut changed = false;
        for number in 0..=3 {
            let mut terms = Terms::default();
            let found = run(&mut terms, isa, &constants, probe, number)
                .unwrap_or_else(|error| panic!("{} `{text}`: {error}", isa.name));
            for input in &inputs {
                let mut output = *input;
                // SAFETY: the CPU has the tier's features, as `executable` has asked. Of the pointer, the probe touches
                // 512 bytes: the symbolic run above has checked each access, and that all registers are restored.
                unsafe { function(output.0.as_mut_ptr(), number) };
                let symbols = |symbol: Symbol| {
                    assert_eq!(symbol.name, "buffer", "`{text}` leaves something undefined");
                    input.0[symbol.index[1] as usize]
                };
                let quads = |_| unreachable!("no counters here");
                for (word, (term, real)) in found.iter().zip(output.0).enumerate() {
                    let model = terms.evaluate(*term, &symbols, &quads);
                    assert_eq!(
                        model,
                        real,
                        "{} `{text}`, number {number}: word {word} of the buffer is {model:#x} in the model ({})",
                        isa.name,
                        terms.show(*term)
                    );
                }
                changed |= output != *input;
            }
        }
        // A probe that shows nothing is none; two instructions show that nothing happens.
        assert!(
            changed || text.starts_with("pref") || text.starts_with("prfm"),
            "`{text}` does nothing"
        );
    }
}

#[test]
fn instructions_do_what_the_models_say() {
    let mut ran = vec!["portable"];
    let here = |isa: &&Isa| isa.encoding.architecture() == std::env::consts::ARCH;
    for isa in isa::ALL.into_iter().filter(here) {
        if let Some(functions) = executable(isa) {
            compare(isa, functions);
            ran.push(isa.name);
            // Not by `println`, which the test harness swallows when the test passes.
            let _ = writeln!(
                std::io::stderr(),
                "{}: {} forms of instructions executed",
                isa.name,
                functions.len()
            );
        }
    }
    let required = std::env::var("REQUIRE_TIERS").unwrap_or_default();
    for name in required
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
    {
        assert!(
            ran.contains(&name),
            "REQUIRE_TIERS: tier {name} is not available here, only {}",
            ran.join(", ")
        );
    }
}

/// The inputs tell shuffles apart: none of them could have the model of another.
#[test]
fn shuffles_are_told_apart() {
    told_apart(&isa::sse2::SSE2, &["shufps xmm0, xmm1,", "punpck"], 11);
    told_apart(&isa::neon::NEON, &["zip", "uzp", "dup", "rev32"], 8);
}

fn told_apart(isa: &'static Isa, names: &[&str], least: usize) {
    let table = Constants::new(isa);
    let constants = probes::constants(isa, &table);
    let all = probes::probes(isa, &table, &kernels(isa));
    let input = inputs().pop().expect("some inputs");
    let mut seen = Vec::new();
    let mut texts = Vec::new();
    for probe in all {
        // The same instruction may be there with other registers.
        let text = ["16", "17", "18"]
            .iter()
            .zip(["0", "1", "2"])
            .fold(probe.text.clone(), |text, (high, low)| {
                text.replace(&format!("v{high}."), &format!("v{low}."))
            });
        if names.iter().any(|name| text.starts_with(name)) && !texts.contains(&text) {
            texts.push(text);
            let mut terms = Terms::default();
            let found = run(&mut terms, isa, &constants, &probe, 1).expect("a run");
            let symbols = |symbol: Symbol| input.0[symbol.index[1] as usize];
            let value = |term: &Term| terms.evaluate(*term, &symbols, &|_| 0);
            seen.push(found.iter().map(value).collect::<Vec<u32>>());
        }
    }
    let shuffles = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert!(shuffles >= least, "{}: only {texts:?}", isa.name);
    assert_eq!(seen.len(), shuffles, "two shuffles that look the same");
}
