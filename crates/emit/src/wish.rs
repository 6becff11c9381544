//! What type arguments a variable should have where its value leaves them open.
//!
//! In: a step and how later steps use its result. Out: a type whose arguments are what flows in or is wanted there, else `Object`.

use probat_model::{ClassName, Literal, Operation, Step, StepId, Type};

use crate::arguments::Dialect;
use crate::java::{Argument, JavaType, Method, boxed};
use crate::statement::Writer;

impl Writer<'_, '_> {
    /// The type to declare a variable with; none for a class without parameters.
    pub(crate) fn wish(&self, step: StepId, erased: &Type) -> Option<JavaType> {
        let typing = self.printer.typing;
        let JavaType::Class(name, mut arguments) = typing.objects(erased)? else { return None };
        if arguments.is_empty() {
            return None;
        }
        self.keep_bounds(step, &name, &mut arguments);
        if !typing.is_raw() {
            for (at, found) in self.flows(step, arguments.len()).into_iter().enumerate() {
                let is_open = typing.shape(&name).parameters[at].is_unbounded();
                if let ([one], true) = (found.as_slice(), is_open) {
                    arguments[at] = Argument::Exact(one.clone());
                }
            }
        }
        Some(JavaType::Class(name, arguments))
    }

    /// Where a call gives a class with a variable of its own for an argument, the bounds of that variable hold for the argument.
    fn keep_bounds(&self, step: StepId, name: &ClassName, arguments: &mut [Argument]) {
        let Some((method, _)) = self.called(&self.printer.steps[usize::from(step.0)]) else { return };
        let Some(JavaType::Class(given, own)) = &method.returns else { return };
        let typing = self.printer.typing;
        for (own, argument) in own.iter().zip(arguments).filter(|_| given == name) {
            let Argument::Exact(JavaType::OfMethod(at)) = own else { continue };
            if let Some(parameter) =
                method.parameters.get(usize::from(*at)).filter(|found| !found.is_unbounded())
                && let Some(sample) = typing.sample_of(parameter)
            {
                *argument = Argument::Exact(sample);
            }
        }
    }

    /// Per type parameter of a step's class, the types that later steps put in or want to be there.
    fn flows(&self, step: StepId, count: usize) -> Vec<Vec<JavaType>> {
        let mut found: Vec<Vec<JavaType>> = vec![Vec::new(); count];
        // Elsewhere whatever is put in is an `Object`.
        let looks_inside = self.printer.typing.dialect == Dialect::Inferred;
        for user in self.printer.steps.iter().filter(|user| user.args.contains(&step)) {
            let Some((method, args)) = self.called(user) else { continue };
            let is_receiver = user.args.len() > args.len() && user.args[0] == step;
            let flows: Vec<(u16, JavaType)> = if is_receiver && looks_inside {
                let each = method.params.iter().zip(args);
                each.filter_map(|(param, &arg)| self.put_in(step, &method.owner, param, arg)).collect()
            } else {
                let place = args.iter().position(|&arg| arg == step);
                place.map_or(Vec::new(), |place| self.wanted(step, &method.params[place]))
            };
            for (at, ty) in flows {
                if let Some(all) = found.get_mut(usize::from(at))
                    && !all.contains(&ty)
                {
                    all.push(ty);
                }
            }
        }
        found
    }

    /// The method a step calls, and the arguments it gives it.
    pub(crate) fn called<'s>(&self, step: &'s Step) -> Option<(Method, &'s [StepId])> {
        let (class, name, descriptor) = match self.printer.table.get(step.operation) {
            Operation::Construct { class, descriptor } => (class, "<init>", descriptor),
            Operation::Call { class, name, descriptor, .. }
            | Operation::CallStatic { class, name, descriptor, .. } => (class, name.as_str(), descriptor),
            _ => return None,
        };
        let method = self.printer.typing.declared(class, name, &descriptor.params)?;
        Some((method, &step.args[step.args.len() - descriptor.params.len()..]))
    }

    fn class_of(&self, step: StepId) -> Option<ClassName> {
        match self.printer.typing.nameable(&self.printer.operation(step).result()?) {
            Type::Class(name) => Some(name),
            _ => None,
        }
    }

    /// The parameter of the step's class that an argument is passed for, and the argument's type.
    fn put_in(
        &self,
        step: StepId,
        owner: &ClassName,
        param: &JavaType,
        arg: StepId,
    ) -> Option<(u16, JavaType)> {
        let typing = self.printer.typing;
        let class = self.class_of(step)?;
        let given = typing.as_super(&class, &typing.identity(&class), owner)?;
        let JavaType::OfClass(at) = typing.fill(param, &given)? else { return None };
        let result = match self.printer.operation(arg) {
            Operation::Literal(Literal::Null(_)) => return None,
            other => boxed(&other.result()?),
        };
        let object = JavaType::class("java/lang/Object");
        let is_simple = match &result {
            Type::Class(name) => !typing.is_generic(name) && typing.is_nameable(&result),
            _ => false,
        };
        Some((at, if is_simple { JavaType::of(&result) } else { object }))
    }

    /// The arguments that a parameter's declared type asks of the step's class.
    fn wanted(&self, step: StepId, formal: &JavaType) -> Vec<(u16, JavaType)> {
        let typing = self.printer.typing;
        let (Some(class), JavaType::Class(above, wanted)) = (self.class_of(step), formal) else {
            return Vec::new();
        };
        let there = typing.as_super(&class, &typing.identity(&class), above).unwrap_or_default();
        let each = there.iter().zip(wanted).filter_map(|pair| match pair {
            (
                Argument::Exact(JavaType::OfClass(at)),
                Argument::Exact(ty) | Argument::Extends(ty) | Argument::Super(ty),
            ) if !ty.is_open() && typing.is_spelled(ty) => Some((*at, ty.clone())),
            _ => None,
        });
        each.collect()
    }
}
