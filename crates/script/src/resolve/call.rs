//! Calls and constructors.

use probat_model::{ClassName, Operation, StepId, Type};

use super::convert::{Context, may_cast};
use super::hierarchy::{Member, object};
use super::member::Named;
use super::operand::{ArgType, Operand};
use super::overload::{Choice, choose, fits};
use super::{Resolved, Resolver, show};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::{Expr, Ident, TypeName};
use crate::types::{Access, MethodFacts};

/// Near names shown.
const NEAR: usize = 3;

/// Candidates shown.
const CANDIDATES: usize = 12;

/// An evaluated argument.
pub(super) type Arg<'a> = (Operand<'a>, Span);

/// What is called, for messages.
struct Target<'t> {
    class: &'t ClassName,
    name: &'t Ident,
}

impl<'a> Resolver<'a> {
    /// `of.name(args)` or `name(args)`.
    pub(super) fn call(
        &mut self,
        of: Option<&'a Expr>,
        name: &'a Ident,
        args: &'a [Expr],
        span: Span,
    ) -> Resolved<Operand<'a>> {
        let Some(of) = of else {
            let args = self.args(args)?;
            return self.call_imported(name, args, span);
        };
        match self.named(of)? {
            Named::Package(..) => self.unknown_name(of),
            Named::Class(class) => {
                let args = self.args(args)?;
                self.call_static(&class, name, args, span)
            }
            Named::Value(receiver) => {
                let args = self.args(args)?;
                self.call_on(receiver, of.span, name, args, span)
            }
        }
    }

    pub(super) fn args(&mut self, args: &'a [Expr]) -> Resolved<Vec<Arg<'a>>> {
        args.iter().map(|arg| Ok((self.expression(arg)?, arg.span))).collect()
    }

    fn call_imported(&mut self, name: &'a Ident, args: Vec<Arg<'a>>, span: Span) -> Resolved<Operand<'a>> {
        let statics = self.scope.statics.iter();
        let open = statics.filter(|(_, only)| only.as_ref().is_none_or(|only| *only == name.text));
        let owner = open.map(|(class, _)| class.clone()).find(|class| {
            self.hierarchy.methods(class, &name.text).iter().any(|member| member.facts().is_static)
        });
        match owner {
            Some(class) => self.call_static(&class, name, args, span),
            None => self.fail(
                Diagnostic::error(name.span, format!("there is no function `{}`", name.text))
                    .hint("call it on a value or class: `list.size()`, `Math.max(1, 2)`")
                    .hint("or import it: `import static java.lang.Math.max`"),
            ),
        }
    }

    fn call_static(
        &mut self,
        class: &ClassName,
        name: &'a Ident,
        args: Vec<Arg<'a>>,
        span: Span,
    ) -> Resolved<Operand<'a>> {
        let all = self.hierarchy.methods(class, &name.text);
        let members: Vec<Member> = all.iter().filter(|member| member.facts().is_static).cloned().collect();
        if members.is_empty() && !all.is_empty() {
            let message = format!("`{}` of `{}` is no static method", name.text, show::class(class));
            let hint = format!("call it on a value: `x.{}(…)`", name.text);
            return self.fail(Diagnostic::error(name.span, message).hint(hint));
        }
        let target = Target { class, name };
        let (member, args) = self.pick(&target, &members, args)?;
        self.emit_static(&member, args, span)
    }

    fn emit_static(&mut self, member: &Member, args: Vec<StepId>, span: Span) -> Resolved<Operand<'a>> {
        let facts = member.facts();
        let operation = Operation::CallStatic {
            class: member.owner.name.clone(),
            name: facts.name.clone(),
            descriptor: facts.descriptor.clone(),
            interface: member.owner.is_interface(),
        };
        let step = self.emit(operation, args, span)?;
        Ok(result_of(step, facts.descriptor.returns.clone()))
    }

    fn call_on(
        &mut self,
        receiver: Operand<'a>,
        receiver_span: Span,
        name: &'a Ident,
        args: Vec<Arg<'a>>,
        span: Span,
    ) -> Resolved<Operand<'a>> {
        let (receiver, ty) = self.receiver(receiver, receiver_span)?;
        let class = match &ty {
            Type::Class(class) => class.clone(),
            Type::Array(_) => object(),
            _ => unreachable!("a receiver is a reference"),
        };
        self.require_class(&class, receiver_span)?;
        let members = self.hierarchy.methods(&class, &name.text);
        if members.is_empty() && class == object() {
            return self.unknown_on_object(name, receiver_span);
        }
        let target = Target { class: &class, name };
        let (member, mut args) = self.pick(&target, &members, args)?;
        if member.facts().is_static {
            return self.emit_static(&member, args, span);
        }
        args.insert(0, receiver);
        let step = self.emit(virtual_call(&class, &member, self.is_interface(&class)), args, span)?;
        let is_array_clone = matches!(ty, Type::Array(_)) && name.text == "clone";
        if is_array_clone {
            let step = self.emit(Operation::Cast { to: ty.clone() }, [step], span)?;
            return Ok(Operand::Step(step, ty));
        }
        Ok(result_of(step, member.facts().descriptor.returns.clone()))
    }

    fn is_interface(&self, class: &ClassName) -> bool {
        self.hierarchy.class(class).is_some_and(|class| class.is_interface())
    }

    /// A value to call something on, as a step with a reference type.
    pub(super) fn receiver(&mut self, value: Operand<'a>, span: Span) -> Resolved<(StepId, Type)> {
        let written = span.of(self.text).to_owned();
        match value {
            Operand::Void => self.no_value(span),
            Operand::Null | Operand::NullStep(_) => self.fail(
                Diagnostic::error(span, "`null` has no members")
                    .hint("say which type it is: `((String) null)`"),
            ),
            Operand::Lambda(_) => self.fail(
                Diagnostic::error(span, "a lambda alone has no type")
                    .hint("cast it: `((Runnable) () -> { })`"),
            ),
            Operand::Step(step, ty) if ty.is_reference() => Ok((step, ty)),
            Operand::Constant(literal) if literal.ty().is_reference() => {
                let ty = literal.ty();
                Ok((self.emit(Operation::Literal(literal), [], span)?, ty))
            }
            Operand::Step(_, ty) => self.primitive_receiver(&ty, &written, span),
            Operand::Constant(literal) => self.primitive_receiver(&literal.ty(), &written, span),
        }
    }

    fn primitive_receiver<T>(&mut self, ty: &Type, written: &str, span: Span) -> Resolved<T> {
        let class = super::hierarchy::boxed(ty).expect("only primitives come here");
        let message = format!("`{written}` is a primitive `{ty}` and has no members");
        let hint = format!("box it: `(({}) {written})`", show::ty(&class));
        self.fail(Diagnostic::error(span, message).hint(hint))
    }

    pub(super) fn require_class(&mut self, class: &ClassName, span: Span) -> Resolved<()> {
        if self.hierarchy.class(class).is_some() {
            return Ok(());
        }
        let message = format!("`{}` has the type `{}`, which is not to be found", span.of(self.text), class);
        self.fail(Diagnostic::error(span, message).hint("add its jar or directory to `--classpath`"))
    }

    fn unknown_on_object<T>(&mut self, name: &Ident, receiver: Span) -> Resolved<T> {
        let written = receiver.of(self.text).to_owned();
        let message = format!("`Object` has no method `{}`", name.text);
        let problem = Diagnostic::error(name.span, message)
            .detail(format!("generic types are unknown here, so `{written}` is an `Object`"))
            .hint(format!("say what it is: `((String) {written}).{}(…)`", name.text));
        self.fail(problem)
    }

    /// `new C(args)`, with the outer object first where there is one.
    pub(super) fn construct(
        &mut self,
        outer: Option<&'a Expr>,
        written: &'a TypeName,
        args: &'a [Expr],
        span: Span,
    ) -> Resolved<Operand<'a>> {
        let (outer, class) = self.constructed(outer, written)?;
        let mut values: Vec<Arg<'a>> = outer.into_iter().collect();
        values.extend(self.args(args)?);
        let facts = self.hierarchy.class(&class).expect("a resolved class has facts");
        if facts.is_interface() || facts.is_abstract {
            let kind = if facts.is_interface() { "an interface" } else { "abstract" };
            let message = format!("`{}` is {kind}", show::class(&class));
            let hint = format!(
                "take a class that implements it, or a stub: `stub {}`",
                class.simple().replace('$', ".")
            );
            return self.fail(Diagnostic::error(written.span, message).hint(hint));
        }
        let (descriptor, args) = self.pick_constructor(&class, written, values)?;
        let step = self.emit(Operation::Construct { class: class.clone(), descriptor }, args, span)?;
        Ok(Operand::Step(step, Type::Class(class)))
    }

    fn constructed(
        &mut self,
        outer: Option<&'a Expr>,
        written: &'a TypeName,
    ) -> Resolved<(Option<Arg<'a>>, ClassName)> {
        let Some(outer) = outer else {
            return Ok((None, self.class_of(written)?));
        };
        let value = self.expression(outer)?;
        let (step, ty) = self.receiver(value, outer.span)?;
        let inner = written.span.of(self.text).split('<').next().unwrap_or_default().trim().to_owned();
        let class = match &ty {
            Type::Class(class) => super::scope::member_class(class, &inner, &self.hierarchy),
            _ => None,
        };
        match class {
            Some(class) => Ok((Some((Operand::Step(step, ty), outer.span)), class)),
            None => {
                let message = format!("`{}` has no inner class `{inner}`", show::ty(&ty));
                self.fail(Diagnostic::error(written.span, message))
            }
        }
    }

    /// The constructor that takes these arguments, and the steps that have them.
    pub(super) fn pick_constructor(
        &mut self,
        class: &ClassName,
        written: &TypeName,
        args: Vec<Arg<'a>>,
    ) -> Resolved<(probat_model::MethodDescriptor, Vec<StepId>)> {
        let facts = self.hierarchy.class(class).expect("a resolved class has facts");
        let members = self.hierarchy.constructors(&facts);
        let name = Ident { text: "<init>".into(), span: written.span };
        let (member, args) = self.pick(&Target { class, name: &name }, &members, args)?;
        Ok((member.facts().descriptor.clone(), args))
    }

    /// Chooses an overload and passes the arguments. What source could call comes first; only where that gives
    /// nothing are the rest asked.
    fn pick(
        &mut self,
        target: &Target<'_>,
        members: &[Member],
        args: Vec<Arg<'a>>,
    ) -> Resolved<(Member, Vec<StepId>)> {
        let mut types = Vec::new();
        for (operand, span) in &args {
            match operand.arg_type() {
                Some(ty) => types.push(ty),
                None => return self.no_value(*span),
            }
        }
        let nameable: Vec<Member> = members.iter().filter(|member| is_nameable(member)).cloned().collect();
        let choice = match choose(&self.hierarchy, &nameable, &types) {
            Choice::None if nameable.len() < members.len() => choose(&self.hierarchy, members, &types),
            choice => choice,
        };
        match choice {
            Choice::One { member, packed } => {
                self.note_access(&member, target.name.span);
                let args = self.pass(&member, packed, args)?;
                Ok((member, args))
            }
            Choice::None => self.no_candidate(target, members, &types),
            Choice::Tie(members) => self.ambiguous(target, &members, &types, &args),
        }
    }

    fn pass(&mut self, member: &Member, packed: bool, args: Vec<Arg<'a>>) -> Resolved<Vec<StepId>> {
        let params = member.facts().descriptor.params.clone();
        let fixed = if packed { params.len() - 1 } else { params.len() };
        let mut args = args.into_iter();
        let mut steps = Vec::new();
        for param in &params[..fixed] {
            let (operand, span) = args.next().expect("the method takes so many");
            steps.push(self.coerce(operand, param, Context::Argument, span)?);
        }
        if let (true, Some(Type::Array(element))) = (packed, params.last()) {
            let mut values = Vec::new();
            let mut whole = self.spans.last().copied().unwrap_or(Span::new(0, 0));
            for (operand, span) in args {
                whole = span;
                values.push(self.coerce(operand, element, Context::Argument, span)?);
            }
            let operation = Operation::ArrayOf { element: (**element).clone(), length: values.len() as u32 };
            steps.push(self.emit(operation, values, whole)?);
        }
        Ok(steps)
    }

    /// Says so where no Java source could make this call.
    fn note_access(&mut self, member: &Member, span: Span) {
        let facts = member.facts();
        if let Access::Package | Access::Private = facts.access {
            let shown = show::method(&member.owner.name, facts);
            let owner = show::class(&member.owner.name);
            self.note_hidden(&format!("`{shown}` of `{owner}`"), facts.access, span);
        }
    }

    pub(super) fn note_hidden(&mut self, what: &str, access: Access, span: Span) {
        let reach = match access {
            Access::Private => "no test outside the class can use it",
            Access::Package => "only a test in the same package can use it",
            Access::Public | Access::Protected => return,
        };
        self.note(Diagnostic::note(span, format!("{what} is {}", access.word())).label(reach));
    }

    fn no_candidate<T>(
        &mut self,
        target: &Target<'_>,
        members: &[Member],
        args: &[ArgType<'_>],
    ) -> Resolved<T> {
        let Target { class, name } = target;
        let owner = show::class(class);
        if members.is_empty() {
            let problem = self.unknown_method(target);
            return self.fail(problem);
        }
        let what =
            if name.text == "<init>" { "constructor".into() } else { format!("method `{}`", name.text) };
        let message = format!("no {what} of `{owner}` takes {}", show::args(args));
        let mut problem = Diagnostic::error(name.span, message);
        for detail in candidates(members) {
            problem = problem.detail(detail);
        }
        if let Some(label) = self.first_misfit(members, args) {
            problem = problem.label(label);
        }
        self.fail(problem)
    }

    /// Where only one method takes so many arguments, the first that does not fit it.
    fn first_misfit(&self, members: &[Member], args: &[ArgType<'_>]) -> Option<String> {
        let mut alike = members.iter().filter(|member| member.facts().descriptor.params.len() == args.len());
        let (Some(only), None) = (alike.next(), alike.next()) else { return None };
        let params = &only.facts().descriptor.params;
        let at = args.iter().zip(params).position(|(arg, param)| !fits(&self.hierarchy, arg, param, true))?;
        let (found, wanted) = (show::arg(&args[at]), show::ty(&params[at]));
        Some(match &args[at] {
            ArgType::Known(from) if may_cast(from, &params[at]) => {
                format!("argument {} is `{found}`; cast it to `{wanted}`", at + 1)
            }
            _ => format!("argument {} is `{found}`, wanted is `{wanted}`", at + 1),
        })
    }

    fn unknown_method(&self, target: &Target<'_>) -> Diagnostic {
        let Target { class, name } = target;
        let owner = show::class(class);
        if name.text == "<init>" {
            return Diagnostic::error(name.span, format!("`{owner}` has no constructors"));
        }
        let known = self.hierarchy.method_names(class);
        let near = probat_classpath::near_names(&name.text, known.iter().map(String::as_str), NEAR);
        let near: Vec<String> = near.into_iter().map(str::to_owned).collect();
        let problem = Diagnostic::error(name.span, format!("`{owner}` has no method `{}`", name.text));
        if !near.is_empty() {
            return problem.hint(show::did_you_mean(&near));
        }
        if self.hierarchy.field(class, &name.text).is_some() {
            return problem.hint(format!("it is a field: leave out the parentheses behind `{}`", name.text));
        }
        match known.len() {
            0 => problem.detail("it has no methods"),
            1..=CANDIDATES => problem.detail(format!("it has {}", known.join(", "))),
            many => problem.detail(format!("it has {many} other methods")),
        }
    }

    fn ambiguous<T>(
        &mut self,
        target: &Target<'_>,
        members: &[Member],
        types: &[ArgType<'_>],
        args: &[Arg<'a>],
    ) -> Resolved<T> {
        let name = match target.name.text.as_str() {
            "<init>" => show::class(target.class),
            name => name.to_owned(),
        };
        let message = format!("`{name}` with {} could be more than one method", show::args(types));
        let mut problem = Diagnostic::error(target.name.span, message);
        for detail in candidates(members) {
            problem = problem.detail(detail);
        }
        let differs = |at: &usize| {
            let param = |member: &Member| member.facts().descriptor.params.get(*at).cloned();
            members.iter().any(|member| param(member) != param(&members[0]))
        };
        if let Some(at) = (0..args.len()).find(differs)
            && let Some(param) = members[0].facts().descriptor.params.get(at)
        {
            let written = args[at].1.of(self.text);
            problem = problem.hint(format!("choose by a cast: `({}) {written}`", show::ty(param)));
        }
        self.fail(problem)
    }
}

fn candidates(members: &[Member]) -> Vec<String> {
    let mut shown: Vec<String> =
        members.iter().map(|member| show::method(&member.owner.name, member.facts())).collect();
    shown.sort();
    let more = shown.len().saturating_sub(CANDIDATES);
    shown.truncate(CANDIDATES);
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    shown
}

/// Whether a test in the right package could call it. Packages of the JDK are closed to tests.
fn is_nameable(member: &Member) -> bool {
    let package = member.owner.name.package();
    let of_the_jdk = ["java/", "javax/", "jdk/", "sun/"].iter().any(|start| package.starts_with(start));
    match member.facts().access {
        Access::Public | Access::Protected => true,
        Access::Package => !of_the_jdk,
        Access::Private => false,
    }
}

/// The call as compiled code would spell it (JLS §13.1): through the static type, except for methods of `Object`
/// and for private ones.
fn virtual_call(class: &ClassName, member: &Member, is_interface: bool) -> Operation {
    let MethodFacts { name, descriptor, access, .. } = member.facts();
    let declared = member.owner.name == object() || *access == Access::Private;
    let (class, interface) = if declared {
        (member.owner.name.clone(), member.owner.is_interface())
    } else {
        (class.clone(), is_interface)
    };
    Operation::Call { class, name: name.clone(), descriptor: descriptor.clone(), interface }
}

fn result_of<'a>(step: StepId, returns: Option<Type>) -> Operand<'a> {
    match returns {
        Some(ty) => Operand::Step(step, ty),
        None => Operand::Void,
    }
}
