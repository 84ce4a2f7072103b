//! Checkfiles: forms of lines, encodings, what is said, and the exit code.

use super::{Folder, hex, xof_hex};

/// Two good files, one that has changed, one that is missing.
fn folder(name: &str) -> (Folder, [String; 4]) {
    let folder = Folder::new(&format!("check_{name}"));
    folder.write("a", b"a");
    folder.write("b  c", b"b");
    folder.write("changed", b"new");
    let digests = [hex(b"a"), hex(b"b"), hex(b"old"), hex(b"gone")];
    (folder, digests)
}

#[test]
fn what_it_writes_it_checks() {
    let folder = Folder::new("check_what_it_writes");
    folder.write("a", b"a");
    folder.write("two  spaces", b"b");
    folder.write("a) = b", b"c");
    #[cfg(unix)]
    folder.write("line\nend\\", b"d");
    let files: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    for options in [
        &[][..],
        &["--tag"],
        &["-l", "100"],
        &["--tag", "-l", "33"],
        &["--zero"],
    ] {
        let mut words: Vec<_> = options.iter().map(Into::into).collect();
        words.extend(files.iter().cloned());
        let lines = folder.run(words).bytes();
        let zero = if options.contains(&"--zero") {
            &["-z"][..]
        } else {
            &[]
        };
        let said = folder.run_with(&lines, [&["-c"], zero].concat()).text();
        let oks = said.matches(": OK\n").count();
        assert_eq!(oks, files.len(), "{options:?}: {said}");
    }
}

#[test]
fn forms_of_lines_and_encodings() {
    let (folder, [a, b, ..]) = folder("forms");
    let text = format!(
        "{a}  a\r\n{b} *b  c\nBLAKE3 (a) = {a}\nBLAKE3(b  c)= {b}\n\n# comment\n; comment\n{a} a\n\\{a}  a\r\n{b}  b  c"
    );
    let expected = "a: OK\nb  c: OK\na: OK\nb  c: OK\na: OK\n\\a: OK\nb  c: OK\n";
    let utf16 = |mark: [u8; 2], bytes: fn(u16) -> [u8; 2]| {
        mark.into_iter()
            .chain(text.encode_utf16().flat_map(bytes))
            .collect()
    };
    let files: [(&str, Vec<u8>); 4] = [
        ("utf8", text.clone().into_bytes()),
        ("mark", [b"\xef\xbb\xbf", text.as_bytes()].concat()),
        ("little", utf16([0xff, 0xfe], u16::to_le_bytes)),
        ("big", utf16([0xfe, 0xff], u16::to_be_bytes)),
    ];
    for (name, content) in files {
        folder.write(name, &content);
        assert_eq!(folder.run(["-c", name]).text(), expected, "{name}");
        assert_eq!(
            folder.run_with(&content, ["--check"]).text(),
            expected,
            "{name}"
        );
    }
    folder.write("half", b"\xff\xfea\0b");
    folder
        .run(["-c", "half", "utf8"])
        .fails(expected, &["lanesum: half: not UTF-16"]);
}

#[test]
fn failures_are_told_and_counted() {
    let (folder, [a, b, changed, gone]) = folder("failures");
    folder.write(
        "sums",
        format!("{a}  a\n{changed}  changed\n{gone}  gone\nnonsense\n{b}  b  c\n").as_bytes(),
    );
    #[cfg(target_os = "linux")]
    let missing = "gone: FAILED (No such file or directory (os error 2))\n";
    #[cfg(target_os = "linux")]
    folder.run(["-c", "sums"]).fails(
        &format!("a: OK\nchanged: FAILED\n{missing}b  c: OK\n"),
        &[
            "lanesum: sums: 4: improperly formatted: ",
            "WARNING: 1 line is improperly formatted",
            "WARNING: 1 listed file could not be read",
            "WARNING: 1 computed checksum did NOT match",
        ],
    );
    #[cfg(target_os = "linux")]
    folder
        .run(["-c", "--quiet", "sums"])
        .fails(&format!("changed: FAILED\n{missing}"), &[]);
    folder.run(["-c", "--ignore-missing", "sums"]).fails(
        "a: OK\nchanged: FAILED\nb  c: OK\n",
        &["1 computed checksum did NOT match"],
    );
    let status = folder.run(["-c", "--status", "sums"]);
    assert_eq!(status.stderr(), "");
    status.fails("", &[]);
    // Several checkfiles, one of which is not there.
    folder.write("good", format!("{a}  a\n").as_bytes());
    folder
        .run(["-c", "good", "nowhere", "good"])
        .fails("a: OK\na: OK\n", &["lanesum: nowhere: "]);
}

/// The exit code says so when nothing was verified, and then something is said too.
#[test]
fn nothing_verified_is_no_success() {
    let (folder, [_, _, _, gone]) = folder("nothing");
    folder.write("empty", b"");
    folder.write("comment", b"# nothing\n\n");
    folder.write("gone sums", format!("{gone}  gone\n").as_bytes());
    for file in ["empty", "comment"] {
        for options in [&["-c"][..], &["-c", "--status"]] {
            folder
                .run([options, &[file]].concat())
                .fails("", &["no properly formatted checksum lines found"]);
        }
    }
    folder
        .run(["-c", "--ignore-missing", "gone sums"])
        .fails("", &["gone sums: no file was verified"]);
}

#[test]
fn strict_and_warn() {
    let (folder, [a, ..]) = folder("strict");
    folder.write("sums", format!("{a}  a\n\n# comment\n").as_bytes());
    assert_eq!(folder.run(["-c", "sums"]).text(), "a: OK\n");
    let warned = folder.run(["-c", "--warn", "sums"]);
    assert_eq!(warned.stdout(), "a: OK\n");
    assert_eq!(warned.stderr().lines().count(), 2, "{}", warned.stderr());
    folder.run(["-c", "--strict", "sums"]).fails(
        "a: OK\n",
        &["2 lines are improperly formatted", "sums: 2: "],
    );
    folder.write("single", format!("{a} a\n").as_bytes());
    assert_eq!(folder.run(["-c", "single"]).text(), "a: OK\n");
    folder
        .run(["-c", "--strict", "single"])
        .fails("", &["a single space"]);
    for option in [
        "--quiet",
        "--ignore-missing",
        "--status",
        "--strict",
        "--warn",
    ] {
        folder.run([option, "a"]).fails("", &["--check"]);
    }
}

#[test]
fn longer_digests_and_other_positions() {
    let (folder, _) = folder("longer");
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"a");
    folder.write(
        "sums",
        format!("{}  a\n", xof_hex(&hasher, 0, 100)).as_bytes(),
    );
    assert_eq!(folder.run(["-c", "sums"]).text(), "a: OK\n");
    // The last digit counts.
    let mut wrong = xof_hex(&hasher, 0, 100);
    let last = if wrong.ends_with('0') { '1' } else { '0' };
    wrong.replace_range(199.., &last.to_string());
    folder.write("wrong", format!("{wrong}  a\n").as_bytes());
    folder.run(["-c", "wrong"]).fails("a: FAILED\n", &[]);
    folder.write("short", format!("{}  a\n", &hex(b"a")[..62]).as_bytes());
    folder.run(["-c", "short"]).fails("", &["62 digits"]);
    folder.write(
        "seek",
        format!("{}  a\n", xof_hex(&hasher, 5, 32)).as_bytes(),
    );
    assert_eq!(folder.run(["-c", "--seek=5", "seek"]).text(), "a: OK\n");
}

#[test]
fn json() {
    let (folder, [a, _, changed, _]) = folder("json");
    folder.write("sums", format!("{a}  a\n{changed}  changed\n").as_bytes());
    folder.run(["-c", "--json", "sums"]).fails(
        "{\"name\":\"a\",\"ok\":true}\n{\"name\":\"changed\",\"ok\":false}\n",
        &["1 computed checksum did NOT match"],
    );
    assert_eq!(
        folder.run(["--json", "a"]).text(),
        format!("{{\"name\":\"a\",\"length\":32,\"blake3\":\"{a}\"}}\n")
    );
}
