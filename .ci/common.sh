# What .ci/run and .ci/slow share; to be sourced.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CARGO_TERM_COLOR=never CARGO_INCREMENTAL=0

step() { printf '\n== %s (%d s since the start)\n' "$*" "$SECONDS"; }
skip() { printf 'SKIPPED: %s\n' "$*"; }
die() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# packages NAME...: installs those Debian packages that are missing.
packages() {
    local name missing=()
    for name; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
    done
    [ ${#missing[@]} != 0 ] || return 0
    if [ -z "${apt_updated:-}" ]; then
        as_root apt-get update -qq
        apt_updated=1
    fi
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# need COMMAND PACKAGE: installs a Debian package if the command is missing.
need() {
    command -v "$1" >/dev/null && return
    packages "$2"
    command -v "$1" >/dev/null || die "package $2 has brought no $1"
}

# Debian's own Rust is older than the minimum version, so it is not installed from there.
for tool in cargo cargo-fmt cargo-clippy; do
    command -v "$tool" >/dev/null || die "$tool is missing: install Rust 1.89 or newer with rustfmt and clippy"
done
need cc gcc
need objdump binutils

# The features of the library, without `default`.
features() {
    sed -n '/^\[features\]$/,/^\[/s/^\([a-z][a-z0-9_-]*\) = .*/\1/p' Cargo.toml | grep -vx default
}

# The tiers of this processor, by what the kernel says of it: the tests fail if the library finds fewer.
processor_tiers() {
    [ "$(uname -m)" = x86_64 ] && [ -r /proc/cpuinfo ] || return 0
    local flags tiers=sse2
    flags=" $(sed -n '/^flags/{s/.*: //p;q}' /proc/cpuinfo) "
    has() { local f; for f; do case $flags in *" $f "*) ;; *) return 1 ;; esac; done; }
    if has ssse3 sse4_1; then tiers+=,sse41; fi
    if has avx2; then tiers+=,avx2; fi
    if has avx512f avx512vl; then tiers+=,avx512; fi
    echo "$tiers"
}
REQUIRE_TIERS=${REQUIRE_TIERS-$(processor_tiers)}
export REQUIRE_TIERS
echo "tiers that must run here: ${REQUIRE_TIERS:-portable}"

# b3sum, with which lanesum is compared.
need_b3sum() {
    cargo install -q b3sum --version 1.8.7 --root target/b3sum
    export B3SUM=$PWD/target/b3sum/bin/b3sum
}

# refused TIER FEATURES TARGET EMULATOR LACKING HAVING: that the emulator knows what its processors lack, without which no
# run on them would prove anything. A program that takes that tier without asking ends by an illegal instruction on the
# processor LACKING, and prints the digest on the processor HAVING.
refused() {
    local tier=$1 features=$2 target=$3 emulator=$4 lacking=$5 having=$6 out=target/forced found status linker
    RUSTFLAGS="--cfg blake3_lanes_tier=\"$tier\" -C target-feature=$features" \
        cargo build -q --release -p blake3-lanes --no-default-features --target "$target" --target-dir "$out"
    echo 'fn main() { print!("{}", blake3_lanes::hash(&[7; 70_000])); }' >"$out/main.rs"
    linker=CARGO_TARGET_$(tr 'a-z-' 'A-Z_' <<<"$target")_LINKER
    "${RUSTC:-rustc}" --edition 2024 --target "$target" -C "linker=${!linker:-cc}" \
        --extern "blake3_lanes=$out/$target/release/libblake3_lanes.rlib" -o "$out/main" "$out/main.rs"
    found=$($emulator -cpu "$having" "$out/main") || die "tier $tier does not run on $having"
    [ "$found" = 3034ef4ecae8c2194b92df25a674a94630ea431907c3d0557b61fd1c302075e4 ] || die "tier $tier gives $found on $having"
    status=$({ ulimit -c 0 && $emulator -cpu "$lacking" "$out/main" >/dev/null || echo $?; } 2>/dev/null)
    [ "$status" = $((128 + 4)) ] || die "tier $tier, forced on $lacking, ends with status ${status:-0}, not by an illegal instruction"
    echo "tier $tier, forced: ends by an illegal instruction on $lacking, runs on $having"
}
