//! The generator: describe ([`spec`]), place ([`layout`]), lower ([`isa`]), [`schedule`], [`allocate`], [`prove`],
//! [`mod@print`]. `cargo codegen` writes `generated/`; see CONTRIBUTING.md.

pub mod allocate;
pub mod files;
pub mod ir;
pub mod isa;
pub mod kernel;
pub mod layout;
pub mod lower;
pub mod print;
pub mod prove;
pub mod schedule;
pub mod search;
pub mod spec;
pub mod stats;
