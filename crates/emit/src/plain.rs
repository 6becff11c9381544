//! Test classes that need no library: a `main` that runs every test, and the assertions they use.
//!
//! In: names of tests and of assertions. Out: members to put at the end of the class. The program ends with 1 if a test fails.

/// Simple names the members take.
pub(crate) const OWN: [&str; 1] = ["ThrowingCode"];

/// Assertions as the tests call them, each with what it needs.
const ASSERTIONS: &[(&str, &str)] = &[
    (
        "assertArrayEquals",
        r#"    private static void assertArrayEquals(Object expected, Object actual) {
        if (!java.util.Objects.deepEquals(expected, actual)) {
            throw new AssertionError("the arrays differ");
        }
    }
"#,
    ),
    (
        "assertDoesNotThrow",
        r#"    private static void assertDoesNotThrow(ThrowingCode code) {
        try {
            code.run();
        } catch (Throwable thrown) {
            throw new AssertionError("expected no exception, but was: " + thrown, thrown);
        }
    }
"#,
    ),
    (
        "assertEquals",
        r#"    private static void assertEquals(Object expected, Object actual) {
        if (!java.util.Objects.equals(expected, actual)) {
            throw new AssertionError("expected: " + expected + ", but was: " + actual);
        }
    }
"#,
    ),
    (
        "assertFalse",
        r#"    private static void assertFalse(boolean condition) {
        assertFalse(condition, "expected: false, but was: true");
    }

    private static void assertFalse(boolean condition, String message) {
        if (condition) {
            throw new AssertionError(message);
        }
    }
"#,
    ),
    (
        "assertNotNull",
        r#"    private static void assertNotNull(Object actual) {
        if (actual == null) {
            throw new AssertionError("expected an object, but was: null");
        }
    }
"#,
    ),
    (
        "assertNotSame",
        r#"    private static void assertNotSame(Object unexpected, Object actual) {
        if (unexpected == actual) {
            throw new AssertionError("expected another object than: " + actual);
        }
    }
"#,
    ),
    (
        "assertNull",
        r#"    private static void assertNull(Object actual) {
        if (actual != null) {
            throw new AssertionError("expected: null, but was: " + actual);
        }
    }
"#,
    ),
    (
        "assertSame",
        r#"    private static void assertSame(Object expected, Object actual) {
        if (expected != actual) {
            throw new AssertionError("expected the same object");
        }
    }
"#,
    ),
    (
        "assertThrows",
        r#"    private static <T extends Throwable> T assertThrows(Class<T> expected, ThrowingCode code) {
        Throwable thrown = null;
        try {
            code.run();
        } catch (Throwable found) {
            thrown = found;
        }
        if (!expected.isInstance(thrown)) {
            throw new AssertionError("expected: " + expected.getName() + ", but was: " + thrown, thrown);
        }
        return expected.cast(thrown);
    }
"#,
    ),
    (
        "assertTrue",
        r#"    private static void assertTrue(boolean condition) {
        assertTrue(condition, "expected: true, but was: false");
    }

    private static void assertTrue(boolean condition, String message) {
        if (!condition) {
            throw new AssertionError(message);
        }
    }
"#,
    ),
    (
        "fail",
        r#"    private static void fail(String message) {
        throw new AssertionError(message);
    }
"#,
    ),
];

/// The members; `asserts` are sorted.
pub(crate) fn members(class: &str, tests: &[&str], asserts: &[&str]) -> String {
    let mut out = String::from(
        "    /** Runs every test; ends with 1 if one fails. */\n    public static void main(String[] args) {\n        int failed = 0;\n",
    );
    for test in tests {
        out.push_str(&format!("        failed += run(\"{test}\", new {class}()::{test});\n"));
    }
    let count = tests.len();
    let word = if count == 1 { "test" } else { "tests" };
    out.push_str(&format!("        System.out.println(\"{count} {word}, \" + failed + \" failed\");\n"));
    out.push_str(
        r#"        if (failed > 0) {
            System.exit(1);
        }
    }

    /** Code that may throw. */
    private interface ThrowingCode {
        void run() throws Throwable;
    }

    private static int run(String name, ThrowingCode test) {
        try {
            test.run();
            return 0;
        } catch (Throwable thrown) {
            System.out.println(name + " failed: " + thrown);
            return 1;
        }
    }
"#,
    );
    for (_, source) in ASSERTIONS.iter().filter(|(name, _)| asserts.contains(name)) {
        out.push('\n');
        out.push_str(source);
    }
    out
}
