//! The input sizes of the ladder, and how they are read and written.

use parse_size::Config;

/// 1024 bytes.
pub const KIB: usize = 1 << 10;
/// 1024 KiB.
pub const MIB: usize = 1 << 20;

/// The geometric mean over the ladder is taken up to here: beyond, it would be the memory that is compared.
pub const MEAN_LIMIT: usize = MIB;

/// Every size of the ladder, ascending.
pub fn ladder() -> Vec<usize> {
    let mut sizes = vec![0, 1, 63, 64, 65, 128, 256, 512, 1000, 1024, 1025, 1536];
    sizes.extend((2..=32).map(|n| n * KIB));
    // A ragged last chunk costs a tree that takes chunks by fours and eights the most: a few bytes of one, and half.
    sizes.extend([2, 3, 5, 8, 11, 16, 23, 31].map(|n| n * KIB + 17));
    sizes.extend([3, 6, 10, 14, 20, 27].map(|n| n * KIB + KIB / 2));
    sizes.extend((16..=26).map(|n| 1 << n));
    sizes.sort_unstable();
    sizes
}

/// Reads `1000`, `16KiB`, `16k` or `3.5 KiB`; units are binary, with or without the `i`.
pub fn parse(text: &str) -> Result<usize, parse_size::Error> {
    let bytes = Config::new().with_binary().parse_size(text)?;
    Ok(usize::try_from(bytes).unwrap_or(usize::MAX))
}

/// A size in the largest unit in which it has at most one decimal, or in bytes.
pub fn label(size: usize) -> String {
    for (unit, name) in [(MIB, "MiB"), (KIB, "KiB")] {
        if size >= unit && (2 * size).is_multiple_of(unit) {
            return format!("{} {name}", size as f64 / unit as f64);
        }
    }
    format!("{size} B")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ladder_is_a_ladder() {
        let sizes = ladder();
        assert!(sizes.is_sorted_by(|a, b| a < b));
        for size in [
            0,
            1025,
            3 * KIB + 512,
            31 * KIB,
            31 * KIB + 17,
            64 * KIB,
            MIB,
            64 * MIB,
        ] {
            assert!(sizes.contains(&size), "{size}");
        }
        assert_eq!(sizes.last(), Some(&(64 * MIB)));
    }

    #[test]
    fn labels_are_read_back() {
        for size in ladder() {
            assert_eq!(parse(&label(size)).unwrap(), size);
        }
        assert_eq!(label(0), "0 B");
        assert_eq!(label(1025), "1025 B");
        assert_eq!(label(1536), "1.5 KiB");
        assert_eq!(label(3 * MIB / 2), "1.5 MiB");
        assert_eq!(parse("16k").unwrap(), 16 * KIB);
        assert!(parse("many").is_err());
    }
}
