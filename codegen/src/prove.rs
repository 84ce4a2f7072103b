//! **prove**: runs the final instructions of a kernel on symbols and compares what they leave with what `spec` says.
//!
//! The run is of the whole kernel, jumps included, for a few counts of groups and blocks. At the head of each loop
//! everything is forgotten but what the contract names, and what it names is checked and replaced by fresh symbols; so an
//! iteration is proved for whatever came before it, and the counts that are run (one, and some more) stand for all.

pub mod contract;
pub mod machine;
pub mod term;

use crate::isa::Constants;
use crate::kernel::Kernel;

/// What a proof took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Proof {
    /// Instructions executed.
    pub steps: usize,
    /// Terms made.
    pub terms: usize,
}

/// Proves a kernel against its contract.
///
/// # Errors
///
/// Names the first thing that differs: an output, an access outside its region, a register not restored.
pub fn prove(kernel: &Kernel, constants: &Constants) -> Result<Proof, String> {
    contract::prove(kernel, constants).map_err(|error| format!("{} {}: {error}", kernel.isa.name, kernel.name))
}
