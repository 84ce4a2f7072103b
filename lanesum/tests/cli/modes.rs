//! The options: what is hashed how, and in which form it is printed.

use super::{Folder, hex, pattern, xof, xof_hex};

const CONTEXT: &str = "lanesum 2026-01-01 tests";

fn key() -> [u8; 32] {
    std::array::from_fn(|i| i as u8 ^ 0xa5)
}

fn plain(content: &[u8]) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    hasher.update(content);
    hasher
}

#[test]
fn keyed() {
    let folder = Folder::new("keyed");
    let content = pattern(5000);
    folder.write("f", &content);
    folder.write("g", b"");
    let expected = format!(
        "{}  f\n{}  g\n",
        blake3::keyed_hash(&key(), &content),
        blake3::keyed_hash(&key(), b"")
    );
    assert_eq!(
        folder.run_with(&key(), ["--keyed", "f", "g"]).text(),
        expected
    );
}

#[test]
fn derive_key() {
    let folder = Folder::new("derive_key");
    let content = pattern(5000);
    folder.write("f", &content);
    for context in [CONTEXT, "", "-", "ünïcode \n"] {
        let mut hasher = blake3::Hasher::new_derive_key(context);
        hasher.update(&content);
        let option = format!("--derive-key={context}");
        assert_eq!(
            folder.run([option.as_str(), "f"]).text(),
            format!("{}  f\n", hasher.finalize())
        );
        assert_eq!(
            folder.run_with(&content, [option.as_str()]).text(),
            format!("{}  -\n", hasher.finalize())
        );
    }
}

#[test]
fn lengths_and_seeks() {
    let folder = Folder::new("lengths_and_seeks");
    let content = pattern(2000);
    folder.write("f", &content);
    let hasher = plain(&content);
    for length in [0, 1, 31, 32, 33, 63, 64, 65, 131, 8191, 8192, 8193, 20_000] {
        for seek in [0, 1, 63, 64, 65, 1000, (1 << 38) - 5, u64::MAX - 20_000] {
            let (l, s) = (format!("-l{length}"), format!("--seek={seek}"));
            let expected = xof_hex(&hasher, seek, length);
            assert_eq!(
                folder.run([&l, &s, "f"]).text(),
                format!("{expected}  f\n"),
                "{l} {s}"
            );
            assert!(
                folder.run([&l, &s, "--raw", "f"]).bytes() == xof(&hasher, seek, length),
                "--raw differs from hex with {l} {s}"
            );
        }
    }
    assert_eq!(
        folder.run(["--length", "3", "f"]).text(),
        format!("{}  f\n", &hex(&content)[..6])
    );
}

// BLAKE3 defines no output past 2^64 - 1 bytes. `b3sum` goes on there, and so do we.
#[test]
fn past_the_end_of_the_output() {
    let folder = Folder::new("past_the_end");
    folder.write("f", b"foo");
    let hasher = plain(b"foo");
    for seek in [u64::MAX - 100, u64::MAX] {
        let (s, expected) = (format!("--seek={seek}"), xof(&hasher, seek, 300));
        assert_eq!(folder.run([&s, "--raw", "-l300", "f"]).bytes(), expected);
        assert_eq!(
            folder.run([&s, "-l300", "f"]).text(),
            format!("{}  f\n", xof_hex(&hasher, seek, 300))
        );
    }
}

#[test]
fn long_keyed_and_derived_outputs() {
    let folder = Folder::new("long_keyed_and_derived");
    let content = pattern(1025);
    folder.write("f", &content);
    let mut hasher = blake3::Hasher::new_keyed(&key());
    hasher.update(&content);
    assert_eq!(
        folder
            .run_with(&key(), ["--keyed", "-l", "301", "--seek", "99", "f"])
            .text(),
        format!("{}  f\n", xof_hex(&hasher, 99, 301))
    );
    let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
    hasher.update(&content);
    assert_eq!(
        folder
            .run(["--derive-key", CONTEXT, "-l", "301", "--seek", "99", "f"])
            .text(),
        format!("{}  f\n", xof_hex(&hasher, 99, 301))
    );
}

#[test]
fn forms() {
    let folder = Folder::new("forms");
    folder.write("f", b"foo");
    folder.write("g", b"bar");
    let (f, g) = (hex(b"foo"), hex(b"bar"));
    assert_eq!(folder.run(["f", "g"]).text(), format!("{f}  f\n{g}  g\n"));
    assert_eq!(
        folder.run(["--tag", "f", "g"]).text(),
        format!("BLAKE3 (f) = {f}\nBLAKE3 (g) = {g}\n")
    );
    assert_eq!(
        folder.run(["--no-names", "f", "g"]).text(),
        format!("{f}\n{g}\n")
    );
    // Names are left out even where --tag asks for a form with names.
    assert_eq!(
        folder.run(["--no-names", "--tag", "f"]).text(),
        format!("{f}\n")
    );
    assert_eq!(
        folder.run_with(b"foo", ["--tag"]).text(),
        format!("BLAKE3 (-) = {f}\n")
    );
    assert_eq!(
        folder.run_with(b"foo", ["--no-names"]).text(),
        format!("{f}\n")
    );
    assert_eq!(folder.run(["f", "--tag", "-l0"]).text(), "BLAKE3 (f) = \n");
}

#[test]
fn raw() {
    let folder = Folder::new("raw");
    folder.write("f", b"foo");
    let digest = blake3::hash(b"foo");
    assert_eq!(folder.run(["--raw", "f"]).bytes(), digest.as_bytes());
    assert_eq!(
        folder.run_with(b"foo", ["--raw"]).bytes(),
        digest.as_bytes()
    );
    // Raw bytes and nothing else, whatever form is asked for as well.
    assert_eq!(
        folder.run(["--raw", "--tag", "--no-names", "f"]).bytes(),
        digest.as_bytes()
    );
}

#[test]
fn help_and_version() {
    let folder = Folder::new("help_and_version");
    assert_eq!(
        folder.run(["--version"]).text(),
        concat!("lanesum ", env!("CARGO_PKG_VERSION"), "\n")
    );
    let help = folder.run(["--help"]).text();
    for option in [
        "--keyed",
        "--derive-key",
        "--length",
        "--seek",
        "--raw",
        "--no-names",
        "--tag",
        "--tier",
    ] {
        assert!(help.contains(option), "{option} is missing in: {help}");
    }
}
