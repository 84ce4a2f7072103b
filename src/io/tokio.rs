//! Asynchronous readers and writers.

use super::{BUFFER_LEN, HashReader, HashWriter};
use crate::Hasher;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use std::future::poll_fn;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::vec::Vec;
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, ReadBuf};

/// After so many bytes without a pause the executor is given a turn. A few dozen microseconds.
const TURN: usize = 4 * BUFFER_LEN;

/// What has been read and not yet hashed. Hashed when dropped, so that whoever stops waiting loses
/// nothing.
struct Pending<'a> {
    hasher: &'a mut Hasher,
    buffer: Vec<u8>,
    len: usize,
}

impl Pending<'_> {
    fn hash(&mut self) {
        self.hasher.update(&self.buffer[..self.len]);
        self.len = 0;
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.hash();
    }
}

impl Hasher {
    /// Adds all that an asynchronous reader gives, from where it stands to its end.
    ///
    /// Cancel safe: if the future is dropped, the hasher holds all that was read from the reader,
    /// and both may go on. 64 KiB are held; hashing them, for some microseconds, is done on the
    /// executor's thread, which gets a turn after every 256 KiB even where the reader is always
    /// ready. No executor is needed but the one that polls.
    ///
    /// # Errors
    ///
    /// The reader's first error, except [`Interrupted`](ErrorKind::Interrupted), after which it is
    /// asked again. All that was read before an error has been added.
    ///
    /// # Panics
    ///
    /// As [`update`](Self::update), or if the reader does.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// let mut hasher = blake3_lanes::Hasher::new();
    /// hasher.update_async_reader(&b"abc"[..]).await?;
    /// assert_eq!(hasher.finalize(), blake3_lanes::hash(b"abc"));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn update_async_reader(
        &mut self,
        mut reader: impl AsyncRead + Unpin,
    ) -> Result<&mut Self> {
        let begun = (self.count() % BUFFER_LEN as u64) as usize;
        let mut pending = Pending {
            hasher: self,
            buffer: std::vec![0; BUFFER_LEN],
            len: 0,
        };
        // The first round completes what was begun before.
        let mut room = BUFFER_LEN - begun;
        let mut without_pause = 0;
        loop {
            let read = poll_fn(|context| {
                if without_pause >= TURN {
                    without_pause = 0;
                    context.waker().wake_by_ref();
                    return Poll::Pending;
                }
                let mut buf = ReadBuf::new(&mut pending.buffer[pending.len..room]);
                let Poll::Ready(read) = Pin::new(&mut reader).poll_read(context, &mut buf) else {
                    without_pause = 0;
                    return Poll::Pending;
                };
                Poll::Ready(read.map(|()| buf.filled().len()))
            });
            match read.await {
                Ok(0) => break,
                Ok(len) => {
                    pending.len += len;
                    without_pause += len;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if pending.len == room {
                pending.hash();
                room = BUFFER_LEN;
            }
        }
        drop(pending);
        Ok(self)
    }
}

/// What was read is hashed. Cancel safe where the inner reader is.
impl<R: AsyncRead + Unpin> AsyncRead for HashReader<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        ready!(Pin::new(&mut this.inner).poll_read(context, buf))?;
        // A reader that takes back what was filled before is wrong, but safe code.
        this.hasher
            .update(buf.filled().get(before..).unwrap_or_default());
        Poll::Ready(Ok(()))
    }
}

/// What is consumed is hashed.
impl<R: AsyncBufRead + Unpin> AsyncBufRead for HashReader<R> {
    fn poll_fill_buf(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<&[u8]>> {
        Pin::new(&mut self.get_mut().inner).poll_fill_buf(context)
    }

    fn consume(self: Pin<&mut Self>, amount: usize) {
        let this = self.get_mut();
        let mut context = Context::from_waker(core::task::Waker::noop());
        // Already in memory: neither waits nor fails, by the contract of `poll_fill_buf`.
        if amount > 0
            && let Poll::Ready(Ok(bytes)) = Pin::new(&mut this.inner).poll_fill_buf(&mut context)
        {
            this.hasher.update(&bytes[..amount.min(bytes.len())]);
        }
        Pin::new(&mut this.inner).consume(amount);
    }
}

/// What the inner writer has taken is hashed. Cancel safe where the inner writer is.
impl<W: AsyncWrite + Unpin> AsyncWrite for HashWriter<W> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<Result<usize>> {
        let this = self.get_mut();
        let len = ready!(Pin::new(&mut this.inner).poll_write(context, buf))?;
        this.hasher.update(&buf[..len.min(buf.len())]);
        Poll::Ready(Ok(len))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<core::result::Result<usize, Error>> {
        let this = self.get_mut();
        let len = ready!(Pin::new(&mut this.inner).poll_write_vectored(context, bufs))?;
        let mut left = len;
        for buf in bufs {
            let taken = left.min(buf.len());
            this.hasher.update(&buf[..taken]);
            left -= taken;
        }
        Poll::Ready(Ok(len))
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_shutdown(context)
    }
}
