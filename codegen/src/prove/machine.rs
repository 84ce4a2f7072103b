//! The machine that runs a kernel on symbols: registers and memory hold terms, pointers are a region and an offset, and
//! every access is checked against its region.

use std::collections::HashMap;

use super::term::{Term, Terms};
use crate::allocate::PINNED;
use crate::ir::{Base, Block, Condition, Gpr, Inst, Mem, Op, Reg, Src, Width};
use crate::isa::{Encoding, SAVED_BY_A64};

/// What a general register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named for what they are")]
pub enum Value {
    /// Nothing anybody may rely on.
    Undefined,
    /// What the caller had in that register.
    Caller(Gpr),
    /// Where the caller goes on.
    ReturnAddress,
    /// The address of the table of constants.
    Table,
    /// An address.
    Pointer { region: usize, offset: i64 },
    /// A number that the kernel has made: it is run with just this one.
    Number(i64),
    /// A count of the caller's: what was left of it at the last loop head, and what was added to it since.
    Count { left: i64, added: i64 },
    /// Two 32-bit terms, low half first.
    Halves([Term; 2]),
}

/// A stretch of memory that a kernel may touch.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// What it is, in error messages; the words in it are symbols of this name.
    pub name: &'static str,
    /// Which one of those.
    pub index: u32,
    /// Offsets that belong to it.
    pub start: i64,
    /// One past them.
    pub end: i64,
    /// What its offset 0 is a multiple of.
    pub align: i64,
    /// May the kernel write there?
    pub writable: bool,
    /// Does it hold something to begin with?
    pub defined: bool,
}

/// Where a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// At the start of a block that is watched.
    Head(usize),
    /// Back at the caller.
    Returned,
}

/// The symbolic machine.
#[derive(Debug)]
pub struct Machine<'a> {
    /// The terms made so far.
    pub terms: &'a mut Terms,
    /// Instructions executed.
    pub steps: usize,
    /// What is left of a count may be told from other counts up to this one; all larger ones are alike.
    pub told_apart: i64,
    blocks: &'a [Block],
    constants: &'a [u8],
    encoding: Encoding,
    vector: Vec<[Term; 16]>,
    general: [Value; Gpr::ALL.len()],
    compared: Option<(i64, i64)>,
    regions: Vec<Region>,
    words: HashMap<(usize, i64), Term>,
    values: HashMap<(usize, i64), Value>,
    upper_dirty: bool,
    at: usize,
    /// Where the caller has put values.
    given: Vec<(usize, i64)>,
    /// What was kept for the way back at the first loop head.
    held: Option<Held>,
}

/// What a kernel keeps from loop head to loop head although no contract names it.
#[derive(Clone, Debug, PartialEq)]
struct Held {
    /// The frame pointer; on AArch64, the address of the table.
    register: Value,
    /// On the stack: where the caller goes on, and its general registers.
    values: HashMap<(usize, i64), Value>,
    /// In the frame: the caller's vector registers.
    words: HashMap<(usize, i64), Term>,
}

/// The name of what the caller has in vector registers.
const CALLER: &str = "caller";

const STACK: usize = 0;
const FRAME: usize = 1;
/// Bytes of stack that a kernel may use beside its frame, for pushes.
const STACK_BYTES: i64 = 128;
/// Instructions after which a kernel is taken for one that does not end; the longest proof takes a fiftieth of them.
const ENDLESS: usize = 1 << 22;

type Outcome<T = ()> = Result<T, String>;

/// The registers and lanes that the caller wants back on AArch64.
fn callers_lanes() -> impl Iterator<Item = (usize, usize)> {
    SAVED_BY_A64.flat_map(|register| [0, 1].map(|lane| (register as usize, lane)))
}

/// What the caller has there.
fn callers(terms: &mut Terms, register: usize, lane: usize) -> Term {
    terms.symbol(CALLER, [register as u32, lane as u32, 0])
}

impl<'a> Machine<'a> {
    /// A machine at the first block of a kernel, with the caller's registers and stack.
    pub fn new(
        terms: &'a mut Terms,
        blocks: &'a [Block],
        constants: &'a [u8],
        encoding: Encoding,
        frame: i32,
    ) -> Self {
        let mut vector: Vec<[Term; 16]> = (0..PINNED)
            .map(|_| std::array::from_fn(|_| terms.junk()))
            .collect();
        let mut general = Gpr::ALL.map(|_| Value::Undefined);
        general[Gpr::Sp as usize] = Value::Pointer {
            region: STACK,
            offset: 0,
        };
        let a64 = encoding == Encoding::A64;
        if a64 {
            for (register, lane) in callers_lanes() {
                vector[register][lane] = callers(terms, register, lane);
            }
        } else if encoding == Encoding::Intrinsics {
            // The compiler sees to the stack, and to what the caller wants back.
            general[Gpr::Sp as usize] = Self::frame(0);
        } else {
            for register in Gpr::SAVED {
                general[register as usize] = Value::Caller(register);
            }
        }
        let region = |name, start, end, align| Region {
            name,
            index: 0,
            start,
            end,
            align,
            writable: true,
            defined: false,
        };
        Self {
            terms,
            steps: 0,
            told_apart: 0,
            blocks,
            constants,
            encoding,
            vector,
            general,
            compared: None,
            regions: vec![
                region("stack", -STACK_BYTES, 8, 8),
                region("frame", 0, i64::from(frame), if a64 { 16 } else { 64 }),
            ],
            words: HashMap::new(),
            values: HashMap::from([((STACK, 0), Value::ReturnAddress)]),
            upper_dirty: false,
            at: 0,
            given: Vec::new(),
            held: None,
        }
    }

    /// Adds a region of the caller's.
    pub fn region(&mut self, region: Region) -> usize {
        self.regions.push(region);
        self.regions.len() - 1
    }

    /// Sets an argument, or any general register.
    pub fn set(&mut self, register: Gpr, value: Value) {
        self.general[register as usize] = value;
    }

    /// What a general register holds.
    pub fn get(&self, register: Gpr) -> Value {
        self.general[register as usize]
    }

    /// Puts a value that is no term (a pointer) into memory.
    pub fn put(&mut self, region: usize, offset: i64, value: Value) {
        self.given.push((region, offset));
        self.values.insert((region, offset), value);
    }

    /// The value that is no term in memory.
    pub fn value(&self, region: usize, offset: i64) -> Option<Value> {
        self.values.get(&(region, offset)).copied()
    }

    /// The word in memory: what was stored there last, else the symbol of the region, else something undefined.
    pub fn word(&mut self, region: usize, offset: i64) -> Term {
        if let Some(term) = self.words.get(&(region, offset)) {
            return *term;
        }
        let Region {
            name,
            index,
            defined,
            ..
        } = self.regions[region];
        if defined && offset % 4 == 0 {
            self.terms.symbol(name, [index, (offset / 4) as u32, 0])
        } else {
            self.terms.junk()
        }
    }

    /// Was this word written by the kernel?
    pub fn written(&self, region: usize, offset: i64) -> bool {
        self.words.contains_key(&(region, offset))
    }

    /// How the instructions are encoded.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The word at an offset of the frame.
    pub fn frame_word(&mut self, offset: i64) -> Term {
        self.word(FRAME, offset)
    }

    /// The pointer to an offset of the frame.
    pub fn frame(offset: i64) -> Value {
        Value::Pointer {
            region: FRAME,
            offset,
        }
    }

    /// A lane of a vector register.
    pub fn lane(&self, register: Reg, lane: usize) -> Term {
        self.vector[register.0 as usize][lane]
    }

    /// Replaces a lane of a vector register.
    pub fn set_lane(&mut self, register: Reg, lane: usize, term: Term) {
        self.vector[register.0 as usize][lane] = term;
    }

    /// Checks the general registers that a contract names, and forgets everything else: after this, only what was
    /// checked can tell one iteration from another. `frame` lists stretches of the frame that the contract has
    /// checked; words in the caller's memory stay, which is only read where a contract looks after it.
    ///
    /// # Errors
    ///
    /// Names the register that holds something else.
    pub fn forget(&mut self, general: &[(Gpr, Value)], frame: &[(i64, i64)]) -> Outcome {
        for (register, wanted) in general {
            let value = match self.get(*register) {
                Value::Count { left, added } => Value::Count {
                    left: left + added,
                    added: 0,
                },
                other => other,
            };
            if value != *wanted {
                return Err(format!(
                    "{register:?} is {value:?} where {wanted:?} was due"
                ));
            }
            self.set(*register, value);
        }
        let register = match self.encoding {
            Encoding::A64 => Gpr::Table,
            _ => Gpr::Fp,
        };
        for other in Gpr::ALL {
            let value = self.get(other);
            let stays = match value {
                Value::Caller(owner) => owner == other || other == register,
                Value::Pointer { .. } | Value::Table => other == register || other == Gpr::Sp,
                _ => false,
            };
            if !stays && !general.iter().any(|(named, _)| *named == other) {
                self.set(other, Value::Undefined);
            }
        }
        self.hold(register)?;
        let kept = |offset: i64| {
            frame
                .iter()
                .any(|(start, end)| (*start..*end).contains(&offset))
        };
        let (held, given) = (&self.held, &self.given);
        let held = held.as_ref().expect("it was just set");
        self.words.retain(|place, _| match place.0 {
            STACK => false,
            FRAME => kept(place.1) || held.words.contains_key(place),
            _ => true,
        });
        self.values
            .retain(|place, _| held.values.contains_key(place) || given.contains(place));
        // Bindings of the compiler's: what one iteration has bound is not there in the next.
        self.vector.truncate(PINNED as usize);
        for register in 0..self.vector.len() {
            for lane in 0..self.vector[register].len() {
                let own = self.encoding == Encoding::A64
                    && callers_lanes().any(|place| place == (register, lane))
                    && self.vector[register][lane] == callers(self.terms, register, lane);
                if !own {
                    self.vector[register][lane] = self.terms.junk();
                }
            }
        }
        self.compared = None;
        Ok(())
    }

    /// Sees that a register and what the caller wants back are what and where they were at the first loop head.
    fn hold(&mut self, register: Gpr) -> Outcome {
        let saved = |value: &Value| matches!(value, Value::Caller(_) | Value::ReturnAddress);
        let values = self.values.iter().map(|(place, value)| (*place, *value));
        let words = self.words.iter().map(|(place, word)| (*place, *word));
        let now = Held {
            register: self.get(register),
            values: values
                .filter(|(place, value)| place.0 == STACK && saved(value))
                .collect(),
            words: words
                .filter(|(place, word)| place.0 == FRAME && self.terms.is_symbol(*word, CALLER))
                .collect(),
        };
        let first = self.held.get_or_insert_with(|| now.clone());
        if first.register != now.register {
            return Err(format!("{register:?} has become {:?}", now.register));
        }
        if *first != now {
            return Err("what the caller wants back is elsewhere".into());
        }
        Ok(())
    }

    /// Runs to the next watched block, or to the return.
    pub fn run(&mut self, watched: &[usize]) -> Outcome<Stop> {
        loop {
            let block = self.at;
            let next = self
                .block(block)
                .map_err(|error| format!("block {block}, {error}"))?;
            match next {
                None => return Ok(Stop::Returned),
                Some(next) => {
                    self.at = next;
                    if watched.contains(&next) {
                        return Ok(Stop::Head(next));
                    }
                }
            }
        }
    }

    fn block(&mut self, number: usize) -> Outcome<Option<usize>> {
        let blocks = self.blocks;
        let code = &blocks.get(number).ok_or("there is no such block")?.code;
        let mut next = number + 1;
        for (i, inst) in code.iter().enumerate() {
            let place = |error: String| format!("instruction {i} ({inst:?}): {error}");
            match inst {
                Inst::Return => {
                    self.check_return().map_err(place)?;
                    return Ok(None);
                }
                Inst::JumpIf { block, .. } if *block > number => {
                    return Err(place("a jump forward is not printed".into()));
                }
                Inst::JumpIf { condition, block } => {
                    if self.holds(*condition).map_err(place)? {
                        next = *block;
                        break;
                    }
                }
                _ => self.step(inst).map_err(place)?,
            }
            self.steps += 1;
        }
        // A jump counts: a block of nothing else must not go on for ever.
        self.steps += 1;
        if self.steps > ENDLESS {
            return Err(format!("no end after {} instructions", self.steps));
        }
        Ok(Some(next))
    }

    fn check_return(&mut self) -> Outcome {
        if self.encoding == Encoding::Intrinsics {
            return Ok(());
        }
        let stack = self.get(Gpr::Sp);
        if stack
            != (Value::Pointer {
                region: STACK,
                offset: 0,
            })
        {
            return Err(format!("the stack pointer is not back: {stack:?}"));
        }
        if self.values.get(&(STACK, 0)) != Some(&Value::ReturnAddress) {
            return Err("the return address was overwritten".into());
        }
        if self.encoding == Encoding::A64 {
            for (register, lane) in callers_lanes() {
                if self.vector[register][lane] != callers(self.terms, register, lane) {
                    return Err(format!("vector register {register} is not back"));
                }
            }
            return Ok(());
        }
        for register in Gpr::SAVED {
            if self.get(register) != Value::Caller(register) {
                return Err(format!(
                    "{register:?} is not back: it holds {:?}",
                    self.get(register)
                ));
            }
        }
        if self.upper_dirty {
            return Err("the upper parts of the vector registers are not cleared".into());
        }
        Ok(())
    }

    fn holds(&self, condition: Condition) -> Outcome<bool> {
        let (a, b) = self.compared.ok_or("nothing was compared")?;
        Ok(match condition {
            Condition::Equal => a == b,
            Condition::NotEqual => a != b,
        })
    }

    /// The region and offset of an access, checked.
    fn access(&self, mem: Mem, bytes: i64, write: bool) -> Outcome<(usize, i64)> {
        let Base::Gpr(base) = mem.base else {
            return Err("the constants are no place to write".into());
        };
        let Value::Pointer { region, offset } = self.get(base) else {
            return Err(format!("{base:?} is no address: {:?}", self.get(base)));
        };
        if region == FRAME && !matches!(self.get(Gpr::Sp), Value::Pointer { region: FRAME, .. }) {
            return Err("the frame has been given back".into());
        }
        let offset = offset + i64::from(mem.offset);
        if let Value::Pointer {
            region: stack,
            offset: top,
        } = self.get(Gpr::Sp)
            && stack == region
            && offset < top
        {
            return Err(format!(
                "bytes {offset} of the stack are below the stack pointer, {top}"
            ));
        }
        let Region {
            name,
            index,
            start,
            end,
            align,
            writable,
            defined,
        } = self.regions[region];
        if offset < start || offset + bytes > end {
            return Err(format!(
                "bytes {offset} to {} are outside {name} {index} ({start} to {end})",
                offset + bytes
            ));
        }
        if !write && !defined && region > FRAME {
            return Err(format!("{name} {index} is not to be read"));
        }
        if write && !writable {
            return Err(format!("{name} {index} is not to be written"));
        }
        if mem.aligned && (align % bytes != 0 || offset % bytes != 0) {
            return Err(format!(
                "offset {offset} of {name} {index} is not aligned to {bytes}"
            ));
        }
        if offset % 4 != 0 {
            return Err(format!("offset {offset} of {name} {index} splits a word"));
        }
        Ok((region, offset))
    }

    fn load_words(&mut self, mem: Mem, words: usize) -> Outcome<Vec<Term>> {
        if mem.base == Base::Constants {
            if self.encoding == Encoding::A64 && self.get(Gpr::Table) != Value::Table {
                return Err("the address of the constants is not there".into());
            }
            let bytes = usize::try_from(mem.offset)
                .ok()
                .and_then(|start| self.constants.get(start..)?.get(..4 * words))
                .ok_or("outside the table of constants")?;
            if mem.aligned && !(mem.offset as usize).is_multiple_of(bytes.len()) {
                return Err(format!(
                    "offset {} of the constants is not aligned to {}",
                    mem.offset,
                    bytes.len()
                ));
            }
            let (bytes, _) = bytes.as_chunks::<4>();
            return Ok(bytes
                .iter()
                .map(|bytes| self.terms.constant(u32::from_le_bytes(*bytes)))
                .collect());
        }
        let (region, offset) = self.access(mem, 4 * words as i64, false)?;
        Ok((0..words as i64)
            .map(|i| self.word(region, offset + 4 * i))
            .collect())
    }

    fn store_words(&mut self, mem: Mem, words: &[Term]) -> Outcome {
        let (region, offset) = self.access(mem, 4 * words.len() as i64, true)?;
        for (i, word) in words.iter().enumerate() {
            let offset = offset + 4 * i as i64;
            // A value is eight bytes: it is gone when either half of it is.
            self.values.remove(&(region, offset));
            self.values.remove(&(region, offset - 4));
            self.words.insert((region, offset), *word);
        }
        Ok(())
    }

    fn load_value(&mut self, mem: Mem) -> Outcome<Value> {
        if mem.base != Base::Constants {
            let (region, offset) = self.access(mem, 8, false)?;
            if let Some(value) = self.values.get(&(region, offset)) {
                return Ok(*value);
            }
        }
        let words = self.load_words(mem, 2)?;
        Ok(Value::Halves([words[0], words[1]]))
    }

    fn store_value(&mut self, mem: Mem, value: Value) -> Outcome {
        let halves = match value {
            Value::Halves(halves) => halves,
            Value::Number(number) => [
                self.terms.constant(number as u32),
                self.terms.constant((number as u64 >> 32) as u32),
            ],
            _ => [self.terms.junk(), self.terms.junk()],
        };
        self.store_words(mem, &halves)?;
        if matches!(value, Value::Pointer { .. } | Value::Caller(_)) {
            let (region, offset) = self.access(mem, 8, true)?;
            self.values.insert((region, offset), value);
        }
        Ok(())
    }

    fn pointer_plus(&self, value: Value, bytes: i64) -> Outcome<Value> {
        match value {
            Value::Pointer { region, offset } => Ok(Value::Pointer {
                region,
                offset: offset + bytes,
            }),
            other => Err(format!("no address: {other:?}")),
        }
    }

    /// Executes an instruction, and sees that nothing is left below the stack pointer: whoever interrupts the
    /// kernel may write there.
    fn step(&mut self, inst: &Inst) -> Outcome {
        let before = self.get(Gpr::Sp);
        self.execute(inst)?;
        let after = self.get(Gpr::Sp);
        if before == after {
            return Ok(());
        }
        match after {
            Value::Pointer {
                region: FRAME,
                offset: 0,
            } => {}
            Value::Pointer {
                region: STACK,
                offset,
            } => {
                // An access through a stack pointer that is no multiple of 16 is an error there.
                if self.encoding == Encoding::A64 && offset % 16 != 0 {
                    return Err(format!("the stack pointer has become {after:?}"));
                }
                let gone =
                    |place: &(usize, i64)| place.0 == FRAME || place.0 == STACK && place.1 < offset;
                self.words.retain(|place, _| !gone(place));
                self.values.retain(|place, _| !gone(place));
            }
            other => return Err(format!("the stack pointer has become {other:?}")),
        }
        Ok(())
    }

    fn execute(&mut self, inst: &Inst) -> Outcome {
        if self.encoding == Encoding::Intrinsics
            && matches!(
                inst,
                Inst::AlignStack { .. }
                    | Inst::Push { .. }
                    | Inst::Pop { .. }
                    | Inst::Unwind(_)
                    | Inst::Prefetch { .. }
                    | Inst::ZeroUpper
                    | Inst::Store { part: Some(_), .. }
            )
        {
            return Err("not among the intrinsics".into());
        }
        match *inst {
            Inst::Vector {
                op,
                width,
                dst,
                a,
                b,
            } => self.vector(op, width, dst, a, b),
            Inst::Store {
                width,
                src,
                part,
                mem,
            } => {
                self.check_width(width)?;
                let lanes = self.read(src)?;
                match part.map(usize::from) {
                    None => self.store_words(mem, &lanes[..width.lanes()]),
                    Some(part) if part < width.parts() => {
                        self.store_words(mem, &lanes[4 * part..][..4])
                    }
                    Some(part) => Err(format!("there is no part {part}")),
                }
            }
            Inst::Load { bits: 32, dst, mem } => {
                let low = self.load_words(mem, 1)?[0];
                let zero = self.terms.constant(0);
                self.set(dst, Value::Halves([low, zero]));
                Ok(())
            }
            Inst::Load { dst, mem, .. } => {
                let value = self.load_value(mem)?;
                self.set(dst, value);
                Ok(())
            }
            Inst::StoreGpr { bits: 32, src, mem } => match self.get(src) {
                Value::Halves([low, _]) => self.store_words(mem, &[low]),
                other => Err(format!("no word to store: {other:?}")),
            },
            Inst::StoreGpr { src, mem, .. } => self.store_value(mem, self.get(src)),
            Inst::MoveGpr { dst, src } => {
                self.set(dst, self.get(src));
                Ok(())
            }
            Inst::AndGpr { dst, src } => {
                let (Value::Halves(a), Value::Halves(b)) = (self.get(dst), self.get(src)) else {
                    return Err("no words to and".into());
                };
                let halves = [self.terms.and(a[0], b[0]), self.terms.and(a[1], b[1])];
                self.set(dst, Value::Halves(halves));
                self.compared = None;
                Ok(())
            }
            // 32 bits are written: the upper half becomes zero.
            Inst::SetGpr { value, .. } if value < 0 => Err("a negative number to set".into()),
            Inst::SetGpr { dst, value } => {
                self.set(dst, Value::Number(value.into()));
                Ok(())
            }
            Inst::AddGpr { dst, value } => self.add(dst, value.into()),
            Inst::AddGprs { dst, src } => match self.get(src) {
                Value::Number(number) => self.add(dst, number),
                other => Err(format!("no number to add: {other:?}")),
            },
            Inst::Address { dst, mem } => {
                let Base::Gpr(base) = mem.base else {
                    return Err("the constants have no address here".into());
                };
                let value = self.pointer_plus(self.get(base), mem.offset.into())?;
                self.set(dst, value);
                Ok(())
            }
            Inst::AlignStack { bytes } => {
                let Value::Pointer {
                    region: STACK,
                    offset,
                } = self.get(Gpr::Sp)
                else {
                    return Err("the stack pointer is not on the stack".into());
                };
                let frame = self.regions[FRAME];
                if i64::from(bytes) != frame.align {
                    return Err(format!(
                        "the frame is aligned to {bytes}, not {}",
                        frame.align
                    ));
                }
                // The lowest of the return address and what was pushed.
                let pushed = (self.words.keys().chain(self.values.keys()))
                    .filter(|(region, _)| *region == STACK)
                    .map(|(_, offset)| *offset)
                    .min()
                    .unwrap_or(0);
                if offset + frame.end > pushed {
                    return Err("the frame is larger than what was taken from the stack".into());
                }
                // What is below belongs to the frame now.
                self.regions[STACK].start = pushed;
                self.compared = None;
                self.set(
                    Gpr::Sp,
                    Value::Pointer {
                        region: FRAME,
                        offset: 0,
                    },
                );
                Ok(())
            }
            Inst::Enter { bytes } => {
                let top = Value::Pointer {
                    region: STACK,
                    offset: 0,
                };
                if self.get(Gpr::Sp) != top {
                    return Err("the stack pointer is not where the caller left it".into());
                }
                // The stack pointer is a multiple of 16 here, always.
                if bytes % 16 != 0 || i64::from(bytes) != self.regions[FRAME].end {
                    return Err(format!("a frame of {bytes} bytes"));
                }
                self.regions[STACK].start = 0;
                self.set(Gpr::Sp, Self::frame(0));
                Ok(())
            }
            Inst::Leave { bytes } => {
                if self.get(Gpr::Sp) != Self::frame(0)
                    || i64::from(bytes) != self.regions[FRAME].end
                {
                    return Err("this frame was not taken".into());
                }
                self.set(
                    Gpr::Sp,
                    Value::Pointer {
                        region: STACK,
                        offset: 0,
                    },
                );
                Ok(())
            }
            Inst::LoadTable => {
                self.set(Gpr::Table, Value::Table);
                Ok(())
            }
            Inst::LoadPair { dst: [a, b], .. } if a == b => Err("one register for two".into()),
            Inst::LoadPair { dst, mem } => {
                let loaded = self.load_words(mem.anywhere(), 8)?;
                for (dst, words) in dst.into_iter().zip(loaded.chunks(4)) {
                    self.read(dst)?;
                    let mut lanes = [self.terms.constant(0); 16];
                    lanes[..4].copy_from_slice(words);
                    self.vector[dst.0 as usize] = lanes;
                }
                Ok(())
            }
            Inst::StorePair { src: [a, b], mem } => {
                let words = [&self.read(a)?[..4], &self.read(b)?[..4]].concat();
                self.store_words(mem.anywhere(), &words)
            }
            Inst::Exchange { a, b } => {
                self.general.swap(a as usize, b as usize);
                Ok(())
            }
            Inst::Compare { a, value } => {
                self.compared = self.compare(self.get(a), value.into());
                match self.compared {
                    Some(_) => Ok(()),
                    None => Err(format!("no comparison with {value}: {:?}", self.get(a))),
                }
            }
            Inst::MoveIf {
                condition,
                dst,
                src,
            } => {
                if self.holds(condition)? {
                    self.set(dst, self.get(src));
                }
                Ok(())
            }
            Inst::Push { src } => {
                let value = self.get(src);
                self.add(Gpr::Sp, -8)?;
                self.store_value(Mem::unaligned(Gpr::Sp, 0), value)
            }
            Inst::Pop { dst } => {
                let value = self.load_value(Mem::unaligned(Gpr::Sp, 0))?;
                self.set(dst, value);
                self.add(Gpr::Sp, 8)
            }
            Inst::ZeroUpper => {
                let zero = self.terms.constant(0);
                for lanes in &mut self.vector[..16] {
                    lanes[4..].fill(zero);
                }
                self.upper_dirty = false;
                Ok(())
            }
            Inst::Unwind(ref text)
                if !text.starts_with(".cfi_") || text.contains(['\n', ';', '"', '\\']) =>
            {
                Err("no directive for debuggers".into())
            }
            Inst::Note(ref text) if text.contains('\n') => Err("more than a comment".into()),
            Inst::Prefetch { .. } | Inst::Unwind(_) | Inst::Note(_) => Ok(()),
            Inst::JumpIf { .. } | Inst::Return => unreachable!("handled by the block"),
        }
    }

    fn add(&mut self, dst: Gpr, value: i64) -> Outcome {
        let sum = match self.get(dst) {
            Value::Number(number) => Value::Number(number + value),
            Value::Count { left, added } => Value::Count {
                left,
                added: added + value,
            },
            Value::Halves(halves) => {
                let added = [
                    self.terms.constant(value as u32),
                    self.terms.constant((value as u64 >> 32) as u32),
                ];
                Value::Halves(self.terms.quad_sum(halves, added))
            }
            other => self.pointer_plus(other, value)?,
        };
        self.set(dst, sum);
        // On x86 the sum is compared with zero; elsewhere what was compared before stays compared.
        if !matches!(self.encoding, Encoding::A64 | Encoding::Intrinsics) {
            self.compared = self.compare(sum, 0);
        }
        Ok(())
    }

    /// The two numbers of a comparison. What it says of a count may depend on what is left only as far as counts are
    /// told apart: the larger ones are not all run.
    fn compare(&self, value: Value, with: i64) -> Option<(i64, i64)> {
        match value {
            Value::Number(number) => Some((number, with)),
            Value::Count { left, added } if (0..=self.told_apart).contains(&(with - added)) => {
                Some((left + added, with))
            }
            _ => None,
        }
    }

    fn check_width(&self, width: Width) -> Outcome {
        if width > self.encoding.register() {
            return Err(format!("no register here has {} bytes", width.bytes()));
        }
        Ok(())
    }

    /// The lanes of a vector register, if the encoding reaches it.
    fn read(&self, register: Reg) -> Outcome<[Term; 16]> {
        let registers = match self.encoding {
            Encoding::Intrinsics => self.vector.len(),
            other => other.registers() as usize,
        };
        self.vector[..registers]
            .get(register.0 as usize)
            .copied()
            .ok_or_else(|| format!("there is no register {}", register.0))
    }

    fn vector(
        &mut self,
        op: Op,
        width: Width,
        dst: Reg,
        a: Option<Reg>,
        b: Option<Src>,
    ) -> Outcome {
        let lanes = width.lanes();
        let zero = self.terms.constant(0);
        self.check_width(width)?;
        let loads = matches!(op, Op::Move | Op::LoadLow | Op::LoadLowQuad);
        if self.encoding == Encoding::A64 && !loads && matches!(b, Some(Src::Mem(_))) {
            return Err("no memory operand here".into());
        }
        if op.replaces() && a != Some(dst) {
            return Err("the first operand is replaced here".into());
        }
        if self.encoding == Encoding::Intrinsics {
            while self.vector.len() <= dst.0 as usize {
                self.vector.push([zero; 16].map(|_| self.terms.junk()));
            }
        }
        let before = self.read(dst)?;
        let a = a.map(|a| self.read(a)).transpose()?;
        let b = match b {
            None => None,
            Some(Src::Reg(_))
                if matches!(
                    op,
                    Op::Broadcast
                        | Op::LoadLow
                        | Op::LoadLowQuad
                        | Op::LoadHighQuad
                        | Op::Insert(_)
                ) =>
            {
                return Err("no register here".into());
            }
            Some(Src::Reg(b)) => Some(self.read(b)?),
            Some(Src::Gpr(b)) => match self.get(b) {
                Value::Halves(halves) if op == Op::LoadLowQuad => {
                    let mut words = [zero; 16];
                    words[..2].copy_from_slice(&halves);
                    Some(words)
                }
                other => return Err(format!("no words to load: {other:?}")),
            },
            Some(Src::Mem(mem)) => {
                let words = match op {
                    Op::Broadcast | Op::LoadLow => 1,
                    Op::BroadcastQuad | Op::LoadLowQuad | Op::LoadHighQuad => 2,
                    Op::Insert(_) => 4,
                    _ => lanes,
                };
                if self.encoding == Encoding::Legacy && words == 4 && op != Op::Move && !mem.aligned
                {
                    return Err("a memory operand here must be aligned".into());
                }
                let loaded = self.load_words(mem, words)?;
                if self.encoding == Encoding::Intrinsics && op == Op::ShuffleBytes {
                    let (offset, bytes) = (mem.offset as usize, width.bytes() as usize);
                    if self.constants[offset..][..bytes]
                        .iter()
                        .any(|byte| *byte >= 16)
                    {
                        return Err("a shuffle of other bytes than the operand's".into());
                    }
                }
                let mut all = [zero; 16];
                all[..words].copy_from_slice(&loaded);
                Some(all)
            }
        };
        let mut out = model(self.terms, op, lanes, a, b)?;
        if self.encoding == Encoding::Legacy {
            out[4..].copy_from_slice(&before[4..]);
        }
        self.upper_dirty |= width != Width::X;
        self.vector[dst.0 as usize] = out;
        Ok(())
    }
}

/// What a vector operation computes, lane by lane. Lanes from `lanes` on become zero.
pub fn model(
    terms: &mut Terms,
    op: Op,
    lanes: usize,
    a: Option<[Term; 16]>,
    b: Option<[Term; 16]>,
) -> Outcome<[Term; 16]> {
    let zero = terms.constant(0);
    let undefined = [zero; 16];
    let first = || a.ok_or("the first operand is missing");
    let second = || b.ok_or("the second operand is missing");
    let mut out = undefined;
    let each = |terms: &mut Terms,
                out: &mut [Term; 16],
                f: fn(&mut Terms, Term, Term) -> Term|
     -> Outcome {
        let (a, b) = (first()?, second()?);
        for lane in 0..lanes {
            out[lane] = f(terms, a[lane], b[lane]);
        }
        Ok(())
    };
    match op {
        Op::LoadHighQuad => {
            let (a, b) = (first()?, second()?);
            out[..4].copy_from_slice(&[a[0], a[1], b[0], b[1]]);
        }
        Op::Move | Op::LoadLow | Op::LoadLowQuad => {
            out[..lanes].copy_from_slice(&second()?[..lanes])
        }
        Op::Broadcast => out[..lanes].fill(second()?[0]),
        Op::BroadcastQuad => {
            let b = second()?;
            (0..lanes).for_each(|lane| out[lane] = b[lane % 2]);
        }
        Op::Add => each(terms, &mut out, Terms::sum)?,
        Op::Xor => each(terms, &mut out, Terms::exclusive_or)?,
        Op::Or => each(terms, &mut out, Terms::or)?,
        Op::AddQuad => {
            let (a, b) = (first()?, second()?);
            for low in (0..lanes).step_by(2) {
                let sum = terms.quad_sum([a[low], a[low + 1]], [b[low], b[low + 1]]);
                out[low..low + 2].copy_from_slice(&sum);
            }
        }
        Op::RotateRight(distance) => {
            let a = first()?;
            (0..lanes).for_each(|lane| out[lane] = terms.rotate(a[lane], distance.into()));
        }
        Op::ShiftLeft(distance) => {
            let a = first()?;
            (0..lanes).for_each(|lane| out[lane] = terms.shift_left(a[lane], distance.into()));
        }
        Op::ShiftRight(distance) => {
            let a = first()?;
            (0..lanes).for_each(|lane| out[lane] = terms.shift_right(a[lane], distance.into()));
        }
        Op::ShiftRightInsert(distance) if !(1..=32).contains(&distance) => {
            return Err(format!("no shift by {distance} here"));
        }
        Op::ShiftRightInsert(distance) => {
            let (a, b) = (first()?, second()?);
            for lane in 0..lanes {
                let low = terms.shift_right(b[lane], distance.into());
                let high = terms.high_bits(a[lane], distance.into());
                out[lane] = terms.or(high, low);
            }
        }
        Op::XorRotate(distance) => {
            let (a, b) = (first()?, second()?);
            for lane in 0..lanes {
                let mixed = terms.exclusive_or(a[lane], b[lane]);
                out[lane] = terms.rotate(mixed, distance.into());
            }
        }
        Op::ShuffleBytes | Op::TableBytes => {
            let (a, b) = (first()?, second()?);
            for lane in 0..lanes {
                let mask = terms
                    .value(b[lane])
                    .ok_or("the bytes to take are not constant")?
                    .to_le_bytes();
                let bytes = mask.map(|byte| {
                    let nothing = if op == Op::TableBytes { 0xF0 } else { 0x80 };
                    if byte & nothing != 0 {
                        (zero, 0)
                    } else {
                        (a[lane / 4 * 4 + usize::from(byte % 16 / 4)], byte % 4)
                    }
                });
                out[lane] = terms.bytes(bytes);
            }
        }
        Op::ShuffleLanes(immediate) => {
            let a = first()?;
            (0..lanes).for_each(|lane| out[lane] = a[lane / 4 * 4 + selected(immediate, lane % 4)]);
        }
        Op::ShuffleLowHalves(immediate) | Op::ShuffleHighHalves(immediate) => {
            let a = first()?;
            let high = matches!(op, Op::ShuffleHighHalves(_));
            for lane in 0..lanes {
                let (part, within) = (lane / 4 * 4, lane % 4);
                if (within >= 2) != high {
                    out[lane] = a[lane];
                    continue;
                }
                let bytes = [0, 1].map(|half| {
                    let word = selected(immediate, 2 * (within % 2) + half);
                    let term = a[part + 2 * usize::from(high) + word / 2];
                    [0, 1].map(|byte| (term, (2 * (word % 2) + byte) as u8))
                });
                out[lane] = terms.bytes([bytes[0][0], bytes[0][1], bytes[1][0], bytes[1][1]]);
            }
        }
        Op::ShuffleTwo(immediate) => {
            let (a, b) = (first()?, second()?);
            for lane in 0..lanes {
                let from = if lane % 4 < 2 { &a } else { &b };
                out[lane] = from[lane / 4 * 4 + selected(immediate, lane % 4)];
            }
        }
        Op::UnpackLow | Op::UnpackHigh | Op::UnpackLowQuad | Op::UnpackHighQuad => {
            let (a, b) = (first()?, second()?);
            for (lane, out) in out[..lanes].iter_mut().enumerate() {
                let within = lane % 4;
                let (from_b, word) = match op {
                    Op::UnpackLow => (within % 2, within / 2),
                    Op::UnpackHigh => (within % 2, 2 + within / 2),
                    Op::UnpackLowQuad => (within / 2, within % 2),
                    _ => (within / 2, 2 + within % 2),
                };
                *out = if from_b == 1 { b } else { a }[lane / 4 * 4 + word];
            }
        }
        Op::ShuffleParts(immediate) => {
            if lanes != 16 {
                return Err("parts are shuffled in 512 bits".into());
            }
            let (a, b) = (first()?, second()?);
            for lane in 0..lanes {
                let from = if lane < 8 { &a } else { &b };
                out[lane] = from[4 * selected(immediate, lane / 4) + lane % 4];
            }
        }
        Op::Insert(part) => {
            let (a, b) = (first()?, second()?);
            out[..lanes].copy_from_slice(&a[..lanes]);
            out[..lanes]
                .get_mut(4 * usize::from(part)..)
                .and_then(|rest| rest.get_mut(..4))
                .ok_or_else(|| format!("there is no part {part}"))?
                .copy_from_slice(&b[..4]);
        }
    }
    Ok(out)
}

fn selected(immediate: u8, i: usize) -> usize {
    usize::from(immediate >> (2 * i) & 3)
}
