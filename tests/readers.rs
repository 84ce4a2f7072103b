//! Readers that give little, fail, are interrupted, lie, or are stopped; adapters; special files.
#![cfg(feature = "std")]

use std::cell::Cell;
use std::io::{self, BufRead, ErrorKind, IoSlice, Read, Write};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use blake3_lanes::io::{HashReader, HashWriter, ReadAhead};
use blake3_lanes::parallel::{Join, Serial, Threads};
use blake3_lanes::{Hasher, hash};
use proptest::prelude::*;

#[path = "support/modes.rs"]
mod modes;
#[path = "support/tiers.rs"]
mod support;

use modes::input;
use support::tiers;

const KIB: usize = 1024;

/// Gives the input in pieces of changing lengths, fails at one byte, and is interrupted now and
/// then.
struct Reader<'a> {
    input: &'a [u8],
    at: usize,
    fail_at: Option<usize>,
    pieces: &'a [usize],
    calls: usize,
}

impl<'a> Reader<'a> {
    fn new(input: &'a [u8], pieces: &'a [usize]) -> Self {
        Self {
            input,
            at: 0,
            fail_at: None,
            pieces,
            calls: 0,
        }
    }
}

impl Read for Reader<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls.is_multiple_of(3) {
            return Err(ErrorKind::Interrupted.into());
        }
        if self.fail_at == Some(self.at) {
            self.fail_at = None;
            return Err(io::Error::other("as asked"));
        }
        let end = self.fail_at.unwrap_or(self.input.len());
        let piece = self.pieces[self.calls % self.pieces.len()].max(1);
        let len = buf.len().min(piece).min(end - self.at);
        buf[..len].copy_from_slice(&self.input[self.at..self.at + len]);
        self.at += len;
        Ok(len)
    }
}

type Way = Box<dyn Fn(&mut Hasher, &mut Reader<'_>) -> io::Result<()>>;

/// Each way to hash a reader, on this thread and on two.
fn ways() -> Vec<(&'static str, Way)> {
    fn ahead(join: impl Join + 'static) -> Way {
        Box::new(move |hasher, reader| {
            let ahead = ReadAhead::with_block_len(64 * KIB);
            let go_on = |_| ControlFlow::<()>::Continue(());
            ahead.update(hasher, &join, reader, go_on).map(drop)
        })
    }
    vec![
        (
            "update_reader",
            Box::new(|hasher, reader| hasher.update_reader(reader).map(drop)),
        ),
        ("read ahead, serial", ahead(Serial)),
        (
            "read ahead, threads",
            ahead(Threads::new(NonZero::new(2).expect("two"))),
        ),
        #[cfg(feature = "rayon")]
        ("read ahead, rayon", ahead(blake3_lanes::parallel::Rayon)),
        #[cfg(feature = "rayon")]
        (
            "update_reader_rayon",
            Box::new(|hasher, reader| hasher.update_reader_rayon(reader).map(drop)),
        ),
    ]
}

/// The lengths around the buffers, and what was begun before.
#[test]
fn every_length_around_a_block() {
    let whole = input(200 * KIB);
    for &tier in tiers() {
        for (name, way) in ways() {
            for before in [0, 1, 1024, 40_000, 64 * KIB] {
                for len in [
                    0,
                    1,
                    1023,
                    1025,
                    64 * KIB - 1,
                    64 * KIB,
                    64 * KIB + 1,
                    128 * KIB,
                ] {
                    let input = &whole[..before + len];
                    let mut hasher = Hasher::on_tier(tier);
                    hasher.update(&input[..before]);
                    let mut reader = Reader::new(&input[before..], &[usize::MAX]);
                    way(&mut hasher, &mut reader).expect("no error");
                    assert_eq!(
                        hasher.finalize(),
                        hash(input),
                        "{name} {tier} {before} {len}"
                    );
                }
            }
        }
    }
}

/// An error at each block boundary, and a byte before and after it: what was read is hashed, and
/// reader and hasher go on.
#[test]
fn errors_lose_nothing() {
    let input = input(64 * KIB * 5 + 100);
    let boundaries = (0..=5).map(|block| block * 64 * KIB);
    let places = boundaries.flat_map(|at| [at.saturating_sub(1), at, at + 1]);
    for fail_at in places.chain([500, 70_000, input.len()]) {
        for (name, way) in ways() {
            for pieces in [&[usize::MAX][..], &[1000, 64 * KIB, 7]] {
                let mut hasher = Hasher::new();
                let mut reader = Reader::new(&input, pieces);
                reader.fail_at = Some(fail_at);
                let error = way(&mut hasher, &mut reader).expect_err("as asked");
                assert_eq!(error.to_string(), "as asked", "{name} {fail_at}");
                assert_eq!(hasher.count(), fail_at as u64, "{name}");
                assert_eq!(
                    hasher.finalize(),
                    hash(&input[..fail_at]),
                    "{name} {fail_at}"
                );
                way(&mut hasher, &mut reader).expect("no more errors");
                assert_eq!(hasher.finalize(), hash(&input), "{name} {fail_at}");
            }
        }
    }
}

/// Stopped after each block: nothing is lost, and nothing runs any more.
#[test]
fn stopped_at_any_moment() {
    static RUNNING: AtomicUsize = AtomicUsize::new(0);

    /// Counts the closures that run.
    struct Counting(Threads);

    impl Join for Counting {
        fn join<A, B, RA, RB>(&self, a: A, b: B) -> (RA, RB)
        where
            A: FnOnce() -> RA + Send,
            B: FnOnce() -> RB + Send,
            RA: Send,
            RB: Send,
        {
            fn counted<R>(run: impl FnOnce() -> R) -> impl FnOnce() -> R {
                || {
                    RUNNING.fetch_add(1, Ordering::SeqCst);
                    let result = run();
                    RUNNING.fetch_sub(1, Ordering::SeqCst);
                    result
                }
            }
            self.0.join(counted(a), counted(b))
        }

        fn grain(&self) -> usize {
            0
        }
    }

    let input = input(64 * KIB * 5 + 100);
    let join = Counting(Threads::new(NonZero::new(3).expect("three")));
    for stop_after in 0..=7 {
        let mut reader = Reader::new(&input, &[usize::MAX]);
        let mut hasher = Hasher::new();
        let mut calls = 0;
        let done = ReadAhead::with_block_len(64 * KIB)
            .update(&mut hasher, &join, &mut reader, |bytes| {
                assert_eq!(bytes, input.len().min((calls + 1) * 64 * KIB) as u64);
                if calls == stop_after {
                    return ControlFlow::Break(calls);
                }
                calls += 1;
                ControlFlow::Continue(())
            })
            .expect("no error");
        assert_eq!(RUNNING.load(Ordering::SeqCst), 0);
        if stop_after < 6 {
            assert_eq!(done, ControlFlow::Break(stop_after));
        } else {
            assert_eq!(done, ControlFlow::Continue(()));
        }
        assert_eq!(hasher.count(), reader.at as u64);
        assert_eq!(hasher.finalize(), hash(&input[..reader.at]));
        // And on from there.
        hasher.update_reader(&mut reader).expect("no error");
        assert_eq!(hasher.finalize(), hash(&input));

        let mut reader = &input[..];
        let calls = Cell::new(0);
        let done = Hasher::new()
            .update_reader_with(&mut reader, |_| {
                calls.set(calls.get() + 1);
                if calls.get() > stop_after {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })
            .expect("no error");
        assert_eq!(done.is_break(), stop_after < 6);
    }
}

/// Says that it has given more than it was asked for.
struct Liar(u32);

impl Read for Liar {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.0 += 1;
        buf.fill(7);
        Ok(if self.0 > 2 { 0 } else { usize::MAX })
    }
}

#[test]
fn a_reader_that_lies_does_no_harm() {
    let mut hasher = Hasher::new();
    hasher.update_reader(Liar(0)).expect("no error");
    assert_eq!(hasher.finalize(), hash(&[7; 128 * KIB]));
    let mut reader = HashReader::new(Liar(0));
    let _ = reader.read(&mut [0; 10]).expect("no error");
    assert_eq!(reader.finalize(), hash(&[7; 10]));
}

/// A writer that takes a few bytes at a time, and fails now and then.
struct Picky(Vec<u8>, usize);

impl Write for Picky {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.1 += 1;
        if self.1.is_multiple_of(3) {
            return Err(ErrorKind::Interrupted.into());
        }
        let len = buf.len().min(self.1 * 7);
        self.0.extend_from_slice(&buf[..len]);
        Ok(len)
    }

    fn write_vectored(&mut self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        // Less than all, ending in the middle of one.
        let all: Vec<u8> = bufs.iter().flat_map(|buf| buf.iter().copied()).collect();
        self.write(&all)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn adapters_hash_what_went_through() {
    let input = input(10_000);
    let mut writer = HashWriter::new(Picky(Vec::new(), 0));
    writer.write_all(&input).expect("no error");
    assert_eq!(writer.finalize(), hash(&input));
    let (a, b) = input.split_at(50);
    let len = loop {
        match writer.write_vectored(&[IoSlice::new(a), IoSlice::new(b)]) {
            Ok(len) => break len,
            Err(error) => assert_eq!(error.kind(), ErrorKind::Interrupted),
        }
    };
    assert_eq!(writer.finalize(), hash(&[&input, &input[..len]].concat()));
    assert_eq!(writer.into_inner().0, [&input, &input[..len]].concat());

    let mut reader = HashReader::new(Reader::new(&input, &[1, 100, 3000]));
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).expect("no error");
    assert_eq!((reader.finalize(), bytes), (hash(&input), input.clone()));

    // By lines: what is consumed is hashed, and not what is in the buffer.
    let mut reader = HashReader::new(io::BufReader::new(&b"one\ntwo\nthree"[..]));
    let mut line = String::new();
    reader.read_line(&mut line).expect("no error");
    assert_eq!(reader.finalize(), hash(b"one\n"));
    reader.read_exact(&mut [0; 2]).expect("no error");
    reader.read_line(&mut line).expect("no error");
    assert_eq!(reader.finalize(), hash(b"one\ntwo\n"));
    assert_eq!(line, "one\no\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn any_short_reads(
        before in 0usize..70_000,
        len in 0usize..300_000,
        pieces in proptest::collection::vec(prop_oneof![0usize..100, 0usize..100_000], 1..8),
    ) {
        let input = input(before + len);
        for (name, way) in ways() {
            let mut hasher = Hasher::new();
            hasher.update(&input[..before]);
            way(&mut hasher, &mut Reader::new(&input[before..], &pieces)).expect("no error");
            prop_assert_eq!(hasher.finalize(), hash(&input), "{}", name);
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use super::*;
    use std::fs::{self, File};
    use std::path::Path;

    type Way = fn(&Path) -> io::Result<Hasher>;

    /// By reading, by reading ahead, and by a map.
    fn files() -> Vec<(&'static str, Way)> {
        vec![
            ("update_reader", |path| {
                let mut hasher = Hasher::new();
                hasher.update_reader(File::open(path)?)?;
                Ok(hasher)
            }),
            ("read ahead", |path| {
                let mut hasher = Hasher::new();
                let go_on = |_| ControlFlow::<()>::Continue(());
                let _ = ReadAhead::new().update(&mut hasher, &Serial, File::open(path)?, go_on)?;
                Ok(hasher)
            }),
            #[cfg(feature = "mmap")]
            ("update_mmap", |path| {
                let mut hasher = Hasher::new();
                hasher.update_mmap(path)?;
                Ok(hasher)
            }),
            #[cfg(all(feature = "mmap", feature = "rayon"))]
            ("update_mmap_rayon", |path| {
                let mut hasher = Hasher::new();
                hasher.update_mmap_rayon(path)?;
                Ok(hasher)
            }),
        ]
    }

    #[test]
    fn files_of_all_lengths() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        for len in [
            0,
            1,
            16_382,
            16_383,
            16_384,
            16_385,
            100_000,
            1 << 20,
            3_000_001,
        ] {
            let content = input(len);
            fs::write(&path, &content).expect("written");
            for (name, way) in files() {
                let hasher = way(&path).expect("no error");
                assert_eq!(hasher.count(), len as u64, "{name}");
                assert_eq!(hasher.finalize(), hash(&content), "{name} {len}");
            }
        }
    }

    /// Files whose length is said to be 0, that cannot be mapped, or that have no length.
    #[test]
    fn special_files() {
        for path in [
            "/dev/null",
            "/proc/version",
            "/sys/kernel/btf/vmlinux",
            "/proc/self/maps",
        ] {
            let path = Path::new(path);
            let Ok(content) = fs::read(path) else {
                continue;
            };
            for (name, way) in files() {
                let hasher = way(path).expect("no error");
                // This process's own map changes from one read to the next.
                if path != Path::new("/proc/self/maps") {
                    assert_eq!(hasher.finalize(), hash(&content), "{name} {path:?}");
                }
            }
        }
        for (name, way) in files() {
            assert!(way(Path::new("/")).is_err(), "{name}: a folder");
            assert!(way(Path::new("/no/such/file")).is_err(), "{name}: nothing");
            assert!(
                way(Path::new("/proc/self/mem")).is_err(),
                "{name}: unreadable"
            );
        }
    }

    #[test]
    fn a_reader_is_read_from_where_it_stands() {
        use std::io::{Seek, SeekFrom};

        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&input(100_000)).expect("written");
        file.seek(SeekFrom::Start(60_000)).expect("there");
        let mut hasher = Hasher::new();
        hasher.update_reader(&file).expect("no error");
        assert_eq!(hasher.finalize(), hash(&input(100_000)[60_000..]));
        // At its end there is nothing.
        assert_eq!(
            Hasher::new()
                .update_reader(&file)
                .expect("no error")
                .count(),
            0
        );
    }

    /// The calls that read never crash, whatever happens to a file meanwhile. Only `update_mmap`
    /// and `update_mmap_rayon` map, and their documentation says what that means.
    #[test]
    fn truncated_meanwhile() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::write(&path, input(1 << 20)).expect("written");
        let file = File::options().write(true).open(&path).expect("open");
        let mut hasher = Hasher::new();
        let done = ReadAhead::with_block_len(64 * KIB)
            .update(
                &mut hasher,
                &Serial,
                File::open(&path).expect("open"),
                |_| {
                    file.set_len(0).expect("truncated");
                    ControlFlow::<()>::Continue(())
                },
            )
            .expect("no error");
        assert!(done.is_continue());
        let count = hasher.count() as usize;
        assert!((64 * KIB..1 << 20).contains(&count), "{count}");
        assert_eq!(hasher.finalize(), hash(&input(count)));

        let source = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/io/mmap.rs"));
        let source = source.expect("the source");
        assert!(
            source.contains("truncates the file"),
            "the danger is documented"
        );
    }
}
