//! Putting back what a sequence changed outside its objects.
//!
//! In: which kinds of process-wide state may have changed ([`Dirty`]). Out: everything as it was at the baseline, and
//! the [`Leak`]s found. One file per kind. What only *may* have changed and did not is no leak.
//! Never runs code of the code under test: current values are replaced, not asked.

mod constants;
mod locale;
mod properties;
mod providers;
mod statics;
mod streams;
mod thread;
mod zone;

use probat_jvm::{Env, Ref, Thread};
use probat_model::Leak;

use crate::fault::Fault;
use crate::natives;
use crate::shared::{self, Shared};

pub use statics::Statics;

/// Kinds of state that may have changed, as the guards and probes mark them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dirty(u16);

/// Length of `$Probat.dirty`.
pub const DIRTY_BYTES: usize = 16;

/// The kinds that have marks, in their order.
const KINDS: [Leak; 8] = [
    Leak::SystemProperties,
    Leak::Locale,
    Leak::TimeZone,
    Leak::StandardStreams,
    Leak::SecurityProviders,
    Leak::Statics,
    Leak::ThreadLocals,
    Leak::Interrupt,
];

impl Dirty {
    /// Reads the marks; those of no kind are ignored.
    pub fn from_marks(marks: &[i8; DIRTY_BYTES]) -> Self {
        let known = marks.iter().take(KINDS.len()).enumerate();
        Dirty(known.filter(|(_, mark)| **mark != 0).fold(0, |bits, (at, _)| bits | 1 << at))
    }

    #[must_use]
    pub fn with(self, leak: Leak) -> Self {
        Dirty(self.0 | 1 << leak as u16)
    }

    /// What is dirty in either.
    #[must_use]
    pub fn and(self, other: Dirty) -> Self {
        Dirty(self.0 | other.0)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn kinds(self) -> impl Iterator<Item = Leak> {
        KINDS.into_iter().filter(move |leak| self.0 & 1 << *leak as u16 != 0)
    }
}

/// What everything was before the first sequence.
#[derive(Debug)]
pub struct Baseline {
    properties: properties::Properties,
    locale: locale::Locales,
    zone: zone::Zone,
    streams: streams::Streams,
    providers: providers::Providers,
    thread: thread::ThreadState,
}

impl Baseline {
    /// Replaces the standard streams, and remembers the rest as it is now.
    pub fn take(env: &mut Env<'_>, thread: Ref<'_, Thread>, prints: bool) -> Result<Self, Fault> {
        Ok(Baseline {
            streams: streams::Streams::install(env, prints)?,
            properties: properties::Properties::remember(env)?,
            locale: locale::Locales::remember(env)?,
            zone: zone::Zone::remember(env)?,
            providers: providers::Providers::new(),
            thread: thread::ThreadState::remember(env, thread)?,
        })
    }

    /// Makes what initialisers changed the new baseline, and cleans the thread; answers what had changed.
    pub fn settle(&mut self, env: &mut Env<'_>, shared: &Shared) -> Result<Vec<Leak>, Fault> {
        natives::remember_plain_classes(env, shared);
        let marked =
            shared::on_executor(|executor| executor.probes.dirty(env)).unwrap_or(Ok(Dirty::default()))?;
        let thread = self.thread.look(env);
        if marked.and(thread).is_empty() {
            return Ok(Vec::new());
        }
        let settled = shared::for_ourselves(|| {
            env.with_frame(128, |env| -> Result<Vec<Leak>, Fault> {
                let leaks = self.accept(env, marked)?;
                self.restore(env, &mut shared.statics(), thread)?;
                Ok(leaks)
            })
        });
        let leaks = match settled {
            Ok(leaks) => leaks?,
            Err(exception) => return Err(Fault::threw(env, "take the baseline", exception)),
        };
        shared::on_executor(|executor| executor.probes.clean(env)).unwrap_or(Ok(()))?;
        Ok(leaks)
    }

    fn accept(&mut self, env: &mut Env<'_>, dirty: Dirty) -> Result<Vec<Leak>, Fault> {
        let mut accepted = Vec::new();
        for leak in dirty.kinds() {
            let changed = match leak {
                Leak::SystemProperties => self.properties.accept(env)?,
                Leak::Locale => self.locale.accept(env)?,
                Leak::TimeZone => self.zone.accept(env)?,
                // Streams are ours to set, whoever set them before.
                Leak::StandardStreams => self.streams.restore(env)?,
                Leak::SecurityProviders => self.providers.accept(env)?,
                // Statics are remembered class by class; the thread is cleaned like after any sequence.
                Leak::Statics | Leak::ThreadLocals | Leak::Interrupt => false,
                Leak::Files | Leak::Threads => false,
            };
            if changed {
                accepted.push(leak);
            }
        }
        Ok(accepted)
    }

    /// Puts back what is dirty; answers what had really changed.
    pub fn restore(
        &mut self,
        env: &mut Env<'_>,
        statics: &mut Statics,
        dirty: Dirty,
    ) -> Result<Vec<Leak>, Fault> {
        let mut leaks = Vec::new();
        for leak in dirty.kinds() {
            let changed = match leak {
                Leak::SystemProperties => self.properties.restore(env)?,
                Leak::Locale => self.locale.restore(env)?,
                Leak::TimeZone => self.zone.restore(env)?,
                Leak::StandardStreams => self.streams.restore(env)?,
                Leak::SecurityProviders => self.providers.restore(env)?,
                Leak::Statics => statics.restore(env)?,
                Leak::ThreadLocals => self.thread.clear_locals(env)?,
                Leak::Interrupt => self.thread.clear_interrupt(env)?,
                // No mark tells of them, and nothing puts them back here.
                Leak::Files | Leak::Threads => false,
            };
            if changed {
                leaks.push(leak);
            }
        }
        Ok(leaks)
    }

    /// What can be seen without marks, in a few fields.
    #[inline]
    pub fn look(&self, env: &Env<'_>) -> Dirty {
        let dirty = self.thread.look(env);
        if self.streams.is_closed(env) { dirty.with(Leak::StandardStreams) } else { dirty }
    }

    /// A fresh class loader is the thread's context loader from now on.
    pub fn set_context_loader(
        &mut self,
        env: &mut Env<'_>,
        loader: Ref<'_, probat_jvm::Loader>,
    ) -> Result<(), Fault> {
        self.thread.set_context_loader(env, loader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_name_their_kinds() {
        let mut marks = [0; DIRTY_BYTES];
        marks[0] = 1;
        marks[5] = 1;
        marks[15] = 1;
        let dirty = Dirty::from_marks(&marks);
        assert_eq!(dirty.kinds().collect::<Vec<_>>(), [Leak::SystemProperties, Leak::Statics]);
        assert!(!dirty.is_empty());
        assert!(Dirty::from_marks(&[0; DIRTY_BYTES]).is_empty());
    }

    #[test]
    fn kinds_are_numbered_as_the_model_has_them() {
        for (at, leak) in KINDS.iter().enumerate() {
            assert_eq!(*leak as usize, at);
            assert_eq!(Dirty::default().with(*leak).kinds().collect::<Vec<_>>(), [*leak]);
        }
    }
}
