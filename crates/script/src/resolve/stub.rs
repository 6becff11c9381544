//! Stubs: objects of interfaces and abstract classes whose methods do fixed things.
//!
//! In: `stub C(args) { name: value }`. Out: one stub step. What is not mentioned gives zero, `false`, `null` or nothing.

use std::collections::BTreeMap;

use probat_model::{ClassName, MethodDescriptor, Operation, StubBehaviour, StubMethod, StubSpec, Type};

use super::hierarchy::Member;
use super::lambda::Captures;
use super::operand::Operand;
use super::{Resolved, Resolver, show};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::{Expr, StubEntry, TypeName};
use crate::types::{ClassFacts, ClassKind};

impl<'a> Resolver<'a> {
    pub(super) fn stub(
        &mut self,
        written: &'a TypeName,
        args: &'a [Expr],
        entries: &'a [StubEntry],
        span: Span,
    ) -> Resolved<Operand<'a>> {
        let class = self.class_of(written)?;
        let facts = self.hierarchy.class(&class).expect("a resolved class has facts");
        self.require_stubbable(&facts, written.span)?;
        let mut captures = Captures::default();
        let constructor = self.stub_constructor(&facts, written, args, &mut captures)?;
        let overridable = self.hierarchy.overridable(&class);
        let mut methods: BTreeMap<(String, MethodDescriptor), StubBehaviour> = BTreeMap::new();
        for member in overridable.iter().filter(|member| member.facts().is_abstract) {
            methods.insert(key(member), StubBehaviour::Default);
        }
        for entry in entries {
            for member in self.stubbed(&class, entry, &overridable)? {
                let descriptor = member.facts().descriptor.clone();
                let params = entry.params.as_deref().unwrap_or(&[]);
                let behaviour =
                    self.behaviour(params, &entry.body, &descriptor, &mut captures, entry.name.span)?;
                methods.insert(key(&member), behaviour);
            }
        }
        let methods = methods
            .into_iter()
            .map(|((name, descriptor), behaviour)| StubMethod { name, descriptor, behaviour })
            .collect();
        let step_args = captures.args();
        let is_interface = facts.is_interface();
        let spec =
            StubSpec { of: class.clone(), is_interface, constructor, captures: captures.types, methods };
        let step = self.emit(Operation::Stub(spec), step_args, span)?;
        Ok(Operand::Step(step, Type::Class(class)))
    }

    fn require_stubbable(&mut self, facts: &ClassFacts, span: Span) -> Resolved<()> {
        let shown = show::class(&facts.name);
        let why = if facts.is_sealed {
            "is sealed"
        } else if facts.kind == ClassKind::Enum {
            "is an enum"
        } else if facts.is_final {
            "is final"
        } else if !facts.is_abstract && !facts.is_interface() {
            "is neither an interface nor abstract"
        } else {
            return Ok(());
        };
        let problem = Diagnostic::error(span, format!("`{shown}` cannot be stubbed: it {why}"));
        self.fail(
            problem.hint(format!("make a real one: `new {}(…)`", facts.name.simple().replace('$', "."))),
        )
    }

    fn stub_constructor(
        &mut self,
        facts: &ClassFacts,
        written: &'a TypeName,
        args: &'a [Expr],
        captures: &mut Captures,
    ) -> Resolved<Option<MethodDescriptor>> {
        let values = self.args(args)?;
        if facts.is_interface() {
            return match args.first() {
                Some(first) => {
                    let message =
                        format!("`{}` is an interface and takes no arguments", show::class(&facts.name));
                    self.fail(Diagnostic::error(first.span, message))
                }
                None => Ok(None),
            };
        }
        let (descriptor, steps) = self.pick_constructor(&facts.name, written, values)?;
        captures.constructor = steps;
        Ok(Some(descriptor))
    }

    /// The methods an entry speaks of: the overload it spells, else the abstract ones of its name, else all.
    fn stubbed(
        &mut self,
        class: &ClassName,
        entry: &'a StubEntry,
        overridable: &[Member],
    ) -> Resolved<Vec<Member>> {
        let named = overridable.iter().filter(|member| member.facts().name == entry.name.text);
        let mut found: Vec<Member> = named.filter(|member| !member.facts().is_synthetic).cloned().collect();
        if found.is_empty() {
            return self.no_such_method(class, entry, overridable);
        }
        let all = found.clone();
        if let Some(overload) = &entry.overload {
            let types: Resolved<Vec<Type>> = overload.iter().map(|ty| self.type_of(ty)).collect();
            let types = types?;
            found.retain(|member| member.facts().descriptor.params == types);
        } else if found.iter().any(|member| member.facts().is_abstract) {
            found.retain(|member| member.facts().is_abstract);
        }
        if let Some(params) = &entry.params {
            found.retain(|member| member.facts().descriptor.params.len() == params.len());
        }
        if found.is_empty() {
            let message = format!("no method `{}` of `{}` is like this", entry.name.text, show::class(class));
            let mut problem = Diagnostic::error(entry.name.span, message);
            for member in &all {
                problem = problem.detail(show::method(class, member.facts()));
            }
            return self.fail(problem);
        }
        Ok(found)
    }

    fn no_such_method<T>(
        &mut self,
        class: &ClassName,
        entry: &StubEntry,
        overridable: &[Member],
    ) -> Resolved<T> {
        let name = &entry.name;
        let known = overridable.iter().map(|member| member.facts().name.as_str());
        let near = probat_classpath::near_names(&name.text, known, 3);
        let near: Vec<String> = near.into_iter().map(str::to_owned).collect();
        let message =
            format!("`{}` has no method `{}` that can be overridden", show::class(class), name.text);
        let problem = Diagnostic::error(name.span, message);
        self.fail(if near.is_empty() { problem } else { problem.hint(show::did_you_mean(&near)) })
    }
}

fn key(member: &Member) -> (String, MethodDescriptor) {
    (member.facts().name.clone(), member.facts().descriptor.clone())
}
