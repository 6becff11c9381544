//! The system calls a worker may not make.
//!
//! In: nothing. Out: two seccomp filters in force. Denied calls fail with `EACCES`, which Java code sees as an
//! ordinary exception; `clone3` fails with `ENOSYS`, on which C libraries fall back to `clone`, whose flags can be
//! looked at. Local socket pairs stay allowed: the JDK's file channels need one to initialise.

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter_all_threads,
};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Why a filter is not in force.
#[derive(Debug, thiserror::Error)]
pub(super) enum SeccompError {
    #[error("no system call table for this processor")]
    Architecture(#[source] BackendError),
    #[error("cannot build the filter")]
    Build(#[source] BackendError),
    #[error("the kernel refused the filter")]
    Apply(#[source] seccompiler::Error),
}

/// Denied whatever their arguments.
#[rustfmt::skip]
const NEVER: &[i64] = &[
    // Other programs, other processes.
    libc::SYS_execve, libc::SYS_execveat, libc::SYS_ptrace, libc::SYS_process_vm_readv, libc::SYS_process_vm_writev,
    libc::SYS_process_madvise, libc::SYS_pidfd_getfd, libc::SYS_pidfd_send_signal, libc::SYS_tkill, libc::SYS_kcmp,
    libc::SYS_setns, libc::SYS_unshare, libc::SYS_setpgid,
    // The network; rings could open sockets unseen.
    libc::SYS_socket, libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register,
    // What Landlock does not cover of files that are not ours.
    libc::SYS_fchmod, libc::SYS_fchmodat, libc::SYS_fchown, libc::SYS_fchownat, libc::SYS_utimensat,
    libc::SYS_setxattr, libc::SYS_lsetxattr, libc::SYS_fsetxattr,
    libc::SYS_removexattr, libc::SYS_lremovexattr, libc::SYS_fremovexattr,
    libc::SYS_name_to_handle_at, libc::SYS_open_by_handle_at,
    // The system.
    libc::SYS_mount, libc::SYS_umount2, libc::SYS_pivot_root, libc::SYS_chroot, libc::SYS_move_mount,
    libc::SYS_open_tree, libc::SYS_fsopen, libc::SYS_fsconfig, libc::SYS_fsmount, libc::SYS_fspick,
    libc::SYS_mount_setattr, libc::SYS_bpf, libc::SYS_perf_event_open, libc::SYS_userfaultfd,
    libc::SYS_kexec_load, libc::SYS_kexec_file_load, libc::SYS_reboot, libc::SYS_init_module,
    libc::SYS_finit_module, libc::SYS_delete_module, libc::SYS_swapon, libc::SYS_swapoff, libc::SYS_sethostname,
    libc::SYS_setdomainname, libc::SYS_settimeofday, libc::SYS_clock_settime, libc::SYS_adjtimex,
    libc::SYS_clock_adjtime, libc::SYS_acct, libc::SYS_quotactl, libc::SYS_syslog, libc::SYS_add_key,
    libc::SYS_keyctl, libc::SYS_request_key, libc::SYS_vhangup,
    // Undoing our own limits.
    libc::SYS_setrlimit,
];

/// `fchmodat2`, which not every C library's headers know yet; the same number everywhere.
const FCHMODAT2: i64 = 452;

/// Older forms that only some processors have.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const NEVER_HERE: &[i64] = &[
    libc::SYS_fork, libc::SYS_vfork, libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown, libc::SYS_utime,
    libc::SYS_utimes, libc::SYS_futimesat, libc::SYS_ioperm, libc::SYS_iopl, libc::SYS_modify_ldt,
];
#[cfg(not(target_arch = "x86_64"))]
const NEVER_HERE: &[i64] = &[];

/// Puts both filters in force for this process.
pub(super) fn deny() -> Result<(), SeccompError> {
    let denied = denied().map_err(SeccompError::Build)?;
    install(denied, libc::EACCES)?;
    install(Rules::from([(libc::SYS_clone3, Vec::new())]), libc::ENOSYS)
}

fn install(rules: Rules, errno: i32) -> Result<(), SeccompError> {
    let arch = std::env::consts::ARCH.try_into().map_err(SeccompError::Architecture)?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(errno as u32), arch)
        .map_err(SeccompError::Build)?;
    let program = BpfProgram::try_from(filter).map_err(SeccompError::Build)?;
    apply_filter_all_threads(&program).map_err(SeccompError::Apply)
}

fn denied() -> Result<Rules, BackendError> {
    let always = NEVER.iter().chain(NEVER_HERE).chain([&FCHMODAT2]);
    let mut rules: Rules = always.map(|&call| (call, Vec::new())).collect();
    let own = u64::from(std::process::id());
    // A process may signal itself; the JVM does.
    for call in [libc::SYS_kill, libc::SYS_tgkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo] {
        rules.insert(call, vec![rule(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, own)?]);
    }
    // Limits may be read but not set.
    let new_limit = rule(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
    rules.insert(libc::SYS_prlimit64, vec![new_limit]);
    // Threads yes, processes no.
    let thread = libc::CLONE_THREAD as u64;
    let process = rule(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(thread), 0)?;
    rules.insert(libc::SYS_clone, vec![process]);
    Ok(rules)
}

fn rule(
    argument: u8,
    length: SeccompCmpArgLen,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, length, operator, value)?])
}
