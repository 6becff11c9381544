//! The JDK and the class path together, in the order in which a JVM asks them.
//!
//! In: a [`JdkImage`] and a [`ClassPath`]. Out: the class a JVM would find under a name.
//! Parents come first: a class of the JDK hides one of the same name on the class path.

use probat_model::ClassName;

use crate::classpath::{ClassBytes, ClassPath};
use crate::jdk::JdkImage;
use crate::{ClassPathError, near_matches};

/// Everything a program can see.
#[derive(Debug)]
pub struct Classes {
    pub jdk: Option<JdkImage>,
    pub path: ClassPath,
}

impl Classes {
    /// The bytes a JVM would load under this name.
    pub fn find(&self, name: &ClassName) -> Result<Option<ClassBytes<'_>>, ClassPathError> {
        if let Some(jdk) = &self.jdk
            && let Some(found) = jdk.find(name)?
        {
            return Ok(Some(found));
        }
        self.path.find(name)
    }

    /// Whether a JVM would find this name.
    pub fn contains(&self, name: &ClassName) -> bool {
        self.jdk.as_ref().is_some_and(|jdk| jdk.contains(name)) || self.path.entry_of(name).is_some()
    }

    /// Whether nothing can be added to the package of a class: those of the JDK, of signed jars and sealed ones take no classes from elsewhere.
    pub fn is_closed(&self, name: &ClassName) -> bool {
        name.package().starts_with("java/")
            || self.path.entry_of(name).is_some_and(|class| {
                let facts = &class.entry.facts;
                facts.signed || facts.manifest.seals(name.package())
            })
    }

    /// Classes a user may have meant by a name that is not there; those of the class path before the JDK's.
    pub fn near(&self, wanted: &str, limit: usize) -> Vec<&ClassName> {
        let mut near = near_matches(wanted, self.path.iter().map(|class| class.name), limit);
        if let Some(jdk) = &self.jdk {
            let rest = limit - near.len();
            near.extend(near_matches(wanted, jdk.iter().map(|class| class.name), rest));
        }
        near
    }
}
