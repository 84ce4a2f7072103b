//! What the page in `index.html` calls: a hasher, and the two crates that it measures.

use std::hint::black_box;

use wasm_bindgen::prelude::wasm_bindgen;

/// The hasher of one file.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct FileHasher(blake3_lanes::Hasher);

#[wasm_bindgen]
impl FileHasher {
    /// A hasher of nothing so far.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next piece of the file.
    pub fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// The digest of what was taken so far, in hexadecimal.
    pub fn digest(&self) -> String {
        self.0.finalize().to_string()
    }
}

/// The tier that hashes.
#[wasm_bindgen]
pub fn tier() -> String {
    blake3_lanes::Tier::detect().name().into()
}

/// Hashes an input again and again with this crate; gives the first byte of the digest.
#[wasm_bindgen]
pub fn hash_ours(input: &[u8], times: u32) -> u8 {
    repeat(input, times, |input| *blake3_lanes::hash(input).as_bytes())
}

/// The same with the official crate's `wasm32_simd`.
#[wasm_bindgen]
pub fn hash_official(input: &[u8], times: u32) -> u8 {
    repeat(input, times, |input| *blake3::hash(input).as_bytes())
}

fn repeat(input: &[u8], times: u32, hash: impl Fn(&[u8]) -> [u8; 32]) -> u8 {
    let mut last = 0;
    for _ in 0..times {
        last = black_box(hash(black_box(input)))[0];
    }
    last
}
