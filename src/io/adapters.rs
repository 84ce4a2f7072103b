//! Hashing what is read or written anyway.

use crate::{Hash, Hasher};
use core::fmt;
use std::io::{BufRead, IoSlice, Read, Result, Write};

/// A reader that hashes all that is read through it.
///
/// Only what the inner reader gives is hashed, in the order in which it comes. Reads of 16 KiB and
/// more use all the lanes: for many small reads put it below a [`BufReader`](std::io::BufReader)
/// and not above (what the buffer has read ahead is hashed then too), or use its [`BufRead`], which
/// hashes what is consumed.
///
/// With the feature `tokio` it implements `AsyncRead` for an inner reader that does.
///
/// ```
/// use blake3_lanes::io::HashReader;
/// use std::io::Read;
///
/// let mut reader = HashReader::new(&b"hello world"[..]);
/// let mut word = [0; 5];
/// reader.read_exact(&mut word)?;
/// assert_eq!(reader.finalize(), blake3_lanes::hash(b"hello"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct HashReader<R> {
    pub(super) hasher: Hasher,
    pub(super) inner: R,
}

/// A writer that hashes all that is written through it.
///
/// Only what the inner writer has taken is hashed. Writes of 16 KiB and more use all the lanes: for
/// many small writes put it below a [`BufWriter`](std::io::BufWriter), which must be flushed before
/// the hash is asked for.
///
/// With the feature `tokio` it implements `AsyncWrite` for an inner writer that does.
///
/// ```
/// use blake3_lanes::io::HashWriter;
/// use std::io::Write;
///
/// let mut writer = HashWriter::new(Vec::new());
/// writer.write_all(b"hello")?;
/// assert_eq!(writer.finalize(), blake3_lanes::hash(b"hello"));
/// assert_eq!(writer.into_inner(), b"hello");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct HashWriter<W> {
    pub(super) hasher: Hasher,
    pub(super) inner: W,
}

macro_rules! adapter {
    ($name:ident, $inner:ident, $new:literal, $with:literal, $parts:literal) => {
        impl<$inner> $name<$inner> {
            /// For [`hash`](crate::hash()).
            #[doc = $new]
            pub fn new(inner: $inner) -> Self {
                Self::with_hasher(Hasher::new(), inner)
            }

            /// With a hasher of any mode, which may have had input before.
            #[doc = $with]
            pub fn with_hasher(hasher: Hasher, inner: $inner) -> Self {
                Self { hasher, inner }
            }

            /// The hash of all that has gone through.
            ///
            /// # Panics
            ///
            /// As [`Hasher::finalize`].
            #[doc = $new]
            pub fn finalize(&self) -> Hash {
                self.hasher.finalize()
            }

            /// The hasher of all that has gone through, for other output.
            #[doc = $with]
            pub fn hasher(&self) -> &Hasher {
                &self.hasher
            }

            /// What it was made of. What goes through that directly is not hashed.
            #[doc = $parts]
            pub fn get_ref(&self) -> &$inner {
                &self.inner
            }

            /// What it was made of. What goes through that directly is not hashed.
            #[doc = $parts]
            pub fn get_mut(&mut self) -> &mut $inner {
                &mut self.inner
            }

            /// What it was made of, without the hasher.
            #[doc = $parts]
            pub fn into_inner(self) -> $inner {
                self.inner
            }

            /// The hasher, and what it was made of.
            #[doc = $parts]
            pub fn into_parts(self) -> (Hasher, $inner) {
                (self.hasher, self.inner)
            }
        }

        impl<$inner: fmt::Debug> fmt::Debug for $name<$inner> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name))
                    .field("hasher", &self.hasher)
                    .field("inner", &self.inner)
                    .finish()
            }
        }
    };
}

adapter!(
    HashReader,
    R,
    "
```
let mut reader = blake3_lanes::io::HashReader::new(&b\"abc\"[..]);
std::io::copy(&mut reader, &mut std::io::sink())?;
assert_eq!(reader.finalize(), blake3_lanes::hash(b\"abc\"));
# Ok::<(), std::io::Error>(())
```",
    "
```
use blake3_lanes::{Hasher, io::HashReader, keyed_hash};

let mut reader = HashReader::with_hasher(Hasher::new_keyed(&[7; 32]), &b\"abc\"[..]);
std::io::copy(&mut reader, &mut std::io::sink())?;
assert_eq!(reader.hasher().count(), 3);
assert_eq!(reader.finalize(), keyed_hash(&[7; 32], b\"abc\"));
# Ok::<(), std::io::Error>(())
```",
    "
```
let mut reader = blake3_lanes::io::HashReader::new(&b\"abc\"[..]);
*reader.get_mut() = b\"de\";
assert_eq!(*reader.get_ref(), b\"de\");
assert_eq!(reader.clone().into_inner(), b\"de\");
let (hasher, rest) = reader.into_parts();
assert_eq!((hasher.count(), rest), (0, &b\"de\"[..]));
```"
);
adapter!(
    HashWriter,
    W,
    "
```
use std::io::Write;

let mut writer = blake3_lanes::io::HashWriter::new(std::io::sink());
writer.write_all(b\"abc\")?;
assert_eq!(writer.finalize(), blake3_lanes::hash(b\"abc\"));
# Ok::<(), std::io::Error>(())
```",
    "
```
use blake3_lanes::{Hasher, io::HashWriter, keyed_hash};
use std::io::Write;

let mut writer = HashWriter::with_hasher(Hasher::new_keyed(&[7; 32]), std::io::sink());
writer.write_all(b\"abc\")?;
assert_eq!(writer.hasher().count(), 3);
assert_eq!(writer.finalize(), keyed_hash(&[7; 32], b\"abc\"));
# Ok::<(), std::io::Error>(())
```",
    "
```
let mut writer = blake3_lanes::io::HashWriter::new(vec![1]);
writer.get_mut().push(2);
assert_eq!(*writer.get_ref(), [1, 2]);
assert_eq!(writer.clone().into_inner(), [1, 2]);
let (hasher, bytes) = writer.into_parts();
assert_eq!((hasher.count(), bytes), (0, vec![1, 2]));
```"
);

/// What was read is hashed; an error hashes nothing.
impl<R: Read> Read for HashReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        let len = self.inner.read(buf)?;
        // A reader that claims more than it was asked for is wrong, but safe code.
        self.hasher.update(&buf[..len.min(buf.len())]);
        Ok(len)
    }
}

/// What is consumed is hashed.
impl<R: BufRead> BufRead for HashReader<R> {
    fn fill_buf(&mut self) -> Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        // Already in memory: neither reads nor fails, by the contract of `fill_buf`.
        if amount > 0
            && let Ok(bytes) = self.inner.fill_buf()
        {
            self.hasher.update(&bytes[..amount.min(bytes.len())]);
        }
        self.inner.consume(amount);
    }
}

/// What was written is hashed; an error hashes nothing.
impl<W: Write> Write for HashWriter<W> {
    fn write(&mut self, buf: &[u8]) -> Result<usize> {
        let len = self.inner.write(buf)?;
        self.hasher.update(&buf[..len.min(buf.len())]);
        Ok(len)
    }

    fn write_vectored(&mut self, bufs: &[IoSlice<'_>]) -> Result<usize> {
        let len = self.inner.write_vectored(bufs)?;
        let mut left = len;
        for buf in bufs {
            let taken = left.min(buf.len());
            self.hasher.update(&buf[..taken]);
            left -= taken;
        }
        Ok(len)
    }

    fn flush(&mut self) -> Result<()> {
        self.inner.flush()
    }
}
