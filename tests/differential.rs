//! Whatever is done with the library gives what the `blake3` crate gives: the one is a replacement
//! of the other.
#![cfg(feature = "std")]

use std::io::{self, Read, Seek, SeekFrom, Write};

use blake3_lanes::{Hash, Hasher, OutputReader, Tier};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

#[path = "support/modes.rs"]
mod modes;
#[path = "support/tiers.rs"]
mod support;

use modes::{CONTEXT, KEY, Mode, input};
use support::tiers;

/// Something that a user does with a hasher.
#[derive(Clone, Debug)]
enum Step {
    Update { len: usize, byte: u8 },
    Write { len: usize },
    UpdateReader { len: usize, sizes: Vec<usize> },
    Finalize,
    Extend { position: u64, lens: Vec<usize> },
    Reset,
    Fork,
    Back,
}

fn length() -> impl Strategy<Value = usize> {
    prop_oneof![
        2 => 0..=130usize,
        3 => (1..=20usize, -65..=65isize).prop_map(|(n, d)| (1024 * n).saturating_add_signed(d)),
        1 => 0..=40_000usize,
    ]
}

fn position() -> impl Strategy<Value = u64> {
    prop_oneof![
        2 => 0..=300u64,
        2 => (select(vec![1u64 << 12, 1 << 37, 1 << 38, 3 << 38, 1 << 63]), -3000..=3000i64)
            .prop_map(|(edge, d)| edge.saturating_add_signed(d)),
        1 => 0..=u64::MAX - 100_000,
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (length(), any::<u8>()).prop_map(|(len, byte)| Step::Update { len, byte }),
        1 => length().prop_map(|len| Step::Write { len }),
        1 => (length(), vec(1..=3000usize, 1..6))
            .prop_map(|(len, sizes)| Step::UpdateReader { len, sizes }),
        2 => Just(Step::Finalize),
        2 => (position(), vec(0..=3000usize, 1..4))
            .prop_map(|(position, lens)| Step::Extend { position, lens }),
        1 => Just(Step::Reset),
        1 => Just(Step::Fork),
        1 => Just(Step::Back),
    ]
}

/// Our hasher beside theirs, with the same things done to both.
#[derive(Clone)]
struct Pair {
    ours: Hasher,
    theirs: blake3::Hasher,
}

impl Pair {
    fn update(&mut self, input: &[u8]) {
        self.ours.update(input);
        self.theirs.update(input);
    }

    fn check(&self) {
        assert_eq!(self.ours.count(), self.theirs.count());
        assert_eq!(
            self.ours.finalize().as_bytes(),
            self.theirs.finalize().as_bytes()
        );
    }
}

fn run(mode: Mode, tier: Tier, steps: &[Step]) {
    let mut pair = Pair {
        ours: mode.hasher(tier),
        theirs: mode.reference(),
    };
    let mut forks = Vec::new();
    for step in steps {
        match step {
            Step::Update { len, byte } => {
                let mut input = input(*len);
                input.iter_mut().for_each(|b| *b ^= byte);
                pair.update(&input);
            }
            Step::Write { len } => {
                let input = input(*len);
                pair.ours.write_all(&input).expect("never fails");
                pair.ours.flush().expect("never fails");
                pair.theirs.update(&input);
            }
            Step::UpdateReader { len, sizes } => {
                let input = input(*len);
                pair.ours
                    .update_reader(Short::new(&input, sizes))
                    .expect("never fails");
                pair.theirs.update(&input);
            }
            Step::Finalize => pair.check(),
            Step::Extend { position, lens } => {
                let mut ours = pair.ours.finalize_xof();
                let mut theirs = pair.theirs.finalize_xof();
                ours.set_position(*position);
                theirs.set_position(*position);
                for &len in lens {
                    let (mut output, mut expected) = (vec![0; len], vec![1; len]);
                    ours.fill(&mut output);
                    theirs.fill(&mut expected);
                    assert_eq!(output, expected);
                    assert_eq!(ours.position(), theirs.position());
                }
            }
            Step::Reset => {
                pair.ours.reset();
                pair.theirs.reset();
            }
            Step::Fork => forks.push(pair.clone()),
            Step::Back => pair = forks.pop().unwrap_or(pair),
        }
    }
    pair.check();
    for fork in forks {
        fork.check();
    }
}

/// A reader that gives fewer bytes than it is asked for, scribbles on the rest, and is interrupted
/// now and then.
struct Short<'a> {
    rest: &'a [u8],
    sizes: &'a [usize],
    turn: usize,
}

impl<'a> Short<'a> {
    fn new(input: &'a [u8], sizes: &'a [usize]) -> Self {
        Self {
            rest: input,
            sizes,
            turn: 0,
        }
    }
}

impl Read for Short<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.turn += 1;
        if self.turn.is_multiple_of(3) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let size = self.sizes[self.turn % self.sizes.len()]
            .min(self.rest.len())
            .min(buffer.len());
        buffer.fill(0xEE);
        let (now, later) = self.rest.split_at(size);
        buffer[..size].copy_from_slice(now);
        self.rest = later;
        Ok(size)
    }
}

proptest! {
    #[test]
    fn random_steps(mode in select(&Mode::ALL[..]), steps in vec(step(), 0..12)) {
        for &tier in tiers() {
            run(mode, tier, &steps);
        }
    }

    #[test]
    fn any_key_and_context(
        key: [u8; 32],
        context in ".{0,100}",
        input in vec(any::<u8>(), 0..5000),
    ) {
        let keyed = blake3::keyed_hash(&key, &input);
        let derived = blake3::derive_key(&context, &input);
        prop_assert_eq!(blake3_lanes::keyed_hash(&key, &input), *keyed.as_bytes());
        prop_assert_eq!(blake3_lanes::derive_key(&context, &input), derived);
        for &tier in tiers() {
            let digest = blake3_lanes::keyed_hash_on_tier(tier, &key, &input);
            prop_assert_eq!(digest, *keyed.as_bytes());
            let digest = blake3_lanes::derive_key_on_tier(tier, &context, &input);
            prop_assert_eq!(digest, derived);
            let mut hasher = Hasher::new_keyed_on_tier(tier, &key);
            prop_assert_eq!(hasher.update(&input).finalize(), *keyed.as_bytes());
            let mut hasher = Hasher::new_derive_key_on_tier(tier, &context);
            prop_assert_eq!(hasher.update(&input).finalize(), derived);
        }
    }

    #[test]
    fn hash_values(bytes: [u8; 32], other: [u8; 32], bit in 0..256usize) {
        let (ours, theirs) = (Hash::from_bytes(bytes), blake3::Hash::from_bytes(bytes));
        prop_assert_eq!(ours.to_string(), theirs.to_string());
        prop_assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
        let (hex, expected) = (ours.to_hex(), theirs.to_hex());
        prop_assert_eq!(hex.as_str(), expected.as_str());
        prop_assert_eq!(hex.len(), 64);
        prop_assert_eq!(Hash::from_hex(ours.to_hex().as_str()).unwrap(), ours);
        prop_assert_eq!(Hash::from_hex(ours.to_string().to_uppercase()).unwrap(), ours);
        prop_assert_eq!(ours.to_string().parse::<Hash>().unwrap(), ours);
        prop_assert_eq!(Hash::from(bytes), ours);
        prop_assert_eq!(<[u8; 32]>::from(ours), bytes);
        prop_assert_eq!(ours.as_slice(), &bytes[..]);
        prop_assert_eq!(Hash::from_slice(&bytes).unwrap(), ours);

        prop_assert_eq!(ours == Hash::from_bytes(other), bytes == other);
        prop_assert_eq!(ours == other, bytes == other);
        prop_assert!(ours == bytes[..]);
        prop_assert!(ours != bytes[..31]);
        // One wrong bit, wherever it is, is seen.
        let mut wrong = bytes;
        wrong[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(ours != Hash::from_bytes(wrong));
        prop_assert!(ours != wrong);
        prop_assert!(ours != wrong[..]);
    }

    #[test]
    fn from_hex_takes_what_the_reference_takes(
        hex in prop_oneof![".{0,70}", "[0-9a-fA-F]{62,66}", "[0-9a-fg]{64}", "[0-9A-F]{64}"],
    ) {
        let (ours, theirs) = (Hash::from_hex(&hex), blake3::Hash::from_hex(&hex));
        prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{}", hex);
        prop_assert_eq!(hex.parse::<Hash>().is_ok(), theirs.is_ok(), "{}", hex);
        if let (Ok(ours), Ok(theirs)) = (ours, theirs) {
            prop_assert_eq!(ours.as_bytes(), theirs.as_bytes());
        }
    }

    #[test]
    fn seeks(positions in vec((position(), any::<i64>(), -200..=200i64, 0..200usize), 1..20)) {
        let mut ours = Hasher::new().update(b"seek").finalize_xof();
        let mut theirs = blake3::Hasher::new().update(b"seek").finalize_xof();
        for (position, far, near, len) in positions {
            let [near, far] = [near, far].map(SeekFrom::Current);
            for seek in [SeekFrom::Start(position), near, far, near] {
                match (ours.seek(seek), theirs.seek(seek)) {
                    (Ok(ours), Ok(theirs)) => prop_assert_eq!(ours, theirs, "{:?}", seek),
                    (Err(ours), Err(theirs)) => prop_assert_eq!(ours.kind(), theirs.kind()),
                    (ours, theirs) => prop_assert!(false, "{seek:?}: {ours:?}, not {theirs:?}"),
                }
                prop_assert_eq!(ours.position(), theirs.position(), "{:?}", seek);
                prop_assert_eq!(ours.stream_position().unwrap(), theirs.position());
                let len = len.min((u64::MAX - ours.position()) as usize);
                // The reference's own counter runs over at the very end.
                if ours.position() < u64::MAX - 1000 {
                    let (mut output, mut expected) = (vec![0; len], vec![1; len]);
                    prop_assert_eq!(ours.read(&mut output).unwrap(), len);
                    theirs.fill(&mut expected);
                    prop_assert_eq!(&output, &expected);
                    prop_assert_eq!(ours.position(), theirs.position());
                }
            }
        }
    }
}

/// Words of ones carry wherever a carry can be lost.
#[test]
fn all_ones() {
    let input = vec![0xFF; 33 * 1024];
    let key = [0xFF; 32];
    for len in (0..=130).chain([1023, 1024, 1025, 4096, 8192, 16 * 1024, 33 * 1024]) {
        let input = &input[..len];
        let keyed = blake3::keyed_hash(&key, input);
        for &tier in tiers() {
            for mode in Mode::ALL {
                assert_eq!(
                    mode.hash(tier, input),
                    mode.expected(input),
                    "{mode:?} of {len} bytes on {tier}"
                );
            }
            assert_eq!(
                blake3_lanes::keyed_hash_on_tier(tier, &key, input),
                *keyed.as_bytes(),
                "{len} bytes on {tier}"
            );
            let (mut output, mut expected) = ([0; 1100], [0; 1100]);
            Hasher::new_keyed_on_tier(tier, &key)
                .update(input)
                .finalize_xof()
                .fill(&mut output);
            blake3::Hasher::new_keyed(&key)
                .update(input)
                .finalize_xof()
                .fill(&mut expected);
            assert_eq!(output, expected, "output of {len} bytes on {tier}");
        }
    }
}

#[test]
fn from_hex_errors() {
    let hex = blake3_lanes::hash(b"foo").to_string();
    assert_eq!(hex.len(), 64);
    let length = Hash::from_hex(&hex[1..]).unwrap_err();
    assert!(length.to_string().contains("63"), "{length}");
    for bad in ['g', 'G', '/', ':', '@', '`', ' ', '\0', '\u{7F}'] {
        for place in [0, 31, 63] {
            let mut hex: Vec<char> = hex.chars().collect();
            hex[place] = bad;
            let error = Hash::from_hex(hex.iter().collect::<String>()).unwrap_err();
            assert!(error.to_string().contains(&format!("{bad:?}")), "{error}");
        }
    }
    let mut bytes = hex.clone().into_bytes();
    bytes[10] = 0xFF;
    let byte = Hash::from_hex(&bytes).unwrap_err();
    assert!(byte.to_string().to_lowercase().contains("ff"), "{byte}");
    let error: Box<dyn std::error::Error> = Box::new(byte);
    assert!(!error.to_string().is_empty());
    assert!(Hash::from_slice(&[0; 31]).is_err());
    assert!(Hash::from_slice(&[0; 33]).is_err());
}

/// Low digits keep their zero.
#[test]
fn hex_of_small_bytes() {
    let hash = Hash::from_bytes(std::array::from_fn(|i| i as u8));
    let hex = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    assert_eq!(hash.to_hex().as_str(), hex);
    assert_eq!(hash.to_string(), hex);
    assert_eq!(format!("{hash:?}"), format!("Hash(\"{hex}\")"));
}

/// Fails after some bytes.
struct Failing<'a>(&'a [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(io::Error::other("the disk is on fire")),
            n => Ok(n),
        }
    }
}

#[test]
fn reader_errors_come_through() {
    for len in [0, 1, 1024, 70_000, 200_000] {
        let input = input(len);
        for &tier in tiers() {
            let mut hasher = Hasher::on_tier(tier);
            let error = hasher
                .update_reader(Failing(&input))
                .map(|_| ())
                .unwrap_err();
            assert_eq!(error.to_string(), "the disk is on fire");
            // What came before the error counts.
            assert_eq!(hasher.count(), len as u64, "on {tier}");
            assert_eq!(
                hasher.finalize(),
                Mode::Hash.expected(&input),
                "{len} bytes on {tier}"
            );
        }
    }
}

#[test]
fn readers_of_every_manner() {
    let input = input(150_000);
    let expected = Mode::Hash.expected(&input);
    for &tier in tiers() {
        for sizes in [
            &[1][..],
            &[1, 2, 3],
            &[64],
            &[1023, 1],
            &[1024],
            &[65_536],
            &[usize::MAX],
            &[7, 40_000],
        ] {
            let mut hasher = Hasher::on_tier(tier);
            hasher
                .update_reader(Short::new(&input, sizes))
                .expect("only interrupted");
            assert_eq!(
                hasher.finalize(),
                expected,
                "{sizes:?} bytes at a time on {tier}"
            );
        }
        let mut hasher = Hasher::on_tier(tier);
        assert_eq!(
            io::copy(&mut &input[..], &mut hasher).expect("never fails"),
            input.len() as u64
        );
        assert_eq!(hasher.finalize(), expected);
        assert_eq!(hasher.write(&input[..0]).expect("never fails"), 0);
        assert_eq!(hasher.write(&input[..5000]).expect("never fails"), 5000);
        assert_eq!(hasher.count(), input.len() as u64 + 5000);
    }
}

/// A reader is taken from where it stands, and to its end.
#[test]
fn readers_start_where_they_stand() {
    let input = input(10_000);
    for &tier in tiers() {
        let mut reader = io::Cursor::new(&input);
        reader.set_position(1234);
        let mut hasher = Hasher::on_tier(tier);
        hasher
            .update_reader(&mut reader)
            .expect("never fails")
            .update(b"more");
        assert_eq!(reader.position(), 10_000);
        assert_eq!(
            hasher.finalize(),
            Mode::Hash.expected(&[&input[1234..], b"more"].concat())
        );
        hasher.update_reader(&mut reader).expect("at its end");
        assert_eq!(hasher.count(), 10_000 - 1234 + 4);
    }
}

#[test]
fn output_is_a_reader() {
    let expected = Mode::KeyedHash.expected_output(b"read", 0, 3000);
    for &tier in tiers() {
        let reader =
            || -> OutputReader { Mode::KeyedHash.hasher(tier).update(b"read").finalize_xof() };
        let mut output = vec![0; 3000];
        reader().read_exact(&mut output).expect("never fails");
        assert_eq!(output, expected, "on {tier}");
        let mut output = Vec::new();
        assert_eq!(
            reader()
                .take(3000)
                .read_to_end(&mut output)
                .expect("never fails"),
            3000
        );
        assert_eq!(output, expected, "on {tier}");

        // Of every length, after each other.
        let mut reader = reader();
        let mut start = 0;
        for len in 0..76 {
            let mut output = vec![0; len];
            assert_eq!(reader.read(&mut output).expect("never fails"), len);
            assert_eq!(
                output,
                expected[start..start + len],
                "{len} bytes from {start} on {tier}"
            );
            start += len;
        }
        let copy = reader.clone();
        reader.set_position(7);
        assert_eq!(copy.position(), start as u64, "a copy stands by itself");
    }
}

#[test]
fn seeks_that_cannot_be() {
    let mut reader = Hasher::new().finalize_xof();
    reader.set_position(100);
    for seek in [
        SeekFrom::End(0),
        SeekFrom::End(-1),
        SeekFrom::Current(-101),
        SeekFrom::Current(i64::MIN),
    ] {
        let error = reader.seek(seek).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{seek:?}");
        assert_eq!(reader.position(), 100, "{seek:?} moved it");
    }
    assert_eq!(reader.seek(SeekFrom::Current(-100)).unwrap(), 0);
    reader.set_position(u64::MAX - 5);
    assert_eq!(
        reader.seek(SeekFrom::Current(6)).unwrap(),
        u64::MAX,
        "the end is as far as it goes"
    );
    assert_eq!(reader.seek(SeekFrom::Current(i64::MAX)).unwrap(), u64::MAX);
    assert_eq!(reader.seek(SeekFrom::Start(u64::MAX)).unwrap(), u64::MAX);
}

/// The secrets in a hasher, and in what comes of it, do not appear in logs.
#[test]
fn debug_tells_no_secrets() {
    let shown = |key: u8, text: &[u8]| {
        let mut hasher = Hasher::new_keyed(&[key; 32]);
        hasher.update(text);
        (
            format!("{hasher:?}"),
            format!("{:?}", hasher.finalize_xof()),
        )
    };
    assert_eq!(shown(1, b"one"), shown(2, b"two"));
    assert!(!shown(1, b"one").0.is_empty());
    let shown = |context: &str| format!("{:?}", Hasher::new_derive_key(context));
    assert_eq!(shown(CONTEXT), shown("another"));
    assert_eq!(
        format!("{:?}", Hasher::new_keyed(KEY)),
        format!("{:?}", Hasher::new_keyed(&[0; 32]))
    );
}
