//! No byte is read or written outside of what the caller gave: input, keys and output lie right
//! against pages that cannot be touched.
#![cfg(all(unix, not(miri)))]

use std::ptr;

use blake3_lanes::Hasher;

#[path = "support/modes.rs"]
mod modes;
#[path = "support/tiers.rs"]
mod support;

use modes::{CONTEXT, KEY, Mode, input};
use support::tiers;

const LONG: usize = 70 * 1024;

/// Which guard the bytes lie against.
#[derive(Clone, Copy, Debug)]
enum Beside {
    First,
    Second,
}

impl Beside {
    const ALL: [Self; 2] = [Self::First, Self::Second];
}

/// Memory with a page before it and a page after it that cannot be touched.
struct Guarded {
    /// The first guard page.
    map: *mut libc::c_void,
    page: usize,
    /// Bytes between the guard pages.
    len: usize,
}

impl Guarded {
    /// Room for `len` bytes or more.
    fn new(len: usize) -> Self {
        // SAFETY: it reads a number.
        let page =
            usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).expect("a page size");
        let len = len.next_multiple_of(page);
        let (all, none) = (len + 2 * page, libc::PROT_NONE);
        // SAFETY: a new anonymous mapping, wherever the system likes it, touches nothing that is
        // there.
        let map = unsafe {
            libc::mmap(
                ptr::null_mut(),
                all,
                none,
                libc::MAP_PRIVATE | libc::MAP_ANON,
                -1,
                0,
            )
        };
        assert_ne!(map, libc::MAP_FAILED, "{}", std::io::Error::last_os_error());
        let guarded = Self { map, page, len };
        // SAFETY: these are pages of the new mapping, to which nothing refers yet.
        let result = unsafe {
            libc::mprotect(
                guarded.start().cast(),
                len,
                libc::PROT_READ | libc::PROT_WRITE,
            )
        };
        assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
        guarded
    }

    fn start(&self) -> *mut u8 {
        self.map.cast::<u8>().wrapping_add(self.page)
    }

    /// All of it: from one guard to the other.
    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: these bytes are mapped, readable, writable and zero at first; the borrow of
        // `self` keeps them so, and keeps others away.
        unsafe { std::slice::from_raw_parts_mut(self.start(), self.len) }
    }

    /// `bytes` right beside a guard.
    fn put(&mut self, beside: Beside, bytes: &[u8]) -> &mut [u8] {
        let start = match beside {
            Beside::First => 0,
            Beside::Second => self.len - bytes.len(),
        };
        let place = &mut self.bytes()[start..][..bytes.len()];
        place.copy_from_slice(bytes);
        place
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing borrows from it any more.
        unsafe { libc::munmap(self.map, self.len + 2 * self.page) };
    }
}

/// Every length of one chunk, then those around the edges of blocks and chunks, and some between.
fn lengths() -> impl Iterator<Item = usize> {
    let edges = (1024..=LONG)
        .step_by(1024)
        .flat_map(|edge| [-65, -64, -1, 0, 1, 2, 63, 64].map(|d| edge.saturating_add_signed(d)));
    (0..1100)
        .chain(edges)
        .chain((1100..LONG).step_by(331))
        .filter(|len| *len <= LONG)
}

fn check_input(lengths: impl Iterator<Item = usize>) {
    let input = input(LONG);
    let mut guarded = Guarded::new(LONG);
    for len in lengths {
        let mode = Mode::ALL[len % 3];
        let bytes = &input[..len];
        let expected = mode.expected(bytes);
        // Cut on an edge of blocks, or anywhere.
        let cut = if len.is_multiple_of(2) {
            (len / 2) & !63
        } else {
            len / 3
        };
        for beside in Beside::ALL {
            let place = guarded.put(beside, bytes);
            for &tier in tiers() {
                let what = || format!("{mode:?} of {len} bytes beside guard {beside:?} on {tier}");
                assert_eq!(mode.hash(tier, place), expected, "{}", what());
                let (left, right) = place.split_at(cut);
                let digest = mode.hasher(tier).update(left).update(right).finalize();
                assert_eq!(digest, expected, "{}, cut at {cut}", what());
            }
        }
    }
}

fn check_output(lengths: impl Iterator<Item = usize>) {
    let all = Mode::Hash.expected_output(b"output", 0, LONG + 100);
    let mut guarded = Guarded::new(LONG);
    for len in lengths {
        // From the start of a block, and from inside one.
        for position in [0, 64, 77] {
            let expected = &all[position..position + len];
            for &tier in tiers() {
                let what = || format!("{len} bytes of output from {position} on {tier}");
                let mut reader = Mode::Hash.hasher(tier).update(b"output").finalize_xof();
                let room = guarded.bytes();
                let start = room.len() - len;
                for place in [start..room.len(), 0..len] {
                    let place = &mut room[place];
                    place.fill(0);
                    reader.set_position(position as u64);
                    reader.fill(place);
                    assert!(place == expected, "{}", what());
                }
            }
        }
    }
}

#[test]
fn input_between_guards() {
    check_input(lengths());
}

#[test]
fn output_between_guards() {
    check_output(lengths());
}

#[test]
#[ignore = "gigabytes"]
fn every_input_between_guards() {
    check_input(0..=LONG);
}

#[test]
#[ignore = "gigabytes"]
fn every_output_between_guards() {
    check_output(0..=LONG);
}

#[test]
fn keys_and_contexts_between_guards() {
    let input = input(5000);
    let mut guarded = Guarded::new(4096);
    for beside in Beside::ALL {
        let expected = Mode::KeyedHash.expected(&input);
        let key: &[u8; 32] = guarded.put(beside, KEY).first_chunk().expect("32 bytes");
        for &tier in tiers() {
            assert_eq!(
                blake3_lanes::keyed_hash_on_tier(tier, key, &input),
                expected,
                "on {tier}"
            );
            assert_eq!(
                Hasher::new_keyed_on_tier(tier, key)
                    .update(&input)
                    .finalize(),
                expected,
                "on {tier}"
            );
        }
        let expected = Mode::DeriveKey.expected(&input);
        let context = std::str::from_utf8(guarded.put(beside, CONTEXT.as_bytes())).expect("text");
        for &tier in tiers() {
            assert_eq!(
                blake3_lanes::derive_key_on_tier(tier, context, &input),
                expected,
                "on {tier}"
            );
            assert_eq!(
                Hasher::new_derive_key_on_tier(tier, context)
                    .update(&input)
                    .finalize(),
                expected,
                "on {tier}"
            );
        }
    }
}

/// The guards guard: whoever reads one byte beyond does not live.
#[test]
fn guards_hold() {
    let guarded = Guarded::new(1);
    let (start, end) = (guarded.start(), guarded.start().wrapping_add(guarded.len));
    for (address, lives) in [
        (start, true),
        (end.wrapping_sub(1), true),
        (start.wrapping_sub(1), false),
        (end, false),
    ] {
        // SAFETY: the child touches nothing but this one byte, which is there to be read or else
        // ends the child alone.
        let status = unsafe {
            match libc::fork() {
                0 => {
                    address.read_volatile();
                    libc::_exit(0)
                }
                child => {
                    let mut status = 0;
                    assert_eq!(libc::waitpid(child, &mut status, 0), child);
                    status
                }
            }
        };
        assert_eq!(libc::WIFEXITED(status), lives, "status {status}");
        assert_eq!(libc::WIFSIGNALED(status), !lives, "status {status}");
    }
}
