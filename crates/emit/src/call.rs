//! Calls: the fewest casts with which a compiler means the method that was run.
//!
//! In: a method, its receiver and arguments as text. Out: the call. Casts are tried from none to all; what is accepted is what
//! `choice` is certain of.

use probat_model::{ClassName, MethodDescriptor, Operation, StepId, Type};

use crate::choice::{Choice, Site};
use crate::expression::{Printer, Text};
use crate::infer::cast_for;
use crate::java::{JavaType, Method, boxed};
use crate::statement::{EmitError, Stop};
use crate::typing::Static;

/// How receiver and arguments are cast.
#[derive(Debug, Clone)]
struct Attempt {
    /// Type the receiver is cast to.
    receiver: Option<ClassName>,
    /// Which arguments are cast.
    arguments: Vec<bool>,
}

impl Printer<'_, '_> {
    pub fn call(&mut self, operation: &Operation, args: &[StepId]) -> Result<Text, Stop> {
        match operation {
            Operation::Construct { class, descriptor } => {
                let method = self.meant(class, "<init>", descriptor)?;
                let list = self.values(args)?;
                let attempts = attempts(list.len(), &[]);
                let (_, list, choice) = self.settle(&method, Some(class), None, list, attempts)?;
                let name = self.type_name(&Type::Class(class.clone()))?;
                let text = format!("new {name}({list})");
                Ok(Text::atom(text, result(choice.as_ref(), Some(&Type::Class(class.clone())))))
            }
            Operation::CallStatic { class, name, descriptor, .. } => {
                let method = self.meant(class, name, descriptor)?;
                let list = self.values(args)?;
                let attempts = attempts(list.len(), &[]);
                let (_, list, choice) = self.settle(&method, Some(class), None, list, attempts)?;
                let class = self.class_name(class)?;
                Ok(called(format!("{class}.{name}({list})"), choice.as_ref(), descriptor))
            }
            Operation::Call { class, name, descriptor, .. } => {
                let method = self.meant(class, name, descriptor)?;
                let receiver = self.receiver(args[0])?;
                let list = self.values(&args[1..])?;
                let sites = self.sites(class, &method);
                let attempts = attempts(list.len(), &sites);
                let (receiver, list, choice) = self.settle(&method, None, Some(receiver), list, attempts)?;
                let receiver = receiver.expect("an instance call has a receiver").tight();
                Ok(called(format!("{receiver}.{name}({list})"), choice.as_ref(), descriptor))
            }
            other => unreachable!("{other:?} is no call"),
        }
    }

    /// A call of a method on a value that is text already.
    pub fn invoke_on(
        &mut self,
        class: &ClassName,
        name: &str,
        params: &[Type],
        receiver: &Text,
        argument: Option<&Text>,
    ) -> Result<Text, Stop> {
        let found = self.typing.declared(class, name, params);
        let method = found.ok_or_else(|| EmitError::Inaccessible(format!("{class}.{name}")))?;
        let list: Vec<Text> = argument.into_iter().cloned().collect();
        let attempts = attempts(list.len(), &self.sites(class, &method));
        let (receiver, list, choice) = self.settle(&method, None, Some(receiver.clone()), list, attempts)?;
        let receiver = receiver.expect("it was given").tight();
        Ok(called(format!("{receiver}.{name}({list})"), choice.as_ref(), &method.descriptor))
    }

    /// `value.clone()`, which only the class itself can make public.
    pub fn cloned(&mut self, value: &Text) -> Result<Text, Stop> {
        let class = match self.typing.erasure(&value.ty) {
            Some(Type::Class(name)) => name,
            _ => ClassName::internal("java/lang/Object"),
        };
        self.invoke_on(&class, "clone", &[], value, None)
    }

    /// The method an operation names, if source can use it.
    fn meant(&self, class: &ClassName, name: &str, descriptor: &MethodDescriptor) -> Result<Method, Stop> {
        self.typing.declared(class, name, &descriptor.params).ok_or_else(|| {
            let shown = if name == "<init>" { class.to_string() } else { format!("{class}.{name}") };
            EmitError::Inaccessible(format!("{shown}{descriptor}")).into()
        })
    }

    fn values(&mut self, args: &[StepId]) -> Result<Vec<Text>, Stop> {
        args.iter().map(|&arg| self.value(arg)).collect()
    }

    /// A receiver; a primitive that was boxed is boxed in words.
    fn receiver(&mut self, step: StepId) -> Result<Text, Stop> {
        let value = self.value(step)?;
        if let Static::Is(JavaType::Primitive(inside)) = &value.ty {
            let (inside, box_type) = (inside.clone(), boxed(inside));
            let name = self.bare_name(&box_type)?;
            debug_assert!(inside.is_primitive());
            return Ok(Text::atom(format!("{name}.valueOf({})", value.text), Static::of(&box_type)));
        }
        Ok(value)
    }

    /// Types a receiver may be cast to: the class named, or supertypes through which the method can be reached.
    fn sites(&self, class: &ClassName, method: &Method) -> Vec<ClassName> {
        let named = self.typing.is_nameable(&Type::Class(class.clone()));
        let all = if named { vec![class.clone()] } else { self.typing.scope.supertypes(class) };
        all.into_iter()
            .filter(|site| self.typing.is_nameable(&Type::Class(site.clone())))
            .filter(|site| {
                let there = self.typing.methods(site, &method.name);
                there.iter().any(|other| self.typing.is_same_method(other, method))
            })
            .collect()
    }

    /// Receiver and arguments with the fewest casts that do.
    fn settle(
        &mut self,
        method: &Method,
        class: Option<&ClassName>,
        receiver: Option<Text>,
        list: Vec<Text>,
        attempts: Vec<Attempt>,
    ) -> Result<(Option<Text>, String, Option<Choice>), Stop> {
        let casts: Vec<Option<Type>> =
            list.iter().zip(0..).map(|(text, at)| self.cast_of(method, at, text)).collect();
        let mut last = None;
        for attempt in attempts {
            let useless =
                attempt.arguments.iter().zip(&casts).any(|(&wanted, cast)| wanted && cast.is_none());
            let whole = !attempt.arguments.is_empty() && attempt.arguments.iter().all(|&cast| cast);
            if useless && !whole {
                continue;
            }
            let actuals: Vec<Static> = list
                .iter()
                .zip(&attempt.arguments)
                .zip(&casts)
                .map(|((text, &cast), to)| match to {
                    Some(to) if cast => Static::of(to),
                    _ => text.ty.clone(),
                })
                .collect();
            let value = match (&attempt.receiver, &receiver) {
                (Some(site), _) => Some(Static::of(&Type::Class(site.clone()))),
                (None, Some(receiver)) => Some(receiver.ty.clone()),
                (None, None) => None,
            };
            let site = match (&value, class) {
                (Some(value), _) => Site::Value(value),
                (None, Some(class)) => Site::Class(class),
                (None, None) => unreachable!("a call has a receiver or a class"),
            };
            if let Some(choice) = self.typing.choose(method, site, &actuals) {
                return self.write(receiver, &list, &casts, &attempt, Some(choice));
            }
            last = Some(attempt);
        }
        // Nothing is certain: say all there is to say and let the compiler judge.
        let attempt = last.unwrap_or(Attempt { receiver: None, arguments: vec![false; list.len()] });
        self.write(receiver, &list, &casts, &attempt, None)
    }

    fn write(
        &mut self,
        receiver: Option<Text>,
        list: &[Text],
        casts: &[Option<Type>],
        attempt: &Attempt,
        choice: Option<Choice>,
    ) -> Result<(Option<Text>, String, Option<Choice>), Stop> {
        let receiver = match (receiver, &attempt.receiver) {
            (Some(receiver), Some(site)) => Some(self.cast(&receiver, &Type::Class(site.clone()))?),
            (receiver, _) => receiver,
        };
        let mut written = Vec::with_capacity(list.len());
        for (at, text) in list.iter().enumerate() {
            let bare = choice.as_ref().filter(|choice| !choice.has_rivals).and_then(|choice| {
                let formal = &choice.formals[at];
                text.lambda.clone().filter(|_| text.ty == Static::Is(formal.clone()))
            });
            written.push(match (&casts[at], bare) {
                (_, Some(bare)) => bare,
                (Some(to), None) if attempt.arguments[at] => self.cast(text, to)?.text,
                _ => text.text.clone(),
            });
        }
        self.raw |= choice.as_ref().is_none_or(|choice| choice.unchecked);
        Ok((receiver, written.join(", "), choice))
    }

    /// What an argument would be cast to, unless it is that already or it cannot be named.
    fn cast_of(&self, method: &Method, at: usize, text: &Text) -> Option<Type> {
        let erased = &method.descriptor.params[at];
        let to = match method.params.get(at) {
            Some(JavaType::OfMethod(variable)) => match method.parameters.get(usize::from(*variable)) {
                Some(parameter) => cast_for(parameter, erased, self.typing),
                None => erased.clone(),
            },
            _ => erased.clone(),
        };
        (text.ty != Static::of(&to) && self.typing.is_nameable(&to)).then_some(to)
    }
}

/// From no cast to all, the receiver's included.
fn attempts(arguments: usize, sites: &[ClassName]) -> Vec<Attempt> {
    let none = vec![false; arguments];
    let single = |at: usize| {
        let mut one = none.clone();
        one[at] = true;
        one
    };
    let all = vec![true; arguments];
    let mut found = vec![Attempt { receiver: None, arguments: none.clone() }];
    let mut add = |receiver: Option<&ClassName>, arguments: Vec<bool>| {
        found.push(Attempt { receiver: receiver.cloned(), arguments });
    };
    (0..arguments).for_each(|at| add(None, single(at)));
    sites.iter().for_each(|site| add(Some(site), none.clone()));
    if arguments > 1 {
        add(None, all.clone());
    }
    for site in sites {
        (0..arguments).for_each(|at| add(Some(site), single(at)));
        if arguments > 1 {
            add(Some(site), all.clone());
        }
    }
    found
}

fn result(choice: Option<&Choice>, erased: Option<&Type>) -> Static {
    match choice.and_then(|choice| choice.result.clone()) {
        Some(found) => found,
        None => erased.map_or(Static::Null, |ty| Static::Below(ty.clone())),
    }
}

fn called(text: String, choice: Option<&Choice>, descriptor: &MethodDescriptor) -> Text {
    let free = choice.is_some_and(|choice| choice.free);
    Text { free, ..Text::atom(text, result(choice, descriptor.returns.as_ref())) }
}
