//! What a user points at, and what that means: a class path, the classes under test, a JUnit to check tests with.
//!
//! In: words of a command line (`app.jar`, `.`, `g:a:v`, `com.acme.*`), a class path, the user's own Maven and Gradle.
//! Out: [`Project`], [`Selection`] and [`JUnit`], or a [`ProjectError`] that knows a way out.
//! Holds no network code: what has to be fetched is fetched by the user's build tool, which also knows their mirrors.
//!
//! ```text
//! words ─▶ word: jar, folder, project, artifact, pattern ─▶ project: class path, places under test ─▶ select: class names
//! ```

mod coordinates;
mod effective;
mod error;
mod gradle;
mod junit;
mod maven;
mod pattern;
mod project;
mod select;
mod stale;
mod tools;
mod word;

pub use coordinates::Coordinates;
pub use error::ProjectError;
pub use junit::{JUnit, JUnitKind, find_artifacts, find_junit, has_junit, kind_of};
pub use pattern::Pattern;
pub use project::{Kind, Layout, Project, Request, resolve};
pub use select::{Selection, select};
pub use tools::Tools;
pub use word::{Word, recognise};
