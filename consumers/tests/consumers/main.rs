//! Crates of the ecosystem that are generic over a hash, each run with BLAKE3 and compared with the
//! same thing computed otherwise: by hand from its specification, on the official `blake3` crate, or
//! by the consumer itself with the official crate as its hash.

mod by_hand;
mod curves;
mod dalek;
mod kdf;
mod mac;
mod old;
mod rsa;
mod signatures;

/// Deterministic bytes, without a pattern that blocks or chunks would repeat.
fn bytes(len: usize) -> Vec<u8> {
    (0..=250).cycle().take(len).collect()
}
