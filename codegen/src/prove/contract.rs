//! What each kind of kernel must compute, from its arguments, for all inputs.

use std::ops::Range;

use super::Proof;
use super::machine::{Machine, Region, Stop, Value};
use super::term::{Term, Terms};
use crate::ir::{Gpr, Reg, Width};
use crate::isa::Constants;
use crate::kernel::Kernel;
use crate::layout::lanes::{self, Tuning};
use crate::layout::rows;
use crate::spec::{self, BLOCK_LEN, CHUNK_BLOCKS};

/// The kind of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named for what they are")]
pub enum Contract {
    /// [`lanes::chunks`].
    Chunks { width: Width, tuning: Tuning },
    /// [`lanes::parents`].
    Parents { width: Width, tuning: Tuning },
    /// [`lanes::messages`].
    Messages { width: Width, tuning: Tuning },
    /// [`lanes::output`].
    Output { width: Width },
    /// [`rows::blocks`].
    Blocks,
    /// [`rows::output`].
    OutputOne,
    /// [`rows::messages`].
    Rows { width: Width, sets: usize },
    /// [`rows::chunks`].
    ChunkRows { width: Width, sets: usize },
    /// [`rows::parents`].
    ParentRows { width: Width, sets: usize },
    /// [`rows::outputs`].
    OutputRows { width: Width, sets: usize },
}

type Outcome<T = ()> = Result<T, String>;

impl Contract {
    /// What an iteration may depend on beside what is checked at loop heads. What is left of the count is told apart
    /// up to the first number, which leaves one more case, all larger ones. The second number says how many iterations
    /// start in different ways: the first, the others, or every other one where two buffers change places.
    fn cases(self) -> [usize; 2] {
        match self {
            Self::Chunks { .. } | Self::Output { .. } => [1, 2],
            Self::Parents { .. } | Self::Messages { .. } => [2, 3],
            Self::Blocks | Self::Rows { .. } => [2, 2],
            Self::OutputOne
            | Self::ChunkRows { .. }
            | Self::ParentRows { .. }
            | Self::OutputRows { .. } => [0, 1],
        }
    }
}

pub(super) fn prove(kernel: &Kernel, constants: &Constants) -> Outcome<Proof> {
    let mut proof = Proof::default();
    let [told_apart, starts] = kernel.contract.cases();
    // Together they have each start of an iteration with each case of what is left, the least of the larger ones too,
    // which reaches the least far.
    let counts = 1..=told_apart + starts;
    let mut run = |count: usize, in_place: bool| -> Outcome {
        let mut terms = Terms::default();
        let mut machine = Machine::new(
            &mut terms,
            &kernel.blocks,
            &constants.bytes,
            kernel.isa.encoding,
            kernel.frame,
        );
        machine.told_apart = told_apart as i64;
        let result = match kernel.contract {
            Contract::Chunks { width, tuning } => chunks(&mut machine, width, tuning, count),
            Contract::Parents { width, tuning } => {
                parents(&mut machine, width, tuning, count, in_place)
            }
            Contract::Messages { width, tuning } => messages(&mut machine, width, tuning, count),
            Contract::Output { width } => output(&mut machine, width, count),
            Contract::Blocks => blocks(&mut machine, count),
            Contract::OutputOne => output_one(&mut machine, 1),
            Contract::ChunkRows { width, sets } => chunk_rows(&mut machine, width, sets),
            Contract::OutputRows { width, sets } => output_one(&mut machine, width.parts() * sets),
            Contract::ParentRows { width, sets } => {
                parent_rows(&mut machine, width.parts() * sets, in_place)
            }
            Contract::Rows { width, sets } => {
                rows_of(&mut machine, width.parts() * sets, width.parts(), count)
            }
        };
        let place = if in_place { ", in place" } else { "" };
        result.map_err(|error| format!("count {count}{place}: {error}"))?;
        proof.steps += machine.steps;
        proof.terms += terms.count();
        Ok(())
    };
    let in_place: &[bool] = match kernel.contract {
        Contract::Parents { .. } | Contract::ParentRows { .. } => &[false, true],
        _ => &[false],
    };
    for count in counts {
        for in_place in in_place {
            run(count, *in_place)?;
        }
    }
    Ok(proof)
}

pub(super) fn same(
    terms: &Terms,
    what: impl FnOnce() -> String,
    expected: Term,
    found: Term,
) -> Outcome {
    if expected == found {
        return Ok(());
    }
    Err(format!(
        "{} differs: expected {}, found {}",
        what(),
        terms.show(expected),
        terms.show(found)
    ))
}

/// Memory of the caller's to read, word i of which is the symbol of that name and index.
fn input(name: &'static str, index: u32, bytes: usize, align: i64) -> Region {
    Region {
        name,
        index,
        start: 0,
        end: bytes as i64,
        align,
        writable: false,
        defined: true,
    }
}

fn out(name: &'static str, bytes: usize, align: i64) -> Region {
    Region {
        name,
        index: 0,
        start: 0,
        end: bytes as i64,
        align,
        writable: true,
        defined: false,
    }
}

fn pointer(region: usize) -> Value {
    at(region, 0)
}

fn at(region: usize, offset: usize) -> Value {
    Value::Pointer {
        region,
        offset: offset as i64,
    }
}

/// What is left of a count of the caller's.
fn count(left: usize) -> Value {
    Value::Count {
        left: left as i64,
        added: 0,
    }
}

/// A compression by `spec`.
pub(super) struct Compression {
    pub(super) cv: [Term; 8],
    pub(super) block: [Term; 16],
    pub(super) counter: [Term; 2],
    pub(super) block_len: Term,
    pub(super) flags: Term,
}

impl Compression {
    fn state(&self, terms: &mut Terms) -> [Term; 16] {
        let iv = std::array::from_fn(|i| terms.constant(spec::IV[i]));
        let [low, high] = &self.counter;
        let mut state =
            spec::initial_state(&self.cv, &iv, [low, high], &self.block_len, &self.flags);
        spec::rounds(terms, &mut state, &self.block);
        state
    }

    fn chaining_value(&self, terms: &mut Terms) -> [Term; 8] {
        let state = self.state(terms);
        spec::chaining_value(terms, &state)
    }

    pub(super) fn output(&self, terms: &mut Terms) -> [Term; 16] {
        let state = self.state(terms);
        let head = spec::chaining_value(terms, &state);
        let tail = spec::output_tail(terms, &state, &self.cv);
        std::array::from_fn(|i| if i < 8 { head[i] } else { tail[i - 8] })
    }
}

fn words<const N: usize>(machine: &mut Machine<'_>, region: usize, offset: usize) -> [Term; N] {
    std::array::from_fn(|i| machine.word(region, (offset + 4 * i) as i64))
}

/// A chaining value of fresh symbols: whatever came before.
fn fresh_cv(terms: &mut Terms, step: usize, message: usize) -> [Term; 8] {
    std::array::from_fn(|word| terms.symbol("cv", [step as u32, message as u32, word as u32]))
}

fn expect_stop(machine: &mut Machine<'_>, watched: &[usize], wanted: Stop) -> Outcome {
    let stop = machine.run(watched)?;
    if stop == wanted {
        Ok(())
    } else {
        Err(format!("came to {stop:?} where {wanted:?} was due"))
    }
}

/// Checks that an output has been written, and holds what it must.
fn expect_words(
    machine: &mut Machine<'_>,
    region: usize,
    offset: usize,
    expected: &[Term],
    what: &str,
) -> Outcome {
    for (i, expected) in expected.iter().enumerate() {
        let place = (offset + 4 * i) as i64;
        if !machine.written(region, place) {
            return Err(format!("{what}, word {i} is not written"));
        }
        let found = machine.word(region, place);
        same(
            machine.terms,
            || format!("{what}, word {i}"),
            *expected,
            found,
        )?;
    }
    Ok(())
}

/// Checks words side by side in the frame.
fn expect_frame(machine: &mut Machine<'_>, offset: i32, expected: &[Term], what: &str) -> Outcome {
    for (i, expected) in expected.iter().enumerate() {
        let found = machine.frame_word(i64::from(offset) + 4 * i as i64);
        same(machine.terms, || format!("{what} {i}"), *expected, found)?;
    }
    Ok(())
}

/// Checks that a message buffer of the lanes kernels, where there is one, holds the block of each lane.
fn expect_message(
    machine: &mut Machine<'_>,
    tuning: Tuning,
    buffer: i32,
    row: i32,
    blocks: &[[Term; 16]],
) -> Outcome {
    if !tuning.copies.ahead() {
        return Ok(());
    }
    for (lane, block) in blocks.iter().enumerate() {
        for (word, expected) in block.iter().enumerate() {
            let found = machine.frame_word(i64::from(buffer + tuning.place(lane, word, row)));
            let what = || format!("copied message word {word} of lane {lane}");
            same(machine.terms, what, *expected, found)?;
        }
    }
    Ok(())
}

/// What the registers of the message buffers hold, where there are buffers: they take turns.
fn buffers(tuning: Tuning, frame: lanes::Frame, step: usize, at: [Gpr; 2]) -> Vec<(Gpr, Value)> {
    if !tuning.copies.ahead() {
        return Vec::new();
    }
    let address = |step: usize| Machine::frame(frame.messages[step % 2].into());
    vec![(at[0], address(step)), (at[1], address(step + 1))]
}

fn lanes_of(machine: &Machine<'_>, width: Width, lane: usize) -> [Term; 8] {
    std::array::from_fn(|word| {
        let (register, lane) = lanes::chaining_value(machine.encoding(), width, word, lane);
        machine.lane(register, lane)
    })
}

fn set_lanes(machine: &mut Machine<'_>, width: Width, lane: usize, cv: [Term; 8]) {
    for (word, term) in cv.into_iter().enumerate() {
        let (register, lane) = lanes::chaining_value(machine.encoding(), width, word, lane);
        machine.set_lane(register, lane, term);
    }
}

fn chunks(machine: &mut Machine<'_>, width: Width, tuning: Tuning, groups: usize) -> Outcome {
    use Gpr::{A0, A1, A2, A3, A4, A5, S0, T1, T2};
    const GROUP: usize = 1;
    const BLOCK: usize = 2;
    let lanes = width.lanes();
    let frame = lanes::Frame::new(width, tuning.copies);
    let ahead = tuning.copies.ahead();
    let chunk = CHUNK_BLOCKS * BLOCK_LEN;
    let source = machine.region(input("input", 0, groups * lanes * chunk, 1));
    let key_region = machine.region(input("key", 0, 32, 4));
    let flags_region = machine.region(input("flags", 0, 12, 4));
    let result = machine.region(out("out", groups * lanes * 32, 4));
    let counter = machine.terms.halves(0, 0);
    for (register, value) in [
        (A0, pointer(source)),
        (A1, count(groups)),
        (A2, pointer(key_region)),
        (A3, Value::Halves(counter)),
        (A4, pointer(flags_region)),
        (A5, pointer(result)),
    ] {
        machine.set(register, value);
    }
    let key: [Term; 8] = words(machine, key_region, 0);
    let flags: [Term; 3] = words(machine, flags_region, 0);
    let block_len = machine.terms.constant(BLOCK_LEN as u32);
    let blocks_of = |machine: &mut Machine<'_>, group: usize, block: usize| -> Vec<[Term; 16]> {
        (0..lanes)
            .map(|lane| {
                words(
                    machine,
                    source,
                    (group * lanes + lane) * chunk + block * BLOCK_LEN,
                )
            })
            .collect()
    };
    let buffer = |step: usize| frame.messages[step % 2];
    let row_end = |row: i32| (i64::from(row), i64::from(row + frame.row));
    let buffer_end = |buffer: i32| (i64::from(buffer), i64::from(buffer + 16 * frame.row));
    let group_bytes = lanes * chunk;
    // Everything but what copies are made from next.
    let general = |group: usize, step: usize| {
        let mut general = vec![
            (A1, count(groups - group)),
            (A2, pointer(key_region)),
            (A4, pointer(flags_region)),
            (A5, at(result, 32 * group * lanes)),
        ];
        general.extend(buffers(tuning, frame, step, [T1, T2]));
        general
    };
    let mut step = 0;
    let mut done: Vec<[Term; 8]> = Vec::new();
    for group in 0..=groups {
        let wanted = if group < groups {
            Stop::Head(GROUP)
        } else {
            Stop::Returned
        };
        expect_stop(machine, &[GROUP, BLOCK], wanted)?;
        // Those of all groups so far: a later one must not have written over them.
        for (i, words) in done.iter().enumerate() {
            let what = format!("group {}, lane {}, chaining value", i / lanes, i % lanes);
            expect_words(machine, result, 32 * i, words, &what)?;
        }
        if group == groups {
            break;
        }
        let message = blocks_of(machine, group, 0);
        expect_message(machine, tuning, buffer(step), frame.row, &message)?;
        let counted = machine.terms.halves(0, (group * lanes) as u64);
        expect_frame(machine, frame.counter, &counted, "the counter, half")?;
        let counter_kept = (frame.counter.into(), i64::from(frame.counter) + 8);
        let mut kept = general(group, step);
        let copied = usize::from(ahead) * BLOCK_LEN;
        kept.push((A0, at(source, group * group_bytes + copied)));
        machine.forget(&kept, &[buffer_end(buffer(step)), counter_kept])?;
        let mut last: Vec<[Term; 8]> = Vec::new();
        for block in 0..CHUNK_BLOCKS {
            expect_stop(machine, &[GROUP, BLOCK], Stop::Head(BLOCK))?;
            let message = blocks_of(machine, group, block);
            expect_message(machine, tuning, buffer(step), frame.row, &message)?;
            let mut cvs = Vec::new();
            for lane in 0..lanes {
                let found = lanes_of(machine, width, lane);
                let expected = match last.get(lane) {
                    Some(last) if block > 0 => last,
                    _ => &key,
                };
                for word in 0..8 {
                    let what = || {
                        format!(
                            "group {group}, before block {block}, lane {lane}, chaining value word {word}"
                        )
                    };
                    same(machine.terms, what, expected[word], found[word])?;
                }
                cvs.push(if block == 0 {
                    key
                } else {
                    fresh_cv(machine.terms, group * CHUNK_BLOCKS + block, lane)
                });
            }
            // The counters of the group, which came from the 64-bit number checked above.
            let counted = |lane| machine.terms.halves(0, (group * lanes + lane) as u64);
            let counted: Vec<[Term; 2]> = (0..lanes).map(counted).collect();
            for (half, row) in frame.counters.into_iter().enumerate() {
                let halves: Vec<Term> = counted.iter().map(|halves| halves[half]).collect();
                expect_frame(machine, row, &halves, "the counter of lane")?;
            }
            let flags_row = if block == 0 {
                0
            } else {
                1 + usize::from(block + 1 == CHUNK_BLOCKS)
            };
            let counted = machine.terms.halves(0, ((group + 1) * lanes) as u64);
            expect_frame(machine, frame.counter, &counted, "the counter, half")?;
            // What is copied meanwhile: the next block, the next group's first, or the last one again. Else what is read now.
            let next = if !ahead {
                group * group_bytes + block * BLOCK_LEN
            } else if block + 1 < CHUNK_BLOCKS {
                group * group_bytes + (block + 1) * BLOCK_LEN
            } else if group + 1 < groups {
                (group + 1) * group_bytes
            } else {
                group * group_bytes + block * BLOCK_LEN
            };
            let mut kept = general(group, step);
            kept.extend([
                (A0, at(source, next)),
                (A3, Value::Number((CHUNK_BLOCKS - block) as i64)),
                (S0, at(flags_region, 4 * flags_row)),
            ]);
            let frame_kept = [
                buffer_end(buffer(step)),
                counter_kept,
                row_end(frame.counters[0]),
                row_end(frame.counters[1]),
            ];
            machine.forget(&kept, &frame_kept)?;
            for (lane, cv) in cvs.iter().enumerate() {
                set_lanes(machine, width, lane, *cv);
            }
            let flags = flags[flags_row];
            last = (0..lanes)
                .map(|lane| {
                    let counter = machine.terms.halves(0, (group * lanes + lane) as u64);
                    Compression {
                        cv: cvs[lane],
                        block: message[lane],
                        counter,
                        block_len,
                        flags,
                    }
                    .chaining_value(machine.terms)
                })
                .collect();
            step += 1;
        }
        done.extend(last);
    }
    Ok(())
}

fn parents(
    machine: &mut Machine<'_>,
    width: Width,
    tuning: Tuning,
    groups: usize,
    in_place: bool,
) -> Outcome {
    use Gpr::{A0, A1, A2, A3, A4, T1, T2};
    const GROUP: usize = 1;
    let lanes = width.lanes();
    let frame = lanes::Frame::new(width, tuning.copies);
    let bytes = groups * lanes * BLOCK_LEN;
    let source = machine.region(Region {
        writable: in_place,
        ..input("children", 0, bytes, 1)
    });
    let result = if in_place {
        source
    } else {
        machine.region(out("out", bytes / 2, 4))
    };
    let key_region = machine.region(input("key", 0, 32, 4));
    let flags = machine.terms.symbol("flags", [0; 3]);
    let block_len = machine.terms.symbol("block_len", [0; 3]);
    for (register, value) in [
        (A0, pointer(source)),
        (A1, count(groups)),
        (A2, pointer(key_region)),
        (A3, Value::Halves([block_len, flags])),
        (A4, pointer(result)),
    ] {
        machine.set(register, value);
    }
    let key: [Term; 8] = words(machine, key_region, 0);
    let zero = machine.terms.constant(0);
    // What the children are before anything is written over them.
    let blocks: Vec<[Term; 16]> = (0..groups * lanes)
        .map(|pair| words(machine, source, pair * BLOCK_LEN))
        .collect();
    let mut done: Vec<[Term; 8]> = Vec::new();
    for group in 0..=groups {
        let wanted = if group < groups {
            Stop::Head(GROUP)
        } else {
            Stop::Returned
        };
        expect_stop(machine, &[GROUP], wanted)?;
        // Those of all groups so far: a later one must not have written over them.
        for (i, words) in done.iter().enumerate() {
            let what = format!("group {}, lane {}, parent", i / lanes, i % lanes);
            expect_words(machine, result, 32 * i, words, &what)?;
        }
        if group == groups {
            break;
        }
        // In place, children that are still to come must not be written over either.
        expect_unwritten(machine, result, 32 * group * lanes..bytes)?;
        let message = &blocks[group * lanes..][..lanes];
        let buffer = frame.messages[group % 2];
        expect_message(machine, tuning, buffer, frame.row, message)?;
        let kept = [
            (i64::from(buffer), i64::from(buffer + 16 * frame.row)),
            (frame.counter.into(), i64::from(frame.counter) + 8),
        ];
        expect_frame(
            machine,
            frame.counter,
            &[block_len, flags],
            "the tail, half",
        )?;
        // What is copied meanwhile: the next group, or the last one again. Else what is read now.
        let next = match tuning.copies.ahead() {
            true => (group + 1).min(groups - 1) * lanes * BLOCK_LEN,
            false => group * lanes * BLOCK_LEN,
        };
        let mut general = vec![
            (A0, at(source, next)),
            (A1, count(groups - group)),
            (A2, pointer(key_region)),
            (A4, at(result, 32 * group * lanes)),
        ];
        general.extend(buffers(tuning, frame, group, [T1, T2]));
        machine.forget(&general, &kept)?;
        let now: Vec<_> = message
            .iter()
            .map(|block| {
                Compression {
                    cv: key,
                    block: *block,
                    counter: [zero; 2],
                    block_len,
                    flags,
                }
                .chaining_value(machine.terms)
            })
            .collect();
        done.extend(now);
    }
    Ok(())
}

/// The argument structure of a kernel of independent messages, with the pointers at that offset, and blocks of each
/// message: the region of the structure, the words in it before the kernel can write over them, and the regions of the
/// messages.
fn message_arguments(
    machine: &mut Machine<'_>,
    structure: Region,
    pointers: i32,
    messages: usize,
    blocks: usize,
) -> (usize, Vec<Term>, Vec<usize>) {
    let words = structure.end / 4;
    let arguments = machine.region(Region {
        defined: true,
        ..structure
    });
    let given = (0..words)
        .map(|word| machine.word(arguments, 4 * word))
        .collect();
    let mut inputs = Vec::new();
    for message in 0..messages {
        let region = machine.region(input("input", message as u32, blocks * BLOCK_LEN, 1));
        machine.put(
            arguments,
            i64::from(pointers) + 8 * message as i64,
            pointer(region),
        );
        inputs.push(region);
    }
    (arguments, given, inputs)
}

/// Is a block the first (0), in the middle (1) or the last (2)?
fn position(block: usize, blocks: usize) -> usize {
    if block + 1 == blocks {
        2
    } else {
        usize::from(block > 0)
    }
}

fn messages(machine: &mut Machine<'_>, width: Width, tuning: Tuning, blocks: usize) -> Outcome {
    use Gpr::{A0, A1, A4, A5, S0, T1, T2};
    let frame = lanes::Frame::new(width, tuning.copies);
    const BLOCK: usize = 1;
    let lanes = width.lanes();
    let fields = lanes::Fields::new(lanes);
    let arguments = out("lanes", fields.end as usize, 64);
    let (arguments, given, inputs) =
        message_arguments(machine, arguments, fields.pointers, lanes, blocks);
    machine.set(A0, pointer(arguments));
    machine.set(A1, count(blocks));
    let given = |field: i32, i: usize| given[field as usize / 4 + i];
    let mut expected: Vec<[Term; 8]> = (0..lanes)
        .map(|lane| std::array::from_fn(|word| given(fields.cvs, 8 * lane + word)))
        .collect();
    for block in 0..=blocks {
        if block == blocks {
            expect_stop(machine, &[BLOCK], Stop::Returned)?;
            for (lane, cv) in expected.iter().enumerate() {
                expect_words(
                    machine,
                    arguments,
                    fields.cvs as usize + 32 * lane,
                    cv,
                    &format!("lane {lane}, chaining value"),
                )?;
            }
            expect_unwritten(
                machine,
                arguments,
                fields.counters[0] as usize..fields.end as usize,
            )?;
            return expect_advanced(machine, arguments, fields.pointers, &inputs, blocks - 1);
        }
        expect_stop(machine, &[BLOCK], Stop::Head(BLOCK))?;
        expected = next_cvs(machine, block, &expected, |machine, lane| {
            lanes_of(machine, width, lane)
        })?;
        let next = match tuning.copies.ahead() {
            true => (block + 1).min(blocks - 1),
            false => block,
        };
        expect_advanced(machine, arguments, fields.pointers, &inputs, next)?;
        let message: Vec<[Term; 16]> = inputs
            .iter()
            .map(|input| words(machine, *input, block * BLOCK_LEN))
            .collect();
        let buffer = frame.messages[block % 2];
        expect_message(machine, tuning, buffer, frame.row, &message)?;
        expect_unwritten(
            machine,
            arguments,
            fields.cvs as usize..fields.pointers as usize,
        )?;
        let which = position(block, blocks);
        let flags = |which: usize| fields.flags + which as i32 * width.bytes();
        let flags_row = |which: usize| at(arguments, flags(which) as usize);
        let mut general = vec![
            (A0, pointer(arguments)),
            (A1, count(blocks - block)),
            (A4, flags_row(which)),
            (A5, flags_row(1)),
            (T1, flags_row(2)),
        ];
        general.extend(buffers(tuning, frame, block, [T2, S0]));
        let kept = (i64::from(buffer), i64::from(buffer + 16 * frame.row));
        machine.forget(&general, &[kept])?;
        for (lane, cv) in expected.iter_mut().enumerate() {
            set_lanes(machine, width, lane, *cv);
            let compression = Compression {
                cv: *cv,
                block: message[lane],
                counter: fields.counters.map(|field| given(field, lane)),
                block_len: given(fields.block_len, lane),
                flags: given(flags(which), lane),
            };
            *cv = compression.chaining_value(machine.terms);
        }
    }
    Ok(())
}

/// Checks that what is only read, or not written yet, is not written.
fn expect_unwritten(machine: &Machine<'_>, region: usize, bytes: Range<usize>) -> Outcome {
    for offset in bytes.step_by(4) {
        if machine.written(region, offset as i64) {
            return Err(format!("what is at {offset} is written over"));
        }
    }
    Ok(())
}

/// Checks that the pointers in the argument structure have gone on by so many blocks.
fn expect_advanced(
    machine: &Machine<'_>,
    arguments: usize,
    field: i32,
    inputs: &[usize],
    blocks: usize,
) -> Outcome {
    for (message, region) in inputs.iter().enumerate() {
        let wanted = at(*region, blocks * BLOCK_LEN);
        let found = machine.value(arguments, i64::from(field) + 8 * message as i64);
        if found != Some(wanted) {
            return Err(format!(
                "the pointer of message {message} is {found:?} where {wanted:?} was due"
            ));
        }
    }
    Ok(())
}

/// Checks the chaining values at a loop head, and gives what goes on in their place: what was passed in for the first
/// block, fresh symbols after it.
fn next_cvs(
    machine: &mut Machine<'_>,
    block: usize,
    expected: &[[Term; 8]],
    found: impl Fn(&Machine<'_>, usize) -> [Term; 8],
) -> Outcome<Vec<[Term; 8]>> {
    let mut next = Vec::new();
    for (message, expected) in expected.iter().enumerate() {
        let found = found(machine, message);
        for word in 0..8 {
            let what =
                || format!("before block {block}, message {message}, chaining value word {word}");
            same(machine.terms, what, expected[word], found[word])?;
        }
        next.push(if block == 0 {
            *expected
        } else {
            fresh_cv(machine.terms, block, message)
        });
    }
    Ok(next)
}

fn output(machine: &mut Machine<'_>, width: Width, groups: usize) -> Outcome {
    use Gpr::{A0, A1, A2, A3, A4, A5};
    const GROUP: usize = 1;
    let lanes = width.lanes();
    let frame = lanes::OutputFrame::new(width, machine.encoding());
    let cv_region = machine.region(input("cv", 0, 32, 4));
    let block_region = machine.region(input("block", 0, BLOCK_LEN, 1));
    let result = machine.region(out("out", groups * lanes * BLOCK_LEN, 1));
    let counter = machine.terms.halves(0, 0);
    let tail = [
        machine.terms.symbol("block_len", [0; 3]),
        machine.terms.symbol("flags", [0; 3]),
    ];
    for (register, value) in [
        (A0, pointer(cv_region)),
        (A1, pointer(block_region)),
        (A2, Value::Halves(counter)),
        (A3, Value::Halves(tail)),
        (A4, pointer(result)),
        (A5, count(groups)),
    ] {
        machine.set(register, value);
    }
    let cv: [Term; 8] = words(machine, cv_region, 0);
    let block: [Term; 16] = words(machine, block_region, 0);
    let mut done: Vec<[Term; 16]> = Vec::new();
    for group in 0..=groups {
        let wanted = if group < groups {
            Stop::Head(GROUP)
        } else {
            Stop::Returned
        };
        expect_stop(machine, &[GROUP], wanted)?;
        // Those of all groups so far: a later one must not have written over them.
        for (i, words) in done.iter().enumerate() {
            let what = format!("group {}, lane {}, output", i / lanes, i % lanes);
            expect_words(machine, result, BLOCK_LEN * i, words, &what)?;
        }
        if group == groups {
            break;
        }
        for (words, first) in [&block[..], &cv]
            .into_iter()
            .zip(frame.splats.into_iter().flatten())
        {
            for (word, row) in words
                .iter()
                .zip((first..).step_by(frame.counters.row as usize))
            {
                let what = format!("the row at {row} of the frame, lane");
                expect_frame(machine, row, &vec![*word; lanes], &what)?;
            }
        }
        expect_frame(machine, frame.tail, &tail, "the tail, half")?;
        let counted = machine.terms.halves(0, (group * lanes) as u64);
        expect_frame(
            machine,
            frame.counters.counter,
            &counted,
            "the counter, half",
        )?;
        let rows = (0, i64::from(frame.counters.counters[0]));
        let counter = (
            frame.counters.counter.into(),
            i64::from(frame.counters.counter) + 16,
        );
        // Where the words stand in rows of the frame, nobody needs them where they came from any more.
        let mut general = vec![
            (A4, at(result, group * lanes * BLOCK_LEN)),
            (A5, count(groups - group)),
        ];
        if frame.splats.is_none() {
            general.extend([(A0, pointer(cv_region)), (A1, pointer(block_region))]);
        }
        machine.forget(&general, &[rows, counter])?;
        let now: Vec<_> = (0..lanes)
            .map(|lane| {
                let counter = machine.terms.halves(0, (group * lanes + lane) as u64);
                Compression {
                    cv,
                    block,
                    counter,
                    block_len: tail[0],
                    flags: tail[1],
                }
                .output(machine.terms)
            })
            .collect();
        done.extend(now);
    }
    Ok(())
}

/// Forgets all but the general registers named, and the counters in registers: each has so many parts, the low half of
/// the first of which holds the counter plus a number, the next one more, and so on.
fn forget_but_counters(
    machine: &mut Machine<'_>,
    counters: &[(Reg, usize, usize)],
    counter: [Term; 2],
    general: &[(Gpr, Value)],
) -> Outcome {
    let zero = machine.terms.constant(0);
    let mut kept = Vec::new();
    for (register, parts, first) in counters {
        for part in 0..*parts {
            let number = machine.terms.constant((first + part) as u32);
            let counted = machine.terms.quad_sum(counter, [number, zero]);
            for (half, term) in counted.into_iter().enumerate() {
                let lane = 4 * part + half;
                let found = machine.lane(*register, lane);
                same(
                    machine.terms,
                    || format!("the counter in part {part}"),
                    term,
                    found,
                )?;
                kept.push((*register, lane, term));
            }
        }
    }
    machine.forget(general, &[])?;
    for (register, lane, term) in kept {
        machine.set_lane(register, lane, term);
    }
    Ok(())
}

fn row_words(machine: &Machine<'_>, registers: [Reg; 2], part: usize) -> [Term; 8] {
    std::array::from_fn(|word| machine.lane(registers[word / 4], 4 * part + word % 4))
}

fn set_row_words(machine: &mut Machine<'_>, registers: [Reg; 2], part: usize, cv: [Term; 8]) {
    for (word, term) in cv.into_iter().enumerate() {
        machine.set_lane(registers[word / 4], 4 * part + word % 4, term);
    }
}

fn blocks(machine: &mut Machine<'_>, blocks: usize) -> Outcome {
    use Gpr::{A0, A1, A2, A3, A4, A5, T0};
    const BLOCK: usize = 1;
    let cv_region = machine.region(Region {
        defined: true,
        ..out("cv", 32, 4)
    });
    let source = machine.region(input("input", 0, blocks * BLOCK_LEN, 1));
    let counter = machine.terms.halves(0, 0);
    let block_len = machine.terms.symbol("block_len", [0; 3]);
    let flags = [0, 1].map(|which| machine.terms.symbol("flags", [which, 0, 0]));
    for (register, value) in [
        (A0, pointer(cv_region)),
        (A1, pointer(source)),
        (A2, count(blocks)),
        (A3, Value::Halves(counter)),
        (A4, Value::Halves([block_len, flags[0]])),
        (A5, Value::Halves([block_len, flags[1]])),
    ] {
        machine.set(register, value);
    }
    let middle = machine.terms.and(flags[0], flags[1]);
    let mut expected = vec![words(machine, cv_region, 0)];
    for block in 0..=blocks {
        if block == blocks {
            expect_stop(machine, &[BLOCK], Stop::Returned)?;
            return expect_words(machine, cv_region, 0, &expected[0], "chaining value");
        }
        expect_stop(machine, &[BLOCK], Stop::Head(BLOCK))?;
        expected = next_cvs(machine, block, &expected, |machine, _| {
            row_words(machine, rows::chaining_value_of(0), 0)
        })?;
        expect_unwritten(machine, cv_region, 0..32)?;
        let flags_now = if block + 1 == blocks {
            flags[1]
        } else if block == 0 {
            flags[0]
        } else {
            middle
        };
        let general = [
            (A0, pointer(cv_region)),
            (A1, at(source, block * BLOCK_LEN)),
            (A2, count(blocks - block)),
            (T0, Value::Halves([block_len, middle])),
            (A4, Value::Halves([block_len, flags_now])),
            (A5, Value::Halves([block_len, flags[1]])),
        ];
        forget_but_counters(machine, &[(rows::COUNTER, 1, 0)], counter, &general)?;
        set_row_words(machine, rows::chaining_value_of(0), 0, expected[0]);
        let compression = Compression {
            cv: expected[0],
            block: words(machine, source, block * BLOCK_LEN),
            counter,
            block_len,
            flags: flags_now,
        };
        expected = vec![compression.chaining_value(machine.terms)];
    }
    Ok(())
}

fn output_one(machine: &mut Machine<'_>, blocks: usize) -> Outcome {
    use Gpr::{A0, A1, A2, A3, A4};
    let cv = machine.region(input("cv", 0, 32, 4));
    let block = machine.region(input("block", 0, BLOCK_LEN, 1));
    let result = machine.region(out("out", blocks * BLOCK_LEN, 1));
    let counter = machine.terms.halves(0, 0);
    let tail = [
        machine.terms.symbol("block_len", [0; 3]),
        machine.terms.symbol("flags", [0; 3]),
    ];
    for (register, value) in [
        (A0, pointer(cv)),
        (A1, pointer(block)),
        (A2, Value::Halves(counter)),
        (A3, Value::Halves(tail)),
        (A4, pointer(result)),
    ] {
        machine.set(register, value);
    }
    let (cv, block) = (words(machine, cv, 0), words(machine, block, 0));
    expect_stop(machine, &[], Stop::Returned)?;
    for i in 0..blocks {
        let compression = Compression {
            cv,
            block,
            counter: machine.terms.halves(0, i as u64),
            block_len: tail[0],
            flags: tail[1],
        };
        let expected = compression.output(machine.terms);
        expect_words(
            machine,
            result,
            i * BLOCK_LEN,
            &expected,
            &format!("output block {i}"),
        )?;
    }
    Ok(())
}

fn rows_of(machine: &mut Machine<'_>, messages: usize, parts: usize, blocks: usize) -> Outcome {
    use Gpr::{A0, A1, A2, A3, A4, A5, T0, T1, T2};
    const BLOCK: usize = 1;
    let fields = rows::Fields::new(messages);
    let arguments = out("rows", fields.end as usize, 16);
    let (arguments, given, inputs) =
        message_arguments(machine, arguments, fields.pointers, messages, blocks);
    machine.set(A0, pointer(arguments));
    machine.set(A1, count(blocks));
    let cv_place = |message: usize, half: usize| fields.cvs[half] as usize + 16 * message;
    let mut expected: Vec<[Term; 8]> = (0..messages)
        .map(|message| {
            std::array::from_fn(|word| given[cv_place(message, word / 4) / 4 + word % 4])
        })
        .collect();
    let registers = |message: usize| {
        (
            rows::chaining_value_of((message / parts) as u32),
            message % parts,
        )
    };
    for block in 0..=blocks {
        if block == blocks {
            expect_stop(machine, &[BLOCK], Stop::Returned)?;
            for (message, cv) in expected.iter().enumerate() {
                for half in 0..2 {
                    let what = format!("message {message}, chaining value half {half}");
                    expect_words(
                        machine,
                        arguments,
                        cv_place(message, half),
                        &cv[4 * half..][..4],
                        &what,
                    )?;
                }
            }
            expect_unwritten(
                machine,
                arguments,
                fields.tails[0] as usize..fields.pointers as usize,
            )?;
            return expect_advanced(machine, arguments, fields.pointers, &inputs, blocks);
        }
        expect_stop(machine, &[BLOCK], Stop::Head(BLOCK))?;
        expected = next_cvs(machine, block, &expected, |machine, message| {
            let (registers, part) = registers(message);
            row_words(machine, registers, part)
        })?;
        expect_unwritten(
            machine,
            arguments,
            fields.cvs[0] as usize..fields.pointers as usize,
        )?;
        let which = position(block, blocks);
        let tail_at = |which: usize| at(arguments, fields.tails[which] as usize);
        let mut general = vec![
            (A0, pointer(arguments)),
            (A1, count(blocks - block)),
            (T0, tail_at(which)),
            (T1, tail_at(1)),
            (T2, tail_at(2)),
        ];
        let pointers = [A2, A3, A4, A5].into_iter().zip(&inputs);
        general
            .extend(pointers.map(|(register, region)| (register, at(*region, block * BLOCK_LEN))));
        machine.forget(&general, &[])?;
        for (message, cv) in expected.iter_mut().enumerate() {
            let (registers, part) = registers(message);
            set_row_words(machine, registers, part, *cv);
            let tail = &given[fields.tails[which] as usize / 4 + 4 * message..][..4];
            let compression = Compression {
                cv: *cv,
                block: words(machine, inputs[message], block * BLOCK_LEN),
                counter: [tail[0], tail[1]],
                block_len: tail[2],
                flags: tail[3],
            };
            *cv = compression.chaining_value(machine.terms);
        }
    }
    Ok(())
}

fn chunk_rows(machine: &mut Machine<'_>, width: Width, sets: usize) -> Outcome {
    use Gpr::{A0, A1, A2, A3, A4, A5, T0, T1};
    const BLOCK: usize = 1;
    let (parts, count) = (width.parts(), width.parts() * sets);
    let chunk = CHUNK_BLOCKS * BLOCK_LEN;
    let source = machine.region(input("input", 0, count * chunk, 1));
    let key = machine.region(input("key", 0, 32, 4));
    let result = machine.region(out("out", 32 * count, 4));
    let counter = machine.terms.halves(0, 0);
    let block_len = machine.terms.symbol("block_len", [0; 3]);
    let flags = [0, 1].map(|which| machine.terms.symbol("flags", [which, 0, 0]));
    for (register, value) in [
        (A0, pointer(source)),
        (A1, pointer(key)),
        (A2, Value::Halves(counter)),
        (A3, Value::Halves([block_len, flags[0]])),
        (A4, Value::Halves([block_len, flags[1]])),
        (A5, pointer(result)),
    ] {
        machine.set(register, value);
    }
    let middle = machine.terms.and(flags[0], flags[1]);
    let registers = |message: usize| {
        let set = message / parts;
        (rows::chaining_value_of(set as u32), message % parts)
    };
    let mut expected = vec![words(machine, key, 0); count];
    for block in 0..=CHUNK_BLOCKS {
        if block == CHUNK_BLOCKS {
            expect_stop(machine, &[BLOCK], Stop::Returned)?;
            for (message, cv) in expected.iter().enumerate() {
                let what = format!("chunk {message}, chaining value");
                expect_words(machine, result, 32 * message, cv, &what)?;
            }
            return Ok(());
        }
        expect_stop(machine, &[BLOCK], Stop::Head(BLOCK))?;
        expected = next_cvs(machine, block, &expected, |machine, message| {
            let (registers, part) = registers(message);
            row_words(machine, registers, part)
        })?;
        let flags_now = match block {
            0 => flags[0],
            _ if block + 1 == CHUNK_BLOCKS => flags[1],
            _ => middle,
        };
        let general = [
            (A0, at(source, block * BLOCK_LEN)),
            (A4, Value::Halves([block_len, flags[1]])),
            (A5, pointer(result)),
            (T1, Value::Halves([block_len, middle])),
            (T0, Value::Number((CHUNK_BLOCKS - block) as i64)),
            (A3, Value::Halves([block_len, flags_now])),
        ];
        let counters: Vec<_> = (0..sets)
            .map(|set| (Reg((2 * sets + set) as u32), parts, set * parts))
            .collect();
        forget_but_counters(machine, &counters, counter, &general)?;
        for (message, cv) in expected.iter_mut().enumerate() {
            let (registers, part) = registers(message);
            set_row_words(machine, registers, part, *cv);
            let compression = Compression {
                cv: *cv,
                block: words(machine, source, message * chunk + block * BLOCK_LEN),
                counter: machine.terms.halves(0, message as u64),
                block_len,
                flags: flags_now,
            };
            *cv = compression.chaining_value(machine.terms);
        }
    }
    Ok(())
}

fn parent_rows(machine: &mut Machine<'_>, count: usize, in_place: bool) -> Outcome {
    use Gpr::{A0, A1, A2, A3};
    let bytes = count * BLOCK_LEN;
    let source = machine.region(Region {
        writable: in_place,
        ..input("children", 0, bytes, 4)
    });
    let result = if in_place {
        source
    } else {
        machine.region(out("out", bytes / 2, 4))
    };
    let key = machine.region(input("key", 0, 32, 4));
    let block_len = machine.terms.symbol("block_len", [0; 3]);
    let flags = machine.terms.symbol("flags", [0; 3]);
    for (register, value) in [
        (A0, pointer(source)),
        (A1, pointer(key)),
        (A2, Value::Halves([block_len, flags])),
        (A3, pointer(result)),
    ] {
        machine.set(register, value);
    }
    let cv = words(machine, key, 0);
    let zero = machine.terms.constant(0);
    let blocks: Vec<[Term; 16]> = (0..count)
        .map(|pair| words(machine, source, pair * BLOCK_LEN))
        .collect();
    expect_stop(machine, &[], Stop::Returned)?;
    for (pair, block) in blocks.into_iter().enumerate() {
        let counter = [zero; 2];
        let compression = Compression {
            cv,
            block,
            counter,
            block_len,
            flags,
        };
        let expected = compression.chaining_value(machine.terms);
        expect_words(
            machine,
            result,
            32 * pair,
            &expected,
            &format!("parent {pair}"),
        )?;
    }
    Ok(())
}
