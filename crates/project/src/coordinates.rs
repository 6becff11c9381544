//! The name of an artifact: `group:artifact:version`, with a classifier if there is one.
//!
//! In: text. Out: [`Coordinates`]. Asks no repository whether it exists.

use std::fmt;
use std::str::FromStr;

use crate::ProjectError;

/// An artifact as Maven names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coordinates {
    pub group: String,
    pub artifact: String,
    pub version: String,
    pub classifier: Option<String>,
}

impl Coordinates {
    /// Written here, so known to be well formed.
    pub(crate) fn known(group: &str, artifact: &str, version: &str) -> Self {
        Coordinates {
            group: group.into(),
            artifact: artifact.into(),
            version: version.into(),
            classifier: None,
        }
    }

    /// The name of its jar in a repository.
    pub fn file_name(&self) -> String {
        match &self.classifier {
            Some(classifier) => format!("{}-{}-{classifier}.jar", self.artifact, self.version),
            None => format!("{}-{}.jar", self.artifact, self.version),
        }
    }

    /// Where its jar is below a Maven repository.
    pub(crate) fn repository_path(&self) -> String {
        let group = self.group.replace('.', "/");
        format!("{group}/{}/{}/{}", self.artifact, self.version, self.file_name())
    }
}

impl fmt::Display for Coordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.group, self.artifact, self.version)?;
        match &self.classifier {
            Some(classifier) => write!(f, ":{classifier}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Coordinates {
    type Err = ProjectError;

    fn from_str(text: &str) -> Result<Self, ProjectError> {
        let parts: Vec<&str> = text.split(':').collect();
        let malformed = || ProjectError::MalformedArtifact { text: text.to_owned() };
        if !parts.iter().all(|part| is_plain(part)) {
            return Err(malformed());
        }
        match parts.as_slice() {
            [group, artifact] => {
                Err(ProjectError::NoVersion { group: (*group).into(), artifact: (*artifact).into() })
            }
            [group, artifact, version] => Ok(Coordinates::known(group, artifact, version)),
            [group, artifact, version, classifier] => Ok(Coordinates {
                classifier: Some((*classifier).into()),
                ..Coordinates::known(group, artifact, version)
            }),
            _ => Err(malformed()),
        }
    }
}

/// What Maven allows in an id, and nothing that would mean something in XML or a path.
fn is_plain(part: &str) -> bool {
    !part.is_empty()
        && !part.starts_with(['.', '-'])
        && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_parts_name_an_artifact_and_a_fourth_its_classifier() {
        let plain: Coordinates = "org.apache.commons:commons-csv:1.14.0".parse().unwrap();
        assert_eq!(plain.repository_path(), "org/apache/commons/commons-csv/1.14.0/commons-csv-1.14.0.jar");
        let tests: Coordinates = "a:b:1:tests".parse().unwrap();
        assert_eq!(tests.file_name(), "b-1-tests.jar");
        assert_eq!(tests.to_string(), "a:b:1:tests");
    }

    #[test]
    fn what_is_no_artifact_is_told_apart_from_one_without_version() {
        assert!(matches!("a:b".parse::<Coordinates>(), Err(ProjectError::NoVersion { .. })));
        for bad in ["a:b:", "a::1", "a:b:1:c:d", "a:b:<x>", "../a:b:1", "a:-b:1"] {
            assert!(
                matches!(bad.parse::<Coordinates>(), Err(ProjectError::MalformedArtifact { .. })),
                "{bad}"
            );
        }
    }
}
