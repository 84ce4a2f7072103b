//! What a user takes on with this crate: nothing without features, no build script ever, and
//! features whose names stay.
#![cfg(not(miri))]

use std::path::Path;
use std::process::Command;

/// What cargo says of the package.
fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .args([
            "--offline",
            "--manifest-path",
            concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
        ])
        .output()
        .expect("cargo runs, since this is one of its tests");
    assert!(
        output.status.success(),
        "cargo {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}

/// The packages that the library and its build need, with these features.
fn needed(features: &[&str]) -> Vec<String> {
    let tree = [
        "tree",
        "--package",
        "blake3-lanes",
        "--edges",
        "normal,build",
        "--target",
        "all",
    ];
    let format = ["--prefix", "none", "--format", "{lib} {f}"];
    let all = cargo(&[&tree[..], &format, features].concat());
    all.lines().map(|line| line.trim_end().to_owned()).collect()
}

#[test]
fn nothing_is_needed() {
    assert_eq!(needed(&["--no-default-features"]), ["blake3_lanes"]);
    let std = needed(&["--no-default-features", "--features", "std"]);
    assert_eq!(std, ["blake3_lanes std"]);
}

/// By default, the RustCrypto traits and what they need.
#[test]
fn traits_are_needed_by_default() {
    let mut names = needed(&[]);
    assert_eq!(names.remove(0), "blake3_lanes default,digest,std");
    for name in &mut names {
        name.truncate(name.find(' ').unwrap_or(name.len()));
    }
    names.sort();
    names.dedup();
    assert_eq!(
        names,
        [
            "block_buffer",
            "cmov",
            "crypto_common",
            "ctutils",
            "digest",
            "hybrid_array",
            "typenum",
        ]
    );
}

/// Names of features are part of the interface: to lose one, to gain one by default, or to change
/// what one brings, breaks users.
#[test]
fn features() {
    let manifest = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .expect("the manifest");
    let section = manifest
        .split("\n[")
        .find_map(|section| section.strip_prefix("features]\n"))
        .expect("features");
    let features: Vec<_> = section
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    assert_eq!(features, FEATURES.trim().lines().collect::<Vec<_>>());

    // All of them, as cargo sees them: a dependency must not make a feature of its own name.
    let mut names: Vec<_> = FEATURES
        .trim()
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    names.sort_unstable();
    assert_eq!(
        needed(&["--all-features"])[0],
        format!("blake3_lanes {}", names.join(","))
    );
}

const FEATURES: &str = r#"
default = ["std", "digest"]
std = ["digest?/alloc", "digest-0_10?/std"]
cpufeatures = ["dep:cpufeatures"]
rayon = ["std", "dep:rayon-core"]
mmap = ["std", "dep:memmap2"]
tokio = ["std", "dep:tokio"]
digest = ["dep:digest"]
digest-0_10 = ["dep:digest-0_10"]
traits-preview = ["digest"]
oid = ["digest?/oid", "digest-0_10?/oid"]
zeroize = ["dep:zeroize", "digest?/zeroize"]
serde = ["dep:serde_core"]
subtle = ["dep:subtle"]
rand_core = ["dep:rand_core"]
"#;

#[test]
fn no_build_script() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).expect("the manifest");
    let keys = || {
        manifest
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|(key, _)| key.trim())
    };
    assert!(
        keys().any(|key| key == "version"),
        "the manifest is not what it was"
    );
    assert!(!keys().any(|key| key == "build" || key == "links"));
    assert!(!root.join("build.rs").exists());
}
