//! Rust with intrinsics: each kernel a function, each instruction a statement. Virtual vector registers are bindings, general
//! registers are variables, and a loop of blocks is a `loop`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::{asm, header};
use crate::allocate::PINNED;
use crate::ir::{Base, Block, Condition, Gpr, Inst, Mem, Op, Reg, Src};
use crate::isa::{Constants, Isa};
use crate::kernel::Kernel;
use crate::layout::{lanes, rows};
use crate::prove::contract::Contract;

/// The file of a tier.
pub fn file(isa: &Isa, constants: &Constants, kernels: &[Kernel]) -> String {
    let facts = vec![
        format!("Target features: {}.", isa.features.join(", ")),
        "Every kernel here was proved equal to `codegen/src/spec.rs` before it was written.".into(),
    ];
    let mut text = header(
        &format!("Kernels of the tier `{}`.", isa.name),
        &format!("codegen/src/isa/{}.rs", isa.name),
        &facts,
    );
    text.push('\n');
    let mut uses = vec![
        "core::arch::wasm32::*",
        "core::mem::{MaybeUninit, offset_of}",
        "core::ptr::read_volatile",
    ];
    let structures = asm::structures(kernels).join(", ");
    let structures = format!("super::{{{structures}}}");
    uses.push(&structures);
    for path in uses {
        writeln!(text, "use {path};").unwrap();
    }
    text.push_str(FRAME);
    for kernel in kernels {
        text.push_str(&asm::layout(kernel));
    }
    for kernel in kernels {
        text.push('\n');
        text.push_str(&kernel_function(constants, kernel));
    }
    text
}

/// The type of the frames.
pub(super) const FRAME: &str = "
/// What a kernel keeps beside its variables.
#[repr(C, align(64))]
struct Frame<const BYTES: usize>([MaybeUninit<u8>; BYTES]);
";

fn kernel_function(constants: &Constants, kernel: &Kernel) -> String {
    let mut text = String::new();
    for line in &kernel.about {
        writeln!(text, "/// {line}").unwrap();
    }
    text.push_str("///\n/// # Safety\n///\n/// The pointers are good for the lengths above.\n");
    text.push_str(&function(
        &Code {
            constants: &constants.bytes,
            blocks: &kernel.blocks,
            frame: kernel.frame,
            contract: Some(kernel.contract),
        },
        &format!("pub(super) unsafe extern \"C\" fn {}", kernel.name),
        &kernel.parameters,
        "the caller's word for the pointers; each access was proved to lie within what they are good for.",
    ));
    text
}

/// What is printed as the body of a function.
#[derive(Clone, Copy)]
pub(super) struct Code<'a> {
    pub(super) constants: &'a [u8],
    pub(super) blocks: &'a [Block],
    pub(super) frame: i32,
    /// Where pointers lie in memory, where there are any.
    pub(super) contract: Option<Contract>,
}

/// A function.
pub(super) fn function(
    code: &Code<'_>,
    signature: &str,
    parameters: &[(&'static str, &'static str)],
    safety: &str,
) -> String {
    let mut printer = Printer::new(code);
    let mut given = Vec::new();
    for ((name, kind), register) in parameters.iter().zip(Gpr::ALL) {
        let (kind, value) = match *kind {
            kind if kind.starts_with("*mut u8") => (Kind::Pointer, (*name).to_string()),
            kind if kind.starts_with("*mut") => (Kind::Pointer, format!("{name}.cast::<u8>()")),
            kind if kind.starts_with("*const u8") => (Kind::Pointer, format!("{name}.cast_mut()")),
            kind if kind.starts_with("*const") => {
                (Kind::Pointer, format!("{name}.cast_mut().cast::<u8>()"))
            }
            "usize" => (Kind::Number, format!("{name} as u64")),
            _ => (Kind::Number, (*name).to_string()),
        };
        printer.kinds.insert(register, kind);
        given.push((variable(register, kind), value));
    }
    let body = printer.body();
    let parameters: Vec<_> = parameters
        .iter()
        .zip(&given)
        .map(|((name, kind), (variable, _))| {
            let unread = if printer.read.contains(variable) {
                ""
            } else {
                "_"
            };
            format!("{unread}{name}: {kind}")
        })
        .collect();
    let mut text = format!(
        "#[inline(never)]\n#[target_feature(enable = \"simd128\")]\n{signature}({}) {{\n    // SAFETY: {safety}\n    unsafe {{\n",
        parameters.join(", ")
    );
    for (number, constant) in printer.hidden.iter().flatten().enumerate() {
        writeln!(
            text,
            "        static C{number}: v128 = {constant};\n        let c{number} = read_volatile(&raw const C{number});"
        )
        .unwrap();
    }
    if code.frame > 0 {
        let bytes = code.frame;
        writeln!(
            text,
            "        let mut frame = Frame::<{bytes}>([MaybeUninit::uninit(); {bytes}]);\n        let frame = (&raw mut frame).cast::<u8>();"
        )
        .unwrap();
    }
    for (name, value) in given {
        if printer.read.contains(&name) {
            let variable = if printer.assigned.contains_key(&name) {
                "mut "
            } else {
                ""
            };
            writeln!(text, "        let {variable}{name} = {value};").unwrap();
        }
        printer.assigned.remove(&name);
    }
    for (name, again) in &printer.assigned {
        let kind = if *name == "equal" {
            "bool"
        } else if name.starts_with('r') {
            "v128"
        } else if name.starts_with('n') {
            "u64"
        } else {
            "*mut u8"
        };
        let variable = if *again { "mut " } else { "" };
        writeln!(text, "        let {variable}{name}: {kind};").unwrap();
    }
    text + &body + "    }\n}\n"
}

/// What a general register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Pointer,
    Number,
}

/// The variable of a general register: pointers and numbers are different ones.
fn variable(register: Gpr, kind: Kind) -> String {
    let name = format!("{register:?}").to_lowercase();
    match kind {
        Kind::Pointer if register == Gpr::Sp => "frame".into(),
        Kind::Pointer => name,
        Kind::Number => format!("n{name}"),
    }
}

/// The variable or binding of a vector register.
fn vector(register: Reg) -> String {
    match register.0.checked_sub(PINNED) {
        Some(number) => format!("v{number}"),
        None => format!("r{}", register.0),
    }
}

/// Prints blocks of code.
struct Printer<'a> {
    code: Code<'a>,
    kinds: BTreeMap<Gpr, Kind>,
    /// The variables that are assigned to; whether more than once, by the text or by a loop.
    assigned: BTreeMap<String, bool>,
    read: BTreeSet<String>,
    bound: BTreeSet<Reg>,
    depth: usize,
    /// The constants that the compiler is not to know, in the order of their names; none where text is for people.
    ///
    /// It would make a shuffle of a swizzle by bytes that it knows, and repeat a constant wherever it is used; V8 builds
    /// both in general registers each time anew.
    hidden: Option<Vec<String>>,
}

impl<'a> Printer<'a> {
    fn new(code: &Code<'a>) -> Self {
        Self {
            code: *code,
            kinds: BTreeMap::from([(Gpr::Sp, Kind::Pointer)]),
            assigned: BTreeMap::new(),
            read: BTreeSet::new(),
            bound: BTreeSet::new(),
            depth: 0,
            hidden: Some(Vec::new()),
        }
    }

    /// The name of a constant that is hidden from the compiler.
    fn hide(&mut self, constant: String) -> String {
        let Some(hidden) = &mut self.hidden else {
            return constant;
        };
        let known = hidden.iter().position(|other| *other == constant);
        let number = known.unwrap_or_else(|| {
            hidden.push(constant);
            hidden.len() - 1
        });
        format!("c{number}")
    }

    fn body(&mut self) -> String {
        let mut text = String::new();
        let mut line = |depth: usize, line: &str| {
            writeln!(text, "{}{line}", "    ".repeat(depth + 2)).unwrap();
        };
        for (number, block) in self.code.blocks.iter().enumerate() {
            let back_to = |other: &Block, number: usize| matches!(other.code.last(), Some(Inst::JumpIf { block, .. }) if *block == number);
            for _ in self
                .code
                .blocks
                .iter()
                .filter(|other| back_to(other, number))
            {
                line(self.depth, "loop {");
                self.depth += 1;
            }
            for inst in &block.code {
                if let Inst::JumpIf { .. } = inst {
                    line(self.depth, &format!("{} {{", self.leaves(inst)));
                    line(self.depth + 1, "break;");
                    line(self.depth, "}");
                    self.depth -= 1;
                    line(self.depth, "}");
                } else if let Some(statement) = self.statement(inst) {
                    line(self.depth, &statement);
                }
            }
        }
        assert_eq!(self.depth, 0, "a loop has no end");
        text
    }

    /// The condition on which a loop is left: where there is no jump back.
    fn leaves(&mut self, jump: &Inst) -> &'static str {
        self.read.insert("equal".into());
        match jump {
            Inst::JumpIf {
                condition: Condition::Equal,
                ..
            } => "if !equal",
            _ => "if equal",
        }
    }

    /// The name of a variable that is written.
    fn write(&mut self, name: String) -> String {
        let again = self.depth > 0 || self.assigned.contains_key(&name);
        self.assigned.insert(name.clone(), again);
        name
    }

    fn general(&mut self, register: Gpr) -> String {
        let kind = self.kinds.get(&register);
        let name = variable(register, *kind.expect("a register that holds something"));
        self.read.insert(name.clone());
        name
    }

    fn set(&mut self, register: Gpr, kind: Kind) -> String {
        self.kinds.insert(register, kind);
        self.write(variable(register, kind))
    }

    fn kind(&self, register: Gpr) -> Kind {
        self.kinds[&register]
    }

    /// An address that is read or written.
    fn place(&mut self, mem: Mem) -> String {
        let Base::Gpr(base) = mem.base else {
            panic!("the constants have no address");
        };
        assert_eq!(self.kind(base), Kind::Pointer, "{base:?} is no address");
        let base = self.general(base);
        match mem.offset {
            0 => base,
            offset if offset > 0 => format!("{base}.add({offset})"),
            offset => format!("{base}.sub({})", -offset),
        }
    }

    fn moved(&mut self, base: Gpr, by: i32) -> String {
        let name = self.general(base);
        match by {
            0 => name,
            _ if by > 0 => format!("{name}.wrapping_add({by})"),
            _ => format!("{name}.wrapping_sub({})", -by),
        }
    }

    /// Is there a pointer in memory?
    fn holds_pointer(&self, mem: Mem) -> bool {
        let fields = match self.code.contract {
            Some(Contract::Messages { width, .. }) => {
                let fields = lanes::Fields::new(width.lanes());
                fields.pointers..fields.counters[0]
            }
            Some(Contract::Rows { width, sets }) => {
                let fields = rows::Fields::new(width.parts() * sets);
                fields.pointers..fields.end
            }
            _ => return false,
        };
        mem.base == Base::Gpr(Gpr::A0) && fields.contains(&mem.offset)
    }

    /// A statement, or none where nothing is to be done.
    fn statement(&mut self, inst: &Inst) -> Option<String> {
        Some(match *inst {
            Inst::Vector { op, dst, a, b, .. } => {
                let value = self.operation(op, a, b);
                if dst.0 < PINNED {
                    format!("{} = {value};", self.write(vector(dst)))
                } else {
                    assert!(self.bound.insert(dst), "{dst:?} is bound twice");
                    format!("let {} = {value};", vector(dst))
                }
            }
            Inst::Store {
                src,
                part: None,
                mem,
                ..
            } => {
                let place = self.place(mem);
                format!("v128_store({place}.cast(), {});", self.vector(src))
            }
            Inst::Load { bits: 64, dst, mem } if self.holds_pointer(mem) => {
                let place = self.place(mem);
                format!(
                    "{} = {place}.cast::<*mut u8>().read();",
                    self.set(dst, Kind::Pointer)
                )
            }
            Inst::Load { bits, dst, mem } => {
                let place = self.place(mem);
                let value = match bits {
                    32 => format!("u64::from({place}.cast::<u32>().read_unaligned())"),
                    _ => format!("{place}.cast::<u64>().read_unaligned()"),
                };
                format!("{} = {value};", self.set(dst, Kind::Number))
            }
            Inst::StoreGpr { bits, src, mem } => {
                let (place, src, kind) = (self.place(mem), self.general(src), self.kind(src));
                match (kind, bits) {
                    (Kind::Pointer, 64) if self.holds_pointer(mem) => {
                        format!("{place}.cast::<*mut u8>().write({src});")
                    }
                    (Kind::Number, 64) => format!("{place}.cast::<u64>().write_unaligned({src});"),
                    (Kind::Number, _) => {
                        format!("{place}.cast::<u32>().write_unaligned({src} as u32);")
                    }
                    _ => panic!("{inst:?}: no place for a pointer"),
                }
            }
            Inst::MoveGpr { dst, src } => {
                let (value, kind) = (self.general(src), self.kind(src));
                format!("{} = {value};", self.set(dst, kind))
            }
            Inst::AndGpr { dst, src } => {
                let value = format!("{} & {}", self.general(dst), self.general(src));
                format!("{} = {value};", self.set(dst, Kind::Number))
            }
            Inst::SetGpr { dst, value } => format!("{} = {value};", self.set(dst, Kind::Number)),
            Inst::AddGpr { dst, value } => {
                let (value, kind) = (self.moved(dst, value), self.kind(dst));
                format!("{} = {value};", self.set(dst, kind))
            }
            Inst::AddGprs { dst, src } => {
                let number = match self.kind(dst) {
                    Kind::Pointer => format!("{} as usize", self.general(src)),
                    Kind::Number => self.general(src),
                };
                let (value, kind) = (self.general(dst), self.kind(dst));
                format!("{} = {value}.wrapping_add({number});", self.set(dst, kind))
            }
            Inst::Address { dst, mem } => {
                let Base::Gpr(base) = mem.base else {
                    panic!("the constants have no address");
                };
                assert_eq!(self.kind(base), Kind::Pointer, "{base:?} is no address");
                let value = self.moved(base, mem.offset);
                format!("{} = {value};", self.set(dst, Kind::Pointer))
            }
            Inst::Exchange { a, b } => {
                let (first, kind) = (self.general(a), self.kind(a));
                let second = self.general(b);
                assert_eq!(kind, self.kind(b), "{inst:?}: of different kinds");
                self.set(a, kind);
                self.set(b, kind);
                format!("({first}, {second}) = ({second}, {first});")
            }
            Inst::Compare { a, value } => {
                let a = self.general(a);
                format!("{} = {a} == {value};", self.write("equal".into()))
            }
            Inst::MoveIf {
                condition,
                dst,
                src,
            } => {
                self.read.insert("equal".into());
                let (value, kind) = (self.general(src), self.kind(src));
                assert_eq!(kind, self.kind(dst), "{inst:?}: of different kinds");
                self.general(dst);
                let when = match condition {
                    Condition::Equal => "equal",
                    Condition::NotEqual => "!equal",
                };
                format!("if {when} {{ {} = {value}; }}", self.set(dst, kind))
            }
            Inst::Note(ref note) => format!("// {note}"),
            Inst::Return => return None,
            _ => panic!("{inst:?} is not printed as Rust"),
        })
    }

    fn vector(&mut self, register: Reg) -> String {
        vector(register)
    }

    /// The bytes of a row of constants.
    fn constant(&self, mem: Mem) -> &'a [u8] {
        &self.code.constants[mem.offset as usize..][..16]
    }

    fn operation(&mut self, op: Op, a: Option<Reg>, b: Option<Src>) -> String {
        let a = a.map(|a| self.vector(a));
        let a = || a.clone().expect("a first operand");
        // Where a load is part of the operation.
        let loads = match op {
            Op::Broadcast => Some("v128_load32_splat"),
            Op::BroadcastQuad => Some("v128_load64_splat"),
            Op::LoadLow => Some("v128_load32_zero"),
            Op::LoadLowQuad => Some("v128_load64_zero"),
            _ => None,
        };
        match (loads, b) {
            (Some(name), Some(Src::Mem(mem))) => {
                return format!("{name}({}.cast())", self.place(mem));
            }
            (_, Some(Src::Gpr(number))) if op == Op::LoadLowQuad => {
                return format!("u64x2({}, 0)", self.general(number));
            }
            (_, Some(Src::Mem(mem))) if op == Op::LoadHighQuad => {
                return format!("v128_load64_lane::<1>({}, {}.cast())", a(), self.place(mem));
            }
            (_, Some(Src::Mem(mem))) if op == Op::ShuffleBytes => {
                let bytes = self.constant(mem);
                let bytes: Vec<_> = bytes.iter().map(|byte| byte.to_string()).collect();
                let mask = self.hide(format!("u8x16({})", bytes.join(", ")));
                return format!("u8x16_swizzle({}, {mask})", a());
            }
            _ => {}
        }
        let b = b.map(|b| match b {
            Src::Reg(b) => self.vector(b),
            Src::Mem(mem) if mem.base == Base::Constants => {
                let (words, _) = self.constant(mem).as_chunks::<4>();
                let words: Vec<_> = words
                    .iter()
                    .map(|word| format!("{:#x}", u32::from_le_bytes(*word)))
                    .collect();
                // The compiler may well know zero, and outside loops nothing is repeated.
                let zero = words.iter().all(|word| word == "0x0");
                let hidden = !zero && self.depth > 0;
                match &words[..] {
                    [word, rest @ ..] if !hidden && rest.iter().all(|other| other == word) => {
                        format!("u32x4_splat({word})")
                    }
                    _ if hidden => self.hide(format!("u32x4({})", words.join(", "))),
                    _ => format!("u32x4({})", words.join(", ")),
                }
            }
            Src::Mem(mem) => format!("v128_load({}.cast())", self.place(mem)),
            Src::Gpr(_) => panic!("{op:?} takes no general register"),
        });
        let b = || b.clone().expect("a second operand");
        let lane = |immediate: u8, i: usize| immediate >> (2 * i) & 3;
        match op {
            Op::Move => b(),
            Op::Add => format!("i32x4_add({}, {})", a(), b()),
            Op::AddQuad => format!("i64x2_add({}, {})", a(), b()),
            Op::Xor => format!("v128_xor({}, {})", a(), b()),
            Op::Or => format!("v128_or({}, {})", a(), b()),
            Op::ShiftLeft(by) => format!("u32x4_shl({}, {by})", a()),
            Op::ShiftRight(by) => format!("u32x4_shr({}, {by})", a()),
            Op::ShuffleLanes(immediate) => {
                let [p, q, r, s] = [0, 1, 2, 3].map(|i| lane(immediate, i));
                format!("i32x4_shuffle::<{p}, {q}, {r}, {s}>({0}, {0})", a())
            }
            Op::ShuffleTwo(immediate) => {
                let [p, q, r, s] =
                    [0, 1, 2, 3].map(|i| lane(immediate, i) + if i < 2 { 0 } else { 4 });
                format!("i32x4_shuffle::<{p}, {q}, {r}, {s}>({}, {})", a(), b())
            }
            Op::UnpackLow => format!("i32x4_shuffle::<0, 4, 1, 5>({}, {})", a(), b()),
            Op::UnpackHigh => format!("i32x4_shuffle::<2, 6, 3, 7>({}, {})", a(), b()),
            Op::UnpackLowQuad => format!("i64x2_shuffle::<0, 2>({}, {})", a(), b()),
            Op::UnpackHighQuad => format!("i64x2_shuffle::<1, 3>({}, {})", a(), b()),
            Op::BroadcastQuad => format!("i64x2_shuffle::<0, 0>({0}, {0})", b()),
            _ => panic!("{op:?} is not printed as Rust"),
        }
    }
}

/// The text of instructions where general registers hold numbers, but for the first argument and those whose addresses are
/// taken.
pub(super) fn text(constants: &[u8], code: &[Inst]) -> String {
    let mut printer = Printer::new(&Code {
        constants,
        blocks: &[],
        frame: 0,
        contract: None,
    });
    printer.hidden = None;
    for register in Gpr::ALL {
        printer.kinds.insert(register, Kind::Number);
    }
    let mut pointers = vec![Gpr::Sp, Gpr::A0];
    pointers.extend(code.iter().filter_map(|inst| match inst {
        Inst::Address { mem, .. } => match mem.base {
            Base::Gpr(base) => Some(base),
            Base::Constants => None,
        },
        _ => None,
    }));
    for register in pointers {
        printer.kinds.insert(register, Kind::Pointer);
    }
    let line = |inst: &Inst| match inst {
        Inst::JumpIf { .. } => format!("{} {{ break; }}", printer.leaves(inst)),
        _ => printer.statement(inst).unwrap_or_default(),
    };
    let lines: Vec<_> = code.iter().map(line).collect();
    lines.join(" ")
}
