//! What can go wrong: each message names the file or argument, says what was wrong and what was expected, and the exit
//! code is 1.

use super::{Folder, hex};
use std::fs;

#[test]
fn missing_files_and_folders_do_not_stop_the_others() {
    let folder = Folder::new("missing_files_and_folders");
    folder.write("a", b"a");
    folder.write("b", b"b");
    fs::create_dir(folder.path().join("dir")).unwrap();
    let run = folder.run(["gone", "a", "dir", "", "b"]);
    assert_eq!(run.stderr().lines().count(), 3, "{}", run.stderr());
    run.fails(
        &format!("{}  a\n{}  b\n", hex(b"a"), hex(b"b")),
        &[
            "lanesum: gone: ",
            "expected the name of a file",
            "lanesum: dir: ",
            "expected a file",
            "lanesum: : ",
        ],
    );
    folder.run(["--raw", "dir"]).fails("", &["lanesum: dir: "]);
    folder.run(["--tag", "a/b"]).fails("", &["lanesum: a/b: "]);
}

#[test]
fn keys_of_a_wrong_length() {
    let folder = Folder::new("keys_of_a_wrong_length");
    folder.write("a", b"a");
    for (len, found) in [
        (0, "found 0"),
        (31, "found 31"),
        (33, "found more"),
        (64, "found more"),
    ] {
        folder
            .run_with(&vec![b'k'; len], ["--keyed", "a"])
            .fails("", &["--keyed", "exactly 32", found]);
    }
}

#[test]
fn standard_input_cannot_be_both_key_and_data() {
    let folder = Folder::new("standard_input_cannot");
    folder.write("a", b"a");
    let key = [b'k'; 32];
    let digest = blake3::keyed_hash(&key, b"a");
    folder.run_with(&key, ["--keyed", "-", "a"]).fails(
        &format!("{digest}  a\n"),
        &["lanesum: -: ", "expected a file"],
    );
    folder
        .run_with(&key, ["--keyed"])
        .fails("", &["--keyed", "at least one FILE"]);
}

#[test]
fn bad_numbers() {
    let folder = Folder::new("bad_numbers");
    folder.write("a", b"a");
    for option in ["--length", "--seek"] {
        for value in ["x", "", "-5", "3.5", "0x20", "18446744073709551616", "1 "] {
            let range = "expected a number of bytes from 0 to 18446744073709551615";
            folder
                .run([option, value, "a"])
                .fails("", &[option, value, range]);
        }
    }
    folder
        .run(["--length"])
        .fails("", &["--length", "a value is required"]);
}

#[test]
fn options_that_do_not_go_together() {
    let folder = Folder::new("options_that_do_not");
    folder.write("a", b"a");
    folder
        .run(["--raw", "a", "a"])
        .fails("", &["--raw", "single FILE", "found 2"]);
    folder
        .run_with(&[0; 32], ["--keyed", "--derive-key", "c", "a"])
        .fails("", &["--keyed", "--derive-key"]);
    folder
        .run(["--no-such-option", "a"])
        .fails("", &["--no-such-option"]);
}

#[cfg(target_os = "linux")]
mod linux {
    use super::super::lanesum;
    use super::*;
    use std::fs::File;
    use std::io::{Read, Write};
    use std::os::unix::fs::PermissionsExt;
    use std::process::{Command, Stdio};

    #[test]
    fn an_unreadable_file() {
        let folder = Folder::new("an_unreadable_file");
        folder.write("a", b"a");
        let path = folder.path().join("a");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
        // The superuser may read it all the same.
        if File::open(&path).is_err() {
            folder
                .run(["a"])
                .fails("", &["lanesum: a: ", "expected a file that may be read"]);
        }
    }

    // Opens well, and fails when read: this address of the process is never mapped.
    #[test]
    fn an_error_while_reading() {
        let folder = Folder::new("an_error_while_reading");
        folder.write("a", b"a");
        folder.run(["/proc/self/mem", "a"]).fails(
            &format!("{}  a\n", hex(b"a")),
            &["lanesum: /proc/self/mem: "],
        );
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let folder = Folder::new("a_full_disk");
        folder.write("a", b"a");
        for form in [&["a"][..], &["--raw", "a"], &["-l", "100000", "a"]] {
            let output = lanesum()
                .args(form)
                .current_dir(folder.path())
                .stdout(File::options().write(true).open("/dev/full").unwrap())
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(1));
            let message = String::from_utf8(output.stderr).unwrap();
            assert!(
                message.starts_with("lanesum: cannot write to standard output: "),
                "{message}"
            );
        }
    }

    #[test]
    fn a_reader_that_leaves_early_is_no_news() {
        let folder = Folder::new("a_reader_that_leaves");
        folder.write("a", b"a");
        let mut child = lanesum()
            .args(["-l", "100000000", "a"])
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0; 64];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        assert_eq!(first, hex(b"a").as_bytes());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(1), Vec::new()));
    }

    // A process that holds its input in memory would need 64 MiB here; the limit is half of that.
    #[test]
    fn memory_is_bounded() {
        let folder = Folder::new("memory_is_bounded");
        let mut child = Command::new("sh")
            .args([
                "-c",
                "ulimit -v 32768 && exec \"$0\" --no-names",
                env!("CARGO_BIN_EXE_lanesum"),
            ])
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let piece = vec![7; 1 << 20];
        let mut hasher = blake3::Hasher::new();
        for _ in 0..64 {
            hasher.update(&piece);
            pipe.write_all(&piece).unwrap();
        }
        drop(pipe);
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        assert_eq!(
            String::from_utf8(output.stdout).unwrap(),
            format!("{}\n", hasher.finalize())
        );
    }
}
