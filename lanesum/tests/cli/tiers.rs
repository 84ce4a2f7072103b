//! Every tier prints the same.

use super::{Folder, hex, pattern, xof_hex};
use blake3_lanes::Tier;

const KEY: [u8; 32] = *b"whats the Elvish word for friend";

#[test]
fn every_tier_prints_the_same() {
    let folder = Folder::new("every_tier");
    let content = pattern(100_003);
    folder.write("f", &content);
    let (mut keyed, mut derived) = (
        blake3::Hasher::new_keyed(&KEY),
        blake3::Hasher::new_derive_key("context"),
    );
    keyed.update(&content);
    derived.update(&content);
    for tier in Tier::available() {
        let tier = tier.name();
        println!("tier {tier}");
        assert_eq!(
            folder.run(["--tier", tier, "f"]).text(),
            format!("{}  f\n", hex(&content))
        );
        assert_eq!(
            folder
                .run_with(&KEY, ["--tier", tier, "--keyed", "-l3000", "f"])
                .text(),
            format!("{}  f\n", xof_hex(&keyed, 0, 3000))
        );
        assert_eq!(
            folder
                .run([
                    "--tier",
                    tier,
                    "--derive-key=context",
                    "--seek=70",
                    "-l3000",
                    "f"
                ])
                .text(),
            format!("{}  f\n", xof_hex(&derived, 70, 3000))
        );
    }
}

#[test]
fn an_unknown_tier_names_the_known_ones() {
    let folder = Folder::new("an_unknown_tier");
    let known: Vec<_> = Tier::available().map(Tier::name).collect();
    folder
        .run_with(b"", ["--tier", "mmx"])
        .fails("", &["--tier", "mmx", &known.join(", ")]);
}
