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
    assert_eq!(needed(&[]), ["blake3_lanes default,std"]);
}

/// Names of features are part of the interface: to lose one, or to gain one by default, breaks
/// users.
#[test]
fn features() {
    assert_eq!(
        needed(&["--all-features"])[0],
        "blake3_lanes cpufeatures,default,rayon,std"
    );
}

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
