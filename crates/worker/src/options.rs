//! The command line of the embedded JVM.
//!
//! In: a [`WorkerConfig`] and the release file of the JDK. Out: options in the order HotSpot reads them.
//! Decides nothing about the code under test; its class path is the business of `loader`.

use std::path::Path;

use probat_protocol::{Setting, WorkerConfig};

use crate::clock;
use crate::policy::places;

/// The feature release (17, 25) as the JDK's `release` file tells it.
pub fn feature_release(release_file: &str) -> Option<u32> {
    let version = release_file.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    let mut parts = version.trim().trim_matches('"').split(['.', '+', '-', '_']);
    match parts.next()?.parse().ok()? {
        1 => parts.next()?.parse().ok(),
        feature => Some(feature),
    }
}

/// Reads the feature release of the JDK in a folder.
pub fn feature_release_of(java_home: &Path) -> Option<u32> {
    feature_release(&std::fs::read_to_string(java_home.join("release")).ok()?)
}

/// All options; the user's own come last, so that they win.
pub fn jvm_options(config: &WorkerConfig, feature: Option<u32>) -> Vec<String> {
    let limits = &config.limits;
    let scratch = config.sandbox.scratch.display();
    let places = places(config.setting);
    let (temporary, working) =
        (config.sandbox.scratch.join(places.temporary), config.sandbox.scratch.join(places.working));
    let mut options = vec![
        format!("-Xmx{}k", limits.heap_bytes.max(8 << 20) >> 10),
        // Room from the start, so that neither short lives nor one large array make the JVM collect everything.
        format!("-Xms{}k", limits.heap_bytes.clamp(8 << 20, 192 << 20) >> 10),
        format!("-Xss{}k", limits.stack_bytes.max(256 << 10) >> 10),
        format!("-XX:MaxDirectMemorySize={}", limits.direct_bytes),
        format!("-XX:MaxMetaspaceSize={}", limits.metaspace_bytes),
        // No signal handlers: a Ctrl-C in the terminal is the supervisor's to handle.
        "-Xrs".into(),
        "-Xshare:auto".into(),
        "-XX:+UseSerialGC".into(),
        // Many methods run a few times each: the second compiler costs more than it brings, and a core.
        "-XX:TieredStopAtLevel=1".into(),
        // Looking for a method with stack in reserve costs more than the overflow itself.
        "-XX:StackReservedPages=0".into(),
        // Remarks of the JVM would drown what the code under test prints.
        "-Xlog:disable".into(),
        "-Xlog:all=error:stderr".into(),
        // Nothing may be left outside scratch: no memory-mapped counters, no attach sockets, no core, no crash logs.
        "-XX:-UsePerfData".into(),
        "-XX:+DisableAttachMechanism".into(),
        "-XX:-CreateCoredumpOnCrash".into(),
        format!("-XX:ErrorFile={scratch}/hs_err_pid%p.log"),
        // Hot exceptions would otherwise lose their frames, and outcomes would depend on how often a call was made.
        "-XX:-OmitStackTraceInFastThrow".into(),
        format!("-Djava.io.tmpdir={}", temporary.display()),
        format!("-Duser.dir={}", working.display()),
        format!("-Duser.home={scratch}"),
        // What a machine is set to must not show in results.
        "-Duser.language=en".into(),
        "-Duser.country=US".into(),
        "-Duser.timezone=UTC".into(),
        "-Dfile.encoding=UTF-8".into(),
        format!("-Djava.class.path={}", system_class_path(config)),
    ];
    options.extend(properties(config.setting).iter().map(|&option| option.to_owned()));
    if feature.is_some_and(|feature| feature >= 18) {
        options.push("--finalization=disabled".into());
    }
    if feature.is_some_and(|feature| feature >= 22) {
        options.push("--enable-native-access=ALL-UNNAMED".into());
    }
    if config.check_jni {
        options.push("-Xcheck:jni".into());
    }
    options.extend(clock::options(config.setting).iter().map(|&option| option.to_owned()));
    options.extend(config.jvm_options.iter().cloned());
    options
}

/// Properties that users' JVMs do not have.
fn properties(setting: Setting) -> &'static [&'static str] {
    match setting {
        Setting::Fixed | Setting::Still | Setting::Other => &[
            // Reflection would otherwise change its frames after a number of calls.
            "-Dsun.reflect.inflationThreshold=2147483647",
            "-Djdk.reflect.useNativeAccessorOnly=true",
            "-Djava.awt.headless=true",
        ],
        Setting::User | Setting::Later => &[],
    }
}

/// Where the code under test has a loader of its own, the system loader has a jar that is not there: the working folder, which is what no class
/// path at all means, may be written to.
fn system_class_path(config: &WorkerConfig) -> String {
    match config.setting {
        Setting::Fixed | Setting::Still | Setting::Other => {
            config.sandbox.scratch.join("no.jar").display().to_string()
        }
        Setting::User | Setting::Later => {
            let entries: Vec<String> =
                config.class_path.iter().map(|entry| entry.display().to_string()).collect();
            entries.join(":")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_protocol::{Instrumentation, Limits, SandboxSpec};

    fn config() -> WorkerConfig {
        WorkerConfig {
            libjvm: "jdk/lib/server/libjvm.so".into(),
            java_home: "jdk".into(),
            jvm_options: vec!["-Xmx1g".into()],
            class_path: vec!["a.jar".into()],
            check_jni: true,
            assertions: true,
            limits: Limits::default(),
            sandbox: SandboxSpec { kernel: false, scratch: "scratch".into() },
            instrumentation: Instrumentation::default(),
            initialise: Vec::new(),
            rules: Vec::new(),
            contracts: Vec::new(),
            unchecked: Vec::new(),
            setting: Setting::Fixed,
            prints: false,
        }
    }

    #[test]
    fn release_files_of_all_ages_are_read() {
        for (text, feature) in [
            ("IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"17.0.15\"\n", Some(17)),
            ("JAVA_VERSION=\"25\"", Some(25)),
            ("JAVA_VERSION=\"26-ea\"", Some(26)),
            ("JAVA_VERSION=\"1.8.0_392\"", Some(8)),
            ("MODULES=\"java.base\"", None),
            ("JAVA_VERSION=\"\"", None),
        ] {
            assert_eq!(feature_release(text), feature, "{text}");
        }
    }

    #[test]
    fn the_users_options_come_last() {
        let options = jvm_options(&config(), Some(17));
        assert_eq!(options.last().map(String::as_str), Some("-Xmx1g"));
        assert!(options.contains(&"-Xcheck:jni".to_owned()));
    }

    #[test]
    fn finalizers_are_off_where_that_can_be_asked() {
        let off = "--finalization=disabled".to_owned();
        assert!(!jvm_options(&config(), Some(17)).contains(&off));
        assert!(jvm_options(&config(), Some(18)).contains(&off));
        assert!(!jvm_options(&config(), None).contains(&off));
    }

    #[test]
    fn jvms_as_users_have_them_are_told_nothing() {
        let is_told = |setting| {
            let options = jvm_options(&WorkerConfig { setting, ..config() }, Some(17));
            options.iter().any(|option| option.contains("headless") || option.contains("reflect"))
        };
        let all = [Setting::Fixed, Setting::Still, Setting::Other, Setting::User, Setting::Later];
        assert_eq!(all.map(is_told), [true, true, true, false, false]);
    }

    #[test]
    fn nothing_is_written_outside_scratch() {
        let options = jvm_options(&config(), Some(25));
        for wanted in [
            "-XX:ErrorFile=scratch/hs_err_pid%p.log",
            "-Djava.io.tmpdir=scratch/temporary",
            "-XX:-UsePerfData",
            "-XX:+DisableAttachMechanism",
        ] {
            assert!(options.iter().any(|option| option == wanted), "{wanted}");
        }
    }
}
