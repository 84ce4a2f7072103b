//! Assembly: each kernel a naked function, each instruction a line.

pub mod a64;
pub mod x86;

use std::fmt::Write;

use super::header;
use crate::ir::{Block, Inst};
use crate::isa::{Constants, Encoding, Isa};
use crate::kernel::Kernel;
use crate::layout::{lanes, rows};
use crate::prove::contract::Contract;

/// The first local label: the assembler takes labels of zeros and ones for binary numbers.
const FIRST_LABEL: usize = 2;

/// The file of a tier.
pub fn file(isa: &Isa, constants: &Constants, kernels: &[Kernel]) -> String {
    let features = isa.features.join(", ");
    let facts = vec![
        format!("CPU features: {features}."),
        "Every kernel here was proved equal to `codegen/src/spec.rs` before it was written.".into(),
    ];
    let mut text = header(
        &format!("Kernels of the tier `{}`.", isa.name),
        &format!("codegen/src/isa/{}.rs", isa.name),
        &facts,
    );
    text.push_str("\nuse core::arch::naked_asm;\nuse core::mem::offset_of;\n\n");
    let mut imports = structures(kernels);
    imports.push("cfi");
    writeln!(text, "use super::{{{}}};\n", imports.join(", ")).unwrap();
    text.push_str(
        "/// Rows of constants: the IV, zero, the block length, lane numbers, byte shuffles.\n",
    );
    text.push_str(&table(&constants.bytes));
    for kernel in kernels {
        text.push_str(&layout(kernel));
    }
    for kernel in kernels {
        text.push('\n');
        text.push_str(&function(kernel));
    }
    text
}

/// The argument structures of kernels.
pub(super) fn structures(kernels: &[Kernel]) -> Vec<&'static str> {
    ["Lanes", "Rows"]
        .into_iter()
        .filter(|name| {
            kernels.iter().any(|kernel| {
                kernel
                    .parameters
                    .iter()
                    .any(|(_, kind)| kind.contains(name))
            })
        })
        .collect()
}

/// The places of the fields of a kernel's argument structure, checked when the file is compiled.
pub(super) fn layout(kernel: &Kernel) -> String {
    let (name, count, fields, end) = match kernel.contract {
        Contract::Messages { width, .. } => {
            let fields = lanes::Fields::new(width.lanes());
            let places = vec![
                ("cvs", fields.cvs),
                ("pointers", fields.pointers),
                ("counters", fields.counters[0]),
                ("block_len", fields.block_len),
                ("flags", fields.flags),
            ];
            ("Lanes", width.lanes(), places, fields.end)
        }
        Contract::Rows { width, sets } => {
            let count = width.parts() * sets;
            let fields = rows::Fields::new(count);
            let places = vec![
                ("cvs", fields.cvs[0]),
                ("tails", fields.tails[0]),
                ("pointers", fields.pointers),
            ];
            ("Rows", count, places, fields.end)
        }
        _ => return String::new(),
    };
    let kind = format!("{name}<{count}>");
    let mut text = format!("\nconst _: () = assert!(size_of::<{kind}>() >= {end}");
    for (field, offset) in fields {
        text.push_str(&format!("\n    && offset_of!({kind}, {field}) == {offset}"));
    }
    text + ");\n"
}

/// A kernel as a naked function.
pub fn function(kernel: &Kernel) -> String {
    let mut text = String::new();
    for line in &kernel.about {
        writeln!(text, "/// {line}").unwrap();
    }
    writeln!(
        text,
        "///\n/// # Safety\n///\n/// The CPU has {}; the pointers are good for the lengths above.",
        kernel.isa.features.join(", ")
    )
    .unwrap();
    let parameters: Vec<_> = kernel
        .parameters
        .iter()
        .map(|(name, kind)| format!("_{name}: {kind}"))
        .collect();
    text.push_str("#[unsafe(naked)]\n");
    writeln!(
        text,
        "pub(super) unsafe extern \"{}\" fn {}({}) {{",
        convention(kernel.isa),
        kernel.name,
        parameters.join(", ")
    )
    .unwrap();
    text + &body(kernel.isa, &kernel.blocks)
}

/// The calling convention of a tier's kernels: one for all systems where the systems differ.
pub fn convention(isa: &Isa) -> &'static str {
    match isa.encoding {
        Encoding::A64 => "C",
        _ => "sysv64",
    }
}

/// A table of constants.
pub(super) fn table(bytes: &[u8]) -> String {
    let words = bytes.as_chunks::<4>().0;
    let mut text = format!(
        "#[repr(C, align(64))]\nstruct Constants([u32; {0}]);\n\nstatic CONSTANTS: Constants = Constants([\n",
        words.len()
    );
    for row in words.chunks(8) {
        let words: Vec<_> = row
            .iter()
            .map(|word| format!("{:#010x}", u32::from_le_bytes(*word)))
            .collect();
        writeln!(text, "    {},", words.join(", ")).unwrap();
    }
    text + "]);\n"
}

/// The body of a naked function, with the brace that ends it.
pub(super) fn body(isa: &Isa, blocks: &[Block]) -> String {
    let mut text = String::from("    naked_asm!(\n");
    let targets: Vec<usize> = blocks
        .iter()
        .flat_map(|block| &block.code)
        .filter_map(|inst| match inst {
            Inst::JumpIf { block, .. } => Some(*block),
            _ => None,
        })
        .collect();
    // What the target need not have.
    for feature in isa.features {
        if isa.encoding == Encoding::A64 && *feature != "neon" {
            writeln!(text, "        \".arch_extension {feature}\",").unwrap();
        }
    }
    let mut uses_constants = false;
    for (number, block) in blocks.iter().enumerate() {
        if targets.contains(&number) {
            writeln!(
                text,
                "        \".p2align 5\",\n        \"{}:\",",
                number + FIRST_LABEL
            )
            .unwrap();
        }
        for inst in &block.code {
            match inst {
                Inst::Note(note) => writeln!(text, "        // {note}").unwrap(),
                Inst::Unwind(directive) => {
                    writeln!(text, "        cfi!(\"{directive}\"),").unwrap()
                }
                Inst::LoadTable => {
                    uses_constants = true;
                    text.push_str("        table!(),\n");
                }
                _ => {
                    let line = instruction(isa, inst);
                    uses_constants |= line.contains("{constants}");
                    writeln!(text, "        \"{line}\",").unwrap();
                }
            }
        }
    }
    if uses_constants {
        text.push_str("        constants = sym CONSTANTS,\n");
    }
    text + "    )\n}\n"
}

/// The text of an instruction.
pub fn instruction(isa: &Isa, inst: &Inst) -> String {
    match isa.encoding {
        Encoding::A64 => a64::instruction(inst),
        _ => x86::instruction(isa, inst),
    }
}
