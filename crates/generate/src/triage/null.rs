//! What was null, in the words of the JVM.
//!
//! In: a `NullPointerException`. Out: the expression that was null, as the message of newer JVMs names it (JEP 358): `this.field`,
//! `Class.method()`, a variable. Older JVMs say nothing, and so does this.

use probat_model::Thrown;

/// The expression that was null.
pub(crate) fn missing(thrown: &Thrown) -> Option<String> {
    let text = thrown.message.as_ref()?.to_lossy();
    let (before, _) = text.strip_prefix("Cannot ")?.rsplit_once("\" is null")?;
    let (_, name) = before.rsplit_once('"')?;
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{ClassName, JavaString};

    #[track_caller]
    fn check(message: &str, expected: Option<&str>) {
        let thrown = Thrown {
            class: ClassName::internal("java/lang/NullPointerException"),
            message: Some(JavaString::from(message)),
            cause: None,
            frames: Vec::new(),
        };
        assert_eq!(missing(&thrown).as_deref(), expected);
    }

    #[test]
    fn the_jvm_says_what_was_null() {
        check(
            "Cannot invoke \"java.util.Iterator.hasNext()\" because \"this.iterator\" is null",
            Some("this.iterator"),
        );
        check(
            "Cannot invoke \"java.util.Map.get(Object)\" because the return value of \"a.B.decorated()\" is null",
            Some("a.B.decorated()"),
        );
        check("Cannot read the array length because \"<local1>\" is null", Some("<local1>"));
        check("closures[0]", None);
    }
}
