//! The published answers, in all three modes, by every way in, on every tier.

use blake3_lanes::Tier;
use hex_literal::hex;

#[path = "support/modes.rs"]
mod modes;
#[path = "support/tiers.rs"]
mod support;

use modes::{CONTEXT, KEY, Mode, input};
use support::tiers;

const OUTPUT_LEN: usize = 131;

struct Vector {
    input: Vec<u8>,
    /// In the order of [`Mode::ALL`].
    outputs: [[u8; OUTPUT_LEN]; 3],
}

impl Vector {
    fn cases(&self) -> impl Iterator<Item = (Mode, &[u8; OUTPUT_LEN])> {
        Mode::ALL.into_iter().zip(&self.outputs)
    }
}

/// The file that `examples/make_vectors.rs` writes.
fn vectors() -> Vec<Vector> {
    let lines: Vec<&str> = include_str!("data/vectors.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    let (vectors, rest) = lines.as_chunks::<4>();
    assert_eq!(rest, [""; 0], "four lines a vector");
    let vector = |[len, outputs @ ..]: &[&str; 4]| Vector {
        input: input(len.parse().expect("a length")),
        outputs: outputs.map(bytes),
    };
    vectors.iter().map(vector).collect()
}

fn bytes(hex: &str) -> [u8; OUTPUT_LEN] {
    assert_eq!(hex.len(), 2 * OUTPUT_LEN);
    std::array::from_fn(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hexadecimal"))
}

#[test]
fn file_holds_what_the_reference_says() {
    let vectors = vectors();
    let mut lengths: Vec<usize> = vectors.iter().map(|vector| vector.input.len()).collect();
    assert!(lengths.is_sorted());
    lengths.dedup();
    assert!(lengths.len() >= 35, "only {} lengths", lengths.len());
    for len in [0, 1, 64, 1023, 1024, 1025, 31 * 1024, 100 * 1024] {
        assert!(lengths.contains(&len), "no vector of {len} bytes");
    }
    for vector in &vectors {
        for (mode, output) in vector.cases() {
            let expected = mode.expected_output(&vector.input, 0, OUTPUT_LEN);
            assert_eq!(
                output[..],
                expected,
                "{mode:?} of {} bytes",
                vector.input.len()
            );
        }
    }
}

#[test]
fn one_shot() {
    for &tier in tiers() {
        for vector in vectors() {
            for (mode, output) in vector.cases() {
                let digest = mode.hash(tier, &vector.input);
                assert_eq!(
                    digest,
                    output[..32],
                    "{mode:?} of {} bytes on {tier}",
                    vector.input.len()
                );
            }
        }
    }
}

#[test]
fn incremental() {
    for &tier in tiers() {
        for vector in vectors() {
            for (mode, output) in vector.cases() {
                for cut in [0, 1, 63, 1024, 5000, vector.input.len()] {
                    let Some((left, right)) = vector.input.split_at_checked(cut) else {
                        continue;
                    };
                    let mut hasher = mode.hasher(tier);
                    hasher.update(left).update(right);
                    let digest = hasher.finalize();
                    assert_eq!(
                        digest,
                        output[..32],
                        "{mode:?} of {cut} + {} bytes on {tier}",
                        right.len()
                    );
                    assert_eq!(hasher.count(), vector.input.len() as u64);
                }
            }
        }
    }
}

#[test]
fn extended_output() {
    for &tier in tiers() {
        for vector in vectors() {
            for (mode, output) in vector.cases() {
                let what = format!("{mode:?} of {} bytes on {tier}", vector.input.len());
                let mut reader = mode.hasher(tier).update(&vector.input).finalize_xof();
                let mut all = [0; OUTPUT_LEN];
                reader.fill(&mut all);
                assert_eq!(all, *output, "{what}");
                assert_eq!(reader.position(), OUTPUT_LEN as u64, "{what}");

                // From every position, backwards, to the end and to 7 bytes on.
                for position in (0..=OUTPUT_LEN).rev() {
                    for end in [OUTPUT_LEN, OUTPUT_LEN.min(position + 7)] {
                        let mut part = vec![0; end - position];
                        reader.set_position(position as u64);
                        reader.fill(&mut part);
                        assert_eq!(
                            part,
                            output[position..end],
                            "{what}, output from {position} to {end}"
                        );
                        assert_eq!(reader.position(), end as u64, "{what}");
                    }
                }
            }
        }
    }
}

/// The ways in that choose a tier themselves.
#[test]
fn detected() {
    for vector in vectors() {
        let [hash, keyed_hash, derive_key] = vector.outputs.each_ref().map(|output| &output[..32]);
        let input = &vector.input[..];
        assert_eq!(blake3_lanes::hash(input), *hash);
        assert_eq!(blake3_lanes::keyed_hash(KEY, input), *keyed_hash);
        assert_eq!(blake3_lanes::derive_key(CONTEXT, input), derive_key);
        assert_eq!(blake3_lanes::Hasher::new().update(input).finalize(), *hash);
        assert_eq!(
            blake3_lanes::Hasher::default().update(input).finalize(),
            *hash
        );
        assert_eq!(
            blake3_lanes::Hasher::new_keyed(KEY)
                .update(input)
                .finalize(),
            *keyed_hash
        );
        assert_eq!(
            blake3_lanes::Hasher::new_derive_key(CONTEXT)
                .update(input)
                .finalize(),
            *derive_key
        );
    }
}

/// A few answers of the official test vectors as they were published, so that not all trust is in
/// the reference that wrote our file.
#[test]
fn official() {
    const EMPTY: [u8; OUTPUT_LEN] = hex!(
        "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262e00f03e7b69af26b7faaf09f"
        "cd333050338ddfe085b8cc869ca98b206c08243a26f5487789e8f660afe6c99ef9e0c52b92e7393024a80459"
        "cf91f476f9ffdbda7001c22e159b402631f277ca96f2defdf1078282314e763699a31c5363165421cce14d"
    );
    #[rustfmt::skip]
    let digests: [(usize, [[u8; 32]; 3]); 5] = [
        (1, [
            hex!("2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213"),
            hex!("6d7878dfff2f485635d39013278ae14f1454b8c0a3a2d34bc1ab38228a80c95b"),
            hex!("b3e2e340a117a499c6cf2398a19ee0d29cca2bb7404c73063382693bf66cb06c"),
        ]),
        (1024, [
            hex!("42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7"),
            hex!("75c46f6f3d9eb4f55ecaaee480db732e6c2105546f1e675003687c31719c7ba4"),
            hex!("7356cd7720d5b66b6d0697eb3177d9f8d73a4a5c5e968896eb6a689684302706"),
        ]),
        (1025, [
            hex!("d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444"),
            hex!("357dc55de0c7e382c900fd6e320acc04146be01db6a8ce7210b7189bd664ea69"),
            hex!("effaa245f065fbf82ac186839a249707c3bddf6d3fdda22d1b95a3c970379bcb"),
        ]),
        (31744, [
            hex!("62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47"),
            hex!("efa53b389ab67c593dba624d898d0f7353ab99e4ac9d42302ee64cbf9939a419"),
            hex!("39772aef80e0ebe60596361e45b061e8f417429d529171b6764468c22928e28e"),
        ]),
        (102400, [
            hex!("bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085"),
            hex!("1c35d1a5811083fd7119f5d5d1ba027b4d01c0c6c49fb6ff2cf75393ea5db4a7"),
            hex!("4652cff7a3f385a6103b5c260fc1593e13c778dbe608efb092fe7ee69df6e9c6"),
        ]),
    ];
    for &tier in tiers() {
        let mut output = [0; OUTPUT_LEN];
        Mode::Hash.hasher(tier).finalize_xof().fill(&mut output);
        assert_eq!(output, EMPTY, "on {tier}");
        for (len, digests) in digests {
            check_official(tier, len, digests);
        }
    }
}

fn check_official(tier: Tier, len: usize, digests: [[u8; 32]; 3]) {
    for (mode, digest) in Mode::ALL.into_iter().zip(digests) {
        assert_eq!(
            mode.hash(tier, &input(len)),
            digest,
            "{mode:?} of {len} bytes on {tier}"
        );
    }
}
