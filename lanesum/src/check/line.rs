//! One line of a checkfile.

use std::ffi::OsString;

use blake3_lanes::OUT_LEN;

use crate::name;

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    File(Expected),
    /// Nothing: a blank line, or a comment.
    Empty,
    /// Not what is expected; why.
    Malformed(String),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Expected {
    pub(super) file: OsString,
    /// The name as it stands in the line, with the backslash before the line if there was one.
    pub(super) shown: Vec<u8>,
    pub(super) hash: Vec<u8>,
}

/// Reads a line without its end.
///
/// Forms, each with a backslash before it if the name has escapes:
///
/// ```text
/// HASH  NAME          this program, b3sum, GNU (text)
/// HASH *NAME          GNU (binary)
/// HASH NAME           others; not with `strict`
/// BLAKE3 (NAME) = HASH        this program and b3sum with --tag, BSD
/// BLAKE3(NAME)= HASH          OpenSSL
/// ```
pub(super) fn parse(line: &[u8], strict: bool) -> Line {
    let Ok(text) = std::str::from_utf8(line) else {
        return Line::Malformed("not UTF-8".to_owned());
    };
    if text.trim_start().is_empty() || text.starts_with(['#', ';']) {
        return Line::Empty;
    }
    let (escaped, rest) = match text.strip_prefix('\\') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (hash, name) = match split(rest, strict) {
        Ok(parts) => parts,
        Err(why) => return Line::Malformed(why),
    };
    let file = match file(name, escaped) {
        Ok(file) => file,
        Err(why) => return Line::Malformed(why.to_owned()),
    };
    let shown = if escaped {
        format!("\\{name}")
    } else {
        name.to_owned()
    };
    Line::File(Expected {
        file: file.into(),
        shown: shown.into_bytes(),
        hash,
    })
}

/// Reads a line of the form that `--zero` writes: the name is as the system has it.
pub(super) fn parse_verbatim(line: &[u8]) -> Line {
    if line.is_empty() {
        return Line::Empty;
    }
    let parts = if let Some(rest) = line.strip_prefix(b"BLAKE3 (") {
        let at = rest.windows(4).rposition(|end| end == b") = ");
        at.map(|at| (&rest[at + 4..], &rest[..at]))
    } else {
        let at = line.windows(2).position(|gap| gap == b"  ");
        at.map(|at| (&line[..at], &line[at + 2..]))
    };
    let Some((hash, name)) = parts else {
        return Line::Malformed(EXPECTED.to_owned());
    };
    let hash = match std::str::from_utf8(hash).map_err(|_| EXPECTED.to_owned()) {
        Ok(hash) => decode(hash),
        Err(why) => Err(why),
    };
    match (hash, name::from_verbatim(name)) {
        (Err(why), _) => Line::Malformed(why),
        (_, None) => Line::Malformed("the name is not Unicode".to_owned()),
        (_, Some(file)) if file.is_empty() => Line::Malformed("the name is empty".to_owned()),
        (Ok(hash), Some(file)) => Line::File(Expected {
            file,
            shown: name.to_vec(),
            hash,
        }),
    }
}

const EXPECTED: &str = "expected HASH, two spaces and a name, or BLAKE3 (NAME) = HASH";

/// The digest and the name of a line.
fn split(line: &str, strict: bool) -> Result<(Vec<u8>, &str), String> {
    let tagged = [("BLAKE3 (", ") = "), ("BLAKE3(", ")= ")]
        .iter()
        .find_map(|(open, close)| line.strip_prefix(open)?.rsplit_once(close));
    if let Some((name, hash)) = tagged {
        return Ok((decode(hash)?, name));
    }
    // The name may hold spaces, the digest none.
    let Some((hash, name)) = line.split_once(' ') else {
        return Err(EXPECTED.to_owned());
    };
    let hash = decode(hash)?;
    match name.strip_prefix([' ', '*']) {
        Some(name) => Ok((hash, name)),
        None if strict => Err("a single space, which --strict does not take".to_owned()),
        None => Ok((hash, name)),
    }
}

fn decode(hex: &str) -> Result<Vec<u8>, String> {
    let digit = |digit: u8| match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        _ => Err(()),
    };
    // Said first, as the likelier mistake where a line is something else.
    let digits: Result<Vec<u8>, ()> = hex.bytes().map(digit).collect();
    let Ok(digits) = digits else {
        return Err("the hash does not consist of lower-case hexadecimal digits".to_owned());
    };
    let (pairs, odd) = digits.as_chunks::<2>();
    if pairs.len() < OUT_LEN || !odd.is_empty() {
        return Err(format!(
            "the hash has {} digits, expected {} or more, and an even number",
            digits.len(),
            2 * OUT_LEN
        ));
    }
    Ok(pairs.iter().map(|[high, low]| 16 * high + low).collect())
}

/// The file that a name stands for. A check should rather fail than succeed for another file than the one that was
/// meant, so names that could stand for several are refused, as `b3sum` does.
fn file(name: &str, escaped: bool) -> Result<String, &'static str> {
    let file = if escaped {
        unescape(name)?
    } else {
        name.to_owned()
    };
    if file.is_empty() {
        return Err("the name is empty");
    }
    if file.contains('\0') {
        return Err("the name holds a null character");
    }
    if file.contains('\u{fffd}') {
        return Err("the name holds a Unicode replacement character");
    }
    if cfg!(windows) && file.contains('\\') {
        return Err("the name holds a backslash");
    }
    Ok(file)
}

fn unescape(name: &str) -> Result<String, &'static str> {
    let mut file = String::with_capacity(name.len());
    let mut rest = name.chars();
    while let Some(c) = rest.next() {
        file.push(match c {
            '\\' => match rest.next() {
                Some('\\') => '\\',
                Some('n') => '\n',
                Some('r') => '\r',
                _ => return Err("a backslash before something else than a backslash, n or r"),
            },
            c => c,
        });
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "0909090909090909090909090909090909090909090909090909090909090909";

    fn file(line: &str) -> (String, String) {
        match parse(line.as_bytes(), true) {
            Line::File(expected) => {
                assert_eq!(expected.hash, [9; 32]);
                let shown = String::from_utf8(expected.shown).unwrap();
                (expected.file.into_string().unwrap(), shown)
            }
            other => panic!("{line:?}: {other:?}"),
        }
    }

    fn why(line: &str) -> String {
        match parse(line.as_bytes(), false) {
            Line::Malformed(why) => why,
            other => panic!("{line:?}: {other:?}"),
        }
    }

    /// The cases of `b3sum`'s own tests, and its other forms.
    #[test]
    fn good_lines() {
        for (form, name, shown) in [
            ("HASH  foo", "foo", "foo"),
            ("HASH   ", " ", " "),
            ("HASH   \t\r\t", " \t\r\t", " \t\r\t"),
            ("HASH  fo  o", "fo  o", "fo  o"),
            ("HASH  fo\\a\\no", "fo\\a\\no", "fo\\a\\no"),
            (
                "\\HASH  fo\\r\\n\\n\\ro",
                "fo\r\n\n\ro",
                "\\fo\\r\\n\\n\\ro",
            ),
            ("\\HASH  fo\\n\\\\o", "fo\n\\o", "\\fo\\n\\\\o"),
            ("HASH *foo", "foo", "foo"),
            ("HASH  *foo", "*foo", "*foo"),
            ("BLAKE3 (foo) = HASH", "foo", "foo"),
            ("BLAKE3 (a  b) = c) = HASH", "a  b) = c", "a  b) = c"),
            ("\\BLAKE3 (a\\nb) = HASH", "a\nb", "\\a\\nb"),
            ("BLAKE3(foo)= HASH", "foo", "foo"),
        ] {
            if cfg!(windows) && name.contains('\\') {
                continue;
            }
            let line = form.replace("HASH", HASH);
            assert_eq!(file(&line), (name.to_owned(), shown.to_owned()), "{form}");
        }
        let single = format!("{HASH} foo");
        assert!(matches!(parse(single.as_bytes(), false), Line::File(_)));
        assert!(matches!(parse(single.as_bytes(), true), Line::Malformed(_)));
        let long = format!("{HASH}{HASH}  foo");
        match parse(long.as_bytes(), true) {
            Line::File(expected) => assert_eq!(expected.hash, [9; 64]),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn empty_lines() {
        for line in ["", " ", "\t", "# a comment", "; another"] {
            assert_eq!(parse(line.as_bytes(), true), Line::Empty, "{line:?}");
        }
    }

    #[test]
    fn bad_lines() {
        for (form, word) in [
            ("HASH", "expected HASH"),
            ("HASH  ", "empty"),
            ("BLAKE3 () = HASH", "empty"),
            ("HASH  a\0b", "null"),
            ("HASH  a\u{fffd}b", "replacement"),
            ("\\HASH  a\\", "backslash"),
            ("\\HASH  a\\x", "backslash"),
            ("HASHa  foo", "65 digits"),
            ("HASHA  foo", "lower-case"),
            ("HASH\u{e9}  foo", "lower-case"),
            ("0909  foo", "4 digits"),
            ("BLAKE3 (foo) = 0909", "4 digits"),
            ("SHA256 (foo) = HASH", "lower-case"),
            (" HASH  foo", "0 digits"),
        ] {
            let why = why(&form.replace("HASH", HASH));
            assert!(why.contains(word), "{form}: {why}");
        }
        assert!(matches!(parse(b"\xff", false), Line::Malformed(_)));
    }

    #[test]
    #[cfg(unix)]
    fn verbatim_lines() {
        use std::os::unix::ffi::OsStrExt;

        for (form, name) in [
            ("HASH  a\n\\b", &b"a\n\\b"[..]),
            ("BLAKE3 (a) = b) = HASH", b"a) = b"),
        ] {
            match parse_verbatim(form.replace("HASH", HASH).as_bytes()) {
                Line::File(expected) => assert_eq!(expected.file.as_bytes(), name),
                other => panic!("{form}: {other:?}"),
            }
        }
        let mut line = format!("{HASH}  ").into_bytes();
        line.push(0xff);
        match parse_verbatim(&line) {
            Line::File(expected) => assert_eq!(expected.file.as_bytes(), b"\xff"),
            other => panic!("{other:?}"),
        }
        for form in ["HASH", "HASH ", "HASH  ", "0909  a", "BLAKE3 (a) =HASH"] {
            let line = form.replace("HASH", HASH);
            assert!(
                matches!(parse_verbatim(line.as_bytes()), Line::Malformed(_)),
                "{form}"
            );
        }
    }
}
