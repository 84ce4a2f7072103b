//! The generated files: made, proved, written or compared.

use std::fs;
use std::path::{Path, PathBuf};

use crate::isa::{self, Constants};
use crate::kernel::{Kernel, kernels};
use crate::layout::scalar;
use crate::print;
use crate::prove::{self, Proof};

/// A generated file.
#[derive(Debug)]
pub struct File {
    /// Its name in `generated/`.
    pub name: String,
    /// What it must hold.
    pub text: String,
}

/// A kernel that was proved.
#[derive(Debug)]
pub struct Proved {
    /// Tier and name.
    pub name: String,
    /// The kernel, where it is one of instructions.
    pub kernel: Option<Kernel>,
    /// What the proof took.
    pub proof: Proof,
}

/// Makes everything, and proves it.
///
/// # Errors
///
/// The first kernel whose proof fails, and how.
pub fn make() -> Result<(Vec<File>, Vec<Proved>), String> {
    let compression = scalar::compression();
    let proof = prove::prove_scalar(&compression)?;
    let mut proved = vec![Proved {
        name: "portable compress".into(),
        kernel: None,
        proof,
    }];
    let mut files = vec![File {
        name: "portable.rs".into(),
        text: print::rust::file(&compression),
    }];
    for isa in isa::ALL {
        let constants = Constants::new(isa);
        let kernels = kernels(isa);
        for kernel in &kernels {
            let proof = prove::prove(kernel, &constants)?;
            proved.push(Proved {
                name: format!("{} {}", isa.name, kernel.name),
                kernel: Some(kernel.clone()),
                proof,
            });
        }
        files.push(File {
            name: format!("{}.rs", isa.name),
            text: print::asm::file(isa, &constants, &kernels),
        });
    }
    Ok((files, proved))
}

/// The folder of the generated files, wherever the command is run.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../generated")
}

/// What is wrong with the files in a folder, a line each: stale, missing, or not the generator's.
///
/// # Errors
///
/// Where the folder cannot be read.
pub fn check(folder: &Path, files: &[File]) -> Result<Vec<String>, String> {
    let mut wrong = Vec::new();
    for file in files {
        let path = folder.join(&file.name);
        match fs::read_to_string(&path) {
            Ok(text) if text.replace("\r\n", "\n") == file.text => {}
            Ok(_) => wrong.push(format!("generated/{} is stale", file.name)),
            Err(error) => wrong.push(format!("generated/{} cannot be read: {error}", file.name)),
        }
    }
    let entries = fs::read_dir(folder)
        .map_err(|error| format!("{} cannot be read: {error}", folder.display()))?;
    for entry in entries {
        let name = entry
            .map_err(|error| format!("{} cannot be read: {error}", folder.display()))?
            .file_name();
        if !files.iter().any(|file| name == *file.name) {
            wrong.push(format!(
                "generated/{} is not the generator's",
                name.display()
            ));
        }
    }
    Ok(wrong)
}

/// Writes the files that differ.
///
/// # Errors
///
/// Names the file that could not be written, and why.
pub fn write(folder: &Path, files: &[File]) -> Result<(), String> {
    for file in files {
        let path = folder.join(&file.name);
        if fs::read_to_string(&path).is_ok_and(|text| text == file.text) {
            continue;
        }
        fs::write(&path, &file.text)
            .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    }
    Ok(())
}
