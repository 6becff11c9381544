//! Calls that reach for files, the network and other processes.

use std::fs;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use probat_model::{TaintKind, Value};
use tempfile::TempDir;

use crate::common::{Arg, Bed, Survived, jvms, survive, survive_on};

const CONTENT: &str = "precious";

/// A folder of the user's with a file in it.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        fs::write(folder.file(), CONTENT).unwrap();
        folder
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("file.txt")
    }

    fn other(&self) -> PathBuf {
        self.0.path().join("other")
    }

    /// Nothing was added, removed or changed.
    #[track_caller]
    fn assert_untouched(&self) {
        assert_eq!(fs::read_to_string(self.file()).unwrap(), CONTENT);
        assert_eq!(fs::read_dir(self.0.path()).unwrap().count(), 1);
    }
}

fn text(path: &Path) -> Arg {
    path.to_str().unwrap().into()
}

/// Runs a method with the paths it takes, with and without the kernel's sandbox; the folder must stay as it is.
#[track_caller]
fn guarded(method: &str, args: impl Fn(&Folder) -> Vec<Arg>) {
    for jvm in jvms::full() {
        for kernel in [true, false] {
            let folder = Folder::new();
            let mut bed = Bed::on(jvm);
            bed.config.config.sandbox.kernel = kernel;
            let item = bed.item(|s| s.call(method, &args(&folder)));
            let it = survive_on(&mut bed, item);
            folder.assert_untouched();
            it.threw("java/lang/SecurityException");
            it.tainted(TaintKind::FileWrite, folder.0.path().to_str().unwrap());
            it.same_worker();
        }
    }
}

#[test]
fn deleting_a_file_is_intercepted() {
    guarded("Outside.deleteFile", |folder| vec![text(&folder.file())]);
}

#[test]
fn deleting_a_path_is_intercepted() {
    guarded("Outside.deletePath", |folder| vec![text(&folder.file())]);
}

#[test]
fn overwriting_by_a_stream_is_intercepted() {
    guarded("Outside.overwrite", |folder| vec![text(&folder.file())]);
}

#[test]
fn overwriting_by_a_random_access_file_is_intercepted() {
    guarded("Outside.overwriteRandom", |folder| vec![text(&folder.file())]);
}

#[test]
fn overwriting_by_a_path_is_intercepted() {
    guarded("Outside.overwritePath", |folder| vec![text(&folder.file())]);
}

#[test]
fn renaming_is_intercepted() {
    guarded("Outside.rename", |folder| vec![text(&folder.file()), text(&folder.other())]);
}

#[test]
fn moving_a_path_is_intercepted() {
    guarded("Outside.movePath", |folder| vec![text(&folder.file()), text(&folder.other())]);
}

#[test]
fn making_a_directory_is_intercepted() {
    guarded("Outside.mkdir", |folder| vec![text(&folder.other())]);
}

#[test]
fn making_a_directory_by_a_path_is_intercepted() {
    guarded("Outside.mkdirPath", |folder| vec![text(&folder.other())]);
}

#[test]
fn writing_a_new_file_is_intercepted() {
    guarded("Outside.overwrite", |folder| vec![text(&folder.other())]);
}

#[test]
fn reading_is_allowed() {
    let folder = Folder::new();
    survive(
        |s| s.call("Outside.read", &[text(&folder.file())]),
        |it| {
            it.gave(&Value::Int(CONTENT.len() as i32));
            it.untainted();
        },
    );
}

#[test]
fn writing_inside_scratch_is_allowed() {
    survive(
        |s| s.call("Outside.scratch", &[]),
        |it| {
            it.gave(&Value::Long(3));
            it.untainted();
            it.same_worker();
        },
    );
}

/// Nobody connects to this listener.
struct Listener(TcpListener);

impl Listener {
    fn new() -> Listener {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        Listener(listener)
    }

    fn port(&self) -> i32 {
        i32::from(self.0.local_addr().unwrap().port())
    }

    #[track_caller]
    fn assert_lonely(&self) {
        assert_eq!(self.0.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
    }
}

#[track_caller]
fn offline(method: &str, args: impl Fn(&Listener) -> Vec<Arg>) {
    for jvm in jvms::full() {
        for kernel in [true, false] {
            let listener = Listener::new();
            let mut bed = Bed::on(jvm);
            bed.config.config.sandbox.kernel = kernel;
            let item = bed.item(|s| s.call(method, &args(&listener)));
            let it = survive_on(&mut bed, item);
            listener.assert_lonely();
            it.threw("java/lang/SecurityException");
            it.tainted(TaintKind::Network, "");
            it.same_worker();
        }
    }
}

#[test]
fn connecting_a_socket_is_intercepted() {
    offline("Outside.connect", |listener| vec![listener.port().into()]);
}

#[test]
fn connecting_a_channel_is_intercepted() {
    offline("Outside.channel", |listener| vec![listener.port().into()]);
}

#[test]
fn listening_is_intercepted() {
    offline("Outside.listen", |_| vec![]);
}

#[test]
fn sending_a_datagram_is_intercepted() {
    offline("Outside.datagram", |listener| vec![listener.port().into()]);
}

#[track_caller]
fn no_process(method: &str) {
    for jvm in jvms::full() {
        for kernel in [true, false] {
            let folder = Folder::new();
            let mut bed = Bed::on(jvm);
            bed.config.config.sandbox.kernel = kernel;
            let item = bed.item(|s| s.call(method, &[text(&folder.other())]));
            let it: Survived = survive_on(&mut bed, item);
            folder.assert_untouched();
            it.threw("java/lang/SecurityException");
            it.tainted(TaintKind::Process, "");
            it.same_worker();
        }
    }
}

#[test]
fn starting_a_process_is_intercepted() {
    no_process("Outside.start");
}

#[test]
fn executing_a_command_is_intercepted() {
    no_process("Outside.exec");
}
