//! Real classes for tests: those of every JDK image found and of the jars in `PROBAT_TEST_JARS`.
//!
//! In: `JAVA_HOME`, `PATH`, the usual folders, `PROBAT_TEST_JARS` (paths separated by colons). Out: class bytes.
//! Never writes, never downloads. A machine without a JDK has an empty corpus of images.

#![allow(clippy::unwrap_used, dead_code, reason = "tests stop at surprises; not each one needs all of this")]

pub mod everything;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use jimage_rs::JImage;

/// `lib/modules` of every JDK found.
pub fn images() -> Vec<PathBuf> {
    let mut homes: Vec<PathBuf> = std::env::var_os("JAVA_HOME").map(PathBuf::from).into_iter().collect();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let javas = std::env::split_paths(&path).filter_map(|folder| folder.join("java").canonicalize().ok());
    homes.extend(javas.filter_map(|java| Some(java.parent()?.parent()?.to_path_buf())));
    for folder in ["/usr/lib/jvm", "/usr/java", "/opt/java", "/Library/Java/JavaVirtualMachines"] {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        homes.extend(entries.flat_map(|entry| [entry.path(), entry.path().join("Contents/Home")]));
    }
    let images: BTreeSet<PathBuf> =
        homes.iter().filter_map(|home| home.join("lib/modules").canonicalize().ok()).collect();
    images.into_iter().collect()
}

/// The jars named by `PROBAT_TEST_JARS`.
pub fn jars() -> Vec<PathBuf> {
    let jars = std::env::var_os("PROBAT_TEST_JARS").unwrap_or_default();
    std::env::split_paths(&jars).filter(|path| !path.as_os_str().is_empty()).collect()
}

/// All classes of an image, visited on all cores.
pub fn each_class_of_image(image: &Path, visit: impl Fn(&str, &[u8]) + Sync) {
    let image = JImage::open(image).unwrap();
    let names: Vec<String> = image
        .resource_names()
        .unwrap()
        .iter()
        .map(|resource| resource.get_full_name())
        .filter(|(_, path)| path.ends_with(".class"))
        .map(|(module, path)| format!("/{module}/{path}"))
        .collect();
    in_parallel(&names, |name| {
        let bytes: Cow<'_, [u8]> = image.find_resource(name).unwrap().unwrap();
        visit(name, &bytes);
    });
}

/// All classes of a jar, visited on all cores.
pub fn each_class_of_jar(jar: &Path, visit: impl Fn(&str, &[u8]) + Sync) {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(jar).unwrap()).unwrap();
    let mut classes = Vec::new();
    for at in 0..archive.len() {
        let mut file = archive.by_index(at).unwrap();
        let name = file.name().unwrap().to_string();
        if name.ends_with(".class") {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).unwrap();
            classes.push((name, bytes));
        }
    }
    in_parallel(&classes, |(name, bytes)| visit(name, bytes));
}

fn in_parallel<T: Sync>(items: &[T], visit: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let start = next.fetch_add(64, Ordering::Relaxed);
                    let Some(rest) = items.get(start..).filter(|rest| !rest.is_empty()) else { break };
                    rest.iter().take(64).for_each(&visit);
                }
            });
        }
    });
}
