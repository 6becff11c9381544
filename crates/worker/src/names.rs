//! Names of run-time classes as they are reported.
//!
//! In: `Class.getName()`. Out: a name that does not depend on what ran before: the counters and addresses the JVM
//! puts into the names of lambdas, proxies and hidden classes are left out.

use std::borrow::Cow;

/// The internal form of a binary name, without what changes from run to run.
pub fn stable_internal(binary: &str) -> String {
    stable_binary(binary).replace('.', "/")
}

/// The binary name without what changes from run to run.
pub fn stable_binary(binary: &str) -> Cow<'_, str> {
    // A slash in a binary name begins the suffix of a hidden class (JVMS §5.4.3.5 has no such names).
    let visible = binary.split('/').next().unwrap_or(binary);
    // An array of a hidden class keeps its semicolon.
    let close = if visible.len() < binary.len() && binary.ends_with(';') { ";" } else { "" };
    for marker in ["$$Lambda", "$Proxy", "GeneratedConstructorAccessor", "GeneratedMethodAccessor"] {
        if let Some(at) = visible.rfind(marker) {
            let end = at + marker.len();
            let counter = visible[end..].trim_end_matches(';').trim_start_matches('$');
            if counter.bytes().all(|byte| byte.is_ascii_digit()) {
                let close = if visible.ends_with(';') { ";" } else { close };
                return Cow::Owned(format!("{}{close}", &visible[..end]));
            }
        }
    }
    if visible.len() == binary.len() {
        Cow::Borrowed(binary)
    } else {
        Cow::Owned(format!("{visible}{close}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_and_addresses_are_dropped() {
        for (binary, stable) in [
            ("java.util.ArrayList", "java/util/ArrayList"),
            ("[Ljava.lang.String;", "[Ljava/lang/String;"),
            ("[I", "[I"),
            ("a.B$$Lambda$14/0x0000000800c03000", "a/B$$Lambda"),
            ("a.B$$Lambda/0x00007f1234567890", "a/B$$Lambda"),
            ("a.B$$Lambda$7/1234567", "a/B$$Lambda"),
            ("[La.B$$Lambda/0x00007f1234567890;", "[La/B$$Lambda;"),
            ("jdk.proxy1.$Proxy12", "jdk/proxy1/$Proxy"),
            ("[Lcom.sun.proxy.$Proxy3;", "[Lcom/sun/proxy/$Proxy;"),
            ("a.$ProxyFactory", "a/$ProxyFactory"),
            ("a.Hidden/0x12", "a/Hidden"),
        ] {
            assert_eq!(stable_internal(binary), stable, "{binary}");
        }
    }
}
