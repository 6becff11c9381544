//! Creating the VM and attaching threads.

use std::path::PathBuf;

use probat_jvm::{AttachError, Env, NoHooks, Vm, VmError, VmOptions};

use crate::{Case, Ends};

pub fn cases() -> Vec<Case> {
    vec![
        Case::plain("the_vm_says_who_it_is", says_who_it_is),
        Case::plain("a_second_vm_is_refused", second_is_refused),
        Case::plain("a_thread_attaches_once", attaches_once),
        Case {
            options: &["-XX:+NoSuchOptionAnywhere"],
            ends: Ends::WithoutVm("the VM refused to start"),
            ..Case::plain("unknown_options_are_reported", never)
        },
        Case {
            options: &["-Dname=\0"],
            ends: Ends::WithoutVm("option `-Dname="),
            ..Case::plain("zero_bytes_in_options_are_reported", never)
        },
    ]
}

fn never(_vm: Vm, _env: &mut Env<'_>) {
    unreachable!("there is no VM");
}

fn says_who_it_is(vm: Vm, _env: &mut Env<'_>) {
    let version = vm.jvmti().version().unwrap();
    assert!(version.feature >= 11, "{version:?}");
    assert!(version.full.contains(&version.feature.to_string()), "{version:?}");
    assert!(!version.vendor.is_empty() && version.name.contains("VM"), "{version:?}");
    assert!(vm.jvmti().interface_version().unwrap() >> 28 == 3);
}

fn second_is_refused(_vm: Vm, _env: &mut Env<'_>) {
    let options = VmOptions {
        library: PathBuf::from("/none"),
        arguments: vec![],
        hooks: Box::new(NoHooks),
        panic_fd: 2,
    };
    assert!(matches!(Vm::create(options), Err(VmError::Second)));
}

fn attaches_once(vm: Vm, _env: &mut Env<'_>) {
    assert_eq!(vm.attach_daemon("again").unwrap_err(), AttachError::Already);
    let other = std::thread::spawn(move || {
        for round in 0..2 {
            let mut attached = vm.attach_daemon("side").unwrap();
            assert_eq!(vm.attach_daemon("side").unwrap_err(), AttachError::Already);
            let env = attached.env();
            let thread = vm.jvmti().current_thread(&env).unwrap();
            let info = vm.jvmti().thread_info(&env, thread.get()).unwrap();
            assert_eq!((info.name.as_str(), info.is_daemon), ("side", true), "round {round}");
        }
    });
    other.join().unwrap();
}
