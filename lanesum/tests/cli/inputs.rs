//! Files of all sizes, standard input, pipes and special files.

use super::{Folder, hex, pattern};
use std::io::Read;

/// Around nothing, blocks, chunks, the reader's buffer, and a mebibyte.
const LENGTHS: [usize; 17] = [
    0,
    1,
    63,
    64,
    65,
    1023,
    1024,
    1025,
    3799,
    8192,
    16383,
    16384,
    16385,
    65535,
    65536,
    65537,
    1 << 20,
];

#[test]
fn known_digests() {
    let folder = Folder::new("known_digests");
    folder.write("empty", b"");
    folder.write("hi", b"hi\n");
    assert_eq!(
        folder.run(["empty", "hi"]).text(),
        "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262  empty\n\
         0b8b60248fad7ac6dfac221b7e01a8b91c772421a15b387dd1fb2d6a94aee438  hi\n"
    );
}

#[test]
fn files_of_many_lengths() {
    let folder = Folder::new("files_of_many_lengths");
    let mut expected = String::new();
    for len in LENGTHS {
        let content = pattern(len);
        folder.write(format!("f{len}"), &content);
        expected += &format!("{}  f{len}\n", hex(&content));
    }
    assert_eq!(
        folder.run(LENGTHS.map(|len| format!("f{len}"))).text(),
        expected
    );
}

#[test]
fn standard_input() {
    let folder = Folder::new("standard_input");
    for len in LENGTHS {
        let content = pattern(len);
        let expected = format!("{}  -\n", hex(&content));
        assert_eq!(folder.run_with(&content, ["-"]).text(), expected);
        assert_eq!(folder.run_with(&content, [""; 0]).text(), expected);
    }
}

#[test]
fn standard_input_among_files_and_twice() {
    let folder = Folder::new("standard_input_among_files");
    folder.write("a", b"a");
    folder.write("b", b"b");
    // The second time there is nothing left to read.
    assert_eq!(
        folder.run_with(b"in", ["a", "-", "b", "-"]).text(),
        format!(
            "{}  a\n{}  -\n{}  b\n{}  -\n",
            hex(b"a"),
            hex(b"in"),
            hex(b"b"),
            hex(b"")
        )
    );
}

#[test]
fn a_file_named_as_standard_input_or_as_an_option() {
    let folder = Folder::new("a_file_named_as");
    folder.write("-", b"dash");
    folder.write("--raw", b"raw");
    assert_eq!(
        folder.run(["./-", "--", "--raw"]).text(),
        format!("{}  ./-\n{}  --raw\n", hex(b"dash"), hex(b"raw"))
    );
}

#[test]
fn the_same_file_twice() {
    let folder = Folder::new("the_same_file_twice");
    folder.write("a", b"a");
    assert_eq!(
        folder.run(["a", "a"]).text(),
        format!("{0}  a\n{0}  a\n", hex(b"a"))
    );
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::fs;
    use std::process::Command;

    #[test]
    fn a_fifo() {
        let folder = Folder::new("a_fifo");
        let path = folder.path().join("fifo");
        assert!(
            Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        let content = pattern(300_000);
        let expected = format!("{}  fifo\n", hex(&content));
        let writer = std::thread::spawn(move || fs::write(path, content).unwrap());
        assert_eq!(folder.run(["fifo"]).text(), expected);
        writer.join().unwrap();
    }

    #[test]
    fn a_link_is_followed() {
        let folder = Folder::new("a_link");
        folder.write("a", b"a");
        std::os::unix::fs::symlink("a", folder.path().join("link")).unwrap();
        assert_eq!(
            folder.run(["link"]).text(),
            format!("{}  link\n", hex(b"a"))
        );
    }

    #[test]
    fn the_empty_device() {
        let folder = Folder::new("the_empty_device");
        assert_eq!(
            folder.run(["/dev/null"]).text(),
            format!("{}  /dev/null\n", hex(b""))
        );
    }

    // Its length is 0 by its metadata, and it can't be mapped.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_that_hides_its_length() {
        let folder = Folder::new("a_file_that_hides");
        let content = fs::read("/proc/version").unwrap();
        assert!(!content.is_empty());
        assert_eq!(
            folder.run(["/proc/version"]).text(),
            format!("{}  /proc/version\n", hex(&content))
        );
    }
}

/// Lengths and positions are 64 bits wide on 32-bit machines too, which cannot map such a file.
#[test]
#[ignore = "gigabytes"]
fn more_than_four_gib() {
    const LEN: u64 = (1 << 32) + 70_001;
    let folder = Folder::new("more_than_four_gib");
    // A hole, which takes no room.
    let file = std::fs::File::create(folder.path().join("f")).unwrap();
    file.set_len(LEN).unwrap();
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(std::io::repeat(0).take(LEN)).unwrap();
    let expected = format!("{}  f\n", hasher.finalize());
    assert_eq!(folder.run(["f"]).text(), expected);
    assert_eq!(folder.run(["--mmap", "f"]).text(), expected);
}
