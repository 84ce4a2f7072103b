//! `lanesum` beside `b3sum`: the same output and the same success, on every option that they share.
//!
//! Ignored unless asked for, since `b3sum` must be there: `B3SUM` names it, or it is in the path. `.ci/run` installs it.
#![cfg(unix)]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const NEEDED: &str = "b3sum 1.8 is needed: cargo install b3sum, and its path in B3SUM";

fn run(program: &OsStr, folder: &Path, stdin: &[u8], words: &[&OsStr]) -> Output {
    let mut child = Command::new(program)
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect(NEEDED);
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    let feeder = std::thread::spawn(move || pipe.write_all(&stdin).unwrap_or_default());
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    output
}

/// Runs both, compares what they print and whether they succeed, and returns what was printed.
#[track_caller]
fn agree(folder: &Path, stdin: &[u8], words: &[&OsStr]) -> Vec<u8> {
    let b3sum = std::env::var_os("B3SUM").unwrap_or_else(|| "b3sum".into());
    let theirs = run(&b3sum, folder, stdin, words);
    let ours = run(env!("CARGO_BIN_EXE_lanesum").as_ref(), folder, stdin, words);
    let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(
        show(&ours.stdout),
        show(&theirs.stdout),
        "{words:?}\n{}\n{}",
        show(&ours.stderr),
        show(&theirs.stderr)
    );
    assert_eq!(ours.stdout, theirs.stdout);
    assert_eq!(
        ours.status.success(),
        theirs.status.success(),
        "{words:?}\n{}\n{}",
        show(&ours.stderr),
        show(&theirs.stderr)
    );
    ours.stdout
}

#[track_caller]
fn agree_on(folder: &Path, stdin: &[u8], words: &[&str]) -> Vec<u8> {
    let words: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
    agree(folder, stdin, &words)
}

/// Odd names and contents, and what is no file.
fn corpus(name: &str) -> (PathBuf, Vec<OsString>) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("b3sum-{name}"));
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    let mut names: Vec<OsString> = [
        "a",
        " ",
        "  ",
        " leading",
        "trailing ",
        "two  spaces",
        "tab\there",
        "line\nend",
        "carriage\rreturn",
        "back\\slash",
        "\\",
        "\\n",
        "\n",
        "*star",
        "a) = b",
        "BLAKE3 (x) = y",
        "na\u{ef}ve",
        "\u{1f980}",
        "\u{fffd}",
        "'quotes\"",
        "#comment",
        ";semicolon",
    ]
    .map(OsString::from)
    .to_vec();
    names.push(OsStr::from_bytes(b"not\xffUnicode").to_owned());
    names.push(OsStr::from_bytes(b"\xc3\x28\n").to_owned());
    let lengths = [
        0, 1, 63, 64, 65, 1023, 1024, 1025, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537,
        1_000_000, 5_000_001,
    ];
    names.extend(lengths.map(|len| OsString::from(format!("len{len}"))));
    for (i, name) in names.iter().enumerate() {
        let len = match name.to_str().and_then(|name| name.strip_prefix("len")) {
            Some(len) => len.parse().unwrap(),
            None => i,
        };
        let content: Vec<u8> = (0..len).map(|byte| (byte % 251) as u8).collect();
        fs::write(folder.join(name), content).unwrap();
    }
    fs::create_dir(folder.join("folder")).unwrap();
    fs::write(folder.join("unreadable"), b"x").unwrap();
    fs::set_permissions(folder.join("unreadable"), fs::Permissions::from_mode(0o000)).unwrap();
    symlink("a", folder.join("link")).unwrap();
    symlink("nowhere", folder.join("broken")).unwrap();
    // Not the empty name, which b3sum refuses before it hashes any other.
    names.extend(
        [
            "folder",
            "missing",
            "unreadable",
            "link",
            "broken",
            "a/b",
            "/dev/null",
            "/proc/version",
            "/proc/self/mem",
            "/sys/kernel/btf/vmlinux",
            "./a",
            "folder/../a",
        ]
        .map(OsString::from),
    );
    (folder, names)
}

#[test]
#[ignore = "needs b3sum"]
fn every_option_on_every_name() {
    let (folder, names) = corpus("every_option");
    for options in [
        &[][..],
        &["--tag"],
        &["--no-names"],
        &["--length", "100"],
        &["-l0"],
        &["-l", "31", "--seek", "7"],
        &["--seek=1000000", "--tag"],
        &["--derive-key", "some context"],
        &["--derive-key="],
        &["--num-threads", "1"],
        &["--num-threads=3", "--no-mmap"],
        &["--num-threads", "0"],
        &["--no-mmap"],
        &["--no-names", "--tag"],
    ] {
        let mut words: Vec<&OsStr> = options.iter().map(OsStr::new).collect();
        words.push("--".as_ref());
        // All at once, and one by one.
        for name in &names {
            agree(&folder, b"", &[&words[..], &[name]].concat());
        }
        words.extend(names.iter().map(OsString::as_os_str));
        agree(&folder, b"", &words);
    }
    for name in &names {
        agree(&folder, b"", &["--raw".as_ref(), "--".as_ref(), name]);
        let long = [
            "--raw".as_ref(),
            "-l".as_ref(),
            "1000".as_ref(),
            "--".as_ref(),
            name.as_os_str(),
        ];
        agree(&folder, b"", &long);
        agree(
            &folder,
            &[7; 32],
            &["--keyed".as_ref(), "--".as_ref(), name],
        );
    }
}

#[test]
#[ignore = "needs b3sum"]
fn standard_input_and_pipes() {
    let (folder, _) = corpus("standard_input");
    for len in [0, 1, 1000, 65_536, 3_000_000] {
        let content = vec![7; len];
        for words in [
            &[][..],
            &["-"],
            &["a", "-"],
            &["-", "a"],
            &["-", "-"],
            &["--raw"],
            &["--tag", "-"],
            &["--no-names"],
            &["/dev/stdin"],
        ] {
            agree_on(&folder, &content, words);
        }
    }
    // One pipe for each program.
    let fifo = folder.join("fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let writer = std::thread::spawn(move || {
        for _ in 0..2 {
            fs::write(&fifo, [7; 300_000]).unwrap();
            // The next writer would otherwise still find the last reader.
            std::thread::sleep(std::time::Duration::from_millis(300));
        }
    });
    agree_on(&folder, b"", &["fifo"]);
    writer.join().unwrap();
}

#[test]
#[ignore = "needs b3sum"]
fn wrong_command_lines() {
    let (folder, _) = corpus("wrong");
    for words in [
        &["--raw", "a", "a"][..],
        &["--keyed"],
        &["--keyed", "a"],
        &["--keyed", "--derive-key", "x", "a"],
        &["--length", "x", "a"],
        &["--length=-1", "a"],
        &["--seek", "", "a"],
        &["--no-such", "a"],
        &["--quiet", "a"],
        &["--check", "--length", "5", "a"],
        &["--check", "--raw", "a"],
        &["--check", "--tag", "a"],
        &["--check", "--keyed", "a"],
        &["--check", "--no-names", "a"],
        &["--check", "--derive-key", "x", "a"],
        &["--num-threads", "x", "a"],
    ] {
        for stdin in [&b""[..], &[7; 31], &[7; 33]] {
            agree_on(&folder, stdin, words);
        }
    }
    agree_on(&folder, &[7; 32], &["--keyed", "-"]);
    agree_on(&folder, &[7; 32], &["--keyed", "a", "-", "link"]);
}

#[test]
#[ignore = "needs b3sum"]
fn checkfiles() {
    let (folder, names) = corpus("checkfiles");
    for options in [&[][..], &["--tag"]] {
        let mut words: Vec<&OsStr> = options.iter().map(OsStr::new).collect();
        words.push("--".as_ref());
        words.extend(names.iter().map(OsString::as_os_str));
        let sums = agree(&folder, b"", &words);
        // Names that cannot be told apart are refused by both. Lines with two spaces in a tagged name are not: b3sum
        // takes them for the other form.
        let mut good: Vec<&[u8]> = Vec::new();
        for line in sums.split_inclusive(|&byte| byte == b'\n') {
            let tagged_spaces = !options.is_empty() && line.windows(2).any(|pair| pair == b"  ");
            if !tagged_spaces {
                good.push(line);
            }
        }
        for (name, lines) in [
            ("all", good.concat()),
            (
                "crlf",
                good.concat()
                    .split(|&b| b == b'\n')
                    .collect::<Vec<_>>()
                    .join(&b"\r\n"[..]),
            ),
        ] {
            fs::write(folder.join(name), &lines).unwrap();
            agree_on(&folder, b"", &["--check", name]);
            agree_on(&folder, b"", &["-c", "--quiet", name]);
            agree_on(
                &folder,
                b"",
                &["-c", "--no-mmap", "--num-threads=2", name, name],
            );
            agree_on(&folder, &lines, &["--check"]);
        }
    }
    let a = String::from_utf8(agree_on(&folder, b"", &["--no-names", "a"])).unwrap();
    let a = a.trim();
    let wrong = a.replace(&a[..1], if a.starts_with('0') { "1" } else { "0" });
    for text in [
        format!("{a}  a\n"),
        format!("{a}  a"),
        format!("{a}  a\r\n"),
        format!("{a}  a\n\n\n{wrong}  a\n"),
        format!("{wrong}  a\n"),
        format!("{a}  missing\n{a}  folder\n"),
        format!("BLAKE3 (a) = {a}\n"),
        format!("BLAKE3 (missing) = {a}\n"),
        format!("{}  a\n", a.to_uppercase()),
        format!("{}  a\n", &a[1..]),
        format!("{a}  \n"),
        format!("{a}\n"),
        "nonsense\n".to_owned(),
        format!("\\{a}  a\\\n"),
        format!("\\{a}  \\x\n"),
        format!("\\{a}  line\\nend\n"),
        format!("{a}  nul\0\n"),
        format!("{a}  \u{fffd}\n{a}  a\n"),
        format!("\\{a}  a\n"),
    ] {
        fs::write(folder.join("sums"), &text).unwrap();
        agree_on(&folder, b"", &["-c", "sums"]);
        agree_on(&folder, b"", &["-c", "--quiet", "sums"]);
    }
    agree_on(&folder, b"", &["-c", "missing"]);
    agree_on(&folder, b"", &["-c", "folder"]);
    agree_on(&folder, b"", &["-c", "sums", "missing"]);
}
