//! Classes of our own for lambdas, interfaces and abstract classes.
//!
//! In: a [`StubSpec`]. Out: the constructor of a class that does what it says, defined where it may extend `of`.
//! Names follow from the spec alone, so that results are the same in every worker.

use probat_classfile::build::stub_class;
use probat_jvm::{Class, Env, Jvmti, Loader, Local, Method, Ref};
use probat_model::{ClassName, MethodDescriptor, StubSpec};
use xxhash_rust::xxh3::xxh3_64;

use crate::thrown;

const ACC_PUBLIC: u32 = 0x0001;

/// How the simple name of every stub begins.
pub const PREFIX: &str = "Probat$Stub";

/// Package of stubs for public types of the JDK.
const PACKAGE: &str = "probat/stub";

/// Defines stubs.
#[derive(Debug)]
pub struct Stubs {
    jvmti: Jvmti,
}

impl Stubs {
    pub fn new(jvmti: Jvmti) -> Self {
        Stubs { jvmti }
    }

    /// Defines the class of a stub and answers its constructor; `Err` says why that is impossible.
    pub fn define(
        &mut self,
        env: &mut Env<'_>,
        spec: &StubSpec,
        of: Ref<'_, Class>,
        loader: Ref<'_, Loader>,
    ) -> Result<Method, String> {
        let place = self.place(env, spec, of, loader)?;
        let bytes = stub_class(spec, &place.name).map_err(|error| error.to_string())?;
        let into =
            place.own.as_ref().map_or(if place.boot { None } else { Some(loader) }, |own| Some(own.get()));
        let class = define_or_find(env, &place.name, into, &bytes)?;
        let mut params =
            spec.constructor.as_ref().map_or(Vec::new(), |constructor| constructor.params.clone());
        params.extend_from_slice(&spec.captures);
        let descriptor = MethodDescriptor { params, returns: None }.descriptor();
        env.constructor(class.get(), &descriptor).map_err(|error| match error {
            probat_jvm::MemberError::Threw(exception) => text(env, exception),
            probat_jvm::MemberError::Descriptor(error) => error.to_string(),
            probat_jvm::MemberError::Jvmti(error) => error.to_string(),
        })
    }

    /// Beside `of` where the code under test is concerned or `of` is not public, else in a package of our own.
    fn place<'f>(
        &self,
        env: &Env<'f>,
        spec: &StubSpec,
        of: Ref<'_, Class>,
        loader: Ref<'_, Loader>,
    ) -> Result<Place<'f>, String> {
        let why = |error: probat_jvm::JvmtiError| error.to_string();
        let own = self.jvmti.class_loader(env, of).map_err(why)?;
        let same = own.as_ref().is_some_and(|own| env.is_same(own.get().erase(), loader.erase()));
        let is_public = self.jvmti.class_modifiers(of).map_err(why)? & ACC_PUBLIC != 0;
        if same || is_public {
            let package = if same { spec.of.package() } else { PACKAGE };
            return Ok(Place { name: stub_name(package, spec), own: None, boot: false });
        }
        Ok(Place { name: stub_name(spec.of.package(), spec), boot: own.is_none(), own })
    }
}

/// Where a stub is defined.
struct Place<'f> {
    name: ClassName,
    /// The loader of `of`, where it has to be that one.
    own: Option<Local<'f, Loader>>,
    /// It has to be the boot loader.
    boot: bool,
}

fn stub_name(package: &str, spec: &StubSpec) -> ClassName {
    let digest = xxh3_64(format!("{spec:?}").as_bytes());
    let slash = if package.is_empty() { "" } else { "/" };
    ClassName::internal(&format!("{package}{slash}{PREFIX}{digest:016x}"))
}

/// A loader that outlives the others may have the class already.
fn define_or_find<'f>(
    env: &mut Env<'f>,
    name: &ClassName,
    loader: Option<Ref<'_, Loader>>,
    bytes: &[u8],
) -> Result<Local<'f, Class>, String> {
    match env.define_class(name.as_internal(), loader, bytes) {
        Ok(class) => Ok(class),
        Err(exception) => {
            let why = text(env, exception);
            env.load_class(&name.to_binary(), true, loader).map_err(|_| why)
        }
    }
}

fn text(env: &mut Env<'_>, exception: probat_jvm::Thrown<'_>) -> String {
    let exception = exception.into_local();
    let why = thrown::one_line(env, exception.get());
    env.delete(exception);
    why
}

#[cfg(test)]
mod tests {
    use super::*;
    use probat_model::{StubBehaviour, StubMethod};

    fn spec(behaviour: StubBehaviour) -> StubSpec {
        StubSpec {
            of: ClassName::internal("a/B"),
            is_interface: true,
            constructor: None,
            captures: Vec::new(),
            methods: vec![StubMethod {
                name: "m".into(),
                descriptor: MethodDescriptor::parse("()V").unwrap(),
                behaviour,
            }],
        }
    }

    #[test]
    fn names_follow_from_the_spec() {
        let name = stub_name("a", &spec(StubBehaviour::Default));
        assert!(name.as_internal().starts_with("a/Probat$Stub"));
        assert_eq!(name, stub_name("a", &spec(StubBehaviour::Default)));
        assert_ne!(name, stub_name("a", &spec(StubBehaviour::Parameter(0))));
        assert_eq!(stub_name("", &spec(StubBehaviour::Default)).package(), "");
    }
}
