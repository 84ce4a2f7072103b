//! Terms: what is the same is the same term, what is not is not, and no normalization changes a value. A wrong
//! normalization would make false proofs.

use codegen::prove::term::{Symbol, Term, Terms};

fn symbols<const N: usize>(terms: &mut Terms) -> [Term; N] {
    std::array::from_fn(|i| terms.symbol("x", [i as u32, 0, 0]))
}

#[test]
fn sums_are_flat_and_sorted() {
    let mut t = Terms::default();
    let [a, b, c] = symbols(&mut t);
    let five = t.constant(5);
    let left = t.sum(a, b);
    let left = t.sum(left, five);
    let left = t.sum(left, c);
    let right = t.sum(c, five);
    let right = t.sum(b, right);
    let right = t.sum(right, a);
    assert_eq!(left, right);
    let minus = t.constant(5u32.wrapping_neg());
    let without = t.sum(right, minus);
    let plain = t.sum(a, b);
    let plain = t.sum(plain, c);
    assert_eq!(without, plain, "constants meet modulo 2^32");
    let zero = t.constant(0);
    assert_eq!(t.sum(zero, a), a);
    let twice = t.sum(a, a);
    assert_ne!(twice, a);
    assert_ne!(twice, zero, "sums do not cancel");
}

#[test]
fn exclusive_ors_cancel() {
    let mut t = Terms::default();
    let [a, b, c] = symbols(&mut t);
    let zero = t.constant(0);
    assert_eq!(t.exclusive_or(a, a), zero);
    let ab = t.exclusive_or(a, b);
    let bc = t.exclusive_or(b, c);
    let ac = t.exclusive_or(a, c);
    assert_eq!(t.exclusive_or(ab, bc), ac);
    assert_eq!(t.exclusive_or(ab, b), a);
    let ones = t.constant(u32::MAX);
    let not = t.exclusive_or(a, ones);
    assert_ne!(not, a);
    assert_eq!(t.exclusive_or(not, ones), a);
    let sum = t.sum(a, b);
    assert_ne!(sum, ab, "a sum is no exclusive or");
}

#[test]
fn shifts_meet_to_a_rotate() {
    let mut t = Terms::default();
    let [a, b] = symbols(&mut t);
    for distance in 1..32 {
        let rotated = t.rotate(a, distance);
        let right = t.shift_right(a, distance);
        let left = t.shift_left(a, 32 - distance);
        for (x, y) in [(left, right), (right, left)] {
            assert_eq!(t.or(x, y), rotated);
            assert_eq!(t.exclusive_or(x, y), rotated);
            assert_eq!(t.sum(x, y), rotated);
        }
        let of_other = t.shift_left(b, 32 - distance);
        assert_ne!(t.or(right, of_other), rotated, "of two words");
        let too_far = t.shift_left(a, 31 - (distance - 1) / 2);
        if distance > 2 {
            assert_ne!(t.or(right, too_far), rotated, "shifts that do not meet");
        }
        let back = t.rotate(rotated, 32 - distance);
        assert_eq!(back, a);
    }
    let seven = t.rotate(a, 7);
    let twelve = t.rotate(seven, 5);
    assert_eq!(twelve, t.rotate(a, 12));
    assert_ne!(seven, twelve);
}

#[test]
fn bytes_are_a_rotate() {
    let mut t = Terms::default();
    let [a, b] = symbols(&mut t);
    for first in 0..4u8 {
        let bytes = std::array::from_fn(|i| (a, (first + i as u8) % 4));
        assert_eq!(t.bytes(bytes), t.rotate(a, 8 * u32::from(first)));
    }
    // Byte shuffles after byte shuffles, and after rotates.
    let swapped = t.bytes([(a, 1), (a, 0), (a, 3), (a, 2)]);
    assert_eq!(
        t.bytes([(swapped, 1), (swapped, 0), (swapped, 3), (swapped, 2)]),
        a
    );
    let rotated = t.rotate(a, 24);
    assert_eq!(
        t.bytes([(rotated, 1), (rotated, 2), (rotated, 3), (rotated, 0)]),
        a
    );
    let mixed = t.bytes([(a, 0), (a, 1), (a, 2), (b, 3)]);
    assert_ne!(mixed, a);
    let mirrored = t.bytes([(a, 3), (a, 2), (a, 1), (a, 0)]);
    assert!((0..4).all(|byte| t.rotate(a, 8 * byte) != mirrored));
}

#[test]
fn quads_carry() {
    let mut t = Terms::default();
    let counter = t.halves(3, 0);
    let more = [t.constant(u32::MAX), t.constant(0)];
    let sum = t.quad_sum(counter, more);
    assert_eq!(sum, t.halves(3, u64::from(u32::MAX)));
    let one = [t.constant(1), t.constant(0)];
    assert_eq!(t.quad_sum(one, sum), t.halves(3, 1 << 32));
    let all = t.quad_sum(more, one);
    assert_eq!(all.map(|half| t.value(half)), [Some(0), Some(1)]);
    // Half by half, the carry is lost.
    let low = t.sum(sum[0], one[0]);
    assert_ne!(low, t.halves(3, 1 << 32)[0]);
    // Halves of different numbers are no number.
    let other = t.halves(4, 0);
    let mixed = t.quad_sum([counter[0], other[1]], one);
    assert_ne!(mixed, t.halves(3, 1));
    assert_ne!(mixed, t.halves(4, 1));
    assert_eq!(mixed, t.quad_sum(one, [counter[0], other[1]]));
}

/// Random numbers, the same each time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as u32
    }

    fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end
    }
}

/// Assignments that every expression is evaluated for.
const ASSIGNMENTS: usize = 6;
const SYMBOLS: usize = 3;
const QUADS: usize = 2;

/// A term, what it must be for each assignment, and how deep it is.
#[derive(Clone, Copy)]
struct Known {
    term: Term,
    values: [u32; ASSIGNMENTS],
    depth: usize,
}

/// Random expressions, computed twice: as terms, which are normalized as they are made, and as numbers.
#[test]
fn normalization_keeps_values() {
    let mut random = Random(7);
    let edges = [0, 1, u32::MAX, 0x8000_0000, 0x7FFF_FFFF, 0xFFFF_0000];
    let mut evaluated = 0;
    for _ in 0..1500 {
        let mut terms = Terms::default();
        let word = |random: &mut Random| match random.below(3) {
            0 => edges[random.below(edges.len())],
            _ => random.next(),
        };
        let words: [[u32; ASSIGNMENTS]; SYMBOLS] =
            std::array::from_fn(|_| std::array::from_fn(|_| word(&mut random)));
        let quads: [[u64; ASSIGNMENTS]; QUADS] = std::array::from_fn(|_| {
            std::array::from_fn(|_| {
                u64::from(word(&mut random)) << 32 | u64::from(word(&mut random))
            })
        });
        let half = |quad: u64, high: bool| {
            if high {
                (quad >> 32) as u32
            } else {
                quad as u32
            }
        };
        let mut known: Vec<Known> = Vec::new();
        for (i, values) in words.into_iter().enumerate() {
            let term = terms.symbol("x", [i as u32, 0, 0]);
            known.push(Known {
                term,
                values,
                depth: 0,
            });
        }
        for value in [0, 1, word(&mut random)] {
            let term = terms.constant(value);
            known.push(Known {
                term,
                values: [value; ASSIGNMENTS],
                depth: 0,
            });
        }
        // Pairs of halves stand next to each other, low first.
        let mut pairs: Vec<[Known; 2]> = Vec::new();
        for (i, values) in quads.iter().enumerate() {
            let added = if i == 0 { 0 } else { u64::from(random.next()) };
            let halves = terms.halves(i as u32, added);
            pairs.push([false, true].map(|high| Known {
                term: halves[usize::from(high)],
                values: values.map(|quad| half(quad.wrapping_add(added), high)),
                depth: 0,
            }));
        }
        pairs.push([known[3], known[4]]);
        pairs.push([known[5], known[0]]);
        for _ in 0..40 {
            let (a, b) = (
                known[random.below(known.len())],
                known[random.below(known.len())],
            );
            let depth = a.depth.max(b.depth) + 1;
            if depth > 6 {
                continue;
            }
            let distance = random.below(33) as u32;
            let both = |f: fn(u32, u32) -> u32| -> [u32; ASSIGNMENTS] {
                std::array::from_fn(|i| f(a.values[i], b.values[i]))
            };
            let shifted_left = |x: u32| x.checked_shl(distance).unwrap_or(0);
            let shifted_right = |x: u32| x.checked_shr(distance).unwrap_or(0);
            let (term, values) = match random.below(10) {
                0 => (terms.sum(a.term, b.term), both(u32::wrapping_add)),
                1 => (terms.exclusive_or(a.term, b.term), both(|a, b| a ^ b)),
                2 => (terms.or(a.term, b.term), both(|a, b| a | b)),
                3 => (terms.and(a.term, b.term), both(|a, b| a & b)),
                4 => (
                    terms.rotate(a.term, distance),
                    a.values.map(|x| x.rotate_right(distance)),
                ),
                5 => (
                    terms.shift_left(a.term, distance),
                    a.values.map(shifted_left),
                ),
                6 => (
                    terms.shift_right(a.term, distance),
                    a.values.map(shifted_right),
                ),
                7 => {
                    let picks: [(Known, u8); 4] = std::array::from_fn(|_| {
                        let from = if random.below(4) == 0 { b } else { a };
                        (from, random.below(4) as u8)
                    });
                    let term = terms.bytes(picks.map(|(from, byte)| (from.term, byte)));
                    let values =
                        std::array::from_fn(|i| {
                            u32::from_le_bytes(picks.map(|(from, byte)| {
                                from.values[i].to_le_bytes()[usize::from(byte)]
                            }))
                        });
                    (term, values)
                }
                8 => {
                    // Two shifts of one word, which mostly meet, in whatever brings them together.
                    let other = if random.below(4) == 0 {
                        random.below(33) as u32
                    } else {
                        32 - distance
                    };
                    let right = terms.shift_right(a.term, other);
                    let left = terms.shift_left(a.term, distance);
                    let values = a
                        .values
                        .map(|x| (shifted_left(x), x.checked_shr(other).unwrap_or(0)));
                    match random.below(3) {
                        0 => (terms.or(left, right), values.map(|(l, r)| l | r)),
                        1 => (terms.exclusive_or(right, left), values.map(|(l, r)| l ^ r)),
                        _ => (
                            terms.sum(left, right),
                            values.map(|(l, r)| l.wrapping_add(r)),
                        ),
                    }
                }
                _ => {
                    let (p, q) = (
                        pairs[random.below(pairs.len())],
                        pairs[random.below(pairs.len())],
                    );
                    let depth = p.iter().chain(&q).map(|half| half.depth).max().unwrap_or(0) + 1;
                    if depth > 4 {
                        continue;
                    }
                    let sum = terms.quad_sum(p.map(|half| half.term), q.map(|half| half.term));
                    let number = |pair: [Known; 2], i: usize| {
                        u64::from(pair[1].values[i]) << 32 | u64::from(pair[0].values[i])
                    };
                    let pair = [false, true].map(|high| Known {
                        term: sum[usize::from(high)],
                        values: std::array::from_fn(|i| {
                            half(number(p, i).wrapping_add(number(q, i)), high)
                        }),
                        depth,
                    });
                    pairs.push(pair);
                    known.extend(pair);
                    continue;
                }
            };
            known.push(Known {
                term,
                values,
                depth,
            });
        }
        for Known { term, values, .. } in known {
            for (i, value) in values.into_iter().enumerate() {
                let symbols = |symbol: Symbol| words[symbol.index[0] as usize][i];
                let numbers = |quad: u32| quads[quad as usize][i];
                let found = terms.evaluate(term, &symbols, &numbers);
                assert_eq!(found, value, "{}", terms.show(term));
                evaluated += 1;
            }
        }
    }
    assert!(evaluated > 100_000, "only {evaluated} values");
}
