//! Calls every accessor there is, for tests that want all of a class looked at.
//!
//! In: a class. Out: the errors met. Nothing it does may panic, whatever the class.

use probat_classfile::attribute::Attributes;
use probat_classfile::{ClassFile, Constant};

/// Collects errors of accessors.
#[derive(Default)]
pub struct Errors(pub Vec<String>);

impl Errors {
    fn note<T, E: std::fmt::Display>(&mut self, what: &str, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.0.push(format!("{what}: {error}"))).ok()
    }
}

/// Looks at all that a class has, code excepted.
pub fn look_at(class: &ClassFile) -> Errors {
    let mut errors = Errors::default();
    errors.note("name", class.name());
    errors.note("super", class.super_name());
    errors.note("interfaces", class.interface_names());
    look_at_pool(class, &mut errors);
    look_at_class_attributes(class, &mut errors);
    let attributes = class.attributes();
    errors.note("class signature", attributes.class_signature());
    for field in &class.fields {
        errors.note("field name", field.name(&class.pool));
        errors.note("field type", field.ty(&class.pool));
        let attributes = field.attributes(&class.pool);
        errors.note("field signature", attributes.type_signature());
        errors.note("constant value", attributes.constant_value());
        look_at_annotations(attributes, &mut errors);
    }
    for method in &class.methods {
        errors.note("method name", method.name(&class.pool));
        errors.note("method descriptor", method.descriptor(&class.pool));
        let attributes = method.attributes(&class.pool);
        errors.note("method signature", attributes.method_signature());
        errors.note("exceptions", attributes.exceptions());
        errors.note("parameters", attributes.method_parameters());
        errors.note("default", attributes.annotation_default());
        look_at_annotations(attributes, &mut errors);
        if let Ok(Some(code)) = class.code(method) {
            for annotation in &code.type_annotations {
                errors.note("type annotation of code", annotation.decode(&class.pool));
            }
        }
    }
    errors
}

fn look_at_class_attributes(class: &ClassFile, errors: &mut Errors) {
    let attributes = class.attributes();
    errors.note("inner classes", attributes.inner_classes());
    errors.note("enclosing method", attributes.enclosing_method());
    errors.note("nest host", attributes.nest_host());
    errors.note("nest members", attributes.nest_members());
    errors.note("permitted subclasses", attributes.permitted_subclasses());
    errors.note("source file", attributes.source_file());
    errors.note("module", attributes.module());
    errors.note("module packages", attributes.module_packages());
    errors.note("module main class", attributes.module_main_class());
    for method in errors.note("bootstrap methods", attributes.bootstrap_methods()).unwrap_or_default() {
        errors.note("bootstrap method", class.pool.method_handle(method.method));
        for argument in method.arguments {
            errors.note("bootstrap argument", class.pool.loadable(argument));
        }
    }
    for component in errors.note("record", attributes.record()).flatten().unwrap_or_default() {
        let attributes = Attributes::new(&class.pool, &component.attributes);
        errors.note("component signature", attributes.type_signature());
        look_at_annotations(attributes, errors);
    }
    look_at_annotations(attributes, errors);
}

fn look_at_annotations(attributes: Attributes<'_>, errors: &mut Errors) {
    for visible in [true, false] {
        errors.note("annotations", attributes.annotations(visible));
        errors.note("parameter annotations", attributes.parameter_annotations(visible));
        errors.note("type annotations", attributes.type_annotations(visible));
    }
}

fn look_at_pool(class: &ClassFile, errors: &mut Errors) {
    let pool = &class.pool;
    for (index, constant) in pool.iter() {
        match constant {
            Constant::Utf8(_) => drop(errors.note("text", pool.java_text(index))),
            Constant::NameAndType { .. } => drop(errors.note("name and type", pool.name_and_type(index))),
            Constant::FieldRef { .. } => {
                let member = errors.note("field", pool.member_ref(index));
                member.map(|member| errors.note("type", member.field_type()));
            }
            Constant::MethodRef { .. } | Constant::InterfaceMethodRef { .. } => {
                let member = errors.note("method", pool.member_ref(index));
                member.map(|member| errors.note("descriptor", member.method_descriptor()));
            }
            Constant::InvokeDynamic { .. } => drop(errors.note("call site", pool.dynamic_ref(index))),
            Constant::Module { .. } => drop(errors.note("module", pool.module_name(index))),
            Constant::Package { .. } => drop(errors.note("package", pool.package_name(index))),
            _ => drop(errors.note("loadable", pool.loadable(index))),
        }
    }
}
