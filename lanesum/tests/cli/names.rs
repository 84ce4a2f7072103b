//! Names that are hard to print on one line.

use super::{Folder, hex};

#[test]
fn names_with_spaces() {
    let folder = Folder::new("names_with_spaces");
    let names = [" ", "  two  spaces  ", "naïve ☃", "BLAKE3 (x) = y"];
    for name in names {
        folder.write(name, name.as_bytes());
    }
    let expected: String = names
        .iter()
        .map(|name| format!("{}  {name}\n", hex(name.as_bytes())))
        .collect();
    assert_eq!(folder.run(names).text(), expected);
    let expected: String = names
        .iter()
        .map(|name| format!("BLAKE3 ({name}) = {}\n", hex(name.as_bytes())))
        .collect();
    assert_eq!(
        folder.run(["--tag"].into_iter().chain(names)).text(),
        expected
    );
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    /// Name, and how it is printed.
    const ESCAPED: [(&str, &str); 5] = [
        ("a\nb", "a\\nb"),
        ("a\rb", "a\\rb"),
        ("a\\nb", "a\\\\nb"),
        ("trailing\\", "trailing\\\\"),
        (" \t\r\n\n\r \t", " \t\\r\\n\\n\\r \t"),
    ];

    #[test]
    fn escapes() {
        let folder = Folder::new("escapes");
        for (name, printed) in ESCAPED {
            folder.write(name, name.as_bytes());
            let digest = hex(name.as_bytes());
            assert_eq!(
                folder.run([name]).text(),
                format!("\\{digest}  {printed}\n")
            );
            assert_eq!(
                folder.run(["--tag", name]).text(),
                format!("\\BLAKE3 ({printed}) = {digest}\n")
            );
            assert_eq!(
                folder.run(["--no-names", name]).text(),
                format!("{digest}\n")
            );
        }
    }

    #[test]
    fn other_control_characters_stay() {
        let folder = Folder::new("other_control_characters");
        folder.write("tab\there", b"");
        folder.write("esc\u{1b}[1m", b"");
        let empty = hex(b"");
        assert_eq!(
            folder.run(["tab\there", "esc\u{1b}[1m"]).text(),
            format!("{empty}  tab\there\n{empty}  esc\u{1b}[1m\n")
        );
    }

    // Not every file system takes such a name.
    #[test]
    #[cfg(target_os = "linux")]
    fn names_that_are_not_unicode() {
        let folder = Folder::new("names_that_are_not_unicode");
        let name = OsStr::from_bytes(b"bad\xff\xfe\nname");
        folder.write(name, b"x");
        let run = folder.run([name]);
        let line = format!("\\{}  bad\u{fffd}\u{fffd}\\nname\n", hex(b"x"));
        assert_eq!((run.stdout(), run.0.status.code()), (line, Some(0)));
        let warning = "its name is not Unicode and cannot be checked; expected --zero\n";
        assert!(run.stderr().ends_with(warning), "{}", run.stderr());
        // Where a line ends with NUL, the name stays.
        let line = [hex(b"x").as_bytes(), b"  bad\xff\xfe\nname\0"].concat();
        assert_eq!(folder.run([OsStr::new("-z"), name]).bytes(), line);
        let json = folder.run([OsStr::new("--json"), name]).text();
        assert!(
            json.contains("\"name_bytes\":\"626164fffe0a6e616d65\""),
            "{json}"
        );
        let missing = OsStr::from_bytes(b"gone\xff");
        folder
            .run([missing])
            .fails("", &["lanesum: gone\u{fffd}: No such file"]);
    }

    #[test]
    fn messages_stay_on_their_line() {
        let folder = Folder::new("messages_stay");
        folder
            .run(["no\nsuch\u{1b}[2Jfile"])
            .fails("", &["lanesum: no\\nsuch\\u{1b}[2Jfile: No such file"]);
    }
}
