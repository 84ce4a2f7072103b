//! The hash as code sees it that feeds whole blocks, such as `hmac::Hmac`.

use crate::{Hasher, Tier};
use core::fmt;

/// BLAKE3 behind the block traits of `digest` (`UpdateCore`, `FixedOutputCore`), as an *eager*
/// hash: one that takes each block as soon as it is complete.
///
/// BLAKE3 marks the last block of its input, so by itself it is *lazy*, and `hmac::Hmac`,
/// `hkdf::Hkdf` and `pbkdf2::pbkdf2_hmac` ask for an eager hash. This core is one, since it holds
/// the last block back itself. [`Hasher`] and [`Blake3`](crate::Blake3) name it as their core
/// through digest 0.11's `EagerHash`; in digest 0.10 see
#[cfg_attr(
    feature = "digest-0_10",
    doc = "[`CoreBlake3`](crate::traits_0_10::CoreBlake3)."
)]
#[cfg_attr(not(feature = "digest-0_10"), doc = "`traits_0_10::CoreBlake3`.")]
///
/// There is no other use for it.
///
/// ```
/// # #[cfg(feature = "digest")] {
/// use blake3_lanes::{Blake3, block_api::Blake3Core};
/// use blake3_lanes::digest::block_api::EagerHash;
///
/// fn core_of<D: EagerHash>() -> D::Core {
///     D::Core::default()
/// }
/// let _: Blake3Core = core_of::<Blake3>();
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Blake3Core(pub(crate) Hasher);

impl Blake3Core {
    /// A core with the kernels of the given tier.
    ///
    /// ```
    /// use blake3_lanes::{Tier, block_api::Blake3Core};
    ///
    /// let core = Blake3Core::on_tier(Tier::PORTABLE);
    /// ```
    pub fn on_tier(tier: Tier) -> Self {
        Self(Hasher::on_tier(tier))
    }
}

/// Prints nothing of the state.
impl fmt::Debug for Blake3Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blake3Core").finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::ZeroizeOnDrop for Blake3Core {}
