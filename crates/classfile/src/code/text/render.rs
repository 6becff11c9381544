//! [`Code`] to text.
//!
//! In: code and the pool that explains it. Out: lines; labels are numbered in the order they stand, so equal code
//! gives equal text. Constants that cannot be followed are shown by their index.

use std::fmt::Write;

use crate::code::insn::{Insn, Primitive};
use crate::code::{Code, Frame, Label, LocalVariable, Node, VerificationType, opcode};
use crate::pool::{ConstantPool, Loadable, MemberKind, PoolIndex};

/// The code as text.
pub fn render(code: &Code, pool: &ConstantPool) -> String {
    let mut names = vec![None; code.labels.count()];
    let placed = code.nodes.iter().filter_map(|node| match node {
        Node::Label(label) => Some(label.number()),
        Node::Insn(_) => None,
    });
    for (name, label) in placed.enumerate() {
        names[label] = Some(name);
    }
    let mut renderer = Renderer { pool, names, out: String::new() };
    for node in &code.nodes {
        match node {
            Node::Label(label) => renderer.line(format!("{}:", renderer.label(*label))),
            Node::Insn(insn) => renderer.line(format!("    {}", renderer.insn(insn))),
        }
    }
    renderer.tables(code);
    renderer.out
}

struct Renderer<'a> {
    pool: &'a ConstantPool,
    names: Vec<Option<usize>>,
    out: String,
}

impl Renderer<'_> {
    fn line(&mut self, line: String) {
        self.out.push_str(&line);
        self.out.push('\n');
    }

    fn label(&self, label: Label) -> String {
        match self.names.get(label.number()).copied().flatten() {
            Some(name) => format!("L{name}"),
            None => format!("unplaced{}", label.number()),
        }
    }

    fn labels(&self, labels: &[Label]) -> String {
        labels.iter().map(|&label| self.label(label)).collect::<Vec<_>>().join(", ")
    }

    fn tables(&mut self, code: &Code) {
        for item in &code.frames {
            let line = format!("frame {} {}", self.label(item.at), self.frame(&item.frame));
            self.line(line);
        }
        for item in &code.lines {
            self.line(format!("line {} {}", self.label(item.at), item.line));
        }
        for item in &code.handlers {
            let range = self.labels(&[item.start, item.end, item.handler]).replace(',', "");
            let class = item.catch_type.map_or("any".into(), |class| self.class(class));
            self.line(format!("catch {range} {class}"));
        }
        for (word, locals) in [("local", &code.locals), ("localtype", &code.local_types)] {
            for &LocalVariable { start, end, name, descriptor, slot } in locals {
                let range = self.labels(&[start, end]).replace(',', "");
                self.line(format!("{word} {range} {slot} {} {}", self.text(name), self.text(descriptor)));
            }
        }
    }

    fn frame(&self, frame: &Frame) -> String {
        let list = |types: &[VerificationType]| {
            types.iter().map(|&ty| self.verification_type(ty)).collect::<Vec<_>>().join(", ")
        };
        format!("[{}] [{}]", list(&frame.locals), list(&frame.stack))
    }

    fn verification_type(&self, ty: VerificationType) -> String {
        match ty {
            VerificationType::Top => "top".into(),
            VerificationType::Int => "int".into(),
            VerificationType::Float => "float".into(),
            VerificationType::Long => "long".into(),
            VerificationType::Double => "double".into(),
            VerificationType::Null => "null".into(),
            VerificationType::UninitializedThis => "uninit this".into(),
            VerificationType::Object(class) => self.class(class),
            VerificationType::Parameter(number) => format!("parameter {number}"),
            VerificationType::Uninitialized(label) => format!("uninit {}", self.label(label)),
        }
    }

    fn text(&self, index: PoolIndex) -> String {
        self.pool.text(index).map_or_else(|_| index.to_string(), |text| text.into_owned())
    }

    fn class(&self, index: PoolIndex) -> String {
        self.pool.class_text(index).map_or_else(|_| index.to_string(), |text| text.into_owned())
    }

    fn member(&self, index: PoolIndex, marks_interface: bool) -> String {
        let Ok(member) = self.pool.member_ref(index) else { return index.to_string() };
        let mark = match member.kind {
            MemberKind::InterfaceMethod if marks_interface => "interface ",
            _ => "",
        };
        format!("{mark}{}.{} {}", member.owner, member.name, member.descriptor)
    }

    fn constant(&self, index: PoolIndex) -> String {
        match self.pool.loadable(index) {
            Ok(Loadable::Int(value)) => format!("int {value}"),
            Ok(Loadable::Float(value)) => format!("float {value:?}"),
            Ok(Loadable::Long(value)) => format!("long {value}"),
            Ok(Loadable::Double(value)) => format!("double {value:?}"),
            Ok(Loadable::String(value)) => format!("string {value}"),
            Ok(Loadable::Class(_)) => format!("class {}", self.class(index)),
            Ok(Loadable::MethodType(ty)) => format!("methodtype {}", ty.descriptor()),
            Ok(Loadable::Dynamic { bootstrap, name, ty }) => {
                format!("dynamic {bootstrap} {name} {}", ty.descriptor())
            }
            Ok(Loadable::MethodHandle(_)) | Err(_) => index.to_string(),
        }
    }

    fn insn(&self, insn: &Insn) -> String {
        let name = opcode::NAMES.get(usize::from(opcode::of(insn))).copied().unwrap_or("?");
        match insn {
            Insn::Int(value) => format!("push {value}"),
            Insn::Ldc(index) => format!("ldc {}", self.constant(*index)),
            Insn::Load(_, local) | Insn::Store(_, local) | Insn::Ret(local) => format!("{name} {local}"),
            Insn::Inc { local, by } => format!("{name} {local} {by}"),
            Insn::If(_, target) | Insn::Goto(target) | Insn::Jsr(target) => {
                format!("{name} {}", self.label(*target))
            }
            Insn::TableSwitch(switch) => format!(
                "{name} {} [{}] {}",
                switch.low,
                self.labels(&switch.targets),
                self.label(switch.default)
            ),
            Insn::LookupSwitch(switch) => {
                let mut cases = String::new();
                for (at, (key, &target)) in switch.keys.iter().zip(&switch.targets).enumerate() {
                    let comma = if at > 0 { ", " } else { "" };
                    write!(cases, "{comma}{key}: {}", self.label(target)).expect("a String takes all text");
                }
                format!("{name} [{cases}] {}", self.label(switch.default))
            }
            Insn::InvokeDynamic(index) => match self.pool.dynamic_ref(*index) {
                Ok(site) => format!("{name} {} {} {}", site.bootstrap, site.name, site.descriptor),
                Err(_) => format!("{name} {index}"),
            },
            Insn::NewArray(element) => format!("{name} {}", primitive(*element)),
            Insn::MultiANewArray { class, dimensions } => {
                format!("{name} {} {dimensions}", self.class(*class))
            }
            Insn::New(class) | Insn::ANewArray(class) | Insn::CheckCast(class) | Insn::InstanceOf(class) => {
                format!("{name} {}", self.class(*class))
            }
            Insn::InvokeInterface(member) => format!("{name} {}", self.member(*member, false)),
            other => match other.pool_operand() {
                Some(member) => format!("{name} {}", self.member(member, true)),
                None => name.into(),
            },
        }
    }
}

/// The element type as source spells it.
pub(super) fn primitive(element: Primitive) -> &'static str {
    match element {
        Primitive::Boolean => "boolean",
        Primitive::Char => "char",
        Primitive::Float => "float",
        Primitive::Double => "double",
        Primitive::Byte => "byte",
        Primitive::Short => "short",
        Primitive::Int => "int",
        Primitive::Long => "long",
    }
}
