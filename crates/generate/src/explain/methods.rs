//! Why a method was never entered.
//!
//! In: what became of the calls the search made of it; who calls it. Out: a reason, its own or that of the place where control stopped on the way
//! to it.

use std::collections::BTreeMap;

use probat_analysis::MethodId;
use probat_analysis::places::Leads;
use probat_search::catalogue::CallableId;
use probat_search::tally::{Lost, Tally};
use probat_supervisor::describe;

use super::{DEEPEST, Dead, Evidence, Explainer, Illegal, Root, Uncalled, Why, method_id, why_lost};

/// Private methods that `ObjectInputStream` and `ObjectOutputStream` look for.
const SERIALISATION: [&str; 5] =
    ["readObject", "writeObject", "readResolve", "writeReplace", "readObjectNoData"];

/// What is known of methods, by their places in the table of probes.
pub(super) struct Methods {
    ids: Vec<Option<MethodId>>,
    callables: BTreeMap<usize, Vec<CallableId>>,
    /// Methods of the table that may call each.
    callers: BTreeMap<usize, Vec<usize>>,
    /// Reasons found before; none while one is looked for.
    roots: BTreeMap<usize, Option<Root>>,
}

impl Methods {
    pub fn new(evidence: &Evidence<'_, '_>) -> Self {
        let world = evidence.world.borrow();
        let probed = evidence.probes.methods();
        let ids: Vec<Option<MethodId>> = probed.iter().map(|method| method_id(&world, method)).collect();
        let places: BTreeMap<MethodId, usize> =
            ids.iter().enumerate().filter_map(|(at, id)| Some(((*id)?, at))).collect();
        let mut callers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (&id, &caller) in &places {
            for callee in evidence.graph.callees(id).iter().filter_map(|callee| places.get(callee)) {
                callers.entry(*callee).or_default().push(caller);
            }
        }
        callers.values_mut().for_each(|list| list.sort_unstable());
        let catalogue = &evidence.campaign.catalogue;
        let starts: BTreeMap<u32, usize> = probed
            .iter()
            .enumerate()
            .filter(|(_, method)| !method.probes.is_empty())
            .map(|(at, method)| (method.probes.start, at))
            .collect();
        let mut callables: BTreeMap<usize, Vec<CallableId>> = BTreeMap::new();
        for (at, callable) in (0u32..).zip(&catalogue.callables) {
            let body = callable.body.map(|body| catalogue.bodies[body.0 as usize].probes.start);
            if let Some(&method) = body.and_then(|start| starts.get(&start)) {
                callables.entry(method).or_default().push(CallableId(at));
            }
        }
        Methods { ids, callables, callers, roots: BTreeMap::new() }
    }

    pub fn id(&self, method: usize) -> Option<MethodId> {
        self.ids[method]
    }
}

impl Explainer<'_, '_> {
    /// Why a method was never entered.
    pub(super) fn never_entered(&mut self, method: usize, depth: usize) -> Root {
        match self.methods.roots.get(&method) {
            Some(Some(root)) => return root.clone(),
            // Methods that only call each other.
            Some(None) => return Root::here(Why::NeverCalled(Uncalled::Code)),
            None => {}
        }
        if depth > DEEPEST {
            return Root::here(Why::NeverCalled(Uncalled::Code));
        }
        self.methods.roots.insert(method, None);
        let root = self.never_entered_anew(method, depth);
        self.methods.roots.insert(method, Some(root.clone()));
        root
    }

    fn never_entered_anew(&mut self, method: usize, depth: usize) -> Root {
        if self.method(method).name == "<clinit>" {
            return Root::here(self.uninitialised(method));
        }
        if let Some(why) = self.fate(method) {
            return Root::here(why);
        }
        let probed = self.method(method);
        let name = format!("{}.{}", probed.class, probed.name);
        if self.evidence.excluded.contains(&name) {
            return Root::here(Why::Excluded);
        }
        self.by_callers(method, depth).unwrap_or_else(|| Root::here(self.uncalled(method)))
    }

    /// Why a static initialiser has no edges to its credit: nobody has, if the class was used at all.
    fn uninitialised(&self, method: usize) -> Why {
        let class = &self.method(method).class;
        let first = self.evidence.probes.methods().partition_point(|other| other.class < *class);
        let of_class = first..first + self.evidence.probes.methods_of(class).len();
        if of_class.clone().any(|other| self.is_entered(other)) {
            return Why::Initialiser;
        }
        let fates = of_class.filter_map(|other| self.fate(other));
        // What kept the class from being used at all, if anything did.
        let mut fates = fates.skip_while(|fate| matches!(fate, Why::NotTried | Why::NoReceiver(_)));
        fates.next().unwrap_or(Why::Initialiser)
    }

    fn is_entered(&self, method: usize) -> bool {
        let archive = self.evidence.campaign.archive();
        self.evidence.probes.edges_of(method).iter().any(|edge| archive.is_covered(edge.probe.0))
    }

    /// A method that nothing calls and no test can.
    fn uncalled(&self, method: usize) -> Why {
        let world = self.evidence.world.borrow();
        let Some(id) = self.methods.id(method) else { return Why::NeverCalled(Uncalled::Code) };
        let info = world.method(id);
        let is_unused = !self.methods.callers.contains_key(&method);
        let name = self.method(method).name.as_str();
        let why = match (info.is_private(), info.is_synthetic()) {
            _ if info.is_bridge() => Uncalled::Supertype,
            (true, false) if SERIALISATION.contains(&name) => Uncalled::Serialisation,
            (_, true) if is_unused => return Why::Dead(Dead::Synthetic),
            (true, _) if is_unused => return Why::Dead(Dead::Private),
            _ => Uncalled::Code,
        };
        Why::NeverCalled(why)
    }

    /// What became of the calls the search made of a method; `None` if it could make none.
    pub(super) fn fate(&self, method: usize) -> Option<Why> {
        let schedule = self.evidence.campaign.schedule();
        let callables = self.methods.callables.get(&method)?;
        // Of several ways to call it, the one that was tried most tells most.
        let most = callables.iter().max_by_key(|&&id| (schedule.record(id).tries, std::cmp::Reverse(id)))?;
        let tally = self.evidence.campaign.tally()?;
        let record = schedule.record(*most);
        if record.tries == 0 {
            return Some(self.never_built(*most, tally, record.unassembled));
        }
        let fates = tally.fates(*most);
        let lost = fates.and_then(|fates| fates.lost.iter().max_by_key(|(_, times)| **times));
        if let Some((lost, _)) = lost.filter(|(lost, _)| !matches!(lost, Lost::Early(_))) {
            return Some(why_lost(lost));
        }
        let early = fates.and_then(|fates| fates.early.iter().max_by_key(|(_, times)| **times));
        let refused = fates.and_then(|fates| fates.refused.iter().max_by_key(|(_, times)| **times));
        let table = &self.evidence.campaign.catalogue.operations;
        if record.legal == 0 {
            if let Some(((exception, call), _)) = early {
                let call = describe(table.get(*call));
                return Some(Why::NeverLegal(Illegal::Early(exception.clone(), call)));
            }
            if let Some((why, _)) = refused {
                return Some(Why::NeverLegal(Illegal::Refused(why.clone())));
            }
        }
        // The call was made, and went to what another class has in its place.
        (!self.is_entered(method)).then(|| Why::NoReceiver(self.method(method).class.to_string()))
    }

    fn never_built(&self, callable: CallableId, tally: &Tally, unassembled: u32) -> Why {
        let catalogue = &self.evidence.campaign.catalogue;
        let called = catalogue.callable(callable);
        match tally.missing(callable).first() {
            Some(&(ty, _)) => {
                let text = catalogue.types.get(ty).to_string();
                let is_receiver = called.has_receiver
                    && called
                        .params
                        .first()
                        .is_some_and(|&receiver| catalogue.types.is_subtype(receiver, ty));
                if is_receiver { Why::NoReceiver(text) } else { Why::NoArgument(text) }
            }
            None if unassembled > 0 => Why::NeverLegal(Illegal::Scattered),
            None => Why::NotTried,
        }
    }

    /// Where control stopped on the way to a call of the method.
    fn by_callers(&mut self, method: usize, depth: usize) -> Option<Root> {
        let callers = self.methods.callers.get(&method)?.clone();
        let to = self.methods.id(method)?;
        let mut stopped = None;
        for &caller in callers.iter().filter(|caller| **caller != method) {
            let (Some(from), Some(reach)) = (self.methods.id(caller), self.reach(caller)) else { continue };
            if !reach.is_entered() {
                continue;
            }
            let places = self.evidence.graph.places(&self.evidence.world.borrow(), from, to);
            for place in places {
                let frame = self.place(caller, reach.line(place.node));
                if reach.comes_to(place.node) {
                    return Some(self.at_call(caller, place.leads, frame, method));
                }
                if stopped.is_none() {
                    let before = reach.before_node(place.node);
                    stopped = Some(self.before(caller, &reach, before, None, depth + 1).seen_from(frame));
                }
            }
        }
        if stopped.is_some() {
            return stopped;
        }
        for &caller in callers.iter().filter(|caller| **caller != method) {
            if self.reach(caller).is_some_and(|reach| reach.is_entered()) {
                continue;
            }
            let frame =
                self.place(caller, self.evidence.probes.edges_of(caller).first().and_then(|edge| edge.line));
            let root = self.never_entered(caller, depth + 1);
            if !matches!(root.why, Why::NeverCalled(_)) {
                return Some(root.seen_from(frame));
            }
        }
        None
    }

    /// Control came to a call and not to the method.
    fn at_call(&self, caller: usize, leads: Leads, frame: probat_model::Frame, method: usize) -> Root {
        let line = frame.line.and_then(|line| u16::try_from(line).ok());
        let why = match leads {
            Leads::Handed => Why::NeverRun,
            Leads::Dispatched => Why::NoReceiver(self.method(method).class.to_string()),
            Leads::Exactly => return self.throws(caller, line.into_iter().collect()),
        };
        Root::here(why).seen_from(frame)
    }
}
