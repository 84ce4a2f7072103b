//! Plain Rust: the portable kernel, for machines without a tier of their own, for constants, Miri and the sanitizers.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use super::header;
use crate::layout::scalar::{Compression, Op, Variable};
use crate::spec::IV;

/// The file of the portable tier.
pub fn file(compression: &Compression) -> String {
    // A result replaces the state word that its first operand came from, so the code reads like the paper's.
    let mut statements = TokenStream::new();
    let mut half = usize::MAX;
    for (i, (place, op)) in compression.code.iter().enumerate() {
        if place.half != half {
            half = place.half;
            let note = place.name();
            statements.extend(quote! { note!(#note); });
        }
        let name = result(i);
        let value = match *op {
            Op::Add(a, b) => {
                let (a, b) = (variable(a), variable(b));
                quote! { u32::wrapping_add(#a, #b) }
            }
            Op::Xor(a, b) => {
                let (a, b) = (variable(a), variable(b));
                quote! { #a ^ #b }
            }
            Op::RotateRight(a, distance) => {
                let (a, distance) = (variable(a), Literal::u32_unsuffixed(distance));
                quote! { u32::rotate_right(#a, #distance) }
            }
        };
        statements.extend(quote! { let #name = #value; });
    }
    let iv = IV.map(|word| {
        format!("{word:#010x}")
            .parse::<TokenStream>()
            .expect("a number")
    });
    let output = compression.output.map(variable);
    let tokens = quote! {
        #[doc = " The initialization vector (BLAKE3 paper, section 2.1)."]
        pub(crate) const IV: [u32; 8] = [#(#iv),*];

        #[doc = " Compresses one block (16 words) into its 64-byte output, of which the first 8 words are the chaining value."]
        pub(crate) const fn compress(
            cv: &[u32; 8], block: &[u32; 16], counter: u64, block_len: u32, flags: u32,
        ) -> [u32; 16] {
            let counter_low = counter as u32;
            let counter_high = (counter >> 32) as u32;
            #statements
            [#(#output),*]
        }
    };
    let text = prettyplease::unparse(&syn::parse2(tokens).expect("the printer writes Rust"));
    let text: String = text.lines().map(|line| unmark(line) + "\n").collect();
    let facts = [
        "Plain Rust, no CPU feature. Proved equal to `codegen/src/spec.rs` before it was written."
            .to_string(),
    ];
    header(
        "The kernel of the tier `portable`.",
        "codegen/src/layout/scalar.rs",
        &facts,
    ) + "\n"
        + &text
}

/// A marker statement as a comment: token streams carry none.
fn unmark(line: &str) -> String {
    match line
        .trim_start()
        .strip_prefix("note!(\"")
        .and_then(|rest| rest.strip_suffix("\");"))
    {
        Some(note) => format!("{}// {note}", &line[..line.len() - line.trim_start().len()]),
        None => line.into(),
    }
}

fn result(i: usize) -> Ident {
    Ident::new(&format!("t{i}"), Span::call_site())
}

fn variable(variable: Variable) -> TokenStream {
    let index = Literal::usize_unsuffixed;
    match variable {
        Variable::Cv(i) => {
            let i = index(i);
            quote! { cv[#i] }
        }
        Variable::Block(i) => {
            let i = index(i);
            quote! { block[#i] }
        }
        Variable::Iv(i) => {
            let i = index(i);
            quote! { IV[#i] }
        }
        Variable::CounterLow => quote! { counter_low },
        Variable::CounterHigh => quote! { counter_high },
        Variable::BlockLen => quote! { block_len },
        Variable::Flags => quote! { flags },
        Variable::Result(i) => {
            let name = result(i);
            quote! { #name }
        }
    }
}
