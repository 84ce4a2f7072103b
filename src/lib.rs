//! BLAKE3.
#![no_std]
#![deny(unsafe_code)]
#[cfg(feature = "std")]
extern crate std;
#[allow(unsafe_code)]
mod tier;
pub use tier::Tier;
