//! Asynchronous readers: nothing is lost when nobody waits any more.
#![cfg(feature = "tokio")]

use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use blake3_lanes::io::{HashReader, HashWriter};
use blake3_lanes::{Hasher, hash};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, ReadBuf};

#[path = "support/modes.rs"]
mod modes;
#[path = "support/tiers.rs"]
mod support;

use modes::input;
use support::tiers;

/// Gives pieces, and between them waits, is interrupted, or fails once.
struct Reader<'a> {
    input: &'a [u8],
    piece: usize,
    calls: usize,
    fail_at_call: usize,
}

impl AsyncRead for Reader<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.calls += 1;
        if self.calls == self.fail_at_call {
            return Poll::Ready(Err(io::Error::other("as asked")));
        }
        match self.calls % 4 {
            1 => Poll::Pending,
            2 => Poll::Ready(Err(ErrorKind::Interrupted.into())),
            _ => {
                let len = self.piece.min(self.input.len()).min(buf.remaining());
                let (now, later) = self.input.split_at(len);
                buf.put_slice(now);
                self.input = later;
                Poll::Ready(Ok(()))
            }
        }
    }
}

/// Polls so many times, at most, and drops the future then.
fn poll<F: Future>(future: F, times: usize) -> Option<F::Output> {
    let mut future = std::pin::pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..times {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
    }
    None
}

#[test]
fn dropped_at_any_moment() {
    let input = input(700_000);
    for &tier in tiers() {
        for piece in [1000, 30_000, 65_536, 1 << 20] {
            // Dropped after each number of polls, and resumed until done.
            for times in [1, 2, 3, 7] {
                let mut reader = Reader {
                    input: &input,
                    piece,
                    calls: 0,
                    fail_at_call: 0,
                };
                let mut hasher = Hasher::on_tier(tier);
                loop {
                    let done = poll(hasher.update_async_reader(&mut reader), times).is_some();
                    let read = input.len() - reader.input.len();
                    assert_eq!(hasher.count(), read as u64);
                    assert_eq!(
                        hasher.finalize(),
                        hash(&input[..read]),
                        "{tier} {piece} {times}"
                    );
                    if done {
                        assert_eq!(read, input.len());
                        break;
                    }
                }
            }
        }
    }
}

#[test]
fn errors_lose_nothing() {
    let input = input(300_000);
    for fail_at_call in 1..40 {
        let mut reader = Reader {
            input: &input,
            piece: 32 * 1024,
            calls: 0,
            fail_at_call,
        };
        let mut hasher = Hasher::new();
        let done = poll(hasher.update_async_reader(&mut reader), 1000).expect("done");
        let read = input.len() - reader.input.len();
        if let Err(error) = done {
            assert_eq!(error.to_string(), "as asked");
        } else {
            assert_eq!(read, input.len());
        }
        assert_eq!(hasher.finalize(), hash(&input[..read]));
        reader.fail_at_call = 0;
        poll(hasher.update_async_reader(&mut reader), 1000)
            .expect("done")
            .expect("no more errors");
        assert_eq!(hasher.finalize(), hash(&input));
    }
}

#[tokio::test]
async fn an_executor_gets_its_turns() {
    let input = input(10 << 20);
    let mut hasher = Hasher::new();
    let mut turns = 0;
    tokio::select! {
        biased;
        done = hasher.update_async_reader(&input[..]) => {
            done.expect("no error");
        }
        () = async {
            loop {
                turns += 1;
                tokio::task::yield_now().await;
            }
        } => {}
    }
    assert!(turns >= 30, "{turns}");
    assert_eq!(hasher.finalize(), hash(&input));
}

#[tokio::test]
async fn a_timeout_in_the_middle() {
    let (mut writer, mut reader) = tokio::io::duplex(1 << 20);
    writer.write_all(&[7; 100_000]).await.expect("room");
    let mut hasher = Hasher::new();
    let timeout = Duration::from_millis(20);
    let late = tokio::time::timeout(timeout, hasher.update_async_reader(&mut reader)).await;
    assert!(late.is_err());
    assert_eq!(hasher.finalize(), hash(&[7; 100_000]));
    writer.write_all(&[8; 10]).await.expect("room");
    drop(writer);
    hasher
        .update_async_reader(&mut reader)
        .await
        .expect("no error");
    assert_eq!(
        hasher.finalize(),
        hash(&[&[7; 100_000][..], &[8; 10]].concat())
    );
}

#[tokio::test]
async fn adapters_hash_what_went_through() {
    let input = input(100_000);
    let (left, right) = tokio::io::duplex(1000);
    let mut writer = HashWriter::new(left);
    let mut reader = HashReader::new(right);
    let mut bytes = Vec::new();
    let write = async {
        writer.write_all(&input).await?;
        writer.shutdown().await
    };
    let (written, read) = tokio::join!(write, reader.read_to_end(&mut bytes));
    written.expect("no error");
    assert_eq!(read.expect("no error"), input.len());
    assert_eq!(
        (writer.finalize(), reader.finalize()),
        (hash(&input), hash(&input))
    );
    assert_eq!(bytes, input);

    let mut reader = HashReader::new(&b"one\ntwo"[..]);
    reader
        .read_line(&mut String::new())
        .await
        .expect("no error");
    assert_eq!(reader.finalize(), hash(b"one\n"));
}
