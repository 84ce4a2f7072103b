//! Hands the compiler's version to the reports: a ratio without it cannot be compared with the next one.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok());
    println!(
        "cargo::rustc-env=RUSTC_VERSION={}",
        version.as_deref().unwrap_or("unknown").trim()
    );
}
