//! Names of files as text.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};

use serde::Serialize;

/// A name as it stands in the output.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) bytes: Vec<u8>,
    /// Whether there are escapes in it; the line then begins with a backslash.
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
    Shown {
        bytes: text.into_bytes(),
        escaped,
    }
}

/// The name as the system has it, for lines that end with NUL, which no name holds.
pub(crate) fn verbatim(name: &OsStr) -> Shown {
    #[cfg(unix)]
    let bytes = std::os::unix::ffi::OsStrExt::as_bytes(name).to_vec();
    #[cfg(not(unix))]
    let bytes = name.to_string_lossy().replace('\\', "/").into_bytes();
    Shown {
        bytes,
        escaped: false,
    }
}

/// The name that such a line holds.
#[cfg(unix)]
pub(crate) fn from_verbatim(bytes: &[u8]) -> Option<OsString> {
    Some(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).to_owned())
}

/// The name that such a line holds.
#[cfg(not(unix))]
pub(crate) fn from_verbatim(bytes: &[u8]) -> Option<OsString> {
    std::str::from_utf8(bytes).ok().map(OsString::from)
}

/// Why a line with this name could not be checked, if it could not.
pub(crate) fn lost(name: &OsStr) -> Option<&'static str> {
    match name.to_str() {
        None => Some("its name is not Unicode and cannot be checked; expected --zero"),
        Some(text) if text.contains('\u{fffd}') => {
            Some("its name holds U+FFFD and cannot be checked; expected --zero")
        }
        Some(_) => None,
    }
}

/// The name in JSON: as text, and where that loses something, as bytes in hexadecimal too.
#[derive(Debug, Serialize)]
pub(crate) struct Json<'a> {
    name: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name_bytes: Option<String>,
}

impl<'a> Json<'a> {
    pub(crate) fn new(name: &'a OsStr) -> Self {
        let name_bytes = name.to_str().is_none().then(|| {
            let bytes = name.as_encoded_bytes().iter();
            bytes.map(|byte| format!("{byte:02x}")).collect()
        });
        Self {
            name: name.to_string_lossy(),
            name_bytes,
        }
    }
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
        let Shown { bytes, escaped } = for_output(OsStr::new(name));
        (String::from_utf8(bytes).unwrap(), escaped)
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
