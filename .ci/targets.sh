# A compiler and a standard library for targets other than the host's; to be sourced after common.sh.

# compiler_for TARGET [CRATES]: sets RUSTC and RUSTDOC to a stable compiler that has the standard library of that target
# (`CRATES` of it, as -Zbuild-std takes them). That is the compiler at hand after `rustup target add TARGET`, else
# Debian's rustc-web, whose library is built once from its sources and kept beside it. Only that build uses unstable
# options: what is compiled with the result is compiled as by any stable Rust. It is made without the traces of calls that
# panics print, which would be half of the work.
compiler_for() {
    local target=$1 crates=${2:-std,panic_abort,panic_unwind,test}
    unset RUSTC RUSTDOC
    [ ! -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ] || return 0
    packages rustc-web rust-web-src
    export RUSTC=/usr/bin/rustc RUSTDOC=/usr/bin/rustdoc
    local library=/usr/lib/rustlib/$target version
    version=$($RUSTC -vV | sed -n 's/^release: //p')-$(dpkg-query -W -f='${Version}' rustc-web)
    [ "$(cat "$library/.std-stamp" 2>/dev/null)" != "$version" ] || return 0
    local build
    build=$(mktemp -d)
    echo "building the standard library for $target"
    mkdir "$build/src"
    echo '#![no_std]' >"$build/src/lib.rs"
    printf '[package]\nname = "empty"\nedition = "2021"\n[workspace]\n' >"$build/Cargo.toml"
    (cd "$build" && RUSTC_BOOTSTRAP=1 RUSTFLAGS='' cargo build -q --release "-Zbuild-std=$crates" \
        -Zbuild-std-features=panic-unwind --target "$target" --target-dir "$build/target")
    mkdir -p "$build/$target/lib"
    find "$build/target/$target/release/deps" -name '*.rlib' ! -name 'libempty-*' -exec cp {} "$build/$target/lib" \;
    echo "$version" >"$build/$target/.std-stamp"
    as_root rm -rf "$library"
    as_root cp -r "$build/$target" /usr/lib/rustlib/
    rm -rf "$build"
}
