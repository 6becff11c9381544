//! The JVMs of this machine.
//!
//! In: `PROBAT_TEST_JDKS` (homes, separated by colons), `JAVA_HOME`, `java` on the path, the usual folders.
//! Out: one JVM per feature release. A machine without any fails the tests instead of passing them emptily.

use std::sync::LazyLock;

use probat_supervisor::discovery::{Jvm, Places, discover, discover_all};

/// Releases on which everything is tested.
const FULL: [u32; 2] = [17, 25];

static ALL: LazyLock<Vec<Jvm>> = LazyLock::new(|| {
    let named = std::env::var_os("PROBAT_TEST_JDKS").unwrap_or_default();
    let named = std::env::split_paths(&named).filter(|home| !home.as_os_str().is_empty());
    let mut jvms: Vec<Jvm> =
        named.map(|home| discover(&Places { explicit: Some(home), ..Places::default() }).unwrap()).collect();
    jvms.extend(discover_all(&Places::of_this_machine(None)).jvms);
    let mut known = Vec::new();
    jvms.retain(|jvm| {
        let new = !known.contains(&jvm.version.feature);
        known.push(jvm.version.feature);
        new
    });
    assert!(!jvms.is_empty(), "no JVM found: set JAVA_HOME or PROBAT_TEST_JDKS");
    jvms.sort_by_key(|jvm| jvm.version.feature);
    jvms
});

/// One JVM per release found, oldest first.
pub fn all() -> &'static [Jvm] {
    &ALL
}

/// Those on which everything is tested; any other where none of these is found.
pub fn full() -> Vec<&'static Jvm> {
    let mut full: Vec<&Jvm> = all().iter().filter(|jvm| FULL.contains(&jvm.version.feature)).collect();
    if full.is_empty() {
        full.push(&all()[0]);
    }
    full
}

/// The newest of those on which everything is tested, for what does not depend on the JVM.
pub fn newest() -> &'static Jvm {
    full().last().expect("there is at least one")
}
