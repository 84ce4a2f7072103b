//! Pieces hashed apart, in any order, by several processes, give what one pass gives; and what does
//! not belong together is refused.
#![cfg(feature = "std")]

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use blake3_lanes::subtree::{Piece, Plan, Span, Subtree, SubtreeError};
use blake3_lanes::{Hasher, Tier};
use proptest::prelude::*;

#[path = "support/modes.rs"]
mod modes;
#[path = "support/tiers.rs"]
mod support;

use modes::{CONTEXT, KEY, Mode, input};
use support::tiers;

fn plan(mode: Mode, total: usize, piece: u64) -> Plan {
    let total = total as u64;
    match mode {
        Mode::Hash => Plan::new(total, piece),
        Mode::KeyedHash => Plan::new_keyed(KEY, total, piece),
        Mode::DeriveKey => Plan::new_derive_key(CONTEXT, total, piece),
    }
    .expect("a good length")
}

fn bytes(input: &[u8], piece: Piece) -> &[u8] {
    let start = piece.offset() as usize;
    &input[start..start + piece.len() as usize]
}

fn all(plan: &Plan, input: &[u8]) -> Vec<Subtree> {
    plan.pieces()
        .map(|piece| {
            plan.hash(piece.index(), bytes(input, piece))
                .expect("whole")
        })
        .collect()
}

#[test]
fn merged_as_in_one_pass() {
    let whole = input(70_000);
    for &tier in tiers() {
        for mode in Mode::ALL {
            for len in [
                0, 1, 63, 64, 65, 128, 1023, 1024, 1025, 2048, 2049, 3072, 4096, 4097, 10_000,
                65_536, 65_537, 70_000,
            ] {
                let input = &whole[..len];
                for piece_len in [1024, 2048, 16_384, 1 << 40] {
                    let plan = plan(mode, len, piece_len).on_tier(tier);
                    let mut pieces = all(&plan, input);
                    pieces.reverse();
                    let name = format!("{tier} {mode:?} {len} in pieces of {piece_len}");
                    assert_eq!(pieces.len() as u64, plan.piece_count(), "{name}");
                    let merged = plan.merge(pieces.clone()).expect("all there");
                    assert_eq!(merged, mode.expected(input), "{name}");
                    let mut output = vec![0; 200];
                    let mut reader = plan.merge_xof(pieces).expect("all there");
                    reader.fill(&mut output);
                    assert_eq!(output, mode.expected_output(input, 0, 200), "{name}");
                }
            }
        }
    }
}

/// The same subtree by a slice, bit by bit, and by other kernels; as it is written down.
#[test]
fn a_piece_is_the_same_however_it_is_hashed() {
    let whole = input(9000);
    let reference = all(
        &plan(Mode::KeyedHash, 9000, 4096).on_tier(Tier::PORTABLE),
        &whole,
    );
    for &tier in tiers() {
        let plan = plan(Mode::KeyedHash, 9000, 4096).on_tier(tier);
        for piece in plan.pieces() {
            let mut hasher = plan.hasher(piece.index()).expect("there");
            for bit in bytes(&whole, piece).chunks(700) {
                hasher.update(bit).expect("room");
            }
            let subtree = hasher.finalize().expect("whole");
            assert_eq!(subtree, reference[piece.index() as usize], "{tier}");
            assert_eq!(Subtree::from_bytes(&subtree.to_bytes()), Ok(subtree));
        }
    }
}

/// The bytes are a promise.
#[test]
fn bytes_stay() {
    let plan = Plan::new(2000, 1024).expect("a good length");
    let mut expected = vec![1, 0, 0, 0];
    expected.extend([0; 8]);
    expected.extend(2000u64.to_le_bytes());
    expected.extend(1024u64.to_le_bytes());
    expected.extend(976u64.to_le_bytes());
    use blake3::hazmat::HasherExt as _;
    let cv = blake3::Hasher::new()
        .set_input_offset(1024)
        .update(&[7; 976])
        .finalize_non_root();
    expected.extend(cv);
    expected.extend([0; 64]);
    let subtree = plan.hash(1, &[7; 976]).expect("whole");
    assert_eq!(subtree.to_bytes()[..], expected);
}

#[test]
fn changed_bytes_are_refused_or_make_a_difference() {
    for len in [0, 10, 64, 65, 1024, 1025, 5000] {
        let input = input(len);
        let plan = plan(Mode::KeyedHash, len, 1024);
        let digest = plan.merge(all(&plan, &input)).expect("all there");
        let pieces = all(&plan, &input);
        let bytes = pieces[0].to_bytes();
        for at in 0..Subtree::BYTES {
            for bit in 0..8 {
                let mut changed = bytes;
                changed[at] ^= 1 << bit;
                let merged = Subtree::from_bytes(&changed).and_then(|subtree| {
                    let rest = pieces[1..].iter().copied();
                    plan.merge(rest.chain([subtree]))
                });
                assert_ne!(merged, Ok(digest), "{len}: bit {bit} of byte {at}");
            }
        }
        assert_eq!(
            Subtree::from_bytes(&bytes[1..]),
            Err(SubtreeError::BytesLen { found: 131 })
        );
    }
}

#[test]
fn wrong_merges_are_refused() {
    let input = input(10_000);
    let plan = plan(Mode::Hash, 10_000, 2048);
    let pieces = all(&plan, &input);
    let span = |offset, len| Span { offset, len };
    assert_eq!(
        plan.merge(pieces[..4].iter().copied()),
        Err(SubtreeError::Missing {
            span: span(8192, 1808)
        })
    );
    assert_eq!(
        plan.merge(pieces[1..].iter().copied()),
        Err(SubtreeError::Missing {
            span: span(0, 2048)
        })
    );
    assert_eq!(
        plan.merge([pieces[2], pieces[0], pieces[2]]),
        Err(SubtreeError::Duplicate {
            span: span(4096, 2048)
        })
    );
    assert_eq!(
        plan.merge([]),
        Err(SubtreeError::Missing {
            span: span(0, 2048)
        })
    );

    // Other piece lengths fit, where they do not overlap.
    let fine = self::plan(Mode::Hash, 10_000, 1024);
    let fine_pieces = all(&fine, &input);
    let mixed = fine_pieces[..2].iter().chain(&pieces[1..]).copied();
    assert_eq!(plan.merge(mixed), Ok(blake3_lanes::hash(&input)));
    assert_eq!(
        plan.merge([pieces[0], fine_pieces[1]]),
        Err(SubtreeError::Overlap {
            span: span(1024, 1024),
            with: span(0, 2048)
        })
    );
    assert_eq!(
        plan.merge([fine_pieces[1], pieces[0]]),
        Err(SubtreeError::Overlap {
            span: span(0, 2048),
            with: span(1024, 1024)
        })
    );
    let mut half = plan.collector();
    half.insert(fine_pieces[1]).expect("fits");
    assert_eq!(
        half.finalize(),
        Err(SubtreeError::Missing {
            span: span(0, 1024)
        })
    );
    assert_eq!(half.missing().count(), 5);

    let other = self::plan(Mode::Hash, 10_001, 2048);
    assert_eq!(
        other.merge([pieces[1]]),
        Err(SubtreeError::OtherTotal {
            span: span(2048, 2048),
            expected: 10_001,
            found: 10_000
        })
    );
    let keyed = self::plan(Mode::KeyedHash, 10_000, 2048);
    assert_eq!(
        keyed.merge([pieces[1]]),
        Err(SubtreeError::OtherMode {
            span: span(2048, 2048)
        })
    );
    let other_key = Plan::new_keyed(&[1; 32], 10_000, 2048).expect("a good length");
    assert_eq!(
        keyed.merge([other_key.hash(0, &input[..2048]).expect("whole")]),
        Err(SubtreeError::OtherKey {
            span: span(0, 2048)
        })
    );
    // A place that is none in the tree: moved by a byte, in what was written down.
    let mut moved = pieces[1].to_bytes();
    moved[20] = 1;
    let moved = Subtree::from_bytes(&moved).expect("well formed");
    assert_eq!(
        plan.merge([moved]),
        Err(SubtreeError::NotASubtree {
            span: span(2049, 2048)
        })
    );
    // A place beyond the end, and one that wraps.
    let mut beyond = pieces[1].to_bytes();
    beyond[20..28].fill(0xff);
    let beyond = Subtree::from_bytes(&beyond).expect("well formed");
    assert!(matches!(
        plan.merge([beyond]),
        Err(SubtreeError::NotASubtree { .. })
    ));
}

#[test]
fn wrong_pieces_are_refused() {
    for piece_len in [0, 1, 512, 1000, 1025, 3072, u64::MAX] {
        let error = Plan::new(10, piece_len).unwrap_err();
        assert_eq!(error, SubtreeError::PieceLen { piece_len });
    }
    let plan = plan(Mode::Hash, 5000, 4096);
    let span = Span {
        offset: 4096,
        len: 904,
    };
    assert_eq!(
        plan.hash(2, b"").unwrap_err(),
        SubtreeError::NoSuchPiece { index: 2, count: 2 }
    );
    assert_eq!(
        plan.hash(1, &[0; 903]),
        Err(SubtreeError::Length { span, found: 903 })
    );
    assert_eq!(
        plan.hash(1, &[0; 905]),
        Err(SubtreeError::Length { span, found: 905 })
    );
    let mut hasher = plan.hasher(1).expect("there");
    hasher.update(&[7; 900]).expect("room");
    assert_eq!(
        hasher.update(&[7; 5]).err(),
        Some(SubtreeError::Length { span, found: 905 })
    );
    assert_eq!(
        hasher.finalize(),
        Err(SubtreeError::Length { span, found: 900 })
    );
    hasher.write_all(&[7; 4]).expect("room");
    assert_eq!(hasher.finalize(), plan.hash(1, &[7; 904]));
    assert!(hasher.write(&[7]).is_err());
}

/// At the end of the longest inputs, without hashing all of one.
#[test]
fn pieces_of_the_longest_input() {
    let plan = Plan::new(u64::MAX, 1 << 20).expect("a good length");
    let last = plan.piece(plan.piece_count() - 1).expect("there");
    assert_eq!(last.offset() + last.len(), u64::MAX);
    assert_eq!(plan.pieces().next_back(), Some(last));
    let content = vec![7; last.len() as usize];
    let subtree = plan.hash(last.index(), &content).expect("whole");
    use blake3::hazmat::HasherExt as _;
    let cv = blake3::Hasher::new()
        .set_input_offset(last.offset())
        .update(&content)
        .finalize_non_root();
    assert_eq!(subtree.to_bytes()[36..68], cv);
    let mut collector = plan.collector();
    collector.insert(subtree).expect("fits");
    assert!(matches!(
        collector.finalize(),
        Err(SubtreeError::Missing {
            span: Span {
                offset: 0,
                len: 0x10_0000
            }
        })
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Pieces of several sizes, merged in steps, and some replaced.
    #[test]
    fn any_order_and_any_size(
        len in 1usize..200_000,
        levels in proptest::collection::vec(0u32..6, 1..4),
        seed in any::<u64>(),
    ) {
        let mut content = input(len);
        let base = plan(Mode::KeyedHash, len, 1024);
        let mut collector = base.collector();
        let mut at = 0;
        let mut spans = Vec::new();
        for level in levels.iter().cycle() {
            // The largest piece that begins here and does not overlap.
            let mut piece_len = 1024u64 << level;
            while at % piece_len != 0 {
                piece_len /= 2;
            }
            spans.push((at, piece_len));
            at += piece_len;
            if at >= len as u64 {
                break;
            }
        }
        let mut order: Vec<usize> = (0..spans.len()).collect();
        order.sort_by_key(|&i| blake3::hash(&(seed ^ i as u64).to_le_bytes()).as_bytes()[..8].to_vec());
        let subtree = |content: &[u8], (at, piece_len): (u64, u64)| {
            let plan = plan(Mode::KeyedHash, len, piece_len);
            let piece = plan.piece(at / piece_len).expect("there");
            plan.hash(piece.index(), bytes(content, piece)).expect("whole")
        };
        for &i in &order {
            prop_assert!(collector.finalize().is_err());
            collector.insert(subtree(&content, spans[i])).expect("fits");
        }
        prop_assert_eq!(collector.finalize().expect("all"), Mode::KeyedHash.expected(&content));
        let at = (seed % len as u64) as usize;
        content[at] ^= 1;
        let (_, &span) = spans.iter().enumerate().rfind(|(_, span)| span.0 <= at as u64).expect("one");
        collector.replace(subtree(&content, span)).expect("there");
        prop_assert_eq!(collector.finalize().expect("all"), Mode::KeyedHash.expected(&content));
    }
}

/// 5 GiB that nobody stores.
const LOGICAL: u64 = 5 << 30;
const LOGICAL_PIECE: u64 = 64 << 20;
const WORKER: &str = "BLAKE3_LANES_PIECES";

/// Calls `take` with the bytes from `offset` on: a pattern, and the place in every MiB.
fn generate(offset: u64, len: u64, mut take: impl FnMut(&[u8])) {
    const BLOCK: usize = 1 << 20;
    let mut block = input(BLOCK);
    for at in (offset..offset + len).step_by(BLOCK) {
        block[..8].copy_from_slice(&at.to_le_bytes());
        take(&block);
    }
}

/// A process of [`more_than_four_gib_by_several_processes`]: hashes the pieces that it is asked for
/// on standard input. Nothing when run by itself.
#[test]
fn worker() {
    if std::env::var_os(WORKER).is_none() {
        return;
    }
    let plan = Plan::new(LOGICAL, LOGICAL_PIECE).expect("a good length");
    let mut indexes = String::new();
    std::io::stdin().read_to_string(&mut indexes).expect("text");
    let path = std::env::var_os(WORKER).expect("set");
    let mut out = std::fs::File::create(path).expect("a file");
    for index in indexes.split_whitespace() {
        let piece = plan.piece(index.parse().expect("a number")).expect("there");
        let mut hasher = plan.hasher(piece.index()).expect("there");
        generate(piece.offset(), piece.len(), |bytes| {
            hasher.update(bytes).expect("room");
        });
        let subtree = hasher.finalize().expect("whole");
        out.write_all(&subtree.to_bytes()).expect("written");
    }
}

#[test]
#[cfg(not(any(miri, target_family = "wasm")))]
fn more_than_four_gib_by_several_processes() {
    const PROCESSES: u64 = 3;
    let plan = Plan::new(LOGICAL, LOGICAL_PIECE).expect("a good length");
    // Shuffled: 37 is prime to the number of pieces.
    let count = plan.piece_count();
    let order: Vec<u64> = (0..count).map(|i| i * 37 % count).collect();
    let folder = std::env::temp_dir().join(format!("blake3-lanes-pieces-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let children: Vec<_> = (0..PROCESSES)
        .map(|process| {
            let path = folder.join(process.to_string());
            let mut child = Command::new(std::env::current_exe().expect("this program"))
                .args(["--exact", "worker", "--test-threads=1"])
                .env(WORKER, &path)
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()
                .expect("started");
            let mine: Vec<_> = order
                .iter()
                .filter(|index| *index % PROCESSES == process)
                .map(u64::to_string)
                .collect();
            let mut stdin = child.stdin.take().expect("piped");
            stdin.write_all(mine.join(" ").as_bytes()).expect("written");
            (child, path)
        })
        .collect();
    let mut one_pass = Hasher::new();
    generate(0, LOGICAL, |bytes| {
        one_pass.update(bytes);
    });
    let mut collector = plan.collector();
    for (mut child, path) in children {
        assert!(child.wait().expect("waited for").success());
        let bytes = std::fs::read(path).expect("its results");
        for bytes in bytes.chunks(Subtree::BYTES) {
            let subtree = Subtree::from_bytes(bytes).expect("well formed");
            collector.insert(subtree).expect("fits");
        }
    }
    std::fs::remove_dir_all(&folder).expect("removed");
    assert_eq!(collector.finalize(), Ok(one_pass.finalize()));
}
