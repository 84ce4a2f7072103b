//! What is left in memory of the types that hold secrets, after they are dropped.
#![cfg(all(feature = "zeroize", not(miri)))]

use std::mem::MaybeUninit;

use blake3_lanes::hazmat::HasherExt;
use blake3_lanes::{CHUNK_LEN, Hash, Hasher};
use zeroize::{Zeroize, ZeroizeOnDrop};

const KEY: [u8; 32] = *b"thirty-two bytes of a secret key";

/// A value on the heap, whose memory can be looked at before and after it is dropped.
struct Watched<T>(Box<MaybeUninit<T>>);

impl<T> Watched<T> {
    fn new(value: T) -> Self {
        Self(Box::new(MaybeUninit::new(value)))
    }

    fn value(&mut self) -> &mut T {
        // SAFETY: it was made with a value, which is dropped only where `self` is taken.
        unsafe { self.0.assume_init_mut() }
    }

    fn memory(&self) -> Vec<u8> {
        let start = self.0.as_ptr().cast::<u8>();
        // SAFETY: all of it lies in the box. What no value was written to may be read all the same,
        // one volatile byte at a time: it is memory that the allocator gave, and nothing is concluded
        // from it but whether a secret is there.
        (0..size_of::<T>())
            .map(|i| unsafe { start.add(i).read_volatile() })
            .collect()
    }

    /// Drops the value, and gives the memory.
    fn dropped(mut self) -> Vec<u8> {
        // SAFETY: it was made with a value, and is not used after this.
        unsafe { self.0.assume_init_drop() };
        self.memory()
    }
}

/// Overwrites the call stack below the caller.
#[inline(never)]
fn clean() {
    std::hint::black_box([0_u8; 1 << 16]);
}

/// Makes a value and moves it to the heap. Moves copy all bytes of a value, and so take along what
/// earlier calls left on the stack, where it has room that it does not use yet: hence the cleaning.
fn made<T>(make: impl FnOnce() -> T) -> Watched<T> {
    #[inline(never)]
    fn on_clean_stack<T>(make: impl FnOnce() -> T) -> Watched<T> {
        Watched::new(make())
    }
    clean();
    on_clean_stack(make)
}

/// Whether any 8 bytes of the secret are in the memory.
fn shows(memory: &[u8], secret: &[u8]) -> bool {
    secret
        .windows(8)
        .any(|part| memory.windows(8).any(|window| window == part))
}

/// Each secret is there before the drop, and nothing of any afterwards.
fn check<T: ZeroizeOnDrop>(what: &str, make: impl FnOnce() -> T, secrets: &[&[u8]]) {
    let watched = made(make);
    let memory = watched.memory();
    for secret in secrets {
        assert!(
            shows(&memory, secret),
            "{what}: the test looks for the wrong bytes"
        );
    }
    let memory = watched.dropped();
    for secret in secrets {
        assert!(!shows(&memory, secret), "{what}: a secret is still there");
    }
}

/// 12 chunks and a bit, all of whose bytes are hard to guess.
fn input() -> Vec<u8> {
    let mut input = vec![0; 12 * CHUNK_LEN + 90];
    Hasher::new().finalize_xof().fill(&mut input);
    input
}

/// Words in memory are in the byte order of the machine, and these bytes are little-endian.
fn in_memory(bytes: [u8; 32]) -> [u8; 32] {
    if cfg!(target_endian = "little") {
        return bytes;
    }
    let mut words = bytes;
    for word in words.chunks_exact_mut(4) {
        word.reverse();
    }
    words
}

/// What a hasher with `input()` holds: the chaining values of its subtrees, and its last bytes.
fn held(input: &[u8]) -> Vec<Vec<u8>> {
    let subtree = |from: usize, to: usize| {
        let value = Hasher::new_keyed(&KEY)
            .set_input_offset((from * CHUNK_LEN) as u64)
            .update(&input[from * CHUNK_LEN..to * CHUNK_LEN])
            .finalize_non_root();
        in_memory(value).to_vec()
    };
    vec![
        subtree(0, 8),
        subtree(8, 12),
        input[12 * CHUNK_LEN + 64..].to_vec(),
        in_memory(KEY).to_vec(),
    ]
}

fn hasher(input: &[u8]) -> Hasher {
    let mut hasher = Hasher::new_keyed(&KEY);
    hasher.update(input);
    hasher
}

fn slices(secrets: &[Vec<u8>]) -> Vec<&[u8]> {
    secrets.iter().map(|secret| &secret[..]).collect()
}

#[test]
fn hashers() {
    let input = input();
    let held = held(&input);
    check("a hasher", || hasher(&input), &slices(&held));

    // In room that is not in use any more.
    let reset = || {
        let mut hasher = hasher(&input);
        hasher.reset();
        hasher
    };
    check("a hasher that was reset", reset, &slices(&held[..2]));
}

/// With more pending subtrees than the short stack has room for.
#[test]
fn deep_hashers() {
    let input = input();
    let mut state = hasher(&[]).to_bytes().to_vec();
    state[10..18].copy_from_slice(&(1023 * CHUNK_LEN as u64).to_le_bytes());
    state.extend(&input[..10 * 32]);
    let hasher = || Hasher::from_bytes(&state).expect("a state");
    let secrets: Vec<_> = (0..10)
        .map(|i| in_memory(input[32 * i..][..32].try_into().expect("32 bytes")).to_vec())
        .collect();
    check("a hasher with a full stack", hasher, &slices(&secrets));
}

#[test]
fn readers() {
    let input = input();
    let mut output = [0; 64];
    hasher(&input).finalize_xof().fill(&mut output);
    let reader = || {
        let mut reader = hasher(&input).finalize_xof();
        reader.fill(&mut [0; 10]);
        reader
    };
    let subtrees = held(&input);
    // What a parent hashes is bytes on any machine.
    let left = in_memory(subtrees[0][..].try_into().expect("a chaining value"));
    check("a reader", reader, &[&output, &left, &in_memory(KEY)]);
}

#[test]
fn states() {
    let input = input();
    let mut secrets = held(&input);
    // A state is bytes on any machine.
    for secret in &mut secrets {
        if let Ok(words) = <[u8; 32]>::try_from(&secret[..]) {
            *secret = in_memory(words).to_vec();
        }
    }
    check("a state", || hasher(&input).to_bytes(), &slices(&secrets));
}

#[cfg(all(feature = "std", any(feature = "digest", feature = "digest-0_10")))]
#[test]
fn types_for_traits() {
    use blake3_lanes::block_api::Blake3Core;
    use blake3_lanes::{Blake3, Blake3Mac, Tier};
    use std::io::Write as _;

    let input = input();
    let held = held(&input);
    let mac = || {
        let mut mac = Blake3Mac::on_tier(Tier::detect(), &KEY);
        mac.write_all(&input).expect("never fails");
        mac
    };
    check("a MAC", mac, &slices(&held));

    // In each of the forms that it has for its input, and after it has changed to another.
    for pieces in [
        &[60][..],
        &[64, 40],
        &[1000],
        &[5000],
        &[5000, 40],
        &[100, 5000],
        &[input.len()],
    ] {
        let mut fed = 0;
        let hash = || {
            let mut hash = Blake3::default();
            for piece in pieces {
                hash.write_all(&input[fed..fed + piece])
                    .expect("never fails");
                fed += piece;
            }
            hash
        };
        let len = pieces.iter().sum();
        let (block, root) = ((len - 1) / 64 * 64, blake3_lanes::hash(&input[..len]));
        let known = pieces == [5000] || pieces == [input.len()];
        let secrets: [&[u8]; 2] = [&input[block..len], root.as_slice()];
        check("a hash", hash, &secrets[..if known { 2 } else { 1 }]);
    }
    fn wiped<T: ZeroizeOnDrop>() {}
    wiped::<Blake3Core>();
    #[cfg(feature = "digest")]
    wiped::<blake3_lanes::traits::Blake3_512>();
}

/// By hand, as the `blake3` crate does it: what is left can be used, and knows nothing.
#[test]
fn by_hand() {
    let input = input();
    let held = held(&input);
    let mut watched = made(|| hasher(&input));
    watched.value().zeroize();
    for secret in slices(&held) {
        assert!(!shows(&watched.memory(), secret));
    }
    let wiped = watched.value();
    assert_eq!(wiped.count(), 0);
    wiped.update(b"abc");
    assert_ne!(wiped.finalize(), blake3_lanes::keyed_hash(&KEY, b"abc"));
    watched.dropped();

    let mut reader = hasher(&input).finalize_xof();
    reader.zeroize();
    assert_eq!(reader.position(), 0);
    reader.fill(&mut [0; 100]);

    let mut state = hasher(&input).to_bytes();
    state.zeroize();
    assert!(state.is_empty());

    let mut hash: Hash = blake3_lanes::hash(b"abc");
    hash.zeroize();
    assert_eq!(hash, [0; 32]);
}
