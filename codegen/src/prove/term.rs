//! Terms: what a register lane or a memory cell holds when a kernel runs on symbols.
//!
//! Terms are hash-consed and normalized as they are made, so that two computations are equal in the prover exactly when
//! they have the same number: sums are flat and sorted, exclusive ors are flat, sorted and cancel, and the two shifts of
//! a rotate that meet in an `or`, `xor` or sum are a rotate.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};

use crate::spec::Algebra;

/// A 32-bit term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Term(u32);

/// What a 32-bit term is made of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Node {
    Constant(u32),
    Symbol(Symbol),
    /// Sorted addends, which are neither sums nor constants, and a constant.
    Sum(Box<[Term]>, u32),
    /// Sorted members, which are neither xors nor constants, and a constant.
    Xor(Box<[Term]>, u32),
    RotateRight(Term, u32),
    ShiftLeft(Term, u32),
    ShiftRight(Term, u32),
    /// An `or` of two terms that is no rotate.
    Or(Term, Term),
    /// An `and` of two terms.
    And(Term, Term),
    /// Four bytes, lowest first, each a byte (0 to 3) of a term.
    Bytes([(Term, u8); 4]),
    /// The low or high half of a 64-bit sum: a symbol of 64 bits, and what was added to it.
    Half {
        quad: u32,
        added: u64,
        high: bool,
    },
    /// One half of the 64-bit sum of two 64-bit numbers known by their halves only.
    QuadSum {
        a: [Term; 2],
        b: [Term; 2],
        high: bool,
    },
}

/// A name for something unknown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol {
    /// What it is.
    pub name: &'static str,
    /// Which one of those: step, lane, word, or as its maker says.
    pub index: [u32; 3],
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c] = self.index;
        write!(f, "{}[{a}][{b}][{c}]", self.name)
    }
}

/// A quick hash of nodes, which nobody chooses to collide: proofs spend most of their time here.
#[derive(Default)]
struct Quick(u64);

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        for eight in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..eight.len()].copy_from_slice(eight);
            self.write_u64(u64::from_le_bytes(word));
        }
    }
    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }
    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }
    fn write_u64(&mut self, value: u64) {
        // An odd number without a pattern: 2^64 divided by the golden ratio.
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
    fn finish(&self) -> u64 {
        // The table goes by the low bits, the product is best in the high ones.
        self.0.rotate_left(26)
    }
}

/// The table of all terms made so far.
#[derive(Default, Debug)]
pub struct Terms {
    nodes: Vec<Node>,
    numbers: HashMap<Node, Term, BuildHasherDefault<Quick>>,
    junk: u32,
}

impl Terms {
    /// How many terms there are.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    fn make(&mut self, node: Node) -> Term {
        if let Some(term) = self.numbers.get(&node) {
            return *term;
        }
        let term = Term(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.numbers.insert(node, term);
        term
    }

    fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    /// A number.
    pub fn constant(&mut self, value: u32) -> Term {
        self.make(Node::Constant(value))
    }

    /// The number that a term is, if it is one.
    pub fn value(&self, term: Term) -> Option<u32> {
        match self.node(term) {
            Node::Constant(value) => Some(*value),
            _ => None,
        }
    }

    /// An unknown.
    pub fn symbol(&mut self, name: &'static str, index: [u32; 3]) -> Term {
        self.make(Node::Symbol(Symbol { name, index }))
    }

    /// An unknown that nothing equals but itself: what stands where nobody has written, or where nobody may rely on it.
    pub fn junk(&mut self) -> Term {
        self.junk += 1;
        self.symbol("undefined", [self.junk, 0, 0])
    }

    /// The two halves of the 64-bit symbol `quad` plus a number.
    pub fn halves(&mut self, quad: u32, added: u64) -> [Term; 2] {
        [false, true].map(|high| self.make(Node::Half { quad, added, high }))
    }

    /// The sum modulo 2^32.
    pub fn sum(&mut self, a: Term, b: Term) -> Term {
        if let Some(rotated) = self.shifts_of_a_rotate(a, b) {
            return rotated;
        }
        let mut members = Vec::new();
        let mut constant = 0u32;
        for term in [a, b] {
            match self.node(term) {
                Node::Constant(value) => constant = constant.wrapping_add(*value),
                Node::Sum(inner, value) => {
                    members.extend_from_slice(inner);
                    constant = constant.wrapping_add(*value);
                }
                _ => members.push(term),
            }
        }
        members.sort_unstable();
        match (&members[..], constant) {
            ([], value) => self.constant(value),
            ([one], 0) => *one,
            _ => self.make(Node::Sum(members.into(), constant)),
        }
    }

    /// The exclusive or.
    pub fn exclusive_or(&mut self, a: Term, b: Term) -> Term {
        if let Some(rotated) = self.shifts_of_a_rotate(a, b) {
            return rotated;
        }
        let mut members = Vec::new();
        let mut constant = 0u32;
        for term in [a, b] {
            match self.node(term) {
                Node::Constant(value) => constant ^= value,
                Node::Xor(inner, value) => {
                    members.extend_from_slice(inner);
                    constant ^= value;
                }
                _ => members.push(term),
            }
        }
        members.sort_unstable();
        let mut kept: Vec<Term> = Vec::with_capacity(members.len());
        for term in members {
            if kept.last() == Some(&term) {
                kept.pop();
            } else {
                kept.push(term);
            }
        }
        match (&kept[..], constant) {
            ([], value) => self.constant(value),
            ([one], 0) => *one,
            _ => self.make(Node::Xor(kept.into(), constant)),
        }
    }

    /// The bitwise or.
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        if let Some(rotated) = self.shifts_of_a_rotate(a, b) {
            return rotated;
        }
        match (self.value(a), self.value(b)) {
            (Some(a), Some(b)) => self.constant(a | b),
            (Some(0), _) => b,
            (_, Some(0)) => a,
            _ => self.make(Node::Or(a.min(b), a.max(b))),
        }
    }

    /// The bitwise and.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        match (self.value(a), self.value(b)) {
            (Some(a), Some(b)) => self.constant(a & b),
            (Some(0), _) | (_, Some(0)) => self.constant(0),
            _ if a == b => a,
            _ => self.make(Node::And(a.min(b), a.max(b))),
        }
    }

    fn shifts_of_a_rotate(&mut self, a: Term, b: Term) -> Option<Term> {
        let (left, right) = match (self.node(a), self.node(b)) {
            (Node::ShiftLeft(x, left), Node::ShiftRight(y, right)) if x == y => {
                (*left, (*x, *right))
            }
            (Node::ShiftRight(y, right), Node::ShiftLeft(x, left)) if x == y => {
                (*left, (*x, *right))
            }
            _ => return None,
        };
        let (term, right) = right;
        (left + right == 32).then(|| self.rotate(term, right))
    }

    /// The rotation to the right.
    pub fn rotate(&mut self, term: Term, distance: u32) -> Term {
        match *self.node(term) {
            _ if distance.is_multiple_of(32) => term,
            Node::Constant(value) => self.constant(value.rotate_right(distance)),
            Node::RotateRight(inner, before) => self.rotate(inner, (before + distance) % 32),
            _ => self.make(Node::RotateRight(term, distance % 32)),
        }
    }

    /// The shift to the left.
    pub fn shift_left(&mut self, term: Term, distance: u32) -> Term {
        match self.value(term) {
            Some(value) => self.constant(value.checked_shl(distance).unwrap_or(0)),
            None => self.make(Node::ShiftLeft(term, distance)),
        }
    }

    /// The term with all but its so many highest bits cleared.
    pub fn high_bits(&mut self, term: Term, count: u32) -> Term {
        match *self.node(term) {
            Node::ShiftLeft(_, distance) if distance >= 32 - count => term,
            _ => {
                let mask = self.constant(u32::MAX << (32 - count));
                self.and(term, mask)
            }
        }
    }

    /// Is it a symbol of that name?
    pub fn is_symbol(&self, term: Term, name: &str) -> bool {
        matches!(self.node(term), Node::Symbol(symbol) if symbol.name == name)
    }

    /// The shift to the right.
    pub fn shift_right(&mut self, term: Term, distance: u32) -> Term {
        match self.value(term) {
            Some(value) => self.constant(value.checked_shr(distance).unwrap_or(0)),
            None => self.make(Node::ShiftRight(term, distance)),
        }
    }

    /// Four bytes, lowest first, each a byte (0 to 3) of a term.
    pub fn bytes(&mut self, bytes: [(Term, u8); 4]) -> Term {
        let bytes = bytes.map(|(term, byte)| match *self.node(term) {
            Node::Bytes(inner) => inner[usize::from(byte)],
            Node::RotateRight(inner, distance) if distance % 8 == 0 => {
                (inner, (byte + distance as u8 / 8) % 4)
            }
            _ => (term, byte),
        });
        let (term, first) = bytes[0];
        if (0..4).all(|i| bytes[usize::from(i)] == (term, (first + i) % 4)) {
            return self.rotate(term, 8 * u32::from(first));
        }
        let values = bytes.map(|(term, byte)| {
            self.value(term)
                .map(|value| value.to_le_bytes()[usize::from(byte)])
        });
        match values {
            [Some(a), Some(b), Some(c), Some(d)] => self.constant(u32::from_le_bytes([a, b, c, d])),
            _ => self.make(Node::Bytes(bytes)),
        }
    }

    /// The 64-bit sum of two numbers given by their low and high halves.
    pub fn quad_sum(&mut self, a: [Term; 2], b: [Term; 2]) -> [Term; 2] {
        match (self.quad(a), self.quad(b)) {
            ((None, a), (None, b)) => self.quad_constant(a.wrapping_add(b)),
            ((Some(quad), a), (None, b)) | ((None, a), (Some(quad), b)) if quad != u32::MAX => {
                self.halves(quad, a.wrapping_add(b))
            }
            _ => {
                let (a, b) = (a.min(b), a.max(b));
                [false, true].map(|high| self.make(Node::QuadSum { a, b, high }))
            }
        }
    }

    fn quad_constant(&mut self, value: u64) -> [Term; 2] {
        [
            self.constant(value as u32),
            self.constant((value >> 32) as u32),
        ]
    }

    /// A pair of halves as symbol and number: no symbol for a number, the impossible symbol for anything else.
    fn quad(&self, [low, high]: [Term; 2]) -> (Option<u32>, u64) {
        match (self.node(low), self.node(high)) {
            (Node::Constant(low), Node::Constant(high)) => {
                (None, u64::from(*high) << 32 | u64::from(*low))
            }
            (
                Node::Half {
                    quad,
                    added,
                    high: false,
                },
                Node::Half {
                    quad: q,
                    added: a,
                    high: true,
                },
            ) if (quad, added) == (q, a) => (Some(*quad), *added),
            _ => (Some(u32::MAX), 0),
        }
    }

    /// The number that a term is when its symbols are given numbers: the model that is compared with real instructions.
    pub fn evaluate(
        &self,
        term: Term,
        symbols: &impl Fn(Symbol) -> u32,
        quads: &impl Fn(u32) -> u64,
    ) -> u32 {
        let value = |term: Term| self.evaluate(term, symbols, quads);
        let half = |quad: u64, high: bool| {
            if high {
                (quad >> 32) as u32
            } else {
                quad as u32
            }
        };
        match self.node(term) {
            Node::Constant(value) => *value,
            Node::Symbol(symbol) => symbols(*symbol),
            Node::Sum(members, constant) => members
                .iter()
                .fold(*constant, |sum, member| sum.wrapping_add(value(*member))),
            Node::Xor(members, constant) => members
                .iter()
                .fold(*constant, |sum, member| sum ^ value(*member)),
            Node::RotateRight(inner, distance) => value(*inner).rotate_right(*distance),
            Node::ShiftLeft(inner, distance) => value(*inner).checked_shl(*distance).unwrap_or(0),
            Node::ShiftRight(inner, distance) => value(*inner).checked_shr(*distance).unwrap_or(0),
            Node::Or(a, b) => value(*a) | value(*b),
            Node::And(a, b) => value(*a) & value(*b),
            Node::Bytes(bytes) => u32::from_le_bytes(
                bytes.map(|(term, byte)| value(term).to_le_bytes()[usize::from(byte)]),
            ),
            Node::Half { quad, added, high } => half(quads(*quad).wrapping_add(*added), *high),
            Node::QuadSum { a, b, high } => {
                let quad =
                    |[low, high]: [Term; 2]| u64::from(value(high)) << 32 | u64::from(value(low));
                half(quad(*a).wrapping_add(quad(*b)), *high)
            }
        }
    }

    /// A term in words, cut off where it gets long.
    pub fn show(&self, term: Term) -> String {
        self.show_to(term, 3)
    }

    fn show_to(&self, term: Term, depth: usize) -> String {
        let list = |terms: &[Term], constant: u32, sign: &str| {
            let mut parts: Vec<_> = if depth == 0 {
                vec![format!("{} terms", terms.len())]
            } else {
                terms
                    .iter()
                    .map(|term| self.show_to(*term, depth - 1))
                    .collect()
            };
            if constant != 0 {
                parts.push(format!("{constant:#x}"));
            }
            format!("({})", parts.join(sign))
        };
        let inner = |term: &Term| {
            if depth == 0 {
                "..".into()
            } else {
                self.show_to(*term, depth - 1)
            }
        };
        match self.node(term) {
            Node::Constant(value) => format!("{value:#x}"),
            Node::Symbol(symbol) => symbol.to_string(),
            Node::Sum(members, constant) => list(members, *constant, " + "),
            Node::Xor(members, constant) => list(members, *constant, " ^ "),
            Node::RotateRight(term, distance) => format!("({} >>> {distance})", inner(term)),
            Node::ShiftLeft(term, distance) => format!("({} << {distance})", inner(term)),
            Node::ShiftRight(term, distance) => format!("({} >> {distance})", inner(term)),
            Node::Or(a, b) => format!("({} | {})", inner(a), inner(b)),
            Node::And(a, b) => format!("({} & {})", inner(a), inner(b)),
            Node::Bytes(bytes) => {
                let bytes: Vec<_> = bytes
                    .iter()
                    .map(|(term, byte)| format!("{}.{byte}", inner(term)))
                    .collect();
                format!("bytes({})", bytes.join(", "))
            }
            Node::Half { quad, added, high } => {
                format!(
                    "{}(quad{quad} + {added})",
                    if *high { "high" } else { "low" }
                )
            }
            Node::QuadSum { high, .. } => {
                format!("{}(sum of quads)", if *high { "high" } else { "low" })
            }
        }
    }
}

impl Algebra for Terms {
    type Word = Term;
    fn add(&mut self, a: &Term, b: &Term) -> Term {
        self.sum(*a, *b)
    }
    fn xor(&mut self, a: &Term, b: &Term) -> Term {
        self.exclusive_or(*a, *b)
    }
    fn rotate_right(&mut self, a: &Term, distance: u32) -> Term {
        self.rotate(*a, distance)
    }
}
