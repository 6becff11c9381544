//! `--list`: what the search can call, without calling it (spec 001 row 2).
//!
//! In: the classes under test. Out: their operations and the literals found in them, as text or JSON. Nothing runs.

use std::cell::RefCell;
use std::ops::Range;

use probat_analysis::World;
use probat_model::{ClassName, Operation, Type};
use probat_search::catalogue::{Catalogue, OwnerId};
use probat_survey::{Probes, SurveyOptions, survey};
use serde::Serialize;

use super::contracts::Source;
use super::report::Group;
use super::subject::Subject;
use crate::args::Format;
use crate::exit::Exit;
use crate::failure::{Failure, print};

/// Raised when a key changes its meaning or goes away.
const SCHEMA: u32 = 1;

/// Everything listed.
#[derive(Debug, Serialize)]
struct Listing {
    schema: u32,
    probat: &'static str,
    classes: Vec<ClassListed>,
    /// Classes no test can call, by reason.
    untestable: Vec<Group>,
}

#[derive(Debug, Serialize)]
struct ClassListed {
    class: String,
    operations: Vec<OperationListed>,
    /// Operations without arguments: numbers, texts and classes that stand in the code.
    literals: Vec<String>,
}

#[derive(Debug, Serialize)]
struct OperationListed {
    kind: &'static str,
    name: String,
    parameters: Vec<String>,
    /// Absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
}

/// No probes: nothing runs.
struct NoProbes;

impl Probes for NoProbes {
    fn of(&self, _: &ClassName, _: &str, _: &str) -> Option<Range<u32>> {
        None
    }

    fn count(&self) -> u32 {
        0
    }
}

/// Prints the listing.
pub fn run(subject: &Subject, options: &SurveyOptions, format: Format) -> Result<Exit, Failure> {
    let source = Source(&subject.library.classes);
    let world = RefCell::new(World::new(&source));
    let surveyed = survey(&world, &subject.targets, &NoProbes, options);
    let catalogue = &surveyed.catalogue;
    let classes: Vec<ClassListed> = (0..catalogue.owners.len() as u32)
        .map(|owner| class(catalogue, OwnerId(owner)))
        .filter(|class| !class.operations.is_empty())
        .collect();
    let untestable = super::gather::groups(
        surveyed.untestable.iter().map(|one| (one.reason.to_string(), one.class.to_string())),
    );
    let exit = if classes.is_empty() { Exit::Nothing } else { Exit::Fine };
    let listing = Listing { schema: SCHEMA, probat: env!("CARGO_PKG_VERSION"), classes, untestable };
    match format {
        Format::Text => print(&text(&listing))?,
        Format::Json => {
            print(&(serde_json::to_string_pretty(&listing).expect("a listing has only plain data") + "\n"))?;
        }
    }
    Ok(exit)
}

fn class(catalogue: &Catalogue, id: OwnerId) -> ClassListed {
    let owner = &catalogue.owners[id.0 as usize];
    let name = match catalogue.types.get(owner.ty) {
        Type::Class(name) => Some(name),
        _ => None,
    };
    // Fields only give values, so they are under nobody's test.
    let own =
        catalogue.callables.iter().filter(|callable| match catalogue.operations.get(callable.operation) {
            Operation::GetStatic { class, .. } | Operation::GetField { class, .. } => Some(class) == name,
            _ => callable.owner == Some(id),
        });
    let mut operations: Vec<OperationListed> =
        own.filter_map(|callable| listed(catalogue.operations.get(callable.operation))).collect();
    operations.sort_by(|a, b| {
        (order(a.kind), &a.name, &a.parameters).cmp(&(order(b.kind), &b.name, &b.parameters))
    });
    let found = &owner.literals;
    let ints = found.ints.iter().map(|(value, _)| value.to_string());
    let doubles = found.doubles.iter().map(|(value, _)| format!("{value:?}"));
    let strings = found.strings.iter().map(|(text, _)| probat_emit::java_string(text));
    let classes = found.classes.iter().map(|(ty, _)| format!("{ty}.class"));
    let literals = ints.chain(doubles).chain(strings).chain(classes).collect();
    ClassListed { class: catalogue.types.get(owner.ty).to_string(), operations, literals }
}

fn order(kind: &str) -> usize {
    ["static-field", "field", "constructor", "static-method", "method"]
        .iter()
        .position(|known| *known == kind)
        .unwrap_or(usize::MAX)
}

fn listed(operation: &Operation) -> Option<OperationListed> {
    let (kind, name, parameters, result) = match operation {
        Operation::Construct { class, descriptor } => {
            ("constructor", class.to_string(), &descriptor.params[..], None)
        }
        Operation::CallStatic { name, descriptor, .. } => {
            ("static-method", name.clone(), &descriptor.params[..], descriptor.returns.clone())
        }
        Operation::Call { name, descriptor, .. } => {
            ("method", name.clone(), &descriptor.params[..], descriptor.returns.clone())
        }
        Operation::GetStatic { name, ty, .. } => ("static-field", name.clone(), &[][..], Some(ty.clone())),
        Operation::GetField { name, ty, .. } => ("field", name.clone(), &[][..], Some(ty.clone())),
        _ => return None,
    };
    let parameters = parameters.iter().map(Type::to_string).collect();
    Some(OperationListed { kind, name, parameters, result: result.map(|ty| ty.to_string()) })
}

fn text(listing: &Listing) -> String {
    let mut out = String::new();
    for class in &listing.classes {
        out.push_str(&format!("{}\n", class.class));
        for operation in &class.operations {
            let parameters = operation.parameters.join(", ");
            let result = operation.result.as_deref().unwrap_or("void");
            let line = match operation.kind {
                "constructor" => format!("new {}({parameters})", operation.name),
                "static-method" => format!("static {result} {}({parameters})", operation.name),
                "method" => format!("{result} {}({parameters})", operation.name),
                "static-field" => format!("static {result} {}", operation.name),
                _ => format!("{result} {}", operation.name),
            };
            out.push_str(&format!("  {line}\n"));
        }
        if !class.literals.is_empty() {
            out.push_str(&format!("  literals: {}\n", class.literals.join(", ")));
        }
    }
    for group in &listing.untestable {
        out.push_str(&format!("not testable, {}: {}\n", group.reason, group.members.join(", ")));
    }
    out
}
