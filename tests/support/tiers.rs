//! Which tiers a test runs on.
//!
//! A tier that the machine lacks cannot be tested on it. `REQUIRE_TIERS=avx512,avx2` makes that a
//! failure, for machines that are known to have them.

use std::io::Write as _;
use std::sync::OnceLock;

use blake3_lanes::Tier;

/// Every name that a tier may have, on any machine: what `REQUIRE_TIERS` is checked against, so
/// that a misspelt name fails instead of asking for nothing.
pub(crate) const NAMES: [&str; 8] = [
    "portable", "sse2", "sse41", "avx2", "avx512", "neon", "sve2", "simd128",
];

/// The tiers of this machine, narrowest first. Says once for each test program which they are.
///
/// # Panics
///
/// If `REQUIRE_TIERS` names one that is not among them.
pub(crate) fn tiers() -> &'static [Tier] {
    static TIERS: OnceLock<Vec<Tier>> = OnceLock::new();
    TIERS.get_or_init(|| {
        let tiers: Vec<Tier> = Tier::available().collect();
        let names: Vec<&str> = tiers.iter().map(|tier| tier.name()).collect();
        if let Some(required) = std::env::var_os("REQUIRE_TIERS") {
            let required = required.to_str().expect("REQUIRE_TIERS is text");
            if let Err(error) = check_required(required, &names) {
                panic!("{error}");
            }
        }
        // Not by `eprintln`, which the test harness swallows when the test passes.
        let _ = writeln!(std::io::stderr(), "tiers: {}", names.join(", "));
        tiers
    })
}

/// Whether all of a list of names, separated by commas, are among `available`.
pub(crate) fn check_required(required: &str, available: &[&str]) -> Result<(), String> {
    for name in required
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
    {
        if !NAMES.contains(&name) {
            return Err(format!(
                "REQUIRE_TIERS: no tier is called {name:?}, the names are {}",
                NAMES.join(", ")
            ));
        }
        if !available.contains(&name) {
            return Err(format!(
                "REQUIRE_TIERS: tier {name} is not available here, only {}",
                available.join(", ")
            ));
        }
    }
    Ok(())
}
