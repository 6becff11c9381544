//! The arrays in `java/lang/$Probat` that instrumented code marks.
//!
//! In: the class, once it is defined. Out: probes hit since the last look, kinds of state that may have changed.
//! Reads only pages that a method entry has marked, and clears what it reads.

use std::sync::atomic::{AtomicU8, Ordering};

use probat_jvm::{ArrayOf, Class, CriticalBytes, Env, Global, Ref, Value};

use crate::fault::Fault;
use crate::reset::{DIRTY_BYTES, Dirty};

/// Probes in a page.
const PAGE: usize = 64;

type Bytes = Global<ArrayOf<i8>>;

/// The arrays of `$Probat`.
#[derive(Debug)]
pub struct Probes {
    map: Bytes,
    pages: Bytes,
    dirty: Bytes,
    touched: Vec<u32>,
    any: bool,
}

/// What becomes of the marks on pages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pages {
    Clear,
    Keep,
}

impl Probes {
    pub fn find(env: &mut Env<'_>, class: Ref<'_, Class>, probes: u32) -> Result<Self, Fault> {
        Ok(Probes {
            map: array(env, class, "map")?,
            pages: array(env, class, "pages")?,
            dirty: array(env, class, "dirty")?,
            touched: Vec::new(),
            any: probes > 0,
        })
    }

    /// Appends the probes hit since the last call, ascending, and clears them.
    pub fn drain(&mut self, env: &mut Env<'_>, hit: &mut Vec<u32>) -> Result<(), Fault> {
        self.sweep(env, Pages::Clear, |at| hit.push(at))
    }

    /// The same while methods run: they marked their pages when they were entered and will not do so again, so the marks stay.
    pub fn drain_midway(&mut self, env: &mut Env<'_>, hit: &mut Vec<u32>) -> Result<(), Fault> {
        self.sweep(env, Pages::Keep, |at| hit.push(at))
    }

    /// Clears the probes hit since the last call.
    pub fn discard(&mut self, env: &mut Env<'_>) -> Result<(), Fault> {
        self.sweep(env, Pages::Clear, |_| ())
    }

    /// The same while methods run.
    pub fn discard_midway(&mut self, env: &mut Env<'_>) -> Result<(), Fault> {
        self.sweep(env, Pages::Keep, |_| ())
    }

    /// Clears all probes, also those of pages that nobody marked: a thread that goes on after a look hits probes of methods it entered before.
    pub fn clear(&mut self, env: &mut Env<'_>) -> Result<(), Fault> {
        for bytes in [&self.pages, &self.map] {
            let cleared = env.with_critical_bytes(bytes.get(), true, |bytes| {
                take_marks(&bytes, 0..bytes.bytes().len(), |_| ());
            });
            cleared.map_err(|exception| Fault::threw(env, "clear the coverage map", exception))?;
        }
        Ok(())
    }

    fn sweep(&mut self, env: &mut Env<'_>, marks: Pages, mut hit: impl FnMut(u32)) -> Result<(), Fault> {
        if !self.any {
            return Ok(());
        }
        let touched = &mut self.touched;
        touched.clear();
        let seen = env.with_critical_bytes(self.pages.get(), marks == Pages::Clear, |pages| {
            let length = pages.bytes().len();
            match marks {
                Pages::Clear => take_marks(&pages, 0..length, |page| touched.push(page)),
                Pages::Keep => {
                    let is_marked = |page: &usize| pages.bytes()[*page].load(Ordering::Relaxed) != 0;
                    touched.extend((0..length).filter(is_marked).map(|page| page as u32));
                }
            }
        });
        if let Err(exception) = seen {
            return Err(Fault::threw(env, "read the coverage map", exception));
        }
        if touched.is_empty() {
            return Ok(());
        }
        let seen = env.with_critical_bytes(self.map.get(), true, |map| {
            let length = map.bytes().len();
            for &page in touched.iter() {
                let start = (page as usize * PAGE).min(length);
                take_marks(&map, start..(start + PAGE).min(length), &mut hit);
            }
        });
        seen.map_err(|exception| Fault::threw(env, "read the coverage map", exception))
    }

    /// Which kinds of state may have changed.
    #[inline]
    pub fn dirty(&self, env: &mut Env<'_>) -> Result<Dirty, Fault> {
        let mut marks = [0; DIRTY_BYTES];
        match env.get_region(self.dirty.get(), 0, &mut marks) {
            Ok(()) => Ok(Dirty::from_marks(&marks)),
            Err(exception) => Err(Fault::threw(env, "read what changed", exception)),
        }
    }

    /// Forgets what may have changed.
    pub fn clean(&self, env: &mut Env<'_>) -> Result<(), Fault> {
        let cleared = env.set_region(self.dirty.get(), 0, &[0; DIRTY_BYTES]);
        cleared.map_err(|exception| Fault::threw(env, "forget what changed", exception))
    }
}

fn array(env: &mut Env<'_>, class: Ref<'_, Class>, name: &str) -> Result<Bytes, Fault> {
    let field = match env.static_field(class, name, "[B") {
        Ok(field) => field,
        Err(error) => return Err(Fault::member(env, "find the probes", error)),
    };
    let Ok(Value::Object(Some(object))) = env.get_static(&field) else { return Err(Fault::missing(name)) };
    let bytes = env.cast::<ArrayOf<i8>>(object).ok_or_else(|| Fault::missing(name))?;
    env.global(bytes).map_err(|_| Fault::missing("memory"))
}

/// Tells the places of all bytes that are not zero, ascending, and clears them.
fn take_marks(bytes: &CriticalBytes<'_>, range: std::ops::Range<usize>, mut tell: impl FnMut(u32)) {
    let (head, words, tail) = bytes.words(range.clone());
    let mut at = range.start;
    let mut some = |bytes: &[AtomicU8], at: &mut usize| {
        for byte in bytes {
            if byte.load(Ordering::Relaxed) != 0 {
                byte.store(0, Ordering::Relaxed);
                tell(*at as u32);
            }
            *at += 1;
        }
    };
    some(head, &mut at);
    for word in words {
        if word.load(Ordering::Relaxed) == 0 {
            at += 8;
        } else {
            let start = at;
            some(&bytes.bytes()[start..start + 8], &mut at);
        }
    }
    some(tail, &mut at);
}
