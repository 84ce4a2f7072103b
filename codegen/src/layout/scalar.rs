//! Scalar: one message, a word a variable. What portable Rust is printed from.

use crate::spec::{self, Algebra, Place};

/// An operation on 32-bit variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// The sum modulo 2^32.
    Add(Variable, Variable),
    /// The exclusive or.
    Xor(Variable, Variable),
    /// The rotation to the right.
    RotateRight(Variable, u32),
}

/// What an operation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// A word of the chaining value.
    Cv(usize),
    /// A word of the block.
    Block(usize),
    /// A word of the IV.
    Iv(usize),
    /// The low word of the counter.
    CounterLow,
    /// The high word of the counter.
    CounterHigh,
    /// The block length.
    BlockLen,
    /// The flags.
    Flags,
    /// The result of an operation.
    Result(usize),
}

/// The compression as a list of operations, each with its place, and the sixteen words of its output.
#[derive(Clone, Debug)]
pub struct Compression {
    /// The operations, in order.
    pub code: Vec<(Place, Op)>,
    /// The output.
    pub output: [Variable; 16],
}

struct Recorder {
    code: Vec<(Place, Op)>,
    place: Place,
}

impl Recorder {
    fn push(&mut self, op: Op) -> Variable {
        self.code.push((self.place, op));
        Variable::Result(self.code.len() - 1)
    }
}

impl Algebra for Recorder {
    type Word = Variable;
    fn add(&mut self, a: &Variable, b: &Variable) -> Variable {
        self.push(Op::Add(*a, *b))
    }
    fn xor(&mut self, a: &Variable, b: &Variable) -> Variable {
        self.push(Op::Xor(*a, *b))
    }
    fn rotate_right(&mut self, a: &Variable, distance: u32) -> Variable {
        self.push(Op::RotateRight(*a, distance))
    }
    fn at(&mut self, place: Place) {
        self.place = place;
    }
}

/// The compression with its 64-byte output.
pub fn compression() -> Compression {
    let mut recorder = Recorder {
        code: Vec::new(),
        place: Place::default(),
    };
    let cv = std::array::from_fn(Variable::Cv);
    let iv = std::array::from_fn(Variable::Iv);
    let counter = [&Variable::CounterLow, &Variable::CounterHigh];
    let mut state = spec::initial_state(&cv, &iv, counter, &Variable::BlockLen, &Variable::Flags);
    spec::rounds(
        &mut recorder,
        &mut state,
        &std::array::from_fn(Variable::Block),
    );
    let head = spec::chaining_value(&mut recorder, &state);
    let tail = spec::output_tail(&mut recorder, &state, &cv);
    let output = std::array::from_fn(|i| if i < 8 { head[i] } else { tail[i - 8] });
    Compression {
        code: recorder.code,
        output,
    }
}

/// Runs the operations over any algebra, given what the variables that are no results stand for.
pub fn run<A: Algebra>(
    compression: &Compression,
    alg: &mut A,
    input: impl Fn(&mut A, Variable) -> A::Word,
) -> [A::Word; 16] {
    let mut results: Vec<A::Word> = Vec::new();
    let read = |alg: &mut A, results: &[A::Word], variable: Variable| match variable {
        Variable::Result(i) => results[i].clone(),
        other => input(alg, other),
    };
    for (_, op) in &compression.code {
        let result = match *op {
            Op::Add(a, b) => {
                let (a, b) = (read(alg, &results, a), read(alg, &results, b));
                alg.add(&a, &b)
            }
            Op::Xor(a, b) => {
                let (a, b) = (read(alg, &results, a), read(alg, &results, b));
                alg.xor(&a, &b)
            }
            Op::RotateRight(a, distance) => {
                let a = read(alg, &results, a);
                alg.rotate_right(&a, distance)
            }
        };
        results.push(result);
    }
    compression
        .output
        .map(|variable| read(alg, &results, variable))
}
