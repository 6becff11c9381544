//! Frames we make are accepted by the JVM's verifier.
//!
//! In: classes of a JDK image with every conditional jump split, and one class with jumps of 40 KiB.
//! Out: what `java` says about them. Without a JDK (for the first: of version 24 or later) nothing is checked.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests stop at surprises and print counts")]

#[path = "../corpus/mod.rs"]
mod corpus;

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use probat_classfile::code::text::parse;
use probat_classfile::code::{Cond, FrameAt};
use probat_classfile::{AccessFlags, ClassFile, Code, ConstantPool, EncodeError, Insn, Method, Node};

/// The home of the JDK an image belongs to, and its feature version.
fn jdk_of(image: &Path) -> Option<(&Path, u32)> {
    let home = image.parent()?.parent()?;
    let release = std::fs::read_to_string(home.join("release")).ok()?;
    let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\""))?;
    let feature = version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
    Some((home, feature))
}

fn java(home: &Path, arguments: &[&str]) -> String {
    let output = Command::new(home.join("bin/java")).args(arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    format!("{}{errors}", String::from_utf8_lossy(&output.stdout))
}

/// Every conditional jump becomes its opposite over a `goto`, with a frame behind it.
fn split_all(class: &mut ClassFile, method: usize, code: &mut Code) -> Result<(), EncodeError> {
    code.label_allocations();
    let is_jump = |&at: &usize| matches!(code.nodes[at], Node::Insn(Insn::If(..)));
    let behind: Vec<usize> = (0..code.nodes.len()).filter(is_jump).map(|at| at + 1).collect();
    let mut frames = class.frames_before(method, code, &behind)?.into_iter();
    let with_frame: Vec<bool> = code.frames_by_label().iter().map(Option::is_some).collect();
    let old = std::mem::take(&mut code.nodes);
    for (at, node) in old.iter().enumerate() {
        let Node::Insn(Insn::If(cond, target)) = node else {
            code.nodes.push(node.clone());
            continue;
        };
        let frame = frames.next().unwrap();
        let over = code.labels.fresh();
        code.nodes.extend([Insn::If(cond.inverted(), over).into(), Insn::Goto(*target).into(), over.into()]);
        let has_frame = |node: &&Node| matches!(node, Node::Label(next) if with_frame[next.number()]);
        if old.get(at + 1).filter(has_frame).is_none() {
            code.frames.push(FrameAt { at: over, frame });
        }
    }
    class.set_code(method, code)
}

#[test]
fn frames_behind_every_jump_of_the_jdk_verify() {
    let images = corpus::images();
    let Some((image, home)) = images.iter().find_map(|image| match jdk_of(image)? {
        (home, 24..) => Some((image, home)),
        _ => None,
    }) else {
        return;
    };
    let bundle = Mutex::new((Vec::new(), 0));
    corpus::each_class_of_image(image, |name, bytes| {
        // One class in three of `java.base` keeps this test short; all of the JDK were tried and accepted.
        let every_third = name.bytes().map(u32::from).sum::<u32>().is_multiple_of(3);
        if every_third && name.starts_with("/java.base/") {
            let mut class = ClassFile::read(bytes).unwrap();
            for method in 0..class.methods.len() {
                if let Some(mut code) = class.code(&class.methods[method]).unwrap()
                    && !code.frames.is_empty()
                {
                    split_all(&mut class, method, &mut code)
                        .unwrap_or_else(|error| panic!("{name}: {error}"));
                }
            }
            let written = class.write().unwrap();
            let mut bundle = bundle.lock().unwrap();
            bundle.0.extend((written.len() as u32).to_be_bytes());
            bundle.0.extend(written);
            bundle.1 += 1;
        }
    });
    let (bytes, count) = bundle.into_inner().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("classes");
    std::fs::write(&file, bytes).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verify/Verify.java");
    let said = java(home, &[source.to_str().unwrap(), file.to_str().unwrap()]);
    println!("{said}");
    assert_eq!(said.trim(), format!("{count} classes, 0 bad"));
}

/// A class whose `main` jumps forwards and backwards over 40 KiB, with an uninitialised object and a long around.
fn far_class() -> ClassFile {
    let mut pool = ConstantPool::new();
    let this_class = pool.add_class("Far").unwrap();
    let super_class = Some(pool.add_class("java/lang/Object").unwrap());
    let name = pool.add_text("main").unwrap();
    let descriptor = pool.add_text("([Ljava/lang/String;)V").unwrap();
    let access = AccessFlags::PUBLIC.with(AccessFlags::STATIC);
    let filler = "nop\n".repeat(40_000);
    let text = format!(
        "ldc long 3
         lstore 1
     again:
         nop
     fresh:
         new java/lang/StringBuilder
         dup
         aload 0
         push 0
         aaload
         lload 1
         ldc long 2
         lcmp
         ifgt first
         invokespecial java/lang/StringBuilder.<init> (Ljava/lang/String;)V
         goto print
     first:
         pop
         push 99
         invokespecial java/lang/StringBuilder.<init> (I)V
     print:
         lload 1
         invokevirtual java/lang/StringBuilder.append (J)Ljava/lang/StringBuilder;
         getstatic java/lang/System.out Ljava/io/PrintStream;
         swap
         invokevirtual java/io/PrintStream.print (Ljava/lang/Object;)V
         lload 1
         lconst_1
         lsub
         lstore 1
         lload 1
         lconst_0
         lcmp
         ifeq end
         {filler}
         lload 1
         lconst_0
         lcmp
         ifne again
     end:
         return
     frame again [[Ljava/lang/String;, long] []
     frame first [[Ljava/lang/String;, long] [uninit fresh, uninit fresh, java/lang/String]
     frame print [[Ljava/lang/String;, long] [java/lang/StringBuilder]
     frame end [[Ljava/lang/String;, long] []",
    );
    let mut code = parse(&text, &mut pool).unwrap();
    (code.max_stack, code.max_locals) = (7, 3);
    let mut class = ClassFile {
        minor: 0,
        major: 52,
        pool,
        access: AccessFlags::PUBLIC.with(AccessFlags::SUPER),
        this_class,
        super_class,
        interfaces: Vec::new(),
        fields: Vec::new(),
        methods: vec![Method { access, name, descriptor, attributes: Vec::new() }],
        attributes: Vec::new(),
    };
    class.set_code(0, &code).unwrap();
    class
}

#[test]
fn a_method_with_far_jumps_runs() {
    let class = far_class();
    let code = class.code(&class.methods[0]).unwrap().unwrap();
    let inverted = |insn: &&Insn| matches!(insn, Insn::If(Cond::Ne | Cond::Eq, _));
    assert_eq!(code.insns().filter(inverted).count(), 2, "both far jumps are there, turned round");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("Far.class"), class.write().unwrap()).unwrap();
    for image in corpus::images() {
        if let Some((home, _)) = jdk_of(&image) {
            let path = folder.path().to_str().unwrap();
            let said = java(home, &["-cp", path, "Far", "x"]);
            assert_eq!(said, "3x2x1", "{}", home.display());
        }
    }
}
