//! What a Maven project is, from its effective model.
//!
//! In: the XML that `help:effective-pom` writes, or a plain `pom.xml`. Out: [`Model`]: folders, modules, the Java release.
//! A plain `pom.xml` says less: what is inherited or has a default is not in it.

use quick_xml::Reader;
use quick_xml::events::Event;

/// The few facts that matter here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Model {
    pub classes: Option<String>,
    pub sources: Option<String>,
    pub test_sources: Option<String>,
    pub build: Option<String>,
    pub modules: Vec<String>,
    /// For the tests, if the project says so.
    pub release: Option<u32>,
}

/// Where the release is said, strongest first: elements below the compiler plugin's configuration, then properties.
const RELEASES: [&str; 6] = ["testRelease", "release", "testTarget", "target", "testSource", "source"];

impl Model {
    /// Reads what is there; text that is no XML gives what was read before it broke.
    pub fn parse(xml: &str) -> Model {
        let mut model = Model::default();
        let mut releases: Vec<(usize, u32)> = Vec::new();
        let mut path: Vec<String> = Vec::new();
        let mut plugin = String::new();
        let mut reader = Reader::from_str(xml);
        loop {
            match reader.read_event() {
                Ok(Event::Start(start)) => {
                    path.push(start.local_name().as_ref().to_owned());
                    if path.last().is_some_and(|name| name == "plugin") {
                        plugin.clear();
                    }
                }
                Ok(Event::End(_)) => {
                    path.pop();
                }
                Ok(Event::Text(text)) => {
                    let text = text.trim().to_owned();
                    let names: Vec<&str> = path.iter().map(String::as_str).collect();
                    if names.ends_with(&["plugin", "artifactId"]) {
                        plugin = text;
                    } else if !text.is_empty() {
                        model.take(&names, &plugin, &text, &mut releases);
                    }
                }
                Ok(Event::Eof) | Err(_) => break,
                Ok(_) => {}
            }
        }
        releases.sort_unstable();
        model.release = releases.first().map(|(_, release)| *release);
        model
    }

    fn take(&mut self, path: &[&str], plugin: &str, text: &str, releases: &mut Vec<(usize, u32)>) {
        match path {
            ["project", "build", "outputDirectory"] => self.classes = Some(text.to_owned()),
            ["project", "build", "sourceDirectory"] => self.sources = Some(text.to_owned()),
            ["project", "build", "testSourceDirectory"] => self.test_sources = Some(text.to_owned()),
            ["project", "build", "directory"] => self.build = Some(text.to_owned()),
            ["project", "modules", "module"] => self.modules.push(text.to_owned()),
            ["project", "properties", name] => {
                let known = name.strip_prefix("maven.compiler.").and_then(rank);
                releases.extend(known.and_then(|rank| Some((rank + RELEASES.len(), release_of(text)?))));
            }
            ["project", "build", .., "plugin", "configuration", name]
                if plugin == "maven-compiler-plugin" =>
            {
                releases.extend(rank(name).and_then(|rank| Some((rank, release_of(text)?))));
            }
            _ => {}
        }
    }
}

fn rank(name: &str) -> Option<usize> {
    RELEASES.iter().position(|known| *known == name)
}

/// `17`, `1.8`; a property that was not replaced is no release.
pub(crate) fn release_of(text: &str) -> Option<u32> {
    text.strip_prefix("1.").unwrap_or(text).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_modules_and_release_are_read() {
        let model = Model::parse(
            "<?xml version=\"1.0\"?><!-- x --><project xmlns=\"http://maven.apache.org/POM/4.0.0\">
             <properties><maven.compiler.source>1.8</maven.compiler.source><maven.compiler.release>11</maven.compiler.release></properties>
             <modules><module>core</module><module>web</module></modules>
             <build><directory>/p/target</directory><outputDirectory>/p/target/classes</outputDirectory>
             <sourceDirectory>/p/src/main/java</sourceDirectory><testSourceDirectory>/p/src/test/java</testSourceDirectory>
             <plugins><plugin><artifactId>maven-site-plugin</artifactId><configuration><outputDirectory>/no</outputDirectory><release>3</release></configuration></plugin></plugins>
             </build></project>",
        );
        assert_eq!(model.modules, ["core", "web"]);
        assert_eq!(model.classes.as_deref(), Some("/p/target/classes"));
        assert_eq!(model.sources.as_deref(), Some("/p/src/main/java"));
        assert_eq!(model.test_sources.as_deref(), Some("/p/src/test/java"));
        assert_eq!(model.build.as_deref(), Some("/p/target"));
        assert_eq!(model.release, Some(11));
    }

    #[test]
    fn the_compiler_plugin_has_the_last_word() {
        let model = Model::parse(
            "<project><properties><maven.compiler.release>17</maven.compiler.release></properties><build><plugins><plugin>
             <artifactId>maven-compiler-plugin</artifactId><configuration><source>8</source><target>1.8</target></configuration>
             </plugin></plugins></build></project>",
        );
        assert_eq!(model.release, Some(8));
        assert_eq!(Model::parse("<project><properties><maven.compiler.release>${x}").release, None);
    }
}
