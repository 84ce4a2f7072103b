use super::*;
use crate::tier::portable::{self, IV};
use crate::tier::{block_words, bytes_from_words};

/// The tree as the paper defines it, top down, with the one compression that all tiers are measured
/// against.
fn chaining_value(input: &[u8], counter: u64, root: u32) -> Words {
    let compress = |cv: &Words, block: &[u8], counter, flags| {
        let mut padded = [0; BLOCK_LEN];
        padded[..block.len()].copy_from_slice(block);
        let len = block.len() as u32;
        let out = portable::compress(cv, &block_words(&padded), counter, len, flags);
        let (cv, _) = out.split_first_chunk().expect("16 words");
        *cv
    };
    if input.len() > CHUNK_LEN {
        let left = 1 << (input.len() - 1).ilog2();
        let mut block = [0; BLOCK_LEN];
        for (half, (input, counter)) in block.chunks_mut(32).zip([
            (&input[..left], counter),
            (&input[left..], counter + (left / CHUNK_LEN) as u64),
        ]) {
            half.copy_from_slice(&bytes_from_words(&chaining_value(input, counter, 0)));
        }
        return compress(&IV, &block, 0, flags::PARENT | root);
    }
    let mut cv = IV;
    let blocks = input.len().div_ceil(BLOCK_LEN).max(1);
    for i in 0..blocks {
        let mut flags = 0;
        if i == 0 {
            flags |= flags::CHUNK_START;
        }
        if i + 1 == blocks {
            flags |= flags::CHUNK_END | root;
        }
        let block = &input[i * BLOCK_LEN..input.len().min((i + 1) * BLOCK_LEN)];
        cv = compress(&cv, block, counter, flags);
    }
    cv
}

fn root(input: &[u8]) -> [u8; 32] {
    bytes_from_words(&chaining_value(input, 0, flags::ROOT))
}

fn input<const N: usize>() -> [u8; N] {
    core::array::from_fn(|i| (i % 251) as u8)
}

fn tree() -> Tree {
    Tree::new(Domain::hash(Tier::PORTABLE))
}

/// What the documentation of `Tree` says of its state.
fn assert_settled(tree: &Tree) {
    let chunks = tree.finished();
    let pending = tree.stack.as_slice().len();
    let held_back = chunks.is_power_of_two() && tree.chunk.is_empty();
    assert_eq!(
        pending,
        chunks.count_ones() as usize + usize::from(held_back)
    );
    if chunks > 0 {
        assert!(
            tree.chunk.len() < CHUNK_LEN,
            "only chunk 0 is kept when it is full"
        );
    }
}

#[test]
fn at_once() {
    let input = input::<{ 300 * CHUNK_LEN }>();
    let domain = Domain::hash(Tier::PORTABLE);
    let around = |chunks: usize| (chunks * CHUNK_LEN - 1)..=(chunks * CHUNK_LEN + 1);
    // Either side of the switches between buffers, and of the second run.
    let lens = [
        1, 2, 3, 4, 5, 15, 16, 17, 31, 63, 64, 65, 127, 128, 129, 255, 256, 257,
    ];
    for len in (0..200).chain(lens.into_iter().flat_map(around)) {
        assert_eq!(
            domain.root(&input[..len]),
            root(&input[..len]),
            "{len} bytes"
        );
    }
}

#[test]
fn in_two_pieces() {
    let input = input::<{ 180 * CHUNK_LEN }>();
    let whole = |chunks: usize| chunks * CHUNK_LEN;
    let firsts = [
        0,
        1,
        64,
        1024,
        1025,
        whole(2),
        whole(3) - 1,
        whole(5),
        whole(7) + 9,
        whole(31),
    ];
    let seconds = [
        0,
        1,
        1023,
        1024,
        1025,
        whole(2),
        whole(3),
        whole(9) + 1,
        whole(105),
        whole(130),
    ];
    for first in firsts {
        for second in seconds {
            let mut tree = tree();
            let input = &input[..first + second];
            tree.update(&input[..first]);
            assert_settled(&tree);
            tree.update(&input[first..]);
            assert_settled(&tree);
            assert_eq!(tree.count(), input.len() as u64);
            assert_eq!(
                tree.top().root_hash(),
                root(input),
                "{first} + {second} bytes"
            );
        }
    }
}

#[test]
fn chunk_by_chunk() {
    let input = input::<{ 40 * CHUNK_LEN }>();
    for step in [CHUNK_LEN / 2, CHUNK_LEN, 3 * CHUNK_LEN] {
        let mut tree = tree();
        for (i, piece) in input.chunks(step).enumerate() {
            tree.update(piece);
            assert_settled(&tree);
            let so_far = &input[..i * step + piece.len()];
            assert_eq!(
                tree.top().root_hash(),
                root(so_far),
                "{} bytes",
                so_far.len()
            );
        }
    }
}

/// As if all but the last chunks of the longest input had been hashed: all levels of the stack are
/// in use.
#[test]
fn full_stack() {
    const CHUNKS: u64 = 1 << 54;
    let input = input::<{ 21 * CHUNK_LEN }>();
    let domain = Domain::hash(Tier::PORTABLE);
    for left in [1, 2, 3, 8, 20, 21] {
        let finished = CHUNKS - left;
        // One value for each set bit of `finished`, and what they become, one chunk at a time.
        let values = (0..finished.count_ones()).map(|i| [i; 8]);
        let mut tree = tree();
        tree.chunk = Chunk::new(&domain, finished);
        let mut expected = [[0; 8]; 64];
        let mut len = 0;
        for value in values {
            tree.stack.push(&value);
            expected[len] = value;
            len += 1;
        }
        let input = &input[..left as usize * CHUNK_LEN];
        for (i, chunk) in input.chunks(CHUNK_LEN).enumerate() {
            let counter = finished + i as u64;
            expected[len] = chaining_value(chunk, counter, 0);
            len += 1;
            // The last merge would be the root.
            while len > 2.max((counter + 1).count_ones() as usize) {
                let parent = domain.parent(&expected[len - 2], &expected[len - 1]);
                expected[len - 2] = parent.chaining_value();
                len -= 1;
            }
            assert!(len <= 55);
        }
        for pieces in [1, 2, 5] {
            let mut tree = tree.clone();
            for piece in input.chunks(input.len().div_ceil(pieces)) {
                tree.update(piece);
            }
            assert_eq!(
                tree.stack.as_slice(),
                &expected[..len],
                "{left} chunks in {pieces} pieces"
            );
            assert_eq!(tree.count(), 0, "2^64, wrapped");
        }
    }
}

#[test]
fn stack_grows_and_stays() {
    let mut stack = Stack::new();
    for i in 0..55 {
        stack.push(&[i; 8]);
        assert_eq!(stack.clone().as_slice(), stack.as_slice());
    }
    for i in (0..55).rev() {
        assert_eq!(stack.as_slice().len(), i as usize + 1);
        assert_eq!(stack.pop(), Some([i; 8]));
    }
    assert_eq!(stack.pop(), None);
}

#[test]
fn left_neighbours_beyond_the_free_places() {
    let mut cvs = [[0; 8]; 4];
    cvs[1..].copy_from_slice(&[[1; 8], [2; 8], [9; 8]]);
    let mut run = Run::new(&mut cvs, 1, 3);
    run.len = 2;
    run.push_front(&[0; 8]);
    assert_eq!((run.start, run.index), (0, 2));
    assert_eq!(run.values(), [[0; 8], [1; 8], [2; 8]]);
    run.len = 2;
    run.index = 5;
    run.push_front(&[7; 8]);
    assert_eq!(run.values(), [[7; 8], [0; 8], [1; 8]]);
    assert_eq!(run.cvs[3], [9; 8], "a value put aside stays where it is");
}
