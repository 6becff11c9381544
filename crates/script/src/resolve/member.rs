//! Names and fields: what `a`, `a.b` and `a.b.C.d` mean (JLS §6.5).

use probat_model::{ClassName, Operation, Type};

use super::operand::Operand;
use super::scope::member_class;
use super::{Resolved, Resolver, show};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::{Expr, ExprKind, Ident};
use crate::types::FieldFacts;

/// Near names shown.
const NEAR: usize = 3;

/// What a chain of names leads to.
pub(super) enum Named<'a> {
    Value(Operand<'a>),
    Class(ClassName),
    /// A prefix that may still become a class: internal form.
    Package(String),
}

/// A field and the object it belongs to.
pub(super) enum Place {
    Static { class: ClassName, field: FieldFacts },
    Instance { object: probat_model::StepId, class: ClassName, field: FieldFacts },
}

impl<'a> Resolver<'a> {
    /// Follows a chain of names as far as it goes; anything else is a value.
    pub(super) fn named(&mut self, expr: &'a Expr) -> Resolved<Named<'a>> {
        match &expr.kind {
            ExprKind::Name(name) => self.simple_name(name),
            ExprKind::Member { of, name } => match self.named(of)? {
                Named::Value(value) => self.field_of(value, of.span, name, expr.span).map(Named::Value),
                Named::Class(class) => self.member_of_class(&class, name, expr.span),
                Named::Package(package) => {
                    let path = format!("{package}/{}", name.text);
                    let class = ClassName::internal(&path);
                    let found = self.hierarchy.class(&class).is_some();
                    Ok(if found { Named::Class(class) } else { Named::Package(path) })
                }
            },
            _ => self.expression(expr).map(Named::Value),
        }
    }

    fn simple_name(&mut self, name: &'a Ident) -> Resolved<Named<'a>> {
        if let Some(value) = self.variables.get(&name.text) {
            return value.clone().map(Named::Value);
        }
        if let Some(value) = self.imported_field(name)? {
            return Ok(Named::Value(value));
        }
        Ok(match self.simple_class(name)? {
            Some(class) => Named::Class(class),
            None => Named::Package(name.text.clone()),
        })
    }

    fn imported_field(&mut self, name: &Ident) -> Resolved<Option<Operand<'a>>> {
        let statics = self.scope.statics.iter();
        let open = statics.filter(|(_, only)| only.as_ref().is_none_or(|only| *only == name.text));
        let found =
            open.filter_map(|(class, _)| self.hierarchy.field(class, &name.text)).find(|(_, f)| f.is_static);
        match found {
            Some((class, field)) => self.read(Place::Static { class, field }, name.span).map(Some),
            None => Ok(None),
        }
    }

    fn member_of_class(&mut self, class: &ClassName, name: &'a Ident, span: Span) -> Resolved<Named<'a>> {
        if let Some((owner, field)) = self.hierarchy.field(class, &name.text) {
            if field.is_static {
                self.note_field(&owner, &field, name.span);
                return self.read(Place::Static { class: owner, field }, span).map(Named::Value);
            }
            let message = format!("field `{}` of `{}` is not static", name.text, show::class(class));
            return self.fail(Diagnostic::error(name.span, message).hint("read it from a value"));
        }
        if let Some(inner) = member_class(class, &name.text, &self.hierarchy) {
            return Ok(Named::Class(inner));
        }
        let problem = self.unknown_field(&Type::Class(class.clone()), name);
        self.fail(problem)
    }

    fn field_of(
        &mut self,
        value: Operand<'a>,
        value_span: Span,
        name: &'a Ident,
        span: Span,
    ) -> Resolved<Operand<'a>> {
        let (object, ty) = self.receiver(value, value_span)?;
        if matches!(ty, Type::Array(_)) && name.text == "length" {
            let step = self.emit(Operation::ArrayLength, [object], span)?;
            return Ok(Operand::Step(step, Type::Int));
        }
        let place = self.place_in(object, &ty, value_span, name)?;
        self.read(place, span)
    }

    fn place_in(
        &mut self,
        object: probat_model::StepId,
        ty: &Type,
        value_span: Span,
        name: &Ident,
    ) -> Resolved<Place> {
        let found = match ty {
            Type::Class(class) => {
                self.require_class(class, value_span)?;
                self.hierarchy.field(class, &name.text)
            }
            _ => None,
        };
        let Some((class, field)) = found else {
            let problem = self.unknown_field(ty, name);
            return self.fail(problem);
        };
        self.note_field(&class, &field, name.span);
        Ok(if field.is_static {
            Place::Static { class, field }
        } else {
            Place::Instance { object, class, field }
        })
    }

    /// The field an assignment writes.
    pub(super) fn place(&mut self, of: &'a Expr, name: &'a Ident) -> Resolved<Place> {
        match self.named(of)? {
            Named::Package(_) => self.unknown_name(of),
            Named::Value(value) => {
                let (object, ty) = self.receiver(value, of.span)?;
                self.place_in(object, &ty, of.span, name)
            }
            Named::Class(class) => match self.hierarchy.field(&class, &name.text) {
                Some((owner, field)) if field.is_static => {
                    self.note_field(&owner, &field, name.span);
                    Ok(Place::Static { class: owner, field })
                }
                Some(_) => {
                    let message = format!("field `{}` of `{}` is not static", name.text, show::class(&class));
                    self.fail(Diagnostic::error(name.span, message).hint("write it in a value"))
                }
                None => {
                    let problem = self.unknown_field(&Type::Class(class), name);
                    self.fail(problem)
                }
            },
        }
    }

    fn read(&mut self, place: Place, span: Span) -> Resolved<Operand<'a>> {
        let (operation, args, ty) = match place {
            Place::Static { class, field } => {
                let ty = field.ty;
                (Operation::GetStatic { class, name: field.name, ty: ty.clone() }, None, ty)
            }
            Place::Instance { object, class, field } => {
                let ty = field.ty;
                (Operation::GetField { class, name: field.name, ty: ty.clone() }, Some(object), ty)
            }
        };
        let step = self.emit(operation, args, span)?;
        Ok(Operand::Step(step, ty))
    }

    fn note_field(&mut self, class: &ClassName, field: &FieldFacts, span: Span) {
        let what = format!("field `{}` of `{}`", field.name, show::class(class));
        self.note_hidden(&what, field.access, span);
    }

    fn unknown_field(&self, ty: &Type, name: &Ident) -> Diagnostic {
        let shown = show::ty(ty);
        let problem = Diagnostic::error(name.span, format!("`{shown}` has no field `{}`", name.text));
        let Type::Class(class) = ty else {
            return problem.hint("of an array there is `length`");
        };
        if !self.hierarchy.methods(class, &name.text).is_empty() {
            return problem.hint(format!("it is a method: `{}()`", name.text));
        }
        let known = self.hierarchy.field_names(class);
        let near = probat_classpath::near_names(&name.text, known.iter().map(String::as_str), NEAR);
        let near: Vec<String> = near.into_iter().map(str::to_owned).collect();
        match (near.is_empty(), known.is_empty()) {
            (false, _) => problem.hint(show::did_you_mean(&near)),
            (true, true) => problem.detail("it has no fields"),
            (true, false) if known.len() <= 12 => problem.detail(format!("it has {}", known.join(", "))),
            (true, false) => problem,
        }
    }

    /// A chain of names that is neither variable nor class.
    pub(super) fn unknown_name<T>(&mut self, expr: &Expr) -> Resolved<T> {
        let written = expr.span.of(self.text).to_owned();
        let looks_like_class =
            written.rsplit('.').next().is_some_and(|last| last.starts_with(char::is_uppercase));
        if looks_like_class || written.contains('.') {
            let problem = self.unknown_class(&written, expr.span);
            return self.fail(problem);
        }
        let known = self.variables.keys().map(String::as_str);
        let near = probat_classpath::near_names(&written, known, NEAR);
        let near: Vec<String> = near.into_iter().map(str::to_owned).collect();
        let problem = Diagnostic::error(expr.span, format!("there is no variable `{written}`"));
        let hint = match near.is_empty() {
            false => show::did_you_mean(&near),
            true => format!("give it a value first: `{written} = …`"),
        };
        self.fail(problem.hint(hint))
    }
}
