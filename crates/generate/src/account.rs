//! What a run came to, class by class and member by member.
//!
//! In: a campaign that is over, and the edges the written tests take. Out: coverage by class, members that were not tested and why, failures
//! with the calls that show them.

use std::collections::{BTreeSet, HashMap};

use probat_emit::{Ending, Scope, TestCase, one_line};
use probat_model::{ClassName, Contract, ProbeId, Thrown, Type, Violation};
use probat_search::campaign::{Campaign, Failure};
use probat_search::catalogue::CallableId;
use probat_supervisor::ProbeTable;

use crate::hunt::HuntEnd;
use crate::outcome::{ClassReport, FailureReport, Outcome, Profile, Untested};
use crate::size::LeftOut;
use crate::suite::{package_for, subject_of};
use crate::triage::{Likelihood, Triaged};

/// What a run is accounted for from.
pub(crate) struct Account<'a> {
    pub campaign: &'a Campaign<'a>,
    pub probes: &'a ProbeTable,
    pub targets: &'a [ClassName],
}

impl Account<'_> {
    /// What came of a search alone: no tests, and failures as they were noted.
    pub fn searched(&self, end: HuntEnd) -> Outcome {
        let catalogue = &self.campaign.catalogue;
        let noted = self.campaign.failures().map(|failure| FailureReport {
            member: catalogue.operations.get(catalogue.callable(failure.callable).operation).clone(),
            failure: failure.clone(),
            likelihood: Likelihood::Possible,
            doubts: Vec::new(),
            also: Vec::new(),
            reproduction: None,
        });
        Outcome {
            files: Vec::new(),
            classes: self.classes(&BTreeSet::new()),
            failures: noted.collect(),
            untestable: Vec::new(),
            untested: Vec::new(),
            dropped: Vec::new(),
            left_out: 0,
            left_out_for_size: LeftOut::default(),
            resumed: 0,
            found: None,
            unstable: Vec::new(),
            totals: self.campaign.totals(),
            states: self.campaign.states(),
            members: self.members(),
            depths: self.campaign.depths().to_vec(),
            relevance: None,
            seeded: self.campaign.seeded().to_vec(),
            end,
            verified: false,
            times: Vec::new(),
            fleet: probat_supervisor::FleetStats::default(),
            profile: Profile::default(),
            unreached: None,
            simplification: None,
            printed: None,
        }
    }

    /// How many members are under test.
    pub fn members(&self) -> usize {
        self.campaign.catalogue.callables.iter().filter(|callable| callable.owner.is_some()).count()
    }

    /// Coverage by class.
    pub fn classes(&self, written: &BTreeSet<ProbeId>) -> Vec<ClassReport> {
        let archive = self.campaign.archive();
        let mut reports: Vec<ClassReport> = self
            .targets
            .iter()
            .zip(self.skipped())
            .map(|(class, is_skipped)| ClassReport {
                class: class.clone(),
                covered: 0,
                reached: 0,
                edges: 0,
                is_skipped,
            })
            .collect();
        let places: HashMap<&ClassName, usize> = self.targets.iter().zip(0..).collect();
        for edge in self.probes.edges() {
            let place = self.probes.method(edge.probe).and_then(|method| places.get(&method.class));
            if let Some(&at) = place {
                reports[at].edges += 1;
                reports[at].reached += u32::from(archive.is_covered(edge.probe.0));
                reports[at].covered += u32::from(written.contains(&edge.probe));
            }
        }
        reports
    }

    /// Of each class under test, whether it has members to call and none was tried.
    fn skipped(&self) -> Vec<bool> {
        let catalogue = &self.campaign.catalogue;
        let mut skipped: Vec<Option<bool>> = vec![None; catalogue.owners.len()];
        for (at, callable) in (0u32..).zip(&catalogue.callables) {
            let Some(owner) = callable.owner else { continue };
            let is_tried = self.campaign.schedule().record(CallableId(at)).tries > 0;
            let so_far = &mut skipped[owner.0 as usize];
            *so_far = Some(so_far.unwrap_or(true) && !is_tried);
        }
        skipped.into_iter().map(|skipped| skipped.unwrap_or(false)).collect()
    }

    /// What went wrong, with the calls that show it.
    pub fn failures(&self, triaged: &[Triaged], scope: &dyn Scope) -> Vec<FailureReport> {
        let catalogue = &self.campaign.catalogue;
        let member = |id: CallableId| catalogue.operations.get(catalogue.callable(id).operation).clone();
        triaged
            .iter()
            .map(|one| FailureReport {
                member: member(one.failure.callable),
                likelihood: one.likelihood,
                doubts: one.doubts.clone(),
                also: one.also.iter().map(|(id, kind)| (member(*id), kind.clone())).collect(),
                reproduction: self.reproduction(&one.failure, scope),
                failure: one.failure.clone(),
            })
            .collect()
    }

    /// The calls that make it happen, and what is asked of them.
    fn reproduction(&self, failure: &Failure, scope: &dyn Scope) -> Option<String> {
        let catalogue = &self.campaign.catalogue;
        let subject = subject_of(catalogue, catalogue.callable(failure.callable).owner?)?;
        let ending = match &failure.violation {
            Some(Violation { contract: Contract::User(_), .. }) | None => Ending::Returns,
            Some(Violation { contract, steps, thrown }) => {
                Ending::Breaks { contract: *contract, steps: steps.clone(), thrown: thrown.clone() }
            }
        };
        let (steps, none) = (failure.steps.clone(), Vec::new());
        let case = TestCase {
            name: String::new(),
            steps,
            checks: none,
            caught: Vec::new(),
            ending,
            notes: Vec::new(),
            raw: false,
        };
        one_line(&case, &package_for(catalogue, &subject), &catalogue.operations, scope).ok()
    }

    /// Members that never returned, each with what stood in the way.
    pub fn untested(&self) -> Vec<Untested> {
        let catalogue = &self.campaign.catalogue;
        let missing: Vec<String> = self
            .campaign
            .missing()
            .iter()
            .filter_map(|(ty, _)| match catalogue.types.get(*ty) {
                Type::Class(name) => Some(name.to_string()),
                _ => None,
            })
            .collect();
        let mut found = Vec::new();
        for (at, callable) in catalogue.callables.iter().enumerate() {
            let record = self.campaign.schedule().record(CallableId(at as u32));
            if callable.owner.is_none() {
                continue;
            }
            if let Some(thrown) = self.campaign.unusable(CallableId(at as u32)) {
                let member = catalogue.operations.get(callable.operation).clone();
                found.push(Untested { member, reason: unusable(thrown) });
                continue;
            }
            if record.legal > 0 || record.threw > 0 {
                continue;
            }
            let wanted = callable.params.iter().find_map(|&param| {
                let text = catalogue.types.get(param).to_string();
                missing.contains(&text).then_some(text)
            });
            let reason = match wanted {
                Some(ty) => format!("no value of type {ty}"),
                None if record.tries == 0 => "not tried in the time given".into(),
                None => "every try was stopped or refused".into(),
            };
            found.push(Untested { member: catalogue.operations.get(callable.operation).clone(), reason });
        }
        found
    }
}

/// Why a class cannot be used, from what its first or a later use threw.
fn unusable(thrown: &Thrown) -> String {
    let said = thrown.message.as_ref().map(|message| message.to_lossy().to_string());
    match (thrown.class.simple(), &thrown.cause, said) {
        ("ExceptionInInitializerError", Some(cause), _) => format!("a static initialiser threw {cause}"),
        (_, _, Some(said)) if said.starts_with("Could not initialize class") => {
            "a static initialiser failed before".into()
        }
        // The message is the name of what is missing, in internal form.
        ("NoClassDefFoundError", _, Some(said)) => {
            format!("a class is missing or cannot be loaded: {}", said.replace('/', "."))
        }
        _ => "a static initialiser failed".into(),
    }
}
