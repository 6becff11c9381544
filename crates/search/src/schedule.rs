//! Which callable to try next.
//!
//! In: how each callable fared, and which code is still uncovered. Out: draws in proportion to what a try may bring.
//! A callable is worth a try for the uncovered edges of its body and of what that body calls, for the new states it
//! makes, and less the more tries brought nothing, and the more of them took long.

use crate::archive::Archive;
use crate::catalogue::{CallableId, Catalogue};
use crate::rng::Rng;
use crate::strategy::Methods;

/// How a callable fared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Record {
    pub tries: u32,
    pub legal: u32,
    pub threw: u32,
    /// Tries that brought an edge, an outcome or a state.
    pub fruitful: u32,
    /// Tries since the last fruitful one.
    pub barren: u32,
    /// Times no candidate could be assembled.
    pub unassembled: u32,
    /// Tries that ran out of time or memory, or found a class that cannot be initialised: dear, and rarely worth it.
    pub stopped: u32,
    /// Tries that took long, as those with one of their calls do.
    pub slow: u32,
}

/// Weights of all callables, renewed between rounds.
#[derive(Debug)]
pub struct Schedule {
    records: Vec<Record>,
    /// Running sums of the weights.
    sums: Vec<f64>,
    methods: Methods,
}

impl Schedule {
    pub fn new(callables: usize, methods: Methods) -> Self {
        Schedule { records: vec![Record::default(); callables], sums: Vec::new(), methods }
    }

    pub fn record(&self, id: CallableId) -> &Record {
        &self.records[id.0 as usize]
    }

    pub fn record_mut(&mut self, id: CallableId) -> &mut Record {
        &mut self.records[id.0 as usize]
    }

    /// Weighs every callable anew.
    pub fn renew(&mut self, catalogue: &Catalogue, archive: &Archive) {
        let uncovered: Vec<f64> =
            catalogue.bodies.iter().map(|body| f64::from(archive.uncovered(body.probes.clone()))).collect();
        let mut total = 0.0;
        self.sums.clear();
        for (callable, record) in catalogue.callables.iter().zip(&self.records) {
            total += if callable.owner.is_none() {
                0.0
            } else {
                match self.methods {
                    Methods::Uniform => 1.0,
                    Methods::Promising => {
                        weight(catalogue, callable.body.map(|body| body.0 as usize), record, &uncovered)
                    }
                }
            };
            self.sums.push(total);
        }
    }

    /// What speaks for a callable, as it was weighed last.
    pub fn weight(&self, id: CallableId) -> f64 {
        let at = id.0 as usize;
        let before = if at == 0 { 0.0 } else { self.sums[at - 1] };
        self.sums[at] - before
    }

    /// Draws a callable; `None` if nothing is under test.
    pub fn draw(&self, rng: &mut Rng) -> Option<CallableId> {
        let total = *self.sums.last().filter(|total| **total > 0.0)?;
        let wanted = rng.unit() * total;
        let at = self.sums.partition_point(|sum| *sum <= wanted);
        Some(CallableId(at.min(self.sums.len() - 1) as u32))
    }
}

/// How much less a callable is worth a try whose tries all take long. They take hundreds of times as long as others; but nobody else reaches what
/// they reach.
const DEAR: f64 = 20.0;

fn weight(catalogue: &Catalogue, body: Option<usize>, record: &Record, uncovered: &[f64]) -> f64 {
    let mut promise = 0.0;
    if let Some(body) = body {
        promise += uncovered[body].min(40.0);
        for callee in &catalogue.bodies[body].callees {
            promise += 0.3 * uncovered[callee.0 as usize].min(20.0);
        }
    }
    let fruit = f64::from(record.fruitful + 1) / f64::from(record.tries + 2);
    let fatigue = 1.0 + f64::from(record.barren) / 30.0;
    let hopeless = 1.0 + f64::from(record.unassembled) / 10.0 + 4.0 * f64::from(record.stopped);
    let dear = 1.0 + DEAR * f64::from(record.slow) / f64::from(record.tries + 1);
    (0.2 + promise.sqrt() + 2.0 * fruit) / fatigue.sqrt() / hopeless / dear
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::{Ending, Run};
    use crate::catalogue::{Body, BodyId, OwnerId};
    use crate::types::fake::Lines;
    use probat_model::{ClassName, MethodDescriptor, Operation, ProbeId};

    fn catalogue() -> Catalogue {
        let mut catalogue = Catalogue::new();
        for (at, name) in ["covered", "open"].iter().enumerate() {
            let id = catalogue.add_plain(
                Operation::CallStatic {
                    class: ClassName::internal("A"),
                    name: (*name).into(),
                    descriptor: MethodDescriptor::parse("()V").unwrap(),
                    interface: false,
                },
                &Lines(""),
            );
            let first = at as u32 * 10;
            catalogue.bodies.push(Body {
                owner: OwnerId(0),
                probes: first..first + 10,
                callees: Box::from([]),
            });
            let callable = &mut catalogue.callables[id.0 as usize];
            callable.owner = Some(OwnerId(0));
            callable.body = Some(BodyId(at as u32));
        }
        catalogue
    }

    fn draws(schedule: &Schedule) -> [u32; 2] {
        let mut rng = Rng::new(1);
        let mut counts = [0; 2];
        for _ in 0..10_000 {
            counts[schedule.draw(&mut rng).unwrap().0 as usize] += 1;
        }
        counts
    }

    /// spec 001 row 51
    #[test]
    fn neglected_code_gains_calls() {
        let catalogue = catalogue();
        let mut archive = Archive::new(20, false);
        let edges: Vec<ProbeId> = (0..10).map(ProbeId).collect();
        archive.consider(Run {
            callable: CallableId(0),
            steps: &[],
            ending: &Ending::Returned,
            gave: Default::default(),
            edges: &edges,
            length: 0,
        });
        let mut uniform = Schedule::new(2, Methods::Uniform);
        uniform.renew(&catalogue, &archive);
        let mut adaptive = Schedule::new(2, Methods::Promising);
        adaptive.record_mut(CallableId(0)).barren = 300;
        adaptive.renew(&catalogue, &archive);
        let (even, uneven) = (draws(&uniform), draws(&adaptive));
        assert!(even[1] < 5_300 && uneven[1] > 7_000, "{even:?} {uneven:?}");
    }

    #[test]
    fn what_takes_long_is_tried_less() {
        let (catalogue, archive) = (catalogue(), Archive::new(20, false));
        let mut schedule = Schedule::new(2, Methods::Promising);
        let record = |slow| Record { tries: 50, fruitful: 5, slow, ..Record::default() };
        *schedule.record_mut(CallableId(0)) = record(50);
        *schedule.record_mut(CallableId(1)) = record(2);
        schedule.renew(&catalogue, &archive);
        let [slow, fast] = draws(&schedule);
        assert!(slow > 100 && slow * 8 < fast, "{slow} {fast}");
    }

    #[test]
    fn nothing_under_test_gives_nothing() {
        let mut catalogue = catalogue();
        catalogue.callables.iter_mut().for_each(|callable| callable.owner = None);
        let mut schedule = Schedule::new(2, Methods::Promising);
        schedule.renew(&catalogue, &Archive::new(20, false));
        assert_eq!(schedule.draw(&mut Rng::new(1)), None);
    }
}
