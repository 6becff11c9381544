//! A stop that did not come out of the call it was meant for.
//!
//! In: a step that ended although the watchdog had given up on it, with something else than the stop. Out: whether the stop is known to be gone.
//! Code that waits is woken by an interrupt, and code may catch whatever comes; the stop itself may still be on its way and would hit the next
//! sequence. So this thread lets it come: it naps until the watchdog has looked twice more, after which nothing more is sent, and nothing came out of some naps.

use probat_jvm::Env;

use crate::jdk::Jdk;
use crate::shared::Shared;

/// Naps without anything after which nothing is on its way.
const QUIET: u32 = 3;

/// Naps before it is given up.
const MOST: u32 = 200;

/// Waits for what is on its way; false if that cannot be told.
pub fn is_caught(env: &mut Env<'_>, jdk: &Jdk, shared: &Shared) -> bool {
    let last_sent = shared.looks() + 2;
    let mut quiet = 0;
    for _ in 0..MOST {
        quiet = if jdk.nap(env) { quiet + 1 } else { 0 };
        if quiet >= QUIET && shared.looks() >= last_sent {
            return true;
        }
    }
    false
}
