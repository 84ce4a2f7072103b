//! **schedule**: the order of the instructions. The four Gs of a half round are independent and are interleaved step by
//! step; a second stream (the copies that transpose the next block) is spread evenly over the first.

use crate::ir::Inst;
use crate::spec::Place;

/// Orders the instructions of a compression by half round, step and G, with `stagger` steps between one G and the next
/// and `apart` steps between one register of a wide vector and the next, and marks the half rounds.
pub fn interleave(mut stream: Vec<(Place, Inst)>, stagger: usize, apart: usize) -> Vec<Inst> {
    let step = |place: &Place| place.step + stagger * place.g + apart * place.part;
    stream.sort_by_key(|(place, _)| (place.half, step(place), place.g));
    let mut code = Vec::new();
    let mut half = usize::MAX;
    for (place, inst) in stream {
        if place.half != half {
            half = place.half;
            code.push(Inst::Note(place.name()));
        }
        code.push(inst);
    }
    code
}

/// Spreads groups of instructions evenly over a stream: the groups stay whole and in order.
pub fn spread(main: Vec<Inst>, groups: Vec<Vec<Inst>>) -> Vec<Inst> {
    let (steps, total) = (main.len().max(1), groups.len());
    let mut groups = groups.into_iter();
    let mut done = 0;
    let mut code = Vec::new();
    for (i, inst) in main.into_iter().enumerate() {
        code.push(inst);
        while done < total * (i + 1) / steps {
            code.extend(groups.next().expect("as many groups as counted"));
            done += 1;
        }
    }
    code
}
