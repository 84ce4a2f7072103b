//! What `ladder`, which measures, and `charts`, which draws, have in common: the sizes, the figures and the bars.

mod bars;
mod report;
mod sizes;

pub use bars::{Bar, bars};
pub use report::{Build, Machine, Mode, Pair, Peer, Point, Report, Run, Summary};
pub use sizes::{KIB, MEAN_LIMIT, MIB, label, ladder, parse};
