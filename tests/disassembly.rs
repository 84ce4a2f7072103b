//! A tier's kernels have only instructions that its detection promises. The test takes its own
//! program apart, so that what is looked at is what runs.
#![cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]

use std::collections::BTreeMap;
use std::process::Command;

#[path = "support/modes.rs"]
mod modes;
#[path = "support/tiers.rs"]
mod support;

use modes::{Mode, input};
use support::tiers;

/// A kernel's stack frame stays below this.
const MOST_STACK: u64 = 4096;

/// General instructions of every x86-64, without BMI and its like. Jumps, conditional moves and
/// sets stand apart.
const GENERAL: &str = "\
    mov movabs movzx movsx movsxd lea add adc sub sbb xor or and not neg inc dec imul mul cmp \
    test bt shl shr sar shld shrd rol ror bswap xchg push pop call ret jmp nop cs data16 ud2 \
    int3 leave cdqe cdq cqo prefetcht0 prefetcht1 prefetcht2 prefetchnta";
/// Beginnings of what has the condition in its name.
const CONDITIONAL: [&str; 3] = ["j", "cmov", "set"];

const SSE2: &str = "\
    movd movq movdqa movdqu movaps movups movapd movupd movss movsd movlps movhps movhlps \
    movlhps movlpd movhpd movnti movntdq movntps paddb paddw paddd paddq psubb psubw psubd psubq \
    pxor por pand pandn xorps orps andps andnps xorpd orpd andpd andnpd psllw pslld psllq psrlw \
    psrld psrlq psraw psrad pslldq psrldq pshufd pshuflw pshufhw shufps shufpd unpcklps unpckhps \
    unpcklpd unpckhpd punpcklbw punpckhbw punpcklwd punpckhwd punpckldq punpckhdq punpcklqdq \
    punpckhqdq pcmpeqb pcmpeqw pcmpeqd pcmpgtb pcmpgtw pcmpgtd pmovmskb pinsrw pextrw pmuludq \
    pmullw pmulhuw pmaxub pminub pmaxsw pminsw packssdw packsswb packuswb";
/// SSE3, SSSE3 and SSE4.1, which the tier of the last asks for together.
const SSE41: &str = "\
    lddqu movddup movshdup movsldup pshufb palignr pabsd psignd phaddd pblendw pblendvb blendps \
    blendpd blendvps insertps extractps pinsrb pinsrd pinsrq pextrb pextrd pextrq pmovzxbw \
    pmovzxbd pmovzxdq pmovzxwd pmovsxbd pmovsxdq pmulld pminud pmaxud pminsd pmaxsd pcmpeqq \
    packusdw ptest";
/// Those of AVX and AVX2 that are more than the same with another encoding.
const AVX2: &str = "\
    vzeroupper vzeroall vbroadcastss vbroadcastsd vbroadcastf128 vbroadcasti128 vinsertf128 \
    vinserti128 vextractf128 vextracti128 vperm2f128 vperm2i128 vpermilps vpermilpd vpermd \
    vpermq vpermps vpermpd vpbroadcastb vpbroadcastw vpbroadcastd vpbroadcastq vpblendd vpsllvd \
    vpsllvq vpsrlvd vpsrlvq vpsravd vmaskmovps vpmaskmovd vpmaskmovq vpgatherdd vpgatherqd \
    vpgatherdq vpgatherqq vtestps";
/// AVX-512 F, whose short forms are VL: what may name a `zmm`, a register from 16 on, or a mask.
/// Not here, though alike: bytes and words (BW), `vxorps`, `vinserti32x8`, `vpextrd` and `vpinsrd`
/// (DQ).
const AVX512: &str = "\
    vmovd vmovq vmovss vmovsd vmovdqa32 vmovdqa64 vmovdqu32 vmovdqu64 vmovaps vmovups vmovapd \
    vmovupd vmovntdq vmovntdqa vmovlps vmovhps vmovlhps vmovhlps vpaddd vpaddq vpsubd vpsubq \
    vpxord vpxorq vpord vporq vpandd vpandq vpandnd vpandnq vpternlogd vpternlogq vprold vprolq \
    vprord vprorq vprolvd vprorvd vpslld vpsllq vpsrld vpsrlq vpsrad vpsraq vpsllvd vpsllvq \
    vpsrlvd vpsrlvq vpsravd vpshufd vshufps vshufpd vunpcklps vunpckhps vunpcklpd vunpckhpd \
    vpunpckldq vpunpckhdq vpunpcklqdq vpunpckhqdq vpermd vpermq vpermps vpermpd vpermilps \
    vpermilpd vpermi2d vpermi2q vpermi2ps vpermi2pd vpermt2d vpermt2q vpermt2ps vpermt2pd \
    vshufi32x4 vshufi64x2 vshuff32x4 vshuff64x2 vinserti32x4 vinserti64x4 vinsertf32x4 \
    vinsertf64x4 vextracti32x4 vextracti64x4 vextractf32x4 vextractf64x4 vbroadcasti32x4 \
    vbroadcasti64x4 vbroadcastf32x4 vbroadcastf64x4 vbroadcastss vbroadcastsd vpbroadcastd \
    vpbroadcastq valignd valignq vpblendmd vpblendmq vblendmps vpcmpd vpcmpud vpcmpq vpcmpuq \
    vpcmpeqd vpcmpeqq vpcmpgtd vpcmpltd vpcmpled vpcmpneqd vpcmpltud vpcmpleud vpcmpnltud \
    vpcmpnleud vpcmpnequd vpcmpequd vptestmd vptestnmd vpmuludq vpmulld vpminud vpmaxud \
    vpmovzxdq vpmovqd vpcompressd vpexpandd vpgatherdd vpgatherqd vpgatherdq vpgatherqq \
    vpscatterdd vpscatterdq vpscatterqd vpscatterqq vinsertps vextractps kmovw kandw korw kxorw \
    kxnorw knotw kandnw kortestw kunpckbw kshiftlw kshiftrw";

fn among(list: &str, mnemonic: &str) -> bool {
    list.split_whitespace().any(|word| word == mnemonic)
}

/// A function out of the program.
#[derive(Debug, Default)]
struct Function {
    name: String,
    instructions: Vec<Instruction>,
}

#[derive(Debug)]
struct Instruction {
    /// Whether it has the encoding of AVX-512. The text does not tell: `vpslld ymm0,[rdi],7` has no
    /// other, `vpslld ymm0,ymm1,7` has.
    evex: bool,
    mnemonic: String,
    operands: String,
}

impl Instruction {
    fn parse(bytes: &str, text: &str) -> Self {
        // Before it come at most prefixes for addresses.
        let first = bytes
            .split_whitespace()
            .find(|byte| !["64", "65", "67"].contains(byte));
        let (mnemonic, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        // Where a jump leads, and what an address is, in words.
        let operands = operands.split(['<', '#']).next().unwrap_or_default();
        Self {
            evex: first == Some("62"),
            mnemonic: mnemonic.to_owned(),
            operands: operands.trim().to_owned(),
        }
    }

    /// The numbers of all registers that are called `kind` and a number.
    fn registers(&self, kind: &str) -> Vec<u32> {
        let words = self.operands.split(|c: char| !c.is_ascii_alphanumeric());
        words
            .filter_map(|word| word.strip_prefix(kind)?.parse().ok())
            .collect()
    }

    fn is_vector(&self) -> bool {
        ["xmm", "ymm", "zmm", "k", "mm"]
            .iter()
            .any(|kind| !self.registers(kind).is_empty())
    }

    fn is_wide(&self) -> bool {
        ["ymm", "zmm"]
            .iter()
            .any(|kind| !self.registers(kind).is_empty())
    }

    fn is_general(&self) -> bool {
        !self.is_vector()
            && (among(GENERAL, &self.mnemonic)
                || CONDITIONAL
                    .iter()
                    .any(|start| self.mnemonic.starts_with(start)))
    }

    fn allowed(&self, tier: &str) -> bool {
        // MMX, which shares the names of SSE2's.
        if !self.registers("mm").is_empty() {
            return false;
        }
        let mnemonic = &self.mnemonic[..];
        let sse2 = |mnemonic: &str| among(SSE2, mnemonic);
        let sse41 = |mnemonic: &str| sse2(mnemonic) || among(SSE41, mnemonic);
        let avx2 =
            |mnemonic: &str| among(AVX2, mnemonic) || mnemonic.strip_prefix('v').is_some_and(sse41);
        let vex = avx2(mnemonic) && !self.evex;
        self.is_general()
            || match tier {
                "sse2" => sse2(mnemonic),
                "sse41" => sse41(mnemonic),
                "avx2" => vex,
                "avx512" => vex || among(AVX512, mnemonic),
                _ => panic!("no instructions are listed for tier {tier}"),
            }
    }

    /// What it takes from the stack.
    fn stack(&self) -> u64 {
        match (&self.mnemonic[..], self.operands.split_once(",0x")) {
            ("sub", Some(("rsp", bytes))) => u64::from_str_radix(bytes, 16).unwrap_or(u64::MAX),
            _ => 0,
        }
    }
}

/// What is wrong with a kernel.
fn faults(tier: &str, function: &Function) -> Vec<String> {
    let mut faults = Vec::new();
    let mut wide = false;
    let mut stack = 0;
    for instruction in &function.instructions {
        let Instruction {
            mnemonic, operands, ..
        } = instruction;
        if !instruction.allowed(tier) {
            faults.push(format!(
                "{}: {mnemonic} {operands} is not of {tier}",
                function.name
            ));
        }
        // In the order of the text, which for one straight run with a loop in it is good enough.
        match &mnemonic[..] {
            "vzeroupper" | "vzeroall" => wide = false,
            "ret" if wide => faults.push(format!("{}: returns without vzeroupper", function.name)),
            _ => wide |= instruction.is_wide(),
        }
        stack += instruction.stack();
    }
    if stack >= MOST_STACK {
        faults.push(format!("{}: a frame of {stack} bytes", function.name));
    }
    faults
}

/// The functions in the modules of generated code, by the name of the module, which is that of the
/// tier.
fn kernels(disassembly: &str) -> BTreeMap<&str, Vec<Function>> {
    let mut kernels: BTreeMap<&str, Vec<Function>> = BTreeMap::new();
    let mut current: Option<&mut Function> = None;
    for line in disassembly.lines() {
        if let Some(name) = line
            .strip_suffix(">:")
            .and_then(|line| line.split_once(" <"))
            .map(|(_, name)| name)
        {
            current = tier_of(name).map(|tier| {
                let functions = kernels.entry(tier).or_default();
                functions.push(Function {
                    name: name.to_owned(),
                    instructions: Vec::new(),
                });
                functions.last_mut().expect("just pushed")
            });
        } else if let Some(function) = &mut current
            && let Some((address, instruction)) = line.split_once(":\t")
            && u64::from_str_radix(address.trim(), 16).is_ok()
        {
            let (bytes, text) = instruction
                .split_once('\t')
                .unwrap_or((instruction, "(bad)"));
            function
                .instructions
                .push(Instruction::parse(bytes, text.trim()));
        }
    }
    kernels
}

/// The tier whose module a function of this (demangled) name lies in.
fn tier_of(name: &str) -> Option<&'static str> {
    let path = name.strip_prefix("blake3_lanes::tier::").or_else(|| {
        // With the crate's disambiguator: `blake3_lanes[0123456789abcdef]::tier::`.
        let (disambiguator, path) = name
            .strip_prefix("blake3_lanes[")?
            .split_once("]::tier::")?;
        disambiguator
            .chars()
            .all(|c| c.is_ascii_hexdigit())
            .then_some(path)
    })?;
    let mut modules: Vec<&str> = path.split("::").collect();
    // The hash that older compilers append, and the function, whose name is no module's.
    modules.pop_if(|name| name.len() == 17 && name.starts_with('h'));
    modules.pop();
    let tiers = ["sse2", "sse41", "avx2", "avx512"];
    tiers.into_iter().find(|tier| modules.contains(tier))
}

/// Runs everything, so that every kernel is linked.
fn use_everything() {
    let input = input(40_000);
    for &tier in tiers() {
        for mode in Mode::ALL {
            let mut output = [0; 3000];
            assert_eq!(mode.hash(tier, &input), mode.expected(&input));
            mode.hasher(tier)
                .update(&input)
                .finalize_xof()
                .fill(&mut output);
            assert_eq!(output[..], mode.expected_output(&input, 0, output.len()));
        }
    }
}

#[test]
fn kernels_keep_to_their_instructions() {
    use_everything();
    let program = std::env::current_exe().expect("the program knows where it is");
    let objdump = Command::new("objdump")
        .args(["-d", "-C", "-M", "intel", "--insn-width=16"])
        .arg(program)
        .output();
    let output = match objdump {
        Ok(output) => output,
        Err(error) if std::env::var_os("REQUIRE_TIERS").is_none() => {
            use std::io::Write as _;
            let _ = writeln!(
                std::io::stderr(),
                "skipped the look at the instructions: objdump: {error}"
            );
            return;
        }
        Err(error) => panic!("objdump: {error}"),
    };
    assert!(
        output.status.success(),
        "objdump: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let disassembly = String::from_utf8_lossy(&output.stdout);
    let kernels = kernels(&disassembly);

    let mut all_faults = Vec::new();
    for tier in tiers()
        .iter()
        .map(|tier| tier.name())
        .filter(|name| *name != "portable")
    {
        let functions = kernels.get(tier).map(Vec::as_slice).unwrap_or_default();
        assert!(
            !functions.is_empty(),
            "no kernel of {tier} is in the program"
        );
        for function in functions {
            assert!(
                !function.instructions.is_empty(),
                "{} is empty",
                function.name
            );
            all_faults.extend(faults(tier, function));
        }
    }
    assert!(all_faults.is_empty(), "{}", all_faults.join("\n"));
}

/// The look itself finds what it is for.
mod self_test {
    use super::*;

    fn faults_of(tier: &str, body: &str) -> Vec<String> {
        let mut text = format!("0000000000001000 <blake3_lanes::tier::x86::{tier}::kernel>:\n");
        for instruction in body.split("; ") {
            let (bytes, instruction) = instruction.split_once('|').unwrap_or(("90", instruction));
            text += &format!("    1000:\t{bytes} \t{instruction}\n");
        }
        text += "\n0000000000002000 <std::rt::init>:\n    2000:\t62 f1 \tvpaddd zmm0,zmm1,zmm2\n";
        let kernels = kernels(&text);
        assert_eq!(kernels.keys().copied().collect::<Vec<_>>(), [tier]);
        assert_eq!(kernels[tier].len(), 1);
        assert_eq!(
            kernels[tier][0].instructions.len(),
            body.split("; ").count()
        );
        faults(tier, &kernels[tier][0])
    }

    #[test]
    fn right_ones_pass() {
        for (tier, body) in [
            (
                "sse2",
                "push   rbx; movdqu xmm15,XMMWORD PTR [rdi+r11*1+0x40]; pslld  xmm1,0x7; ret",
            ),
            (
                "sse2",
                "lea    rdi,[rip+0x1234]        # 5678 <vpaddd zmm0>; jne    1000 <k+0x40>; ret",
            ),
            (
                "sse41",
                "pshufb xmm0,xmm1; pblendw xmm0,xmm2,0xcc; sub    rsp,0x200; ret",
            ),
            (
                "avx2",
                "vpaddd ymm0,ymm1,ymm15; vpshufb ymm0,ymm1,YMMWORD PTR [rsp]; vzeroupper; ret",
            ),
            ("avx2", "vpaddd xmm0,xmm1,xmm15; ret"),
            (
                "avx512",
                "62 f1|vprord zmm31,zmm1,0x10; kmovw  k1,eax; vzeroupper; ret",
            ),
            ("avx512", "62 f1|vpaddd xmm16,xmm1,xmm2; vzeroupper; ret"),
            (
                "avx512",
                "62 f1|vmovdqu32 zmm3{k1}{z},[rdi]; vpshufb xmm0,xmm1,xmm2; vzeroupper; ret",
            ),
        ] {
            assert_eq!(faults_of(tier, body), [""; 0]);
        }
    }

    #[test]
    fn wrong_ones_are_found() {
        for (tier, instruction) in [
            ("sse2", "vpaddd xmm0,xmm1,xmm2"),
            ("sse2", "pshufb xmm0,xmm1"),
            ("sse2", "pblendw xmm0,xmm2,0xcc"),
            ("sse2", "pinsrd xmm0,eax,0x1"),
            ("sse2", "rorx   eax,ebx,0x7"),
            ("sse2", "paddd  mm0,mm1"),
            ("sse41", "vpshufb xmm0,xmm1,xmm2"),
            ("sse41", "pcmpgtq xmm0,xmm1"),
            ("sse41", "crc32  eax,ecx"),
            ("sse41", "popcnt eax,ecx"),
            ("avx2", "62 f1|vpaddd ymm16,ymm1,ymm2"),
            ("avx2", "62 f1|vpaddd zmm0,zmm1,zmm2"),
            ("avx2", "62 f1|vprord ymm0,ymm1,0x10"),
            ("avx2", "62 f1|vpternlogd ymm0,ymm1,ymm2,0x96"),
            ("avx2", "62 f1|vmovdqu32 ymm0{k1}{z},YMMWORD PTR [rdi]"),
            ("avx2", "62 f1|vpaddd ymm0,ymm1,DWORD PTR [rdi]{1to8}"),
            ("avx2", "62 f1|{evex} vpaddd ymm0,ymm1,ymm2"),
            ("avx2", "62 f1|vpslld ymm0,YMMWORD PTR [rdi],0x7"),
            ("avx2", "67 62 f1|vpaddd ymm0,ymm1,YMMWORD PTR [edi]"),
            ("avx2", "62 f2|vpbroadcastd ymm0,eax"),
            ("avx2", "kmovw  k1,eax"),
            ("avx2", "shlx   eax,ebx,ecx"),
            ("avx2", "paddd  xmm0,xmm1"),
            ("avx512", "62 f1|vpshufb zmm0,zmm1,zmm2"),
            ("avx512", "62 f1|vpslldq xmm16,xmm1,0x4"),
            ("avx512", "62 f1|vmovdqu8 zmm0{k1}{z},ZMMWORD PTR [rdi]"),
            ("avx512", "62 f1|vinserti32x8 zmm0,zmm1,ymm2,0x1"),
            ("avx512", "62 f1|vxorps zmm0,zmm1,zmm2"),
            ("avx512", "62 f1|vpinsrd xmm16,xmm1,eax,0x1"),
            ("avx512", "kmovd  k1,eax"),
            ("avx512", "62 f1|vpermb zmm0,zmm1,zmm2"),
            ("avx512", "62 f1|vplzcntd zmm0,zmm1"),
            ("avx512", "movdqa xmm0,xmm1"),
        ] {
            let end = if tier.starts_with("avx") {
                "vzeroupper; ret"
            } else {
                "ret"
            };
            let faults = faults_of(tier, &format!("{instruction}; {end}"));
            assert_eq!(faults.len(), 1, "{tier}: {instruction}: {faults:?}");
            assert!(faults[0].contains("is not of"), "{faults:?}");
        }
    }

    #[test]
    fn tails_and_frames_are_found() {
        for (tier, body) in [
            ("avx2", "vpaddd ymm0,ymm1,ymm2; ret"),
            ("avx2", "vzeroupper; vpaddd ymm0,ymm1,ymm2; ret"),
            (
                "avx512",
                "62 f1|vpaddd zmm0,zmm1,zmm2; vzeroupper; ret; 62 f1|vpaddd zmm0,zmm1,zmm2; ret",
            ),
            ("sse2", "sub    rsp,0x1000; ret"),
            ("sse2", "sub    rsp,0x900; sub    rsp,0x900; ret"),
        ] {
            assert_eq!(faults_of(tier, body).len(), 1, "{body:?}");
        }
    }

    #[test]
    fn modules_are_known_by_name() {
        for (name, tier) in [
            (
                "blake3_lanes::tier::x86::sse41::chunks4::h0123456789abcdef",
                Some("sse41"),
            ),
            (
                "blake3_lanes[8d1e0c7a5b3f2964]::tier::avx512::parents",
                Some("avx512"),
            ),
            ("blake3_lanes::tier::avx2::rows4", Some("avx2")),
            ("blake3_lanes::tier::x86::detect::avx2", None),
            ("blake3_lanes::tier::detect::avx2::h0123456789abcdef", None),
            ("blake3_lanes::tier::portable::compress", None),
            ("blake3_lanes::tier::Tier::hash_chunks", None),
            ("blake3_lanes::hasher::avx2", None),
            ("blake3::avx2::kernel", None),
            ("core::avx2", None),
        ] {
            assert_eq!(tier_of(name), tier, "{name}");
        }
    }
}
