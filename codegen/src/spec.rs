//! **describe**: BLAKE3's compression function, once.
//!
//! Everything here is written over an abstract word ([`Algebra`]): the layouts run it over registers to get
//! instructions, the prover runs it over terms to get what those instructions must compute, and the tests run it over
//! numbers. Nothing else in the generator knows what BLAKE3 is. Section numbers are those of the BLAKE3 paper.

/// The initialization vector (section 2.1, table 1).
pub const IV: [u32; 8] = [
    0x6A09_E667,
    0xBB67_AE85,
    0x3C6E_F372,
    0xA54F_F53A,
    0x510E_527F,
    0x9B05_688C,
    0x1F83_D9AB,
    0x5BE0_CD19,
];

/// The permutation of the message words between rounds (section 2.1, table 2).
pub const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];

/// Rounds of a compression.
pub const ROUNDS: usize = 7;

/// Right-rotation distances of G, in the order in which they are applied.
pub const ROTATIONS: [u32; 4] = [16, 12, 8, 7];

/// The state words of the eight Gs of a round: four columns, then four diagonals.
pub const QUARTERS: [[usize; 4]; 8] = [
    [0, 4, 8, 12],
    [1, 5, 9, 13],
    [2, 6, 10, 14],
    [3, 7, 11, 15],
    [0, 5, 10, 15],
    [1, 6, 11, 12],
    [2, 7, 8, 13],
    [3, 4, 9, 14],
];

/// Words in a block, and in the state.
pub const BLOCK_WORDS: usize = 16;
/// Bytes in a block.
pub const BLOCK_LEN: usize = 64;
/// Blocks in a chunk.
pub const CHUNK_BLOCKS: usize = 16;

/// Where in a compression an operation stands; the scheduler orders by it, and the printer comments with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Place {
    /// Half rounds from the start: columns of round 0, diagonals of round 0, columns of round 1, ...
    pub half: usize,
    /// The step within G, 0 to 11.
    pub step: usize,
    /// Which of the four Gs of the half round.
    pub g: usize,
    /// Which of the registers that a wide vector takes.
    pub part: usize,
}

impl Place {
    /// The half round in words, for comments.
    pub fn name(self) -> String {
        if self.half >= 2 * ROUNDS {
            return "feed forward".into();
        }
        let what = if self.half.is_multiple_of(2) {
            "columns"
        } else {
            "diagonals"
        };
        format!("round {}, {what}", self.half / 2 + 1)
    }
}

/// Arithmetic on 32-bit words, whatever they are made of.
pub trait Algebra {
    /// A word.
    type Word: Clone;
    /// The sum modulo 2^32.
    fn add(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// The exclusive or.
    fn xor(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// The rotation to the right.
    fn rotate_right(&mut self, a: &Self::Word, distance: u32) -> Self::Word;
    /// Says where the next operation stands.
    fn at(&mut self, _place: Place) {}
}

/// The message word order of each round: the permutation applied again and again.
pub fn schedule() -> [[usize; 16]; ROUNDS] {
    let mut order = [[0; 16]; ROUNDS];
    order[0] = std::array::from_fn(|i| i);
    for round in 1..ROUNDS {
        order[round] = std::array::from_fn(|i| order[round - 1][PERMUTATION[i]]);
    }
    order
}

/// The quarter round G (section 2.2). `x` is added before `b`: it does not wait for anything.
pub fn g<A: Algebra>(
    alg: &mut A,
    [a, b, c, d]: [&mut A::Word; 4],
    x: &A::Word,
    y: &A::Word,
    half: usize,
    g: usize,
) {
    let mut step = 0;
    let mut at = |alg: &mut A| {
        alg.at(Place {
            half,
            step,
            g,
            part: 0,
        });
        step += 1;
    };
    for (word, rotations) in [
        (x, [ROTATIONS[0], ROTATIONS[1]]),
        (y, [ROTATIONS[2], ROTATIONS[3]]),
    ] {
        at(alg);
        *a = alg.add(a, word);
        at(alg);
        *a = alg.add(a, b);
        at(alg);
        *d = alg.xor(d, a);
        at(alg);
        *d = alg.rotate_right(d, rotations[0]);
        at(alg);
        *c = alg.add(c, d);
        at(alg);
        *b = alg.xor(b, c);
        at(alg);
        *b = alg.rotate_right(b, rotations[1]);
    }
}

/// Steps of G, for places after it.
pub const G_STEPS: usize = 14;

/// The state before the first round (section 2.2): chaining value, IV, counter, block length, flags.
pub fn initial_state<W: Clone>(
    cv: &[W; 8],
    iv: &[W; 4],
    counter: [&W; 2],
    block_len: &W,
    flags: &W,
) -> [W; 16] {
    std::array::from_fn(|i| match i {
        0..8 => cv[i].clone(),
        8..12 => iv[i - 8].clone(),
        12 | 13 => counter[i - 12].clone(),
        14 => block_len.clone(),
        _ => flags.clone(),
    })
}

/// The seven rounds.
pub fn rounds<A: Algebra>(alg: &mut A, state: &mut [A::Word; 16], block: &[A::Word; 16]) {
    for (round, order) in schedule().iter().enumerate() {
        for (i, quarter) in QUARTERS.iter().enumerate() {
            let [a, b, c, d] = state
                .get_disjoint_mut(*quarter)
                .expect("a quarter has four different words");
            g(
                alg,
                [a, b, c, d],
                &block[order[2 * i]],
                &block[order[2 * i + 1]],
                2 * round + i / 4,
                i % 4,
            );
        }
    }
}

/// The feed-forward to the new chaining value: the first half of the output.
pub fn chaining_value<A: Algebra>(alg: &mut A, state: &[A::Word; 16]) -> [A::Word; 8] {
    std::array::from_fn(|i| {
        alg.at(Place {
            half: 2 * ROUNDS,
            step: 0,
            g: i,
            part: 0,
        });
        alg.xor(&state[i], &state[i + 8])
    })
}

/// The second half of the extended output.
pub fn output_tail<A: Algebra>(
    alg: &mut A,
    state: &[A::Word; 16],
    cv: &[A::Word; 8],
) -> [A::Word; 8] {
    std::array::from_fn(|i| {
        alg.at(Place {
            half: 2 * ROUNDS,
            step: 1,
            g: i,
            part: 0,
        });
        alg.xor(&state[i + 8], &cv[i])
    })
}

/// Numbers are words too: the reference that tests compare with.
#[derive(Debug, Clone, Copy, Default)]
pub struct Numbers;

impl Algebra for Numbers {
    type Word = u32;
    fn add(&mut self, a: &u32, b: &u32) -> u32 {
        a.wrapping_add(*b)
    }
    fn xor(&mut self, a: &u32, b: &u32) -> u32 {
        a ^ b
    }
    fn rotate_right(&mut self, a: &u32, distance: u32) -> u32 {
        a.rotate_right(distance)
    }
}
