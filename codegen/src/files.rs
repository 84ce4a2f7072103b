//! The generated files: made, proved, written or compared.

use std::collections::BTreeSet;
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
    /// Its folder, which holds nothing else, from the root of the repository.
    pub folder: &'static str,
    /// Its name there.
    pub name: String,
    /// What it must hold.
    pub text: String,
}

impl File {
    fn path(&self) -> String {
        format!("{}/{}", self.folder, self.name)
    }
}

/// The kernels.
pub const KERNELS: &str = "generated";
/// What the tests execute to compare instructions with their models.
pub const PROBES: &str = "codegen/tests/probes";

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
        folder: KERNELS,
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
        let mut push = |folder, text| {
            let name = format!("{}.rs", isa.name);
            files.push(File { folder, name, text });
        };
        push(KERNELS, print::kernels(isa, &constants, &kernels));
        push(PROBES, print::probes::file(isa, &constants, &kernels));
    }
    Ok((files, proved))
}

/// The root of the repository, wherever the command is run.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What is wrong with the files of a repository, a line each: stale, missing, or not the generator's.
///
/// # Errors
///
/// Where a folder cannot be read.
pub fn check(root: &Path, files: &[File]) -> Result<Vec<String>, String> {
    let mut wrong = Vec::new();
    for file in files {
        let path = file.path();
        match fs::read_to_string(root.join(&path)) {
            Ok(text) if text.replace("\r\n", "\n") == file.text => {}
            Ok(_) => wrong.push(format!("{path} is stale")),
            Err(error) => wrong.push(format!("{path} cannot be read: {error}")),
        }
    }
    let folders: BTreeSet<_> = files.iter().map(|file| file.folder).collect();
    for folder in folders {
        let unreadable = |error| format!("{folder} cannot be read: {error}");
        for entry in fs::read_dir(root.join(folder)).map_err(unreadable)? {
            let name = entry.map_err(unreadable)?.file_name();
            let known = |file: &File| file.folder == folder && name == *file.name;
            if !files.iter().any(known) {
                wrong.push(format!(
                    "{folder}/{} is not the generator's",
                    name.display()
                ));
            }
        }
    }
    Ok(wrong)
}

/// Writes the files that differ.
///
/// # Errors
///
/// Names the file that could not be written, and why.
pub fn write(root: &Path, files: &[File]) -> Result<(), String> {
    for file in files {
        let path = root.join(file.path());
        if fs::read_to_string(&path).is_ok_and(|text| text == file.text) {
            continue;
        }
        fs::create_dir_all(root.join(file.folder))
            .and_then(|()| fs::write(&path, &file.text))
            .map_err(|error| format!("{} cannot be written: {error}", file.path()))?;
    }
    Ok(())
}
