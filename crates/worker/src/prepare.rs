//! From operations, which are names, to what a step can do at once.
//!
//! In: an [`Operation`] and the [`Types`] of a loader. Out: [`Prepared`], with every id and class looked up.
//! Loads and initialises classes; calls no method of the code under test otherwise.

use probat_jvm::{Env, Field, Global, Kind, Method, Value};
use probat_model::{Literal, MethodDescriptor, Operation, StubSpec, Taint, Type};

use crate::boxes::boxed_kind;
use crate::class_key::LastClass;
use crate::fault::Fault;
use crate::jdk::{self, Jdk};
use crate::shared::Shared;
use crate::stubs::Stubs;
use crate::thrown::{self, Bounds, Sorter};
use crate::types::{Failure, OBJECT, TypeId, Types, class_for_name};

/// One argument as an operation wants it.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    pub kind: Kind,
    pub ty: TypeId,
    /// A receiver, an array to index, a box to open: `null` is refused.
    pub needed: bool,
}

/// An operation ready to be carried out.
#[derive(Debug)]
pub struct Prepared {
    pub act: Act,
    pub params: Box<[Param]>,
    /// Static type of the result, as far as it can be believed.
    pub result: TypeId,
    /// Class of the last result, so that the next is named without a search.
    pub last_class: LastClass,
}

/// What a step does. Match without `_`.
#[derive(Debug)]
pub enum Act {
    Unresolved(String),
    /// The class's initialiser threw, now or when it was first tried.
    Failed(Box<Failure>),
    CannotStub(String),
    Constant(Value<'static>),
    Reference(Global),
    Construct(Method),
    CallStatic(Method),
    Call(Method),
    GetStatic(Field),
    PutStatic(Field),
    GetField(Field),
    PutField(Field),
    /// The element type, and the class of elements that are references.
    NewArray(Kind, TypeId),
    ArrayOf(Kind, TypeId),
    ArrayGet(Kind),
    ArraySet(Kind),
    ArrayLength,
    Cast(TypeId),
    Convert(Conversion),
    /// Index of the stored state in the operation table.
    Restore,
}

/// What a conversion takes and gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conversion {
    /// Cast to this before boxing or after unboxing.
    pub primitive: Kind,
    pub unbox: bool,
    pub boxed: bool,
}

/// What preparing needs besides the JVM.
#[derive(Debug)]
pub struct Preparer<'a> {
    pub types: &'a mut Types,
    pub jdk: &'a Jdk,
    pub stubs: &'a mut Stubs,
    pub sorter: &'a Sorter,
    pub shared: &'a Shared,
    pub bounds: Bounds,
}

/// Why an operation cannot be carried out.
enum Trouble {
    Unresolved(String),
    Failed(Box<Failure>),
    CannotStub(String),
}

impl Preparer<'_> {
    /// Looks everything up. `taints` is asked for what initialisers attempted.
    pub fn prepare(
        &mut self,
        env: &mut Env<'_>,
        operation: &Operation,
        taints: &mut dyn FnMut() -> Vec<Taint>,
    ) -> Result<Prepared, Fault> {
        let act = match self.act(env, operation, taints) {
            Ok(act) => act,
            Err(Trouble::Unresolved(why)) => Act::Unresolved(why),
            Err(Trouble::Failed(failure)) => Act::Failed(failure),
            Err(Trouble::CannotStub(why)) => Act::CannotStub(why),
        };
        let needed = needed_params(operation);
        let params = operation.params();
        let params =
            params.iter().enumerate().map(|(at, ty)| self.param(env, ty, needed.contains(&at))).collect();
        let result = match operation.result() {
            Some(ty) if ty.is_reference() => self.result(env, operation, &ty),
            _ => OBJECT,
        };
        Ok(Prepared { act, params, result, last_class: LastClass::default() })
    }

    fn param(&mut self, env: &mut Env<'_>, ty: &Type, needed: bool) -> Param {
        let id = self.types.id(ty);
        if ty.is_reference() {
            // A class that is not there takes no value but null.
            let _ = self.types.load(env, id);
        }
        Param { kind: Kind::from(ty), ty: id, needed: needed && ty.is_reference() }
    }

    fn result(&mut self, env: &mut Env<'_>, operation: &Operation, ty: &Type) -> TypeId {
        // Field reads through JNI and rebuilt objects promise nothing.
        if matches!(operation, Operation::Restore(_)) {
            return OBJECT;
        }
        let id = self.types.id(ty);
        if self.types.load(env, id).is_ok() { id } else { OBJECT }
    }

    fn act(
        &mut self,
        env: &mut Env<'_>,
        operation: &Operation,
        taints: &mut dyn FnMut() -> Vec<Taint>,
    ) -> Result<Act, Trouble> {
        match operation {
            Operation::Literal(literal) => self.literal(env, literal),
            Operation::Construct { class, descriptor } => {
                let id = self.initialised(env, &Type::Class(class.clone()), taints)?;
                self.construct(env, id, descriptor).map(Act::Construct)
            }
            Operation::CallStatic { class, name, descriptor, .. } => {
                let id = self.initialised(env, &Type::Class(class.clone()), taints)?;
                self.method(env, id, name, descriptor, true).map(Act::CallStatic)
            }
            Operation::Call { class, name, descriptor, .. } => {
                let id = self.initialised(env, &Type::Class(class.clone()), taints)?;
                self.method(env, id, name, descriptor, false).map(Act::Call)
            }
            Operation::GetStatic { class, name, ty } => {
                let id = self.initialised(env, &Type::Class(class.clone()), taints)?;
                self.field(env, id, name, ty, true).map(Act::GetStatic)
            }
            Operation::PutStatic { class, name, ty } => {
                let id = self.initialised(env, &Type::Class(class.clone()), taints)?;
                self.not_final(env, id, name, ty)?;
                let remembered = self.field(env, id, name, ty, true)?;
                // Nothing runs now, so what the field holds is what it is put back to.
                let done = self.shared.statics().remember_field(env, remembered);
                done.map_err(|fault| Trouble::Unresolved(fault.to_string()))?;
                self.field(env, id, name, ty, true).map(Act::PutStatic)
            }
            Operation::GetField { class, name, ty } => {
                let id = self.initialised(env, &Type::Class(class.clone()), taints)?;
                self.field(env, id, name, ty, false).map(Act::GetField)
            }
            Operation::PutField { class, name, ty } => {
                let id = self.initialised(env, &Type::Class(class.clone()), taints)?;
                self.not_final(env, id, name, ty)?;
                self.field(env, id, name, ty, false).map(Act::PutField)
            }
            Operation::NewArray { element } => {
                self.element(env, element).map(|id| Act::NewArray(element.into(), id))
            }
            Operation::ArrayOf { element, .. } => {
                self.element(env, element).map(|id| Act::ArrayOf(element.into(), id))
            }
            Operation::ArrayGet { element } => Ok(Act::ArrayGet(element.into())),
            Operation::ArraySet { element } => Ok(Act::ArraySet(element.into())),
            Operation::ArrayLength => Ok(Act::ArrayLength),
            Operation::Cast { to } => self.loaded(env, to).map(Act::Cast),
            Operation::Convert { from, to } => {
                conversion(from, to).map(Act::Convert).map_err(Trouble::Unresolved)
            }
            Operation::Stub(spec) => self.stub(env, spec, taints),
            Operation::Restore(_) => Ok(Act::Restore),
        }
    }

    fn literal(&mut self, env: &mut Env<'_>, literal: &Literal) -> Result<Act, Trouble> {
        let keep = |env: &mut Env<'_>, made: Result<Global, probat_jvm::Thrown<'_>>| match made {
            Ok(global) => Ok(Act::Reference(global)),
            Err(exception) => {
                Err(Trouble::Unresolved(Fault::threw(env, "make a literal", exception).to_string()))
            }
        };
        Ok(Act::Constant(match literal {
            Literal::Null(_) => Value::Object(None),
            Literal::Boolean(v) => Value::Boolean(*v),
            Literal::Byte(v) => Value::Byte(*v),
            Literal::Char(v) => Value::Char(*v),
            Literal::Short(v) => Value::Short(*v),
            Literal::Int(v) => Value::Int(*v),
            Literal::Long(v) => Value::Long(*v),
            Literal::Float(bits) => Value::Float(f32::from_bits(*bits)),
            Literal::Double(bits) => Value::Double(f64::from_bits(*bits)),
            Literal::String(text) => {
                let made = self.jdk.interned(env, text.units());
                return keep(env, made);
            }
            Literal::Class(ty) if ty.is_primitive() => {
                let made = jdk::primitive_class(env, ty);
                return keep(env, made);
            }
            Literal::Class(ty) => {
                let id = self.loaded(env, ty)?;
                let class = &self.types.loaded(id).expect("loaded just above").class;
                let made = env.global(class.get().erase());
                return keep(env, made);
            }
        }))
    }

    fn loaded(&mut self, env: &mut Env<'_>, ty: &Type) -> Result<TypeId, Trouble> {
        let id = self.types.id(ty);
        match self.types.load(env, id) {
            Ok(_) => Ok(id),
            Err(why) => Err(Trouble::Unresolved(why.into())),
        }
    }

    fn initialised(
        &mut self,
        env: &mut Env<'_>,
        ty: &Type,
        taints: &mut dyn FnMut() -> Vec<Taint>,
    ) -> Result<TypeId, Trouble> {
        let id = self.loaded(env, ty)?;
        match self.types.initialise(env, id, self.sorter, self.bounds, taints) {
            None => Ok(id),
            Some(failure) => Err(Trouble::Failed(Box::new(failure))),
        }
    }

    fn element(&mut self, env: &mut Env<'_>, element: &Type) -> Result<TypeId, Trouble> {
        if element.is_primitive() { Ok(OBJECT) } else { self.loaded(env, element) }
    }

    fn construct(
        &self,
        env: &mut Env<'_>,
        id: TypeId,
        descriptor: &MethodDescriptor,
    ) -> Result<Method, Trouble> {
        let loaded = self.types.loaded(id).expect("the caller has loaded it");
        let name = self.types.ty(id);
        if loaded.is_interface {
            return Err(Trouble::Unresolved(format!("{name} is an interface")));
        }
        if loaded.is_abstract {
            return Err(Trouble::Unresolved(format!("{name} is abstract")));
        }
        let found = env.constructor(loaded.class.get(), &descriptor.descriptor());
        found.map_err(|error| unresolved(env, error))
    }

    fn method(
        &self,
        env: &mut Env<'_>,
        id: TypeId,
        name: &str,
        descriptor: &MethodDescriptor,
        is_static: bool,
    ) -> Result<Method, Trouble> {
        if name.starts_with('<') {
            return Err(Trouble::Unresolved(format!("`{name}` is not called by name")));
        }
        let class = self.types.loaded(id).expect("the caller has loaded it").class.get();
        let descriptor = descriptor.descriptor();
        let found = if is_static {
            env.static_method(class, name, &descriptor)
        } else {
            env.method(class, name, &descriptor)
        };
        found.map_err(|error| unresolved(env, error))
    }

    fn field(
        &self,
        env: &mut Env<'_>,
        id: TypeId,
        name: &str,
        ty: &Type,
        is_static: bool,
    ) -> Result<Field, Trouble> {
        let class = self.types.loaded(id).expect("the caller has loaded it").class.get();
        let descriptor = ty.descriptor();
        let found = if is_static {
            env.static_field(class, name, &descriptor)
        } else {
            env.field(class, name, &descriptor)
        };
        found.map_err(|error| unresolved(env, error))
    }

    /// JNI would write a final field; source could not.
    fn not_final(&self, env: &mut Env<'_>, id: TypeId, name: &str, ty: &Type) -> Result<(), Trouble> {
        let class = self.types.loaded(id).expect("the caller has loaded it").class.get();
        if self.jdk.is_final_field(env, class, name, &ty.descriptor()) {
            return Err(Trouble::Unresolved(format!("field `{name}` of {} is final", self.types.ty(id))));
        }
        Ok(())
    }

    fn stub(
        &mut self,
        env: &mut Env<'_>,
        spec: &StubSpec,
        taints: &mut dyn FnMut() -> Vec<Taint>,
    ) -> Result<Act, Trouble> {
        let id = self.initialised(env, &Type::Class(spec.of.clone()), taints)?;
        let of = self.types.loaded(id).expect("loaded just above");
        match self.stubs.define(env, spec, of.class.get(), self.types.loader()) {
            Ok(constructor) => Ok(Act::Construct(constructor)),
            Err(why) => Err(Trouble::CannotStub(why)),
        }
    }
}

fn unresolved(env: &mut Env<'_>, error: probat_jvm::MemberError<'_>) -> Trouble {
    Trouble::Unresolved(match error {
        probat_jvm::MemberError::Threw(exception) => {
            let exception = exception.into_local();
            let why = thrown::one_line(env, exception.get());
            env.delete(exception);
            why
        }
        probat_jvm::MemberError::Descriptor(error) => error.to_string(),
        probat_jvm::MemberError::Jvmti(error) => error.to_string(),
    })
}

/// Which arguments may not be null.
fn needed_params(operation: &Operation) -> &'static [usize] {
    match operation {
        Operation::Call { .. }
        | Operation::GetField { .. }
        | Operation::PutField { .. }
        | Operation::ArrayGet { .. }
        | Operation::ArraySet { .. }
        | Operation::ArrayLength => &[0],
        Operation::Convert { to, .. } if to.is_primitive() => &[0],
        Operation::Convert { .. }
        | Operation::Literal(_)
        | Operation::Construct { .. }
        | Operation::CallStatic { .. }
        | Operation::GetStatic { .. }
        | Operation::PutStatic { .. }
        | Operation::NewArray { .. }
        | Operation::ArrayOf { .. }
        | Operation::Cast { .. }
        | Operation::Stub(_)
        | Operation::Restore(_) => &[],
    }
}

/// How to get from one type to the other; `Err` where Java has no such conversion.
fn conversion(from: &Type, to: &Type) -> Result<Conversion, String> {
    let box_of = |ty: &Type| match ty {
        Type::Class(name) => boxed_kind(name.as_internal()),
        _ => None,
    };
    let none = || format!("there is no conversion from {from} to {to}");
    let (from_kind, to_kind) = (Kind::from(from), Kind::from(to));
    let plan = match (from.is_primitive(), to.is_primitive()) {
        (true, true) => Conversion { primitive: to_kind, unbox: false, boxed: false },
        // A box, or a supertype of one such as `Object`, `Number` or `Comparable`.
        (true, false) => Conversion { primitive: box_of(to).unwrap_or(from_kind), unbox: false, boxed: true },
        (false, true) => Conversion { primitive: to_kind, unbox: true, boxed: false },
        (false, false) => {
            box_of(from).ok_or_else(none)?;
            Conversion { primitive: box_of(to).ok_or_else(none)?, unbox: true, boxed: true }
        }
    };
    let is_boolean = |ty: &Type| *ty == Type::Boolean || box_of(ty) == Some(Kind::Boolean);
    let known = |ty: &Type| ty.is_primitive() || box_of(ty).is_some();
    if known(from) && known(to) && is_boolean(from) != is_boolean(to) {
        return Err(none());
    }
    if class_for_name(to).is_some_and(|name| name.starts_with('[')) || matches!(from, Type::Array(_)) {
        return Err(none());
    }
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(from: &str, to: &str, expected: Option<(Kind, bool, bool)>) {
        let plan = conversion(&Type::parse(from).unwrap(), &Type::parse(to).unwrap()).ok();
        assert_eq!(plan.map(|plan| (plan.primitive, plan.unbox, plan.boxed)), expected, "{from} to {to}");
    }

    #[test]
    fn conversions_are_planned_as_java_has_them() {
        check("I", "J", Some((Kind::Long, false, false)));
        check("I", "Ljava/lang/Integer;", Some((Kind::Int, false, true)));
        check("I", "Ljava/lang/Object;", Some((Kind::Int, false, true)));
        check("I", "Ljava/lang/Long;", Some((Kind::Long, false, true)));
        check("Ljava/lang/Integer;", "J", Some((Kind::Long, true, false)));
        check("Ljava/lang/Object;", "I", Some((Kind::Int, true, false)));
        check("Z", "I", None);
        check("Ljava/lang/Boolean;", "I", None);
        check("I", "[I", None);
        check("Ljava/lang/String;", "Ljava/lang/Object;", None);
    }

    #[test]
    fn receivers_are_needed_and_arguments_are_not() {
        let call = Operation::Call {
            class: probat_model::ClassName::internal("a/B"),
            name: "c".into(),
            descriptor: MethodDescriptor::parse("(La/B;)V").unwrap(),
            interface: false,
        };
        assert_eq!(needed_params(&call), [0]);
        assert_eq!(needed_params(&Operation::Convert { from: Type::class("a/B"), to: Type::Int }), [0]);
        assert!(needed_params(&Operation::Convert { from: Type::Int, to: Type::class("a/B") }).is_empty());
    }
}
