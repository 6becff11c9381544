//! From arguments to what the job understands.
//!
//! In: arguments and the classes under test. Out: [`JobOptions`]. Methods in and out are checked against what is there.

use std::collections::BTreeSet;
use std::time::Duration;

use probat_classpath::near_names;
use probat_emit::Framework;
use probat_generate::{Annotate, JobOptions, Kinds, Plateau, Size};
use probat_model::ClassName;
use probat_search::campaign::CampaignConfig;
use probat_survey::SurveyOptions;

use super::args::{AnnotateChoice, FrameworkChoice, GenerateArgs, SizeChoice};
use super::budget::Budget;
use super::contracts;
use super::known::Known;
use super::subject::Subject;
use super::technique;
use crate::exit::Exit;
use crate::failure::Failure;

/// How long a call may take by the clock on the wall.
const PATIENCE: Duration = Duration::from_secs(3);

/// Builds the options.
pub fn options(
    args: &GenerateArgs,
    subject: &Subject,
    budget: &Budget,
    known: &Known,
) -> Result<JobOptions, Failure> {
    let contracts = match args.technique.no_contracts {
        true => Vec::new(),
        false => contracts::find(&args.technique.contracts, subject)?,
    };
    error_exceptions(args, subject)?;
    let mut excluded = excluded(args, subject)?;
    excluded.extend(contracts::silent_methods(&contracts));
    let survey = SurveyOptions { package_private: !args.public_only, excluded, ..SurveyOptions::default() };
    let mut options = JobOptions {
        time_limit: budget.time,
        step_limit: budget.steps,
        framework: match subject.framework {
            // Scripts are no Java; nothing is printed for it.
            FrameworkChoice::JUnit5 | FrameworkChoice::Text => Framework::JUnit5,
            FrameworkChoice::JUnit4 => Framework::JUnit4,
            FrameworkChoice::Java => Framework::Java,
        },
        campaign: CampaignConfig {
            keep_all: args.emit_all,
            long_failures: args.simplification.then_some(LONG_STEPS),
            ..technique::campaign(&args.technique, args.seed)
        },
        survey: technique::survey(&args.technique, survey),
        kernel_sandbox: !args.no_sandbox,
        plateau: match (args.no_plateau, args.plateau) {
            (true, _) => Plateau::Never,
            (false, Some(time)) => Plateau::After(time),
            (false, None) => Plateau::HalfOfTheTime,
        },
        max_tests: args.max_tests.map(|most| most as usize),
        size: match args.size {
            SizeChoice::Small => Size::Small,
            SizeChoice::Default => Size::Default,
            SizeChoice::All => Size::All,
        },
        verify: !args.unverified,
        explain: args.explain,
        simplification: args.simplification,
        show_output: args.show_output,
        kinds: match (args.regression_only, args.errors_only) {
            (true, _) => Kinds::Regression,
            (false, true) => Kinds::Errors,
            (false, false) => Kinds::Both,
        },
        annotate: args
            .annotate
            .iter()
            .map(|choice| match choice {
                AnnotateChoice::Calls => Annotate::Calls,
            })
            .collect(),
        contracts,
        unchecked: args.technique.without_contracts.iter().map(|choice| choice.family()).collect(),
        accepted: known.lines().clone(),
        ..JobOptions::default()
    };
    if let Some(workers) = args.workers {
        options.workers = usize::from(workers);
    }
    options.limits.call_cpu = args.time_limit_per_call;
    // A busy machine gives a call little of its time; who only waits is found in another way.
    options.limits.call_wall = (args.time_limit_per_call * 3).max(PATIENCE);
    Ok(options)
}

/// Steps of a failure worth measuring: about half of them are calls, the others literals.
const LONG_STEPS: usize = 60;

/// A slip in the name of an exception would look like code without failures.
fn error_exceptions(args: &GenerateArgs, subject: &Subject) -> Result<(), Failure> {
    let is_there = |name: &&String| subject.library.classes.contains(&ClassName::binary(name));
    match args.technique.error_exceptions.iter().find(|name| !is_there(name)) {
        None => Ok(()),
        Some(name) => {
            let text = format!("there is no class `{name}` on the class path or in the JDK");
            Err(Failure::new(Exit::BadInput, text)
                .hint("`--error-exception` takes a full name, such as `java.lang.IllegalStateException`"))
        }
    }
}

/// Methods left out: those named, and with `--method` all others but constructors, without which there are no objects.
fn excluded(args: &GenerateArgs, subject: &Subject) -> Result<Vec<String>, Failure> {
    if args.methods.is_empty() && args.excluded_methods.is_empty() {
        return Ok(Vec::new());
    }
    let all = methods(subject);
    for wanted in args.methods.iter().chain(&args.excluded_methods) {
        if !all.iter().any(|(class, method)| means(wanted, class, method)) {
            return Err(no_method(wanted, &all));
        }
    }
    let meant = |words: &[String], class: &ClassName, method: &str| {
        words.iter().any(|wanted| means(wanted, class, method))
    };
    let out = all.iter().filter(|(class, method)| {
        let unwanted = !args.methods.is_empty() && method != "<init>" && !meant(&args.methods, class, method);
        unwanted || meant(&args.excluded_methods, class, method)
    });
    Ok(out.map(|(class, method)| format!("{class}.{method}")).collect())
}

fn methods(subject: &Subject) -> BTreeSet<(ClassName, String)> {
    let mut all = BTreeSet::new();
    for class in &subject.targets {
        let Some(file) = subject.library.file(class) else { continue };
        let names = file.methods.iter().filter_map(|method| method.name(&file.pool).ok());
        all.extend(names.filter(|name| name != "<clinit>").map(|name| (class.clone(), name.into_owned())));
    }
    all
}

/// `add`, `Cart.add`, `com.acme.Cart.add`; a constructor is `new`.
fn means(wanted: &str, class: &ClassName, method: &str) -> bool {
    let (of, name) = match wanted.rsplit_once('.') {
        Some((of, name)) => (Some(of), name),
        None => (None, wanted),
    };
    let name = if name == "new" { "<init>" } else { name };
    let whole = class.to_binary().replace('$', ".");
    let fits = |of: &str| {
        let of = of.replace('$', ".");
        whole == of || whole.strip_suffix(&of).is_some_and(|head| head.ends_with('.'))
    };
    name == method && of.is_none_or(fits)
}

fn no_method(wanted: &str, all: &BTreeSet<(ClassName, String)>) -> Failure {
    let name = wanted.rsplit('.').next().unwrap_or(wanted);
    let near: Vec<String> = near_names(name, all.iter().map(|(_, method)| method.as_str()), 3)
        .into_iter()
        .map(|name| format!("`{name}`"))
        .collect();
    let failure = Failure::new(Exit::BadInput, format!("no class under test has a method `{wanted}`"));
    match near.is_empty() {
        true => failure.hint("write `method` or `Class.method`; a constructor is `new`"),
        false => failure.hint(format!("did you mean {}?", near.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_named_with_or_without_their_class() {
        let class = ClassName::internal("com/acme/Cart$Item");
        for yes in ["add", "Item.add", "Cart.Item.add", "Cart$Item.add", "com.acme.Cart$Item.add"] {
            assert!(means(yes, &class, "add"), "{yes}");
        }
        for no in ["remove", "Cart.add", "tem.add", "org.acme.Cart$Item.add"] {
            assert!(!means(no, &class, "add"), "{no}");
        }
        assert!(means("Item.new", &class, "<init>"));
    }
}
