//! Calls: the fewest casts with which a compiler means the method that was run.
//!
//! In: a method, its receiver and arguments as text. Out: the call. Casts are tried from none to all; what is accepted is what
//! `choice` is certain of.

use probat_model::{ClassName, MethodDescriptor, Operation, StepId, Type};

use crate::arguments::Dialect;
use crate::choice::{Choice, Site, Wish};
use crate::expression::{Lambda, Printer, Text};
use crate::infer::cast_for;
use crate::java::{JavaType, Method, boxed};
use crate::statement::{EmitError, Stop};
use crate::typing::Static;

/// How receiver and arguments are cast.
#[derive(Debug, Clone)]
struct Attempt {
    /// Type the receiver is cast to.
    receiver: Option<ClassName>,
    arguments: Vec<Casting>,
}

/// Whether an argument is cast. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Casting {
    No,
    /// To the type of the parameter.
    Plain,
    /// To that type with `?` for every argument, which keeps it from what asks for more.
    Wild,
}

/// A call to be settled.
struct Draft<'a> {
    method: &'a Method,
    /// The class before the dot or after `new`, where there is no receiver.
    class: Option<&'a ClassName>,
    receiver: Option<Text>,
    list: Vec<Text>,
    /// The list with the elements of its last array instead, where the method takes them so.
    spread: Option<Vec<Text>>,
    attempts: Vec<Attempt>,
    wish: Option<&'a JavaType>,
}

/// A call as it is written: its receiver, its arguments, and what a compiler makes of it.
type Settled = (Option<Text>, Vec<String>, Option<Choice>);

impl Printer<'_, '_> {
    /// A call; its result is declared as a variable of the type wished for, if one is.
    pub fn call(
        &mut self,
        operation: &Operation,
        args: &[StepId],
        wish: Option<&JavaType>,
    ) -> Result<Text, Stop> {
        match operation {
            Operation::Construct { class, descriptor } => self.construct(class, descriptor, args, wish),
            Operation::CallStatic { class, name, descriptor, .. } => {
                let method = self.meant(class, name, descriptor)?;
                let list = self.values(args)?;
                let spread = self.spread(&method, args, &list)?;
                let attempts = attempts(list.len(), &[]);
                let (_, list, choice) = self.settle(Draft {
                    method: &method,
                    class: Some(class),
                    receiver: None,
                    list,
                    spread,
                    attempts,
                    wish,
                })?;
                let class = self.class_name(class)?;
                Ok(called(format!("{class}.{name}({})", list.join(", ")), choice.as_ref(), descriptor))
            }
            Operation::Call { class, name, descriptor, .. } => {
                let method = self.meant(class, name, descriptor)?;
                let receiver = self.receiver(args[0])?;
                let list = self.values(&args[1..])?;
                let spread = self.spread(&method, &args[1..], &list)?;
                let sites = self.sites(class, &method);
                let attempts = attempts(list.len(), &sites);
                let (receiver, list, choice) = self.settle(Draft {
                    method: &method,
                    class: None,
                    receiver: Some(receiver),
                    list,
                    spread,
                    attempts,
                    wish,
                })?;
                let receiver = receiver.expect("an instance call has a receiver").tight();
                Ok(called(format!("{receiver}.{name}({})", list.join(", ")), choice.as_ref(), descriptor))
            }
            other => unreachable!("{other:?} is no call"),
        }
    }

    /// `new`, with a diamond where a compiler fills it as we would.
    fn construct(
        &mut self,
        class: &ClassName,
        descriptor: &MethodDescriptor,
        args: &[StepId],
        wish: Option<&JavaType>,
    ) -> Result<Text, Stop> {
        let ty = Type::Class(class.clone());
        let method = self.meant(class, "<init>", descriptor)?;
        let list = self.values(args)?;
        let outer = self.typing.shape(class).outer.as_ref().and(list.first()).cloned();
        if outer.as_ref().is_some_and(|outer| outer.ty == Static::Null) {
            return Err(EmitError::Unfit("null".into()).into());
        }
        let spread = self.spread(&method, args, &list)?;
        let attempts = attempts(list.len(), &[]);
        // Elsewhere the place decides, if the arguments do not.
        let own = if self.is_objects() { self.typing.objects(&ty) } else { None };
        let is_declared = wish.is_some();
        let (_, list, choice) = self.settle(Draft {
            method: &method,
            class: Some(class),
            receiver: None,
            list,
            spread,
            attempts,
            wish: wish.or(own.as_ref()),
        })?;
        let is_generic = !self.typing.is_raw() && self.typing.is_generic(class);
        let made = choice.as_ref().filter(|choice| choice.is_aimed && (choice.unchecked || !is_declared));
        let made = made.and_then(|choice| choice.result.as_ref());
        let text = match (outer, list.split_first()) {
            (Some(outer), Some((first, list))) => {
                // The class around it stands before the dot (JLS §15.9).
                let outer = if *first == outer.text { outer.tight() } else { format!("({first})") };
                let name = self.class_name(class)?;
                let simple = name.rsplit('.').next().unwrap_or(&name);
                let diamond = if is_generic { "<>" } else { "" };
                format!("{outer}.new {simple}{diamond}({})", list.join(", "))
            }
            _ => {
                let name = match made {
                    _ if !is_generic => self.type_name(&ty)?,
                    Some(Static::Is(made)) => self.java_name(&made.clone())?,
                    _ => format!("{}<>", self.class_name(class)?),
                };
                format!("new {name}({})", list.join(", "))
            }
        };
        Ok(Text::atom(text, result(choice.as_ref(), Some(&ty))))
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
        let (receiver, list, choice) = self.settle(Draft {
            method: &method,
            class: None,
            receiver: Some(receiver.clone()),
            list,
            spread: None,
            attempts,
            wish: None,
        })?;
        let receiver = receiver.expect("it was given").tight();
        Ok(called(format!("{receiver}.{name}({})", list.join(", ")), choice.as_ref(), &method.descriptor))
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

    /// The arguments with the elements of the last array in its place, if a compiler makes that array by itself.
    fn spread(&mut self, method: &Method, args: &[StepId], list: &[Text]) -> Result<Option<Vec<Text>>, Stop> {
        let Some((&last, _)) = args.split_last().filter(|_| method.is_varargs) else { return Ok(None) };
        let is_named = self.named[usize::from(last.0)].is_some();
        let Operation::ArrayOf { element, .. } = self.operation(last).clone() else { return Ok(None) };
        if is_named || method.descriptor.params.last() != Some(&element.array()) {
            return Ok(None);
        }
        let elements = self.values(&self.steps[usize::from(last.0)].args.clone())?;
        // One null, or one array, would be taken for the whole.
        if let [one] = elements.as_slice()
            && !matches!(self.typing.erasure(&one.ty), Some(Type::Class(_)))
            && !method.descriptor.params.last().is_some_and(is_of_primitives)
        {
            return Ok(None);
        }
        Ok(Some(list[..list.len() - 1].iter().cloned().chain(elements).collect()))
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
        // Before a dot there is no place that decides.
        if let Static::Free(erased) = &value.ty
            && let Some(ty) = self.typing.objects(erased)
        {
            return Ok(Text { ty: Static::Is(ty), ..value });
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
    fn settle(&mut self, draft: Draft<'_>) -> Result<Settled, Stop> {
        let Draft { method, class, receiver, list, spread, attempts, wish } = draft;
        let wish = match (wish, self.typing.dialect) {
            (None, _) | (_, Dialect::Raw) => Wish::None,
            (Some(wish), Dialect::Inferred) => Wish::Otherwise(wish),
            (Some(wish), Dialect::Objects | Dialect::Mixed) => Wish::First(wish),
        };
        if let Some(spread) = spread {
            let actuals: Vec<Static> = spread.iter().map(|text| text.ty.clone()).collect();
            let value = receiver.as_ref().map(|receiver| receiver.ty.clone());
            let site = site(value.as_ref(), class);
            if let Some(choice) = self.typing.choose_spread(method, site, &actuals, wish) {
                let attempt = Attempt { receiver: None, arguments: vec![Casting::No; spread.len()] };
                return self.write(
                    &method.descriptor.params,
                    receiver,
                    &spread,
                    &vec![None; spread.len()],
                    &attempt,
                    Some(choice),
                );
            }
        }
        if let Some(bare) = self.with_bare_lambdas(method, receiver.as_ref(), class, &list, wish) {
            let attempt = Attempt { receiver: None, arguments: vec![Casting::No; list.len()] };
            let list: Vec<Text> = list.into_iter().map(without_cast).collect();
            return self.write(
                &method.descriptor.params,
                receiver,
                &list,
                &vec![None; list.len()],
                &attempt,
                Some(bare),
            );
        }
        let casts: Vec<Option<Type>> =
            list.iter().zip(0..).map(|(text, at)| self.cast_of(method, at, text)).collect();
        let mut last = None;
        for attempt in attempts.into_iter().chain(self.wild_attempts(method)) {
            if is_useless(&attempt, &casts) {
                continue;
            }
            let actuals = self.actuals(method, &list, &casts, &attempt);
            let value = match (&attempt.receiver, &receiver) {
                (Some(site), Some(receiver)) => {
                    Some(Static::Is(self.typing.cast_type(&receiver.ty, &Type::Class(site.clone()))))
                }
                (None, Some(receiver)) => Some(receiver.ty.clone()),
                (_, None) => None,
            };
            if let Some(choice) = self.typing.choose(method, site(value.as_ref(), class), &actuals, wish) {
                return self.write(
                    &method.descriptor.params,
                    receiver,
                    &list,
                    &casts,
                    &attempt,
                    Some(choice),
                );
            }
            if !attempt.arguments.contains(&Casting::Wild) {
                last = Some(attempt);
            }
        }
        self.name_loose(&list)?;
        // Nothing is certain: say all there is to say and let the compiler judge.
        self.doubts += 1;
        let attempt = last.unwrap_or(Attempt { receiver: None, arguments: vec![Casting::No; list.len()] });
        self.write(&method.descriptor.params, receiver, &list, &casts, &attempt, None)
    }

    /// What a compiler makes of the call if lambdas that are right for any type arguments take theirs from the place.
    fn with_bare_lambdas(
        &self,
        method: &Method,
        receiver: Option<&Text>,
        class: Option<&ClassName>,
        list: &[Text],
        wish: Wish<'_>,
    ) -> Option<Choice> {
        if self.typing.is_raw() || !list.iter().any(is_neutral) {
            return None;
        }
        let open = |text: &Text| match self.typing.erasure(&text.ty) {
            Some(erased) if is_neutral(text) => Static::Free(erased),
            _ => text.ty.clone(),
        };
        let actuals: Vec<Static> = list.iter().map(open).collect();
        let value = receiver.map(|receiver| receiver.ty.clone());
        let choice = self.typing.choose(method, site(value.as_ref(), class), &actuals, wish)?;
        let takes_all = list.iter().zip(&choice.formals).all(|(text, formal)| {
            !is_neutral(text)
                || matches!(formal, JavaType::Class(name, _) if self.typing.erasure(&text.ty) == Some(Type::Class(name.clone())))
        });
        (takes_all && !choice.has_rivals && !choice.unchecked).then_some(choice)
    }

    /// Static types of the arguments in an attempt.
    fn actuals(
        &self,
        method: &Method,
        list: &[Text],
        casts: &[Option<Type>],
        attempt: &Attempt,
    ) -> Vec<Static> {
        let each = list.iter().zip(&attempt.arguments).zip(casts).zip(0..);
        each.map(|(((text, casting), to), at)| match (casting, to) {
            (Casting::Plain, Some(to)) => Static::Is(self.typing.cast_type(&text.ty, to)),
            (Casting::Wild, _) => Static::Is(self.typing.any(&method.descriptor.params[at])),
            (Casting::No | Casting::Plain, _) => text.ty.clone(),
        })
        .collect()
    }

    /// Attempts to keep an overload from applying whose type variables would take anything.
    fn wild_attempts(&self, method: &Method) -> Vec<Attempt> {
        let params = &method.descriptor.params;
        let is_generic = |ty: &Type| matches!(ty, Type::Class(name) if self.typing.is_generic(name));
        let places = (0..params.len()).filter(|&at| is_generic(&params[at]));
        let places = places.filter(|_| self.typing.mixes() && params.len() > 1);
        let attempt = |wild: usize| {
            let of = |at: usize| if at == wild { Casting::Wild } else { Casting::Plain };
            Attempt { receiver: None, arguments: (0..params.len()).map(of).collect() }
        };
        places.map(attempt).collect()
    }

    fn write(
        &mut self,
        params: &[Type],
        receiver: Option<Text>,
        list: &[Text],
        casts: &[Option<Type>],
        attempt: &Attempt,
        choice: Option<Choice>,
    ) -> Result<Settled, Stop> {
        let receiver = match (receiver, &attempt.receiver) {
            (Some(receiver), Some(site)) => Some(self.cast(&receiver, &Type::Class(site.clone()))?),
            (receiver, _) => receiver,
        };
        let mut written = Vec::with_capacity(list.len());
        for (at, text) in list.iter().enumerate() {
            let bare = choice.as_ref().filter(|choice| !choice.has_rivals).and_then(|choice| {
                let lambda = text.lambda.as_ref()?;
                self.takes_bare(&choice.formals[at], &text.ty, lambda).then(|| lambda.text.clone())
            });
            written.push(match (attempt.arguments[at], &casts[at], bare) {
                (_, _, Some(bare)) => bare,
                (Casting::Plain, Some(to), None) => self.cast(text, to)?.text,
                (Casting::Wild, _, None) => self.cast_as(text, self.typing.any(&params[at]))?.text,
                _ => text.text.clone(),
            });
        }
        self.unchecked |= choice.as_ref().is_none_or(|choice| choice.unchecked);
        Ok((receiver, written, choice))
    }

    fn is_objects(&self) -> bool {
        matches!(self.typing.dialect, Dialect::Objects | Dialect::Mixed)
    }

    /// Where arguments stand in each other's way, a variable of a type of its own may help.
    fn name_loose(&self, list: &[Text]) -> Result<(), Stop> {
        let is_loose = |text: &&Text| match &text.ty {
            Static::Is(ty) => ty.has_arguments(),
            Static::Below(Type::Class(name)) => self.typing.is_generic(name),
            Static::Null | Static::Below(_) | Static::Free(_) => false,
        };
        match list.iter().filter(is_loose).find_map(|text| text.inlined) {
            Some(step) if self.is_objects() => Err(Stop::Name(step)),
            _ => Ok(()),
        }
    }

    /// Whether a lambda needs no cast where this parameter is the only one it can be for.
    fn takes_bare(&self, formal: &JavaType, own: &Static, lambda: &Lambda) -> bool {
        let is_alike = self.typing.erasure(own).is_some_and(|own| {
            !matches!(formal, JavaType::OfClass(_) | JavaType::OfMethod(_) | JavaType::Opaque(_))
                && self.typing.erase(formal) == own
        });
        // What a lambda returns could decide type variables otherwise than its cast.
        *own == Static::Is(formal.clone()) || (!self.typing.is_raw() && is_alike && lambda.returns_plain)
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
        let is_other = text.ty != Static::Is(self.typing.cast_type(&text.ty, &to));
        (is_other && self.typing.is_nameable(&to)).then_some(to)
    }
}

fn is_neutral(text: &Text) -> bool {
    text.lambda.as_ref().is_some_and(|lambda| lambda.is_neutral)
}

/// A lambda as it stands where its type is clear.
fn without_cast(text: Text) -> Text {
    match &text.lambda {
        Some(lambda) if lambda.is_neutral => Text { text: lambda.text.clone(), lambda: None, ..text },
        _ => text,
    }
}

fn site<'a>(value: Option<&'a Static>, class: Option<&'a ClassName>) -> Site<'a> {
    match (value, class) {
        (Some(value), _) => Site::Value(value),
        (None, Some(class)) => Site::Class(class),
        (None, None) => unreachable!("a call has a receiver or a class"),
    }
}

/// Whether a cast is asked for that there is none of, unless every argument is to be cast.
fn is_useless(attempt: &Attempt, casts: &[Option<Type>]) -> bool {
    let mut each = attempt.arguments.iter().zip(casts);
    let lacks = each.any(|(&casting, cast)| casting == Casting::Plain && cast.is_none());
    let whole = !casts.is_empty() && attempt.arguments.iter().all(|&casting| casting != Casting::No);
    lacks && !whole
}

/// From no cast to all, the receiver's included.
fn attempts(arguments: usize, sites: &[ClassName]) -> Vec<Attempt> {
    let none = vec![Casting::No; arguments];
    let single = |at: usize| {
        let mut one = none.clone();
        one[at] = Casting::Plain;
        one
    };
    let all = vec![Casting::Plain; arguments];
    let mut found = vec![Attempt { receiver: None, arguments: none.clone() }];
    let mut add = |receiver: Option<&ClassName>, arguments: Vec<Casting>| {
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

fn is_of_primitives(array: &Type) -> bool {
    matches!(array, Type::Array(element) if element.is_primitive())
}
