//! Every machine has the portable tier, knows its tiers by their names, and misses none that is
//! asked of it.

use blake3_lanes::Tier;

#[path = "support/tiers.rs"]
mod support;

use support::{NAMES, check_required, tiers};

/// Whether there is but one tier, chosen when compiling.
const FIXED: bool = cfg!(any(
    blake3_lanes_tier = "portable",
    blake3_lanes_tier = "sse2",
    blake3_lanes_tier = "sse41",
    blake3_lanes_tier = "avx2",
    blake3_lanes_tier = "avx512",
    blake3_lanes_tier = "neon",
    blake3_lanes_tier = "sve2",
    blake3_lanes_tier = "simd128",
));

#[test]
fn available_tiers_are_named_and_detected() {
    let tiers = tiers();
    let names: Vec<&str> = tiers.iter().map(|tier| tier.name()).collect();
    for (i, name) in names.iter().enumerate() {
        assert!(
            NAMES.contains(name),
            "{name} is a new name: add it to NAMES"
        );
        assert!(!names[..i].contains(name), "{name} comes twice");
        assert_eq!(tiers[i].to_string(), *name);
        assert_eq!(format!("{:?}", tiers[i]), *name);
    }
    assert!(
        tiers.contains(&Tier::detect()),
        "{} is detected but not available",
        Tier::detect()
    );
    assert_eq!(Tier::PORTABLE.name(), "portable");
    if !FIXED {
        assert_eq!(tiers[0], Tier::PORTABLE);
        assert_eq!(tiers.last(), Some(&Tier::detect()), "the widest is taken");
    }
}

/// What the processor says of itself, by another way than the library's.
#[test]
#[cfg(all(target_arch = "x86_64", any(feature = "std", feature = "cpufeatures")))]
fn no_tier_of_this_processor_is_missed() {
    let names: Vec<&str> = tiers().iter().map(|tier| tier.name()).collect();
    if FIXED {
        return;
    }
    let mut expected = vec!["portable", "sse2"];
    if is_x86_feature_detected!("sse4.1") && is_x86_feature_detected!("ssse3") {
        expected.push("sse41");
    }
    if is_x86_feature_detected!("avx2") {
        expected.push("avx2");
    }
    if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
        expected.push("avx512");
    }
    assert_eq!(names, expected);
}

#[test]
fn required_tiers_are_checked() {
    let available = ["portable", "sse2"];
    for fine in ["", "sse2", "portable,sse2", " sse2 , portable,"] {
        assert_eq!(check_required(fine, &available), Ok(()), "{fine:?}");
    }
    let absent = check_required("sse2,avx512", &available).unwrap_err();
    assert!(absent.contains("avx512 is not available"), "{absent}");
    let unknown = check_required("sse2,avx1024", &available).unwrap_err();
    assert!(
        unknown.contains("no tier is called \"avx1024\""),
        "{unknown}"
    );
}

/// A narrow tier has the same name and the same results, and is not the wide one where there are two widths.
#[test]
fn narrow_tiers_compute_the_same() {
    let input: Vec<u8> = (0..40_000).map(|i| (i % 251) as u8).collect();
    for tier in tiers() {
        let narrow = tier.narrow();
        assert_eq!(narrow.name(), tier.name());
        assert_eq!(narrow.narrow(), narrow);
        assert!(narrow <= *tier, "narrow comes first");
        let has_two = ["avx512", "neon", "sve2"].contains(&tier.name());
        assert_eq!(narrow != *tier, has_two);
        if has_two {
            assert_eq!(narrow.to_string(), format!("{}, narrow", tier.name()));
        }
        for len in [
            0,
            1,
            1024,
            1025,
            3072,
            8192,
            9000,
            16 * 1024,
            33_000,
            40_000,
        ] {
            let expected = blake3_lanes::hash_on_tier(Tier::PORTABLE, &input[..len]);
            assert_eq!(
                blake3_lanes::hash_on_tier(narrow, &input[..len]),
                expected,
                "{len} bytes on {narrow}"
            );
        }
    }
}
