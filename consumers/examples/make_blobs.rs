//! Writes the known answers under `tests/data/` in the form that the test macros of `digest` read,
//! with the official `blake3` crate as the judge.

use digest::dev::blobby::encode_blobs;

const KEY: &[u8; 32] = b"whats the Elvish word for friend";

/// Both sides of the edges of blocks and chunks. The macros feed each input many times, byte by
/// byte, so none is long.
const LENGTHS: [usize; 14] = [
    0, 1, 3, 63, 64, 65, 127, 128, 1023, 1024, 1025, 2048, 2049, 3073,
];

fn output(hasher: &official::Hasher, input: &[u8], len: usize) -> Vec<u8> {
    let mut output = vec![0; len];
    let mut hasher = hasher.clone();
    hasher.update(input);
    hasher.finalize_xof().fill(&mut output);
    output
}

/// The state of an unkeyed hasher after 65 bytes of 0x13, as the macro wants it: no key, no chaining
/// value but that of the first block, one byte that waits, and zeros up to the size of the type.
fn state() -> Vec<u8> {
    let mut state = vec![1, 0];
    state.extend(0_u64.to_le_bytes());
    state.extend(65_u64.to_le_bytes());
    state.extend([0; 32]);
    let mut cv = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    const CHUNK_START: u8 = 1;
    official::platform::Platform::portable().compress_in_place(
        &mut cv,
        &[0x13; 64],
        64,
        0,
        CHUNK_START,
    );
    state.extend(cv.iter().flat_map(|word: &u32| word.to_le_bytes()));
    state.push(0x13);
    state.resize(2048, 0);
    state
}

pub(crate) fn files() -> [(&'static str, Vec<u8>); 4] {
    let input: Vec<u8> = (0..251).cycle().take(4096).collect();
    let inputs = LENGTHS.map(|len| &input[..len]);
    let plain = official::Hasher::new();
    let keyed = official::Hasher::new_keyed(KEY);
    let hash: Vec<_> = inputs
        .iter()
        .flat_map(|input| [input.to_vec(), output(&plain, input, 32)])
        .collect();
    let xof: Vec<_> = inputs
        .iter()
        .flat_map(|input| [input.to_vec(), output(&plain, input, 131)])
        .collect();
    let mac: Vec<_> = inputs
        .iter()
        .flat_map(|input| [KEY.to_vec(), input.to_vec(), output(&keyed, input, 32)])
        .collect();
    [
        ("blake3_hash.blb", encode_blobs(&hash).0),
        ("blake3_xof.blb", encode_blobs(&xof).0),
        ("blake3_mac.blb", encode_blobs(&mac).0),
        ("blake3_state.bin", state()),
    ]
}

pub(crate) fn path(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn main() {
    for (name, bytes) in files() {
        std::fs::write(path(name), bytes).expect("the folder is there");
    }
}
