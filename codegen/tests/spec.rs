//! The description is BLAKE3: run over numbers, it gives what the `blake3` crate gives; so do the scalar layout, and the
//! portable kernel that is printed from it, read back from its text.

use codegen::layout::scalar::{self, Compression, Op, Variable};
use codegen::prove::prove_scalar;
use codegen::spec::{self, Numbers, Place};

/// Flags of a chunk that is the whole message (BLAKE3 paper, section 2.2, table 3).
const WHOLE: u32 = 1 | 2 | 8;
const KEYED: u32 = 16;

fn by_spec(
    cv: &[u32; 8],
    block: &[u32; 16],
    counter: u64,
    block_len: u32,
    flags: u32,
) -> [u32; 16] {
    let iv = std::array::from_fn(|i| spec::IV[i]);
    let counter = [counter as u32, (counter >> 32) as u32];
    let mut state = spec::initial_state(cv, &iv, [&counter[0], &counter[1]], &block_len, &flags);
    spec::rounds(&mut Numbers, &mut state, block);
    let head = spec::chaining_value(&mut Numbers, &state);
    let tail = spec::output_tail(&mut Numbers, &state, cv);
    std::array::from_fn(|i| if i < 8 { head[i] } else { tail[i - 8] })
}

fn by_list(
    compression: &Compression,
    cv: &[u32; 8],
    block: &[u32; 16],
    counter: u64,
    block_len: u32,
    flags: u32,
) -> [u32; 16] {
    scalar::run(compression, &mut Numbers, |_, variable| match variable {
        Variable::Cv(i) => cv[i],
        Variable::Block(i) => block[i],
        Variable::Iv(i) => spec::IV[i],
        Variable::CounterLow => counter as u32,
        Variable::CounterHigh => (counter >> 32) as u32,
        Variable::BlockLen => block_len,
        Variable::Flags => flags,
        Variable::Result(_) => unreachable!("results are the runner's"),
    })
}

const PORTABLE: &str = include_str!("../../generated/portable.rs");

/// The operations that the text of the portable kernel says, read without the printer's help.
fn by_text() -> Compression {
    let (_, body) = PORTABLE.split_once("-> [u32; 16] {").expect("the kernel");
    let body: String = body
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(str::chars)
        .filter(|c| !c.is_whitespace())
        .collect();
    let variable = |name: &str| {
        let index = |prefix: &str| {
            let inner = name.strip_prefix(prefix)?;
            inner.trim_end_matches(']').parse::<usize>().ok()
        };
        match name {
            "counter_low" => Variable::CounterLow,
            "counter_high" => Variable::CounterHigh,
            "block_len" => Variable::BlockLen,
            "flags" => Variable::Flags,
            _ => None
                .or(index("cv[").map(Variable::Cv))
                .or(index("block[").map(Variable::Block))
                .or(index("IV[").map(Variable::Iv))
                .or(index("t").map(Variable::Result))
                .unwrap_or_else(|| panic!("{name:?} is no variable")),
        }
    };
    let mut statements: Vec<&str> = body.split(';').collect();
    let output = statements.pop().expect("the output");
    assert_eq!(statements[0], "letcounter_low=counterasu32");
    assert_eq!(statements[1], "letcounter_high=(counter>>32)asu32");
    let code = statements[2..].iter().enumerate().map(|(i, statement)| {
        let value = statement
            .strip_prefix(&format!("lett{i}="))
            .unwrap_or_else(|| panic!("{statement:?} is not the statement of t{i}"));
        let call = |name: &str| {
            let operands = value.strip_prefix(name)?.strip_prefix('(')?;
            operands.strip_suffix(')')?.split_once(',')
        };
        let op = if let Some((a, b)) = call("u32::wrapping_add") {
            Op::Add(variable(a), variable(b))
        } else if let Some((a, distance)) = call("u32::rotate_right") {
            Op::RotateRight(variable(a), distance.parse().expect("a distance"))
        } else {
            let (a, b) = value.split_once('^').expect("an operation");
            Op::Xor(variable(a), variable(b))
        };
        (Place::default(), op)
    });
    let output = output.trim_matches(|c| "[]}".contains(c));
    let output: Vec<_> = output
        .split(',')
        .filter(|name| !name.is_empty())
        .map(variable)
        .collect();
    Compression {
        code: code.collect(),
        output: output.try_into().expect("sixteen words"),
    }
}

fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    std::array::from_fn(|i| u32::from_le_bytes(std::array::from_fn(|j| bytes[4 * i + j])))
}

/// One-block messages of all lengths, plain and keyed, and blocks of their extended output, far ones too: their counters
/// have a high half.
#[test]
fn one_block_is_blake3() {
    let (layout, text) = (scalar::compression(), by_text());
    let mut compared = 0;
    for len in 0..=64usize {
        let mut message = [0u8; 64];
        for (i, byte) in message[..len].iter_mut().enumerate() {
            *byte = (i * 151 + len * 31 + 7) as u8;
        }
        let key: [u8; 32] = std::array::from_fn(|i| (i * 73 + len) as u8);
        for keyed in [false, true] {
            let (cv, flags) = if keyed {
                (words(&key), WHOLE | KEYED)
            } else {
                (spec::IV, WHOLE)
            };
            let mut hasher = if keyed {
                blake3::Hasher::new_keyed(&key)
            } else {
                blake3::Hasher::new()
            };
            hasher.update(&message[..len]);
            for counter in [0, 1, 0x1234_5678, 1 << 32, (1 << 58) - 1] {
                let mut expected = [0; 64];
                let mut reader = hasher.finalize_xof();
                reader.set_position(64 * counter);
                reader.fill(&mut expected);
                let expected: [u32; 16] = words(&expected);
                let (block, block_len) = (words(&message), len as u32);
                for (name, found) in [
                    ("spec", by_spec(&cv, &block, counter, block_len, flags)),
                    (
                        "scalar layout",
                        by_list(&layout, &cv, &block, counter, block_len, flags),
                    ),
                    (
                        "portable",
                        by_list(&text, &cv, &block, counter, block_len, flags),
                    ),
                ] {
                    assert_eq!(
                        found, expected,
                        "{name}, length {len}, output block {counter}"
                    );
                    compared += 1;
                }
            }
        }
    }
    assert_eq!(compared, 65 * 2 * 5 * 3);
}

/// The text is proved, not only the list that it is printed from; and a change to the schedule, the IV or a distance in
/// the description shows in it.
#[test]
fn the_text_is_proved() {
    let text = by_text();
    prove_scalar(&text).expect("the portable kernel as it is written");
    let used: Vec<usize> = text
        .code
        .iter()
        .filter_map(|(_, op)| match op {
            Op::Add(_, Variable::Block(i)) => Some(*i),
            _ => None,
        })
        .collect();
    // Within a half round, the words of the four Gs come in the order of the schedule of instructions.
    let sorted = |words: &[usize]| -> Vec<usize> {
        let mut words = words.to_vec();
        words.sort_unstable();
        words
    };
    let expected = spec::schedule().concat();
    assert_eq!(used.len(), expected.len());
    for (expected, used) in expected.chunks(8).zip(used.chunks(8)) {
        assert_eq!(sorted(expected), sorted(used));
    }
    for distance in spec::ROTATIONS {
        let rotates = text
            .code
            .iter()
            .filter(|(_, op)| matches!(op, Op::RotateRight(_, found) if *found == distance));
        assert_eq!(rotates.count(), 8 * spec::ROUNDS);
    }
    let iv = spec::IV.map(|word| format!("{word:#010x}")).join(",");
    let flat: String = PORTABLE.split_whitespace().collect();
    assert!(flat.contains(&iv), "the IV in order");
}

/// The first operation that `damage` changes, changed.
fn damaged(damage: impl Fn(Op) -> Option<Op>) -> Compression {
    let mut compression = scalar::compression();
    let half = compression.code.len() / 2;
    let op = compression.code[half..]
        .iter_mut()
        .find_map(|(_, op)| Some((damage(*op)?, op)));
    let (new, op) = op.expect("an operation to damage");
    *op = new;
    compression
}

#[test]
fn a_damaged_portable_kernel_is_refused() {
    prove_scalar(&scalar::compression()).expect("undamaged");
    let other_word = |variable| match variable {
        Variable::Block(i) => Some(Variable::Block(i ^ 1)),
        _ => None,
    };
    let mut cases = vec![
        damaged(|op| match op {
            Op::Add(a, b) => Some(Op::Add(a, other_word(b)?)),
            _ => None,
        }),
        damaged(|op| match op {
            Op::RotateRight(a, distance) => Some(Op::RotateRight(a, distance ^ 1)),
            _ => None,
        }),
        damaged(|op| match op {
            Op::Xor(a, b) => Some(Op::Add(a, b)),
            _ => None,
        }),
        damaged(|op| match op {
            Op::Xor(a, Variable::Result(b)) => Some(Op::Xor(a, Variable::Result(b - 1))),
            _ => None,
        }),
    ];
    let mut swapped = scalar::compression();
    swapped.output.swap(3, 4);
    cases.push(swapped);
    let mut other_iv = scalar::compression();
    for (_, op) in &mut other_iv.code {
        if let Op::Add(Variable::Iv(i), _) = op {
            *i += 4;
        }
    }
    cases.push(other_iv);
    for (i, case) in cases.iter().enumerate() {
        let error = prove_scalar(case).expect_err("a damaged kernel");
        assert!(
            error.starts_with("portable compress: output word") && error.contains(" differs: "),
            "case {i}: {error}"
        );
    }
    let mut too_early = scalar::compression();
    too_early.code[5].1 = Op::Xor(Variable::Result(5), Variable::Iv(0));
    let mut nowhere = scalar::compression();
    nowhere.output[0] = Variable::Result(usize::MAX);
    let mut no_iv = scalar::compression();
    no_iv.code[0].1 = Op::Xor(Variable::Block(16), Variable::Iv(0));
    for case in [too_early, nowhere, no_iv] {
        let error = prove_scalar(&case).expect_err("a variable that is not there");
        assert!(error.contains("there is no "), "{error}");
    }
}
