//! **prove**: runs the final instructions of a kernel on symbols and compares what they leave with what `spec` says.
//!
//! The run is of the whole kernel, jumps included, for a few counts of groups and blocks. At the head of each loop
//! everything is forgotten but what the contract names, and what it names is checked and replaced by fresh symbols; so an
//! iteration is proved for whatever came before it. What it may still depend on is how it starts, and how much of the
//! count is left; the counts that are run have all of these cases, and so stand for all counts.

pub mod contract;
pub mod machine;
pub mod term;

use crate::isa::Constants;
use crate::kernel::Kernel;
use crate::layout::scalar::{self, Compression, Op, Variable};
use crate::spec;

use term::Terms;

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
    contract::prove(kernel, constants)
        .map_err(|error| format!("{} {}: {error}", kernel.isa.name, kernel.name))
}

/// Proves the portable kernel: the list of operations that is printed, run on symbols.
///
/// # Errors
///
/// Names the first output word that differs.
pub fn prove_scalar(compression: &Compression) -> Result<Proof, String> {
    for (i, (_, op)) in compression.code.iter().enumerate() {
        let read = match *op {
            Op::Add(a, b) | Op::Xor(a, b) => [a, b],
            Op::RotateRight(a, _) => [a, a],
        };
        exists(&read, i).map_err(|error| format!("portable compress: operation {i}: {error}"))?;
    }
    exists(&compression.output, compression.code.len())
        .map_err(|error| format!("portable compress: output: {error}"))?;
    let mut terms = Terms::default();
    let counter = terms.halves(0, 0);
    let name = |terms: &mut Terms, variable: Variable| match variable {
        Variable::Cv(i) => terms.symbol("cv", [i as u32, 0, 0]),
        Variable::Block(i) => terms.symbol("block", [i as u32, 0, 0]),
        Variable::Iv(i) => terms.constant(spec::IV[i]),
        Variable::CounterLow => counter[0],
        Variable::CounterHigh => counter[1],
        Variable::BlockLen => terms.symbol("block_len", [0; 3]),
        Variable::Flags => terms.symbol("flags", [0; 3]),
        Variable::Result(_) => unreachable!("results are the runner's"),
    };
    let found = scalar::run(compression, &mut terms, name);
    let inputs = contract::Compression {
        cv: std::array::from_fn(|i| name(&mut terms, Variable::Cv(i))),
        block: std::array::from_fn(|i| name(&mut terms, Variable::Block(i))),
        counter,
        block_len: name(&mut terms, Variable::BlockLen),
        flags: name(&mut terms, Variable::Flags),
    };
    let expected = inputs.output(&mut terms);
    for (word, (expected, found)) in expected.into_iter().zip(found).enumerate() {
        contract::same(
            &terms,
            || format!("portable compress: output word {word}"),
            expected,
            found,
        )?;
    }
    Ok(Proof {
        steps: compression.code.len(),
        terms: terms.count(),
    })
}

/// Is there what is read, after so many operations?
fn exists(read: &[Variable], done: usize) -> Result<(), String> {
    let there = |variable: &Variable| match *variable {
        Variable::Cv(i) | Variable::Iv(i) => i < 8,
        Variable::Block(i) => i < spec::BLOCK_WORDS,
        Variable::Result(i) => i < done,
        _ => true,
    };
    match read.iter().find(|variable| !there(variable)) {
        Some(variable) => Err(format!("there is no {variable:?} to read")),
        None => Ok(()),
    }
}
