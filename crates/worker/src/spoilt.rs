//! Classes that no sequence can use any more because one of them used up what their initialiser needed.
//!
//! In: the classes that are loaded. Out: the name of one that failed to initialise for want of stack, memory or time since the last look.
//! A class whose initialiser fails whatever happens is none: that a library looks for another one that is not there, and does without, is no
//! reason to replace a JVM.

use probat_jvm::{Class, Env, Jvmti, Local, MemberError, Ref};

use crate::fault::Fault;
use crate::thrown;

/// What the last look found.
#[derive(Debug, Default)]
pub struct SpoiltClasses {
    /// Names of the classes that had failed to initialise; one for each loader that has it.
    failed: Vec<String>,
    /// Failures that initialisers had told of.
    told: u32,
}

impl SpoiltClasses {
    /// Those that failed before the first sequence are nobody's fault.
    pub fn so_far(env: &mut Env<'_>, jvmti: Jvmti, told: u32) -> Result<Self, Fault> {
        let named = |classes: Vec<Failed<'_>>| classes.into_iter().map(|class| class.name).collect();
        let failed = with_failed(env, jvmti, |_, failed| named(failed))?;
        Ok(SpoiltClasses { failed, told })
    }

    /// A class that was spoilt since the last look. Failures that initialisers told of, so many in all, are dealt with by a fresh loader.
    pub fn look(&mut self, env: &mut Env<'_>, jvmti: Jvmti, told: u32) -> Result<Option<String>, Fault> {
        let expected = self.failed.len() + (told - self.told) as usize;
        let before = std::mem::take(&mut self.failed);
        self.told = told;
        let (failed, spoilt) = with_failed(env, jvmti, |env, failed| {
            let is_more = failed.len() > expected;
            let mut fresh = failed.iter().filter(|class| is_more && !before.contains(&class.name));
            let spoilt = fresh.find(|class| was_in_want(env, class.class.get()));
            let spoilt = spoilt.map(|class| class.name.clone());
            (failed.into_iter().map(|class| class.name).collect(), spoilt)
        })?;
        self.failed = failed;
        Ok(spoilt)
    }
}

struct Failed<'f> {
    name: String,
    class: Local<'f, Class>,
}

/// Does something with all classes that failed to initialise.
fn with_failed<T>(
    env: &mut Env<'_>,
    jvmti: Jvmti,
    use_them: impl FnOnce(&mut Env<'_>, Vec<Failed<'_>>) -> T,
) -> Result<T, Fault> {
    let done = env.with_frame(u16::MAX, |env| -> Result<T, Fault> {
        let is_failed = |class: &Local<'_, Class>| {
            jvmti.class_status(class.get()).is_ok_and(probat_jvm::ClassStatus::is_failed)
        };
        let classes = jvmti.loaded_classes(env)?.into_iter().filter(is_failed);
        let failed = classes.map(|class| {
            let signature = jvmti.class_signature(class.get()).unwrap_or_default().0;
            let name = signature.trim_start_matches('L').trim_end_matches(';').replace('/', ".");
            Failed { name, class }
        });
        let failed = failed.collect();
        Ok(use_them(env, failed))
    });
    match done {
        Ok(done) => done,
        Err(exception) => Err(Fault::threw(env, "list classes", exception)),
    }
}

/// What initialisers throw that had no stack or memory left, or were stopped.
const WANTS: [&str; 4] =
    ["StackOverflowError", "OutOfMemoryError", "java.lang.ThreadDeath", "java.lang.Error ["];

/// Whether a class failed to initialise for want of something. Who asks it for a member is told why it failed, since Java 17; where nobody says
/// why, it may well have.
fn was_in_want(env: &mut Env<'_>, class: Ref<'_, Class>) -> bool {
    let Err(MemberError::Threw(thrown)) = env.static_method(class, "main", "([Ljava/lang/String;)V") else {
        return true;
    };
    let thrown = thrown.into_local();
    let Some(cause) = env.throwable_cause(thrown.get()) else { return true };
    let why = thrown::one_line(env, cause.get());
    WANTS.iter().any(|want| why.contains(want))
}
