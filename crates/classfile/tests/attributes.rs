//! What the attributes of well-known JDK classes say.
//!
//! In: every JDK image found. Out: no accessor fails on any class; some are compared with what the JDK documents.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests stop at surprises and print counts")]

mod corpus;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use corpus::everything::look_at;
use jimage_rs::JImage;
use probat_classfile::{AccessFlags, ClassFile, Loadable};
use probat_model::{ClassName, Type};

/// A class of `java.base`.
fn class(image: &Path, name: &str) -> ClassFile {
    let image = JImage::open(image).unwrap();
    let resource = format!("/java.base/{name}.class");
    ClassFile::read(&image.find_resource(&resource).unwrap().unwrap()).unwrap()
}

#[test]
fn no_accessor_fails_on_any_class_of_a_jdk() {
    for image in corpus::images() {
        let failures = Mutex::new(Vec::new());
        let (records, sealed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        corpus::each_class_of_image(&image, |name, bytes| {
            let class = ClassFile::read(bytes).unwrap();
            // A name may hold surrogates without partner; only such errors are right.
            let wrong =
                look_at(&class).0.into_iter().filter(|error| !error.contains("surrogate without partner"));
            failures.lock().unwrap().extend(wrong.map(|error| format!("{name} {error}")));
            let is_record =
                class.super_name().ok().flatten() == Some(ClassName::internal("java/lang/Record"));
            assert_eq!(class.attributes().record().unwrap().is_some(), is_record, "{name}");
            let is_sealed = class.attributes().permitted_subclasses().unwrap().is_some();
            records.fetch_add(is_record.into(), Ordering::Relaxed);
            sealed.fetch_add(is_sealed.into(), Ordering::Relaxed);
        });
        let failures = failures.into_inner().unwrap();
        assert!(failures.is_empty(), "{}: {} {:#?}", image.display(), failures.len(), failures.first());
        println!("{}: {records:?} records, {sealed:?} sealed types", image.display());
        assert!(records.into_inner() > 0 && sealed.into_inner() > 0);
    }
}

#[test]
fn well_known_classes_say_what_they_are() {
    for image in corpus::images() {
        let map = class(&image, "java/util/HashMap");
        let signature = map.attributes().class_signature().unwrap().unwrap();
        assert_eq!(
            signature.to_string(),
            "<K extends java.lang.Object, V extends java.lang.Object> extends java.util.AbstractMap<K, V> \
             implements java.util.Map<K, V>, java.lang.Cloneable, java.io.Serializable"
        );
        assert_eq!(map.super_name().unwrap(), Some(ClassName::binary("java.util.AbstractMap")));
        assert_eq!(map.attributes().source_file().unwrap().as_deref(), Some("HashMap.java"));
        let node = ClassName::internal("java/util/HashMap$Node");
        assert!(map.attributes().nest_members().unwrap().contains(&node));
        let inner =
            map.attributes().inner_classes().unwrap().into_iter().find(|inner| inner.inner == node).unwrap();
        assert_eq!((inner.name.as_deref(), inner.access), (Some("Node"), AccessFlags::STATIC));
        let node = class(&image, "java/util/HashMap$Node");
        assert_eq!(node.attributes().nest_host().unwrap(), Some(ClassName::internal("java/util/HashMap")));

        let integer = class(&image, "java/lang/Integer");
        let max =
            integer.fields.iter().find(|field| field.name(&integer.pool).unwrap() == "MAX_VALUE").unwrap();
        assert_eq!(max.ty(&integer.pool).unwrap(), Type::Int);
        let value = max.attributes(&integer.pool).constant_value().unwrap();
        assert_eq!(value, Some(Loadable::Int(i32::MAX)));

        let deprecated = class(&image, "java/lang/Deprecated");
        let visible = deprecated.attributes().annotations(true).unwrap();
        assert!(
            visible.iter().any(|annotation| annotation.ty == Type::class("java/lang/annotation/Retention"))
        );
        let removal =
            deprecated.methods.iter().find(|m| m.name(&deprecated.pool).unwrap() == "forRemoval").unwrap();
        let default = removal.attributes(&deprecated.pool).annotation_default().unwrap();
        assert_eq!(default, Some(probat_classfile::annotation::ElementValue::Boolean(false)));

        let module = class(&image, "module-info").attributes().module().unwrap().unwrap();
        assert_eq!(module.name, "java.base");
        assert!(module.exports.iter().any(|export| export.package == "java/util" && export.to.is_empty()));
        assert!(module.uses.contains(&ClassName::binary("java.nio.file.spi.FileSystemProvider")));

        let read = class(&image, "java/io/InputStream");
        let read = &read.methods[read.find_method("read", "([B)I").unwrap()].attributes(&read.pool);
        assert_eq!(read.exceptions().unwrap(), [ClassName::binary("java.io.IOException")]);
    }
}
