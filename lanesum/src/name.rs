//! Names of files as text.

use std::ffi::OsStr;

/// A name as it stands in the output.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) text: String,
    /// Whether `text` holds escapes; the line then begins with a backslash.
    pub(crate) escaped: bool,
}

/// The name for the output, by the rules of `b3sum`: a line must stay a line, so backslash, newline and carriage return
/// become `\\`, `\n` and `\r`; what is not Unicode becomes U+FFFD; and on Windows a backslash is a slash.
pub(crate) fn for_output(name: &OsStr) -> Shown {
    let mut text = name.to_string_lossy().into_owned();
    if cfg!(windows) {
        text = text.replace('\\', "/");
    }
    let escaped = text.contains(['\\', '\n', '\r']);
    if escaped {
        text = text
            .replace('\\', "\\\\")
            .replace('\n', "\\n")
            .replace('\r', "\\r");
    }
    Shown { text, escaped }
}

/// The name for a message: nothing in it breaks the line or speaks to the terminal.
pub(crate) fn for_message(name: &OsStr) -> String {
    let mut text = String::new();
    for c in name.to_string_lossy().chars() {
        if c.is_control() {
            text.extend(c.escape_default());
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str) -> (String, bool) {
        let Shown { text, escaped } = for_output(OsStr::new(name));
        (text, escaped)
    }

    #[test]
    fn plain_names_stay() {
        for name in [
            "",
            " ",
            "a",
            "two  spaces",
            "tab\there",
            "\u{fffd}",
            "naïve",
            "BLAKE3 (x) = y",
            "-",
        ] {
            assert_eq!(shown(name), (name.to_owned(), false));
        }
    }

    #[test]
    #[cfg(not(windows))]
    fn lines_stay_lines() {
        assert_eq!(shown("a\nb"), ("a\\nb".to_owned(), true));
        assert_eq!(shown("a\rb"), ("a\\rb".to_owned(), true));
        assert_eq!(shown("a\\nb"), ("a\\\\nb".to_owned(), true));
        assert_eq!(shown("\\\n\r\\"), ("\\\\\\n\\r\\\\".to_owned(), true));
    }

    #[test]
    fn messages_hold_no_control_characters() {
        assert_eq!(
            for_message(OsStr::new("a\nb\u{1b}[2J\\")),
            "a\\nb\\u{1b}[2J\\"
        );
    }
}
