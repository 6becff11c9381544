//! The class library of a JDK or JRE.
//!
//! In: a JDK home. Out: [`JdkImage`]: classes with their modules, from `lib/modules` or, up to Java 8, from `rt.jar`.
//! Never starts a JVM. A `compact-cp` compressed image is refused when a class of it is read.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use probat_model::ClassName;

use crate::classpath::{ClassBytes, ClassPath, OpenOptions};
use crate::image::Image;
use crate::{ClassPathError, Origin};

/// Jars of a Java 8 class library, boot path first.
const OLD_JARS: [&str; 5] = ["resources.jar", "rt.jar", "jsse.jar", "jce.jar", "charsets.jar"];

/// What a JDK's boot, platform and application loaders offer by themselves.
#[derive(Debug)]
pub struct JdkImage {
    home: PathBuf,
    release: Option<u32>,
    library: Library,
}

#[derive(Debug)]
enum Library {
    Image(Image),
    Jars(ClassPath),
}

/// A class of the JDK, not yet read.
#[derive(Debug, Clone, Copy)]
pub struct JdkClass<'a> {
    pub name: &'a ClassName,
    /// None before modules.
    pub module: Option<&'a str>,
}

impl JdkImage {
    /// Opens the class library below a JDK home.
    pub fn open(home: &Path) -> Result<JdkImage, ClassPathError> {
        let modules = home.join("lib").join("modules");
        let library =
            if modules.is_file() { Library::Image(Image::open(&modules)?) } else { old_library(home)? };
        Ok(JdkImage { home: home.to_path_buf(), release: release_of(home), library })
    }

    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The feature release (8, 17, 25) that the file `release` states.
    pub fn release(&self) -> Option<u32> {
        self.release
    }

    /// All modules that hold classes, sorted.
    pub fn modules(&self) -> &[String] {
        match &self.library {
            Library::Image(image) => &image.modules,
            Library::Jars(_) => &[],
        }
    }

    /// All classes, sorted by module and then by name.
    pub fn iter(&self) -> Box<dyn Iterator<Item = JdkClass<'_>> + '_> {
        match &self.library {
            Library::Image(image) => Box::new(image.classes.iter().map(|class| JdkClass {
                name: &class.name,
                module: Some(&image.modules[usize::from(class.module)]),
            })),
            Library::Jars(jars) => Box::new(
                jars.iter()
                    .filter(|class| !class.shadowed)
                    .map(|class| JdkClass { name: class.name, module: None }),
            ),
        }
    }

    /// The module of a class; none if the class or the notion of modules is unknown here.
    pub fn module_of(&self, name: &ClassName) -> Option<&str> {
        match &self.library {
            Library::Image(image) => {
                let class = &image.classes[*image.by_name.get(name)? as usize];
                Some(&image.modules[usize::from(class.module)])
            }
            Library::Jars(_) => None,
        }
    }

    /// Whether the class is in here.
    pub fn contains(&self, name: &ClassName) -> bool {
        match &self.library {
            Library::Image(image) => image.by_name.contains_key(name),
            Library::Jars(jars) => jars.entry_of(name).is_some(),
        }
    }

    /// The bytes of a class, borrowed from the mapped image where they are not compressed.
    pub fn find(&self, name: &ClassName) -> Result<Option<ClassBytes<'_>>, ClassPathError> {
        let image = match &self.library {
            Library::Image(image) => image,
            Library::Jars(jars) => return jars.find(name),
        };
        let Some(&at) = image.by_name.get(name) else { return Ok(None) };
        let class = &image.classes[at as usize];
        let module = image.modules[usize::from(class.module)].clone();
        Ok(Some(ClassBytes { bytes: image.read(class)?, origin: Cow::Owned(Origin::Jdk { module }) }))
    }
}

fn old_library(home: &Path) -> Result<Library, ClassPathError> {
    for lib in [home.join("jre").join("lib"), home.join("lib")] {
        if lib.join("rt.jar").is_file() {
            let jars: Vec<_> = OLD_JARS.iter().map(|jar| lib.join(jar)).filter(|jar| jar.is_file()).collect();
            return Ok(Library::Jars(ClassPath::open(&jars, &OpenOptions { release: 8 })));
        }
    }
    Err(ClassPathError::NoClassLibrary { home: home.to_path_buf() })
}

/// `JAVA_VERSION="17.0.15"` or `"1.8.0_402"`.
fn release_of(home: &Path) -> Option<u32> {
    let text = fs::read_to_string(home.join("release")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    let mut numbers = line.trim_matches('"').split(['.', '-', '+', '_']).map(|part| part.parse().ok());
    match numbers.next()?? {
        1 => numbers.next()?,
        feature => Some(feature),
    }
}
