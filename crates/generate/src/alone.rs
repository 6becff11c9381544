//! Tests that hold without others before them.
//!
//! In: tests that are to be written. Out: those that come to the same where the classes under test have just been loaded. Between sequences static fields get
//! their values back, but not what the objects in them gathered: a table that some call fills is full for all that come after it. A suite hides that too as
//! long as another test fills the table first; who runs one test of it alone would see it fail.

use probat_emit::{Ending, Expected, TestCase};
use probat_model::{ClassName, Observation, StepId};
use probat_protocol::{Item, Reset};
use probat_search::campaign::Campaign;
use probat_search::executor::Executor;

use crate::deadline::Deadline;
use crate::expect::expected;
use crate::finish::{Finish, Finished, is_object, item};

/// Tests that are run between two looks at the clock.
const AT_ONCE: usize = 32;

/// Drops tests that need what others leave behind. Those there is no time for stay.
pub(crate) fn drop_dependent<E: Executor>(
    campaign: &Campaign<'_>,
    finish: &mut Finish,
    executor: &mut E,
    clock: &Deadline<'_>,
) -> Result<(), E::Error> {
    let mut holds = Vec::with_capacity(finish.tests.len());
    for chunk in finish.tests.chunks(AT_ONCE) {
        if clock.is_late(1.0) {
            break;
        }
        let items = chunk.iter().map(|test| afresh(campaign, &test.case)).collect();
        let seen = executor.run(&campaign.catalogue.operations, items)?;
        holds.extend(chunk.iter().zip(&seen).map(|(test, seen)| does_hold(&test.case, seen)));
    }
    let mut holds = holds.into_iter();
    let all = std::mem::take(&mut finish.tests);
    let (kept, dropped): (Vec<Finished>, Vec<Finished>) =
        all.into_iter().partition(|_| holds.next().unwrap_or(true));
    finish.tests = kept;
    for test in dropped {
        finish.drop_unstable(test.callable, test.edges);
    }
    Ok(())
}

fn afresh(campaign: &Campaign<'_>, case: &TestCase) -> Item {
    let checked: Vec<StepId> = case.checks.iter().map(|check| check.step).collect();
    Item { reset: Reset::Loader, ..item(campaign, &case.steps, &checked, false) }
}

/// Whether a run does what a test says.
fn does_hold(case: &TestCase, seen: &Observation) -> bool {
    let last = StepId(case.steps.len() as u16 - 1);
    let throws = |step: StepId| -> Option<&ClassName> {
        let caught = case.caught.iter().find(|caught| caught.step == step).map(|caught| &caught.class);
        caught.or(match &case.ending {
            Ending::Throws { class, .. } if step == last => Some(class),
            _ => None,
        })
    };
    let ends =
        (0..=last.0).map(StepId).all(|step| seen.thrown(step).map(|thrown| &thrown.class) == throws(step));
    let said = case.checks.iter().enumerate().all(|(request, check)| {
        let stored = seen.states.get(request).and_then(|state| state.as_ref()?.stored.as_ref());
        match (&check.expected, seen.value(check.step)) {
            (_, None) => false,
            (Expected::NotNull, Some(_)) => is_object(seen, check.step),
            // Through text, so that a NaN agrees with itself.
            (wanted, Some(value)) => {
                format!("{:?}", expected(value, stored)) == format!("{:?}", Some(wanted))
            }
        }
    });
    seen.is_harmless() && ends && said
}
