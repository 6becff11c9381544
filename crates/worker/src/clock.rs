//! A clock that shows another time.
//!
//! In: the setting of a worker. Out: natives in place of those the JDK reads the clock through. What differs then between two JVMs depends on the
//! time, though both ran in the same minute.
//!
//! Where tests are tried again and again, every sequence has a time of its own, weeks after the last, and from sequence to sequence the clock stands still
//! between two looks at it, or goes on by a millisecond, a second or a day: a test must not depend on any of it. Where a search must be the same every time it is
//! run, all sequences begin at one moment, and a millisecond passes between two looks. `System.nanoTime` counts from
//! anywhere and stays as it is, since waiting goes by it. So does waiting for a moment (`LockSupport.parkUntil`): a thread that took that moment from a clock that is behind would
//! never wait, and those of the JDK's common pool would spin for ever. So the clock that stands still does so for the thread that runs sequences alone.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use probat_jvm::{Env, NativeMethod, Ref, Throwable, native};
use probat_protocol::Setting;

use crate::fault::Fault;
use crate::shared;

const SECOND: i64 = 1000;
const HOUR: i64 = 3600 * SECOND;
const DAY: i64 = 24 * HOUR;

/// How far the clock is ahead at first: another year, month, day, weekday, hour and minute.
const AHEAD: i64 = 1172 * DAY + 5 * HOUR + 1_391 * SECOND + 263;

/// From one sequence to the next: 20 of them see all hours, weekdays and months.
const FROM_TO: i64 = 37 * DAY + 7 * HOUR + 827 * SECOND + 391;

/// After as many sequences times begin again, a century on.
const TIMES: u64 = 1024;

/// From one look at the clock to the next, in turn.
const TICKS: [i64; 4] = [0, 1, SECOND + 9, DAY + HOUR + 7 * SECOND];

/// When sequences begin that all begin at one moment, since 1970: a noon in February 2024, the 29th.
const STILL: Duration = Duration::from_millis(1_709_210_096_789);

/// What keeps the JVM's compilers from reading the clock by themselves.
const OPTIONS: [&str; 2] = ["-XX:+UnlockDiagnosticVMOptions", "-XX:DisableIntrinsic=_currentTimeMillis"];

/// Options of the JVM that a setting needs.
pub fn options(setting: Setting) -> &'static [&'static str] {
    if is_shifted(setting) { &OPTIONS } else { &[] }
}

/// Whether every sequence has a time of its own.
static MOVES: AtomicBool = AtomicBool::new(false);
/// Whether all sequences begin at one moment.
static STANDS: AtomicBool = AtomicBool::new(false);
/// Sequences so far, where each has a time of its own.
static SEQUENCES: AtomicU64 = AtomicU64::new(0);
/// How often the clock was looked at in this one.
static LOOKS: AtomicI64 = AtomicI64::new(0);

/// Whether a worker has another time.
fn is_shifted(setting: Setting) -> bool {
    match setting {
        Setting::Fixed | Setting::User => false,
        Setting::Still | Setting::Other | Setting::Later => true,
    }
}

/// Has the JDK read our clock, if the setting is for it.
pub fn shift(env: &mut Env<'_>, setting: Setting) -> Result<(), Fault> {
    if !is_shifted(setting) {
        return Ok(());
    }
    let natives = [
        ("java.lang.System", native::<CurrentTimeMillis>()),
        ("jdk.internal.misc.VM", native::<GetNanoTimeAdjustment>()),
    ];
    for (name, entry) in natives {
        let Ok(class) = env.load_class(name, true, None) else { return Err(Fault::missing(name)) };
        if let Err(exception) = env.register_natives(class.get(), &[entry]) {
            return Err(Fault::threw(env, "shift the clock", exception));
        }
        env.delete(class);
    }
    MOVES.store(setting == Setting::Other, Ordering::Relaxed);
    STANDS.store(setting == Setting::Still, Ordering::Relaxed);
    Ok(())
}

/// A sequence begins.
pub fn next() {
    LOOKS.store(0, Ordering::Relaxed);
    if MOVES.load(Ordering::Relaxed) {
        SEQUENCES.fetch_add(1, Ordering::Relaxed);
    }
}

/// The time to show, since 1970.
fn now() -> Duration {
    let real = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let stands = STANDS.load(Ordering::Relaxed);
    if stands && !shared::is_executor() {
        return real;
    }
    let looks = LOOKS.fetch_add(1, Ordering::Relaxed);
    if stands {
        return STILL + Duration::from_millis(looks.cast_unsigned());
    }
    let is_counted = MOVES.load(Ordering::Relaxed) && shared::is_executor();
    let from = if is_counted { STILL } else { real };
    from + ahead(SEQUENCES.load(Ordering::Relaxed), looks)
}

/// How far the clock is ahead when it is looked at in the given sequence. Where no sequences are counted, that is always the same.
fn ahead(sequence: u64, looks: i64) -> Duration {
    let weeks = i64::try_from(sequence % TIMES).unwrap_or_default() * FROM_TO;
    let tick = if sequence == 0 { 0 } else { TICKS[(sequence % TICKS.len() as u64) as usize] };
    Duration::from_millis((AHEAD + weeks + looks.saturating_mul(tick)).cast_unsigned())
}

struct CurrentTimeMillis;

impl NativeMethod for CurrentTimeMillis {
    const NAME: &'static str = "currentTimeMillis";
    const DESCRIPTOR: &'static str = "()J";
    type Params = ();
    type Returns = i64;

    fn call<'a>(_: &mut Env<'a>, _: Ref<'a>, (): ()) -> Result<i64, Ref<'a, Throwable>> {
        Ok(i64::try_from(now().as_millis()).unwrap_or(i64::MAX))
    }
}

struct GetNanoTimeAdjustment;

impl NativeMethod for GetNanoTimeAdjustment {
    const NAME: &'static str = "getNanoTimeAdjustment";
    const DESCRIPTOR: &'static str = "(J)J";
    type Params = (i64,);
    type Returns = i64;

    /// Nanoseconds since a second, or -1 if that is too far away.
    fn call<'a>(_: &mut Env<'a>, _: Ref<'a>, (second,): (i64,)) -> Result<i64, Ref<'a, Throwable>> {
        Ok(adjustment(now(), second))
    }
}

fn adjustment(now: Duration, second: i64) -> i64 {
    let seconds = i64::try_from(now.as_secs()).unwrap_or(i64::MAX).saturating_sub(second);
    if seconds.abs() > 1 << 32 {
        return -1;
    }
    seconds * 1_000_000_000 + i64::from(now.subsec_nanos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_weeks_apart_and_looks_by_what_their_turn_is() {
        assert_eq!(ahead(0, 0), ahead(0, 7));
        let weeks = Duration::from_millis(FROM_TO.cast_unsigned());
        assert_eq!(ahead(5, 0) - ahead(4, 0), weeks);
        let passed = [4, 5, 6, 7].map(|sequence| (ahead(sequence, 2) - ahead(sequence, 1)).as_millis());
        assert_eq!(passed, [0, 1, 1009, 90_007_000]);
        assert_eq!(ahead(TIMES + 1, 0), ahead(1, 0));
    }

    #[test]
    fn nanoseconds_are_counted_from_a_second_that_is_near() {
        let now = Duration::new(5_000_000_000, 12);
        assert_eq!(adjustment(now, 4_999_999_999), 1_000_000_012);
        assert_eq!(adjustment(now, 5_000_000_001), -999_999_988);
        assert_eq!(adjustment(now, 0), -1);
    }
}
