//! Starting, killing and reaping worker processes.
//!
//! In: a program and the descriptors it is to have. Out: a [`Child`] that leads its own session, and how it [`Ended`].
//! A child is always reaped: at the latest when its [`Child`] drops, after it was killed with its whole group.

use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawn};
use nix::sys::signal::{SigSet, Signal, kill, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;

use crate::pipe::wait_readable;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    Exited(i32),
    Signalled(i32),
}

/// What is known of a process that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    pub status: ExitStatus,
    /// CPU time it used, in user code and in the kernel.
    pub cpu: Duration,
    /// Most memory it held at once.
    pub peak_bytes: u64,
}

/// What to start.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// Taken as it is; `PATH` is not searched.
    pub path: &'a Path,
    pub args: &'a [OsString],
    /// The whole environment.
    pub environment: &'a [(OsString, OsString)],
    /// Which of our descriptors become which of its; every other one of ours is closed to it if it is
    /// close-on-exec, as all that Rust opens are.
    pub descriptors: &'a [(BorrowedFd<'a>, RawFd)],
}

/// Starts a program as leader of a session of its own, with default signal handling.
pub fn spawn(program: &Program<'_>) -> io::Result<Child> {
    let floor = program.descriptors.iter().map(|&(_, target)| target + 1).max().unwrap_or(0);
    let mut actions = PosixSpawnFileActions::init()?;
    let mut copies = Vec::with_capacity(program.descriptors.len());
    for &(fd, target) in program.descriptors {
        // Copies above all targets, so that no target overwrites a source still needed.
        let copy = duplicate(fd, floor)?;
        actions.add_dup2(copy.as_raw_fd(), target)?;
        copies.push(copy);
    }
    let mut attributes = PosixSpawnAttr::init()?;
    let session = PosixSpawnFlags::from_bits_retain(libc::POSIX_SPAWN_SETSID.into());
    attributes.set_flags(
        session | PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF | PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK,
    )?;
    attributes.set_sigmask(&SigSet::empty())?;
    attributes.set_sigdefault(&SigSet::all())?;
    let (args, environment) = (arguments(program)?, environment(program.environment)?);
    let pid = posix_spawn(program.path, &actions, &attributes, &args, &environment)?;
    Ok(Child { pid, pidfd: open_pidfd(pid), ended: None })
}

fn arguments(program: &Program<'_>) -> io::Result<Vec<CString>> {
    let all = std::iter::once(program.path.as_os_str()).chain(program.args.iter().map(OsString::as_os_str));
    all.map(|arg| c_string(&[arg])).collect()
}

fn environment(variables: &[(OsString, OsString)]) -> io::Result<Vec<CString>> {
    variables.iter().map(|(name, value)| c_string(&[name, OsStr::new("="), value])).collect()
}

fn c_string(parts: &[&OsStr]) -> io::Result<CString> {
    let bytes: Vec<u8> = parts.iter().flat_map(|part| part.as_bytes()).copied().collect();
    CString::new(bytes).map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e))
}

/// A close-on-exec copy of a descriptor, numbered at least `floor`.
pub(crate) fn duplicate(fd: impl AsFd, floor: RawFd) -> io::Result<OwnedFd> {
    let copy = fcntl(fd, FcntlArg::F_DUPFD_CLOEXEC(floor))?;
    // SAFETY: the kernel just made this descriptor for us; nothing else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

/// A descriptor that becomes readable when the process ends; `None` on kernels before 5.3.
fn open_pidfd(pid: Pid) -> Option<OwnedFd> {
    // SAFETY: a system call on two integers. The process is our unreaped child, so the pid is still its own.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid.as_raw(), 0) };
    // SAFETY: a result that is not negative is a descriptor the kernel just made for us.
    RawFd::try_from(fd).ok().filter(|&fd| fd >= 0).map(|fd| unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Waits until a process started the ordinary way ends, at most this long; whether it has ended.
pub fn wait_for(child: &mut std::process::Child, timeout: Duration) -> io::Result<bool> {
    let pid = i32::try_from(child.id()).map_err(io::Error::other)?;
    match open_pidfd(Pid::from_raw(pid)) {
        Some(pidfd) => {
            wait_readable([pidfd.as_fd()], timeout)?;
        }
        None => {
            let end = Instant::now() + timeout;
            while child.try_wait()?.is_none() && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    }
    Ok(child.try_wait()?.is_some())
}

/// CPU clock of a process.
#[derive(Debug, Clone, Copy)]
pub struct CpuClock(ClockId);

impl CpuClock {
    /// CPU time used so far; `None` once the process is reaped.
    pub fn now(&self) -> Option<Duration> {
        clock_gettime(self.0).ok().map(Duration::from)
    }
}

/// A process of ours, not yet reaped. Its pid cannot belong to another process before it is.
#[derive(Debug)]
pub struct Child {
    pid: Pid,
    pidfd: Option<OwnedFd>,
    ended: Option<Ended>,
}

impl Child {
    pub fn pid(&self) -> u32 {
        self.pid.as_raw() as u32
    }

    /// CPU time used so far.
    pub fn cpu(&self) -> Duration {
        match self.ended {
            Some(ended) => ended.cpu,
            None => self.cpu_clock().and_then(|clock| clock.now()).unwrap_or_default(),
        }
    }

    /// Its CPU clock, for other threads to read while it lives.
    pub fn cpu_clock(&self) -> Option<CpuClock> {
        clock_getcpuclockid(self.pid).ok().map(CpuClock)
    }

    /// Kills the process and its group. Harmless when it has ended.
    pub fn kill(&self) {
        if self.ended.is_none() {
            // The group first, so that nothing is left that could hold our pipes; then the process itself, in
            // case it left the group. Either fails only when there is nobody to kill.
            let _ = killpg(self.pid, Signal::SIGKILL);
            let _ = kill(self.pid, Signal::SIGKILL);
        }
    }

    /// Waits until the process ends, at most this long; `None` if it still runs.
    pub fn wait_timeout(&mut self, timeout: Duration) -> io::Result<Option<Ended>> {
        if self.ended.is_some() {
            return Ok(self.ended);
        }
        match &self.pidfd {
            Some(pidfd) => {
                wait_readable([pidfd.as_fd()], timeout)?;
            }
            None => self.poll_exit(timeout)?,
        }
        if self.has_exited()? { self.wait().map(Some) } else { Ok(None) }
    }

    /// Waits until the process ends, then ends what is left of its group.
    pub fn wait(&mut self) -> io::Result<Ended> {
        if let Some(ended) = self.ended {
            return Ok(ended);
        }
        loop {
            match waitid(Id::Pid(self.pid), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT) {
                Err(Errno::EINTR) => {}
                Err(e) => return Err(e.into()),
                Ok(_) => break,
            }
        }
        // While it is not reaped its group's number cannot be taken by others.
        let _ = killpg(self.pid, Signal::SIGKILL);
        let ended = reap(self.pid)?;
        self.ended = Some(ended);
        Ok(ended)
    }

    fn has_exited(&self) -> io::Result<bool> {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT | WaitPidFlag::WNOHANG;
        Ok(!matches!(waitid(Id::Pid(self.pid), flags)?, WaitStatus::StillAlive))
    }

    /// For kernels without pidfds.
    fn poll_exit(&self, timeout: Duration) -> io::Result<()> {
        let end = Instant::now() + timeout;
        while !self.has_exited()? && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
        let _ = self.wait();
    }
}

fn reap(pid: Pid) -> io::Result<Ended> {
    let mut status = 0;
    // SAFETY: `rusage` is plain integers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to live locals of the types the call writes.
    let result = unsafe { libc::wait4(pid.as_raw(), &mut status, 0, &mut usage) };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
    let signalled = libc::WIFSIGNALED(status);
    Ok(Ended {
        status: if signalled {
            ExitStatus::Signalled(libc::WTERMSIG(status))
        } else {
            ExitStatus::Exited(libc::WEXITSTATUS(status))
        },
        cpu: time(usage.ru_utime) + time(usage.ru_stime),
        peak_bytes: usage.ru_maxrss as u64 * 1024,
    })
}

/// The short name of a signal, `SIGSEGV`; its number where it has none.
pub fn signal_name(signal: i32) -> String {
    Signal::try_from(signal).map_or_else(|_| format!("signal {signal}"), |known| known.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipe::pipe;
    use std::fs::File;
    use std::io::{Read, Write};

    fn shell(script: &str, descriptors: &[(BorrowedFd<'_>, RawFd)]) -> Child {
        let environment = [("GREETING".into(), "hello".into()), ("PATH".into(), "/usr/bin:/bin".into())];
        let args = ["-c".into(), script.into()];
        let path = Path::new("/bin/sh");
        spawn(&Program { path, args: &args, environment: &environment, descriptors }).unwrap()
    }

    fn exists(pid: u32) -> bool {
        kill(Pid::from_raw(pid as i32), None).is_ok()
    }

    #[test]
    fn exit_codes_and_signals_are_told_apart() {
        let mut child = shell("exit 7", &[]);
        assert_eq!(child.wait().unwrap().status, ExitStatus::Exited(7));
        let mut child = shell("kill -SEGV $$", &[]);
        assert_eq!(child.wait().unwrap().status, ExitStatus::Signalled(11));
        assert_eq!((signal_name(11).as_str(), signal_name(99).as_str()), ("SIGSEGV", "signal 99"));
    }

    #[test]
    fn descriptors_land_where_they_are_wanted() {
        let (down, up) = (pipe(4096).unwrap(), pipe(4096).unwrap());
        // Crossed on purpose: each target may be the number of the other source.
        let (read, write) = (down.read.as_raw_fd(), up.write.as_raw_fd());
        let targets = [(down.read.as_fd(), write), (up.write.as_fd(), read)];
        let mut child = shell(&format!("read line <&{write}; echo \"$GREETING $line\" >&{read}"), &targets);
        drop((up.write, down.read));
        File::from(down.write).write_all(b"world\n").unwrap();
        let mut text = String::new();
        File::from(up.read).read_to_string(&mut text).unwrap();
        assert_eq!(text, "hello world\n");
        assert_eq!(child.wait().unwrap().status, ExitStatus::Exited(0));
    }

    #[test]
    fn the_whole_group_dies_and_is_reaped() {
        let out = pipe(4096).unwrap();
        let child = shell("sleep 600 & echo $!; wait", &[(out.write.as_fd(), 1)]);
        drop(out.write);
        let mut text = [0; 16];
        let mut read = File::from(out.read);
        let n = read.read(&mut text).unwrap();
        let grandchild: u32 = std::str::from_utf8(&text[..n]).unwrap().trim().parse().unwrap();
        let pid = child.pid();
        assert!(exists(pid) && exists(grandchild));
        drop(child);
        assert!(!exists(pid));
        // The pipe ends when its last writer, the grandchild, is dead.
        assert_eq!(read.read(&mut text).unwrap(), 0);
    }

    #[test]
    fn waiting_has_an_end() {
        let mut child = shell("sleep 600", &[]);
        assert_eq!(child.wait_timeout(Duration::from_millis(1)).unwrap(), None);
        child.kill();
        let ended = child.wait_timeout(Duration::from_secs(600)).unwrap().unwrap();
        assert_eq!(ended.status, ExitStatus::Signalled(9));
        assert_eq!(child.wait().unwrap(), ended);
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let program =
            Program { path: Path::new("/nonexistent/x"), args: &[], environment: &[], descriptors: &[] };
        assert_eq!(spawn(&program).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
