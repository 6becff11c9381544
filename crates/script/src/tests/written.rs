//! Sequences to scripts and back.

use std::collections::BTreeMap;

use expect_test::{Expect, expect};
use probat_model::StepId;

use crate::fake::Fake;
use crate::{Unwritable, Written, read, write};

/// Reads a script and writes it again; what is written means the same, or `write` would have refused.
fn again(text: &str) -> Result<String, Unwritable> {
    let script = read(text, &Fake::new()).unwrap();
    let remarks = BTreeMap::from([(StepId(script.sequence.len() as u16 - 1), "the end".to_owned())]);
    let head = ["a script".to_owned()];
    let what =
        Written { table: &script.table, steps: script.sequence.steps(), head: &head, remarks: &remarks };
    write(&what, &Fake::new())
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&again(text).unwrap());
}

#[test]
fn calls_become_lines_and_literals_stand_where_they_are_used() {
    check(
        "import java.util.*; a = new ArrayList(); a.add(5); a.add(1, \"x\\n\\u00e9\"); a.size()",
        expect![[r#"
            // a script
            import java.util.ArrayList
            arrayList = new ArrayList()
            arrayList.add(5)
            arrayList.add(1, "x\n\u00e9")
            arrayList.size()    // the end
        "#]],
    );
}

#[test]
fn types_are_said_where_calls_would_change_without_them() {
    check(
        "b = new StringBuilder(); b.append((Object) \"x\"); b.append((Object) null)",
        expect![[r#"
        // a script
        stringBuilder = new StringBuilder()
        stringBuilder.append((Object) "x")
        stringBuilder.append((Object) null)    // the end
    "#]],
    );
}

#[test]
fn arrays_stubs_and_lambdas_come_back() {
    check(
        "import java.util.*; k = new ArrayList(); s = stub List { size: 3, get: k }; s.size(); f = (Runnable) () -> { throw new IllegalStateException() }; a = new int[] {1, 2}; a[0] = 7; a.length; (byte) 3; n = new Object[] {null, Double.NaN}",
        expect![[r#"
            // a script
            import java.util.ArrayList
            import java.util.List
            arrayList = new ArrayList()
            list = stub List { get(int): arrayList, size(): 3 }
            list.size()
            stub Runnable { run(): { throw new IllegalStateException() } }
            is = new int[] {1, 2}
            is[0] = 7
            is.length
            d = Double.NaN
            new Object[] {null, d}    // the end
        "#]],
    );
}
