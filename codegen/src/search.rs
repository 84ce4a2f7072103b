//! `cargo codegen --search`: measures every tuning of the chunks kernels on this machine.
//!
//! Writes a program of all variants below `target/search`, each proved first, and runs it. What it finds
//! fastest is put into the tier's table by hand, with the measurement beside it: a search on one machine
//! is an argument, not a decision.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use crate::ir::Width;
use crate::isa::{self, Constants, Isa};
use crate::layout::lanes::{self, Copies, Tuning};
use crate::{print, prove};

const MANIFEST: &str = "[package]
name = \"search\"
version = \"0.0.0\"
edition = \"2024\"

[workspace]
";

/// All tunings that are measured, but for prefetching, which only tells on inputs larger than the cache.
pub fn tunings(prefetch: i32) -> Vec<Tuning> {
    let mut all = Vec::new();
    for copies in [
        Copies::Words,
        Copies::Pairs,
        Copies::Vectors,
        Copies::Quarters,
        Copies::Afterwards,
        Copies::InRegisters,
    ] {
        // Vectors do not copy word by word.
        for by_word in [true, false] {
            for stagger in 0..5 {
                if by_word || !copies.by_vectors() {
                    all.push(Tuning {
                        stagger,
                        copies,
                        by_word,
                        prefetch,
                        keep: false,
                        apart: 0,
                        held: &[],
                        fused: [&[]; 4],
                    });
                }
            }
        }
    }
    all
}

fn widths(isa: &Isa) -> Vec<Width> {
    match isa.width {
        Width::Z => vec![Width::Y, Width::Z],
        width => vec![width],
    }
}

/// A program: its files by name, and what was left out since the proof refused it.
#[derive(Debug, Default)]
pub struct Program {
    /// Names, and texts.
    pub files: Vec<(String, String)>,
    /// A line for each variant that is not there.
    pub refused: Vec<String>,
}

/// The program that measures all variants.
///
/// # Errors
///
/// Where text cannot be written.
pub fn program() -> Result<Program, std::fmt::Error> {
    let mut files = Vec::new();
    let mut refused = Vec::new();
    let (mut modules, mut list) = (String::new(), String::new());
    let here = |isa: &&Isa| isa.encoding.architecture() == env::consts::ARCH;
    for isa in isa::ALL.into_iter().filter(here) {
        let constants = Constants::new(isa);
        for width in widths(isa) {
            let chosen = isa.tuning(width);
            let bits = 8 * width.bytes();
            for (i, tuning) in tunings(chosen.prefetch).into_iter().enumerate() {
                let kernel = lanes::chunks(isa, &constants, width, tuning).finish();
                if let Err(error) = prove::prove(&kernel, &constants) {
                    refused.push(format!("{tuning:?}: {error}"));
                    continue;
                }
                let module = format!("{}_{bits}_{i}", isa.name);
                let text = print::asm::file(isa, &constants, std::slice::from_ref(&kernel));
                files.push((format!("src/{module}.rs"), text));
                writeln!(modules, "mod {module};")?;
                let features: Vec<_> = isa
                    .features
                    .iter()
                    .map(|name| format!("has!({name:?})"))
                    .collect();
                writeln!(
                    list,
                    "    if {} {{ all.push(Variant {{ group: \"{} {bits} bits\", name: \"{:?} by_word: {} stagger: {}{}\", \
                     lanes: {}, kernel: {module}::{} }}); }}",
                    features.join(" && "),
                    isa.name,
                    tuning.copies,
                    tuning.by_word,
                    tuning.stagger,
                    if tuning == chosen {
                        " (in the table)"
                    } else {
                        ""
                    },
                    width.lanes(),
                    kernel.name,
                )?;
            }
        }
    }
    let harness = include_str!("search/harness.rs");
    let main = format!(
        "{harness}\n{modules}\nfn variants() -> Vec<Variant> {{\n    let mut all = Vec::new();\n{list}    all\n}}\n"
    );
    files.push(("src/main.rs".into(), main));
    files.push(("Cargo.toml".into(), MANIFEST.into()));
    Ok(Program { files, refused })
}

/// Writes the program, builds it and runs it.
///
/// # Errors
///
/// Names the file or command that failed, and why.
pub fn run() -> Result<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/search");
    let Program { files, refused } = program().map_err(|error| error.to_string())?;
    for (name, text) in files {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(&folder);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    }
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--quiet", "--release"])
        .current_dir(&folder)
        .status()
        .map_err(|error| format!("cargo does not run in {}: {error}", folder.display()))?;
    if !status.success() {
        return Err(format!(
            "the program in {} ended with {status}",
            folder.display()
        ));
    }
    Ok(refused
        .into_iter()
        .map(|line| format!("refused: {line}\n"))
        .collect())
}
