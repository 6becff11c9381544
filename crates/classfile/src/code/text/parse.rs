//! Text to [`Code`].
//!
//! In: lines as `render` writes them; empty lines and what follows `//` are skipped. Out: code whose constants were
//! added to the pool. Sizes of stack and locals are the caller's to set.

use std::str::FromStr;

use probat_model::JavaString;
use rustc_hash::FxHashMap;

use super::render::primitive;
use crate::code::insn::{Insn, Kind, LookupSwitch, Primitive, TableSwitch};
use crate::code::{
    Code, Frame, FrameAt, Handler, Label, LineNumber, LocalVariable, Node, VerificationType, opcode,
};
use crate::error::AppendError;
use crate::pool::{ConstantPool, PoolIndex};

/// A line that is no code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, `{text}`: {reason}")]
pub struct ParseError {
    /// Counts from 1.
    pub line: usize,
    pub text: String,
    pub reason: &'static str,
}

/// The code a text describes.
pub fn parse(text: &str, pool: &mut ConstantPool) -> Result<Code, ParseError> {
    let mut parser = Parser { pool, code: Code::default(), labels: FxHashMap::default() };
    for (at, line) in text.lines().enumerate() {
        // In a line with a string, `//` belongs to it.
        let content = if line.contains('"') { line } else { line.split("//").next().unwrap_or_default() };
        let content = content.trim();
        if !content.is_empty() {
            let error = |reason| ParseError { line: at + 1, text: content.into(), reason };
            parser.line(content).map_err(error)?;
        }
    }
    Ok(parser.code)
}

type Parsed<T> = Result<T, &'static str>;

impl From<AppendError> for &'static str {
    fn from(_: AppendError) -> Self {
        "the constant pool is full"
    }
}

struct Parser<'a> {
    pool: &'a mut ConstantPool,
    code: Code,
    labels: FxHashMap<String, Label>,
}

fn number<T: FromStr>(word: &str) -> Parsed<T> {
    word.parse().map_err(|_| "expected a number")
}

/// Exactly `N` words.
fn words<const N: usize>(rest: &str) -> Parsed<[&str; N]> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    words.try_into().map_err(|_| "wrong number of operands")
}

/// Takes `[…]` from the front; gives its items and what follows.
fn list(rest: &str) -> Parsed<(Vec<&str>, &str)> {
    let inside = rest.trim_start().strip_prefix('[').ok_or("expected `[`")?;
    // Array descriptors have brackets too, but never closing ones.
    let close = inside.find(']').ok_or("expected `]`")?;
    let items = inside[..close].split(',').map(str::trim).filter(|item| !item.is_empty());
    Ok((items.collect(), &inside[close + 1..]))
}

impl Parser<'_> {
    fn label(&mut self, name: &str) -> Parsed<Label> {
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Err("expected a label");
        }
        let labels = &mut self.code.labels;
        Ok(*self.labels.entry(name.into()).or_insert_with(|| labels.fresh()))
    }

    fn line(&mut self, line: &str) -> Parsed<()> {
        if let Some(name) = line.strip_suffix(':').filter(|name| !name.contains(' ')) {
            let label = self.label(name)?;
            self.code.nodes.push(Node::Label(label));
            return Ok(());
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "frame" => self.frame(rest),
            "line" => {
                let [at, line] = words(rest)?;
                let item = LineNumber { at: self.label(at)?, line: number(line)? };
                self.code.lines.push(item);
                Ok(())
            }
            "catch" => {
                let [start, end, handler, class] = words(rest)?;
                let item = Handler {
                    start: self.label(start)?,
                    end: self.label(end)?,
                    handler: self.label(handler)?,
                    catch_type: if class == "any" { None } else { Some(self.pool.add_class(class)?) },
                };
                self.code.handlers.push(item);
                Ok(())
            }
            "local" | "localtype" => {
                let item = self.local(rest)?;
                let is_type = word == "localtype";
                let list = if is_type { &mut self.code.local_types } else { &mut self.code.locals };
                list.push(item);
                Ok(())
            }
            _ => {
                let insn = self.insn(word, rest.trim())?;
                self.code.nodes.push(Node::Insn(insn));
                Ok(())
            }
        }
    }

    fn local(&mut self, rest: &str) -> Parsed<LocalVariable> {
        let [start, end, slot, name, descriptor] = words(rest)?;
        Ok(LocalVariable {
            start: self.label(start)?,
            end: self.label(end)?,
            slot: number(slot)?,
            name: self.pool.add_text(name)?,
            descriptor: self.pool.add_text(descriptor)?,
        })
    }

    fn frame(&mut self, rest: &str) -> Parsed<()> {
        let (at, rest) = rest.trim().split_once(' ').ok_or("expected a label and two lists")?;
        let (locals, rest) = list(rest)?;
        let (stack, rest) = list(rest)?;
        if !rest.trim().is_empty() {
            return Err("more than two lists");
        }
        let at = self.label(at)?;
        let mut types = |items: Vec<&str>| -> Parsed<Vec<VerificationType>> {
            items.into_iter().map(|item| self.verification_type(item)).collect()
        };
        let frame = Frame { locals: types(locals)?, stack: types(stack)? };
        self.code.frames.push(FrameAt { at, frame });
        Ok(())
    }

    fn verification_type(&mut self, text: &str) -> Parsed<VerificationType> {
        Ok(match text {
            "top" => VerificationType::Top,
            "int" => VerificationType::Int,
            "float" => VerificationType::Float,
            "long" => VerificationType::Long,
            "double" => VerificationType::Double,
            "null" => VerificationType::Null,
            "uninit this" => VerificationType::UninitializedThis,
            _ => {
                if let Some(label) = text.strip_prefix("uninit ") {
                    VerificationType::Uninitialized(self.label(label)?)
                } else if let Some(parameter) = text.strip_prefix("parameter ") {
                    VerificationType::Parameter(number(parameter)?)
                } else {
                    VerificationType::Object(self.pool.add_class(text)?)
                }
            }
        })
    }

    fn insn(&mut self, word: &str, rest: &str) -> Parsed<Insn> {
        match word {
            "push" => return Ok(Insn::Int(number(rest)?)),
            "ldc" => return Ok(Insn::Ldc(self.constant(rest)?)),
            _ => {}
        }
        let code = opcode::NAMES.iter().position(|&name| name == word).ok_or("no such instruction")? as u8;
        if let Some(insn) = opcode::without_operands(code) {
            return if rest.is_empty() { Ok(insn) } else { Err("takes no operands") };
        }
        if let Some(&cond) = crate::code::Cond::ALL.iter().find(|&&cond| {
            // Any label will do to learn a condition's opcode.
            opcode::of(&Insn::If(cond, Label(0))) == code
        }) {
            return Ok(Insn::If(cond, self.label(rest)?));
        }
        let kind = |base: u8| Kind::ALL[usize::from(code - base)];
        Ok(match code {
            0x15..=0x19 => Insn::Load(kind(opcode::ILOAD), number(rest)?),
            0x36..=0x3a => Insn::Store(kind(opcode::ISTORE), number(rest)?),
            opcode::IINC => {
                let [local, by] = words(rest)?;
                Insn::Inc { local: number(local)?, by: number(by)? }
            }
            opcode::GOTO => Insn::Goto(self.label(rest)?),
            opcode::JSR => Insn::Jsr(self.label(rest)?),
            opcode::RET => Insn::Ret(number(rest)?),
            opcode::TABLESWITCH => self.table_switch(rest)?,
            opcode::LOOKUPSWITCH => self.lookup_switch(rest)?,
            opcode::GETSTATIC => Insn::GetStatic(self.field(rest)?),
            opcode::PUTSTATIC => Insn::PutStatic(self.field(rest)?),
            opcode::GETFIELD => Insn::GetField(self.field(rest)?),
            opcode::PUTFIELD => Insn::PutField(self.field(rest)?),
            opcode::INVOKEVIRTUAL => Insn::InvokeVirtual(self.method(rest, false)?),
            opcode::INVOKESPECIAL => Insn::InvokeSpecial(self.method(rest, false)?),
            opcode::INVOKESTATIC => Insn::InvokeStatic(self.method(rest, false)?),
            opcode::INVOKEINTERFACE => Insn::InvokeInterface(self.method(rest, true)?),
            opcode::INVOKEDYNAMIC => {
                let [bootstrap, name, descriptor] = words(rest)?;
                Insn::InvokeDynamic(self.pool.add_invoke_dynamic(number(bootstrap)?, name, descriptor)?)
            }
            opcode::NEW => Insn::New(self.pool.add_class(rest)?),
            opcode::NEWARRAY => {
                let element = Primitive::ALL.iter().find(|&&element| primitive(element) == rest);
                Insn::NewArray(*element.ok_or("no such primitive type")?)
            }
            opcode::ANEWARRAY => Insn::ANewArray(self.pool.add_class(rest)?),
            opcode::CHECKCAST => Insn::CheckCast(self.pool.add_class(rest)?),
            opcode::INSTANCEOF => Insn::InstanceOf(self.pool.add_class(rest)?),
            opcode::MULTIANEWARRAY => {
                let [class, dimensions] = words(rest)?;
                Insn::MultiANewArray { class: self.pool.add_class(class)?, dimensions: number(dimensions)? }
            }
            _ => return Err("written otherwise: see `push`, `ldc`, `goto`, `jsr`"),
        })
    }

    fn table_switch(&mut self, rest: &str) -> Parsed<Insn> {
        let (low, rest) = rest.split_once(' ').ok_or("expected the lowest key and a list")?;
        let (targets, default) = list(rest)?;
        let targets = targets.into_iter().map(|name| self.label(name)).collect::<Parsed<_>>()?;
        let default = self.label(default.trim())?;
        Ok(Insn::TableSwitch(Box::new(TableSwitch { default, low: number(low)?, targets })))
    }

    fn lookup_switch(&mut self, rest: &str) -> Parsed<Insn> {
        let (cases, default) = list(rest)?;
        let default = self.label(default.trim())?;
        let (mut keys, mut targets) = (Vec::new(), Vec::new());
        for case in cases {
            let (key, target) = case.split_once(':').ok_or("expected `key: label`")?;
            keys.push(number(key.trim())?);
            targets.push(self.label(target.trim())?);
        }
        Ok(Insn::LookupSwitch(Box::new(LookupSwitch { default, keys, targets })))
    }

    fn field(&mut self, rest: &str) -> Parsed<PoolIndex> {
        let (owner, name, ty) = member(rest)?;
        Ok(self.pool.add_field_ref(owner, name, ty)?)
    }

    fn method(&mut self, rest: &str, interface: bool) -> Parsed<PoolIndex> {
        let stripped = rest.strip_prefix("interface ");
        let (owner, name, ty) = member(stripped.unwrap_or(rest))?;
        Ok(match interface || stripped.is_some() {
            true => self.pool.add_interface_method_ref(owner, name, ty)?,
            false => self.pool.add_method_ref(owner, name, ty)?,
        })
    }

    fn constant(&mut self, rest: &str) -> Parsed<PoolIndex> {
        let (kind, value) = rest.split_once(' ').unwrap_or((rest, ""));
        Ok(match kind {
            "int" => self.pool.add_int(number(value)?)?,
            "float" => self.pool.add_float(number(value)?)?,
            "long" => self.pool.add_long(number(value)?)?,
            "double" => self.pool.add_double(number(value)?)?,
            "string" => self.pool.add_string(&string(value)?)?,
            "class" => self.pool.add_class(value)?,
            "methodtype" => self.pool.add_method_type(value)?,
            "dynamic" => {
                let [bootstrap, name, ty] = words(value)?;
                self.pool.add_dynamic(number(bootstrap)?, name, ty)?
            }
            _ => PoolIndex(number(kind.strip_prefix('#').ok_or("no such kind of constant")?)?),
        })
    }
}

fn member(rest: &str) -> Parsed<(&str, &str, &str)> {
    let [member, ty] = words(rest)?;
    let (owner, name) = member.rsplit_once('.').ok_or("expected `owner.name`")?;
    Ok((owner, name, ty))
}

/// A literal as [`JavaString`] prints it.
fn string(text: &str) -> Parsed<JavaString> {
    let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).ok_or("expected a string")?;
    let mut units = Vec::new();
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        let plain = match c {
            '\\' => match chars.next().ok_or("ends in a backslash")? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => {
                    let rest = chars.as_str();
                    let digits = rest.get(..4).ok_or("expected four digits")?;
                    units.push(u16::from_str_radix(digits, 16).map_err(|_| "expected four digits")?);
                    chars = rest[4..].chars();
                    continue;
                }
                other => other,
            },
            other => other,
        };
        units.extend_from_slice(plain.encode_utf16(&mut [0; 2]));
    }
    Ok(JavaString::from_units(&units))
}
