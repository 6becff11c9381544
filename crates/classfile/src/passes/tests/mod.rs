//! What passes do to small methods written as text.
//!
//! In: code as text. Out: the instrumented code as text, with marks shortened: `probe 3` for
//! `getstatic map; push 3; push 1; bastore`, `page` and `dirty` likewise.

mod edges;
mod recording;
mod reports;

use expect_test::Expect;
use probat_model::ProbeId;

use super::{Instrumented, PassSet, instrument};
use crate::class::{ClassFile, Method};
use crate::code::text;
use crate::flags::AccessFlags;
use crate::pool::ConstantPool;

/// A class `T` with one method.
struct Sample {
    major: u16,
    access: AccessFlags,
    name: &'static str,
    descriptor: &'static str,
}

impl Sample {
    const fn of(descriptor: &'static str) -> Sample {
        Sample { major: 52, access: AccessFlags::STATIC, name: "f", descriptor }
    }

    /// The class, with code of its own stack and locals.
    fn class(&self, code: &str) -> ClassFile {
        let mut pool = ConstantPool::default();
        let this_class = pool.add_class("T").unwrap();
        let super_class = Some(pool.add_class("java/lang/Object").unwrap());
        let name = pool.add_text(self.name).unwrap();
        let descriptor = pool.add_text(self.descriptor).unwrap();
        let mut class = ClassFile {
            minor: 0,
            major: self.major,
            access: AccessFlags::PUBLIC,
            this_class,
            super_class,
            interfaces: Vec::new(),
            fields: Vec::new(),
            methods: vec![Method { access: self.access, name, descriptor, attributes: Vec::new() }],
            attributes: Vec::new(),
            pool,
        };
        let mut parsed = text::parse(code, &mut class.pool).unwrap();
        (parsed.max_stack, parsed.max_locals) = (4, 4);
        class.set_code(0, &parsed).unwrap();
        class
    }

    fn instrument(&self, code: &str, passes: &PassSet) -> Instrumented {
        let instrumented = instrument(&self.class(code).write().unwrap(), passes).unwrap();
        assert_eq!(instrumented.report.skipped, []);
        instrumented
    }

    #[track_caller]
    fn check(&self, passes: &PassSet, code: &str, expected: Expect) {
        expected.assert_eq(&shown(&self.instrument(code, passes).bytes));
    }
}

const EDGES: PassSet = PassSet { edges: Some(ProbeId(0)), ..PassSet::NONE };

/// The code of the first method, marks shortened.
fn shown(bytes: &[u8]) -> String {
    let class = ClassFile::read(bytes).unwrap();
    let code = class.code(&class.methods[0]).unwrap().unwrap();
    let mut text = text::render(&code, &class.pool);
    for (field, short) in [("map", "probe"), ("pages", "page"), ("dirty", "dirty")] {
        text = shortened(&text, &format!("    getstatic java/lang/$Probat.{field} [B\n    push "), short);
    }
    unindented(&text.replace("java/lang/$Probat", "$Probat").replace("java/lang/Object", "Object"))
}

/// Without the indentation all lines share, which expectations lose as well.
fn unindented(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let shared = text.lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    text.lines().map(|line| format!("{}\n", line.get(shared..).unwrap_or(""))).collect()
}

fn shortened(text: &str, start: &str, short: &str) -> String {
    let mut parts = text.split(start);
    let mut out = parts.next().unwrap().to_owned();
    for part in parts {
        let (number, rest) = part.split_once("\n    push 1\n    bastore\n").unwrap();
        out.push_str(&format!("    {short} {number}\n{rest}"));
    }
    out
}
