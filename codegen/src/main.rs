//! tmp
fn main() {
    for isa in codegen::isa::ALL {
        let constants = codegen::isa::Constants::new(isa);
        for k in codegen::kernel::kernels(isa) {
            let t = std::time::Instant::now();
            let r = codegen::prove::prove(&k, &constants);
            println!("{} {} body {} spills {} frame {} {:?} {:?}", isa.name, k.name, k.blocks[k.body].code.len(), k.spills, k.frame, r, t.elapsed());
        }
    }
}
