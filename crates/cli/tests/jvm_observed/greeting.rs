//! What a worker says of itself when it stands.

use crate::common::{Bed, jvms};

/// What guards are on and not every JDK has.
const YOUNG: [&str; 5] = [
    "sun.nio.ch.UnixDomainSockets.connect",
    "sun.nio.ch.UnixDomainSockets.bind",
    "java.lang.Thread.start",
    "java.lang.VirtualThread.start",
    "jdk.internal.loader.RawNativeLibraries.load",
];

#[test]
fn every_guard_is_in_place_and_the_version_is_told() {
    for jvm in jvms::all() {
        let bed = Bed::on(jvm);
        let hello = bed.start().hello().clone();
        let missing: Vec<&str> = hello.missing_guards.iter().map(|guard| guard.method.as_str()).collect();
        assert!(missing.iter().all(|method| YOUNG.contains(method)), "{}: {missing:?}", bed.label());
        let newest = jvm.version.feature == 25;
        assert!(!newest || missing.is_empty(), "{}: {missing:?}", bed.label());
        assert!(hello.sandbox.guards, "{}", bed.label());
        let feature = jvm.version.feature.to_string();
        assert!(hello.java_version.starts_with(&feature), "{}: {}", bed.label(), hello.java_version);
        assert_eq!(hello.uninitialised, [], "{}", bed.label());
    }
}

/// In force, or an honest word why not.
#[test]
fn the_kernels_sandbox_is_in_force_or_explained() {
    let bed = Bed::on(jvms::newest());
    let sandbox = bed.start().hello().sandbox.clone();
    assert_ne!(sandbox.landlock.is_some(), sandbox.landlock_missing.is_some(), "{sandbox:?}");
    assert_ne!(sandbox.seccomp, sandbox.seccomp_missing.is_some(), "{sandbox:?}");
}

#[test]
fn a_sandbox_switched_off_is_told() {
    let mut bed = Bed::on(jvms::newest());
    bed.config.config.sandbox.kernel = false;
    let sandbox = bed.start().hello().sandbox.clone();
    assert!(!sandbox.seccomp && sandbox.landlock.is_none() && sandbox.guards, "{sandbox:?}");
    assert_eq!(sandbox.seccomp_missing.as_deref(), Some("switched off"));
}
