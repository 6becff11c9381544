//! Classes: which are loaded, what they declare, retransformation.

use jni_simple::{jboolean, jint};

use crate::env::Env;
use crate::jvmti::slot::{ArraySlot, TextSlot};
use crate::jvmti::{Jvmti, JvmtiError};
use crate::member::{FieldId, MethodId};
use crate::reference::{Class, Loader, Local, Ref};

/// How far a class has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassStatus(jint);

impl ClassStatus {
    /// Its bytecode was verified.
    pub fn is_verified(self) -> bool {
        self.0 & 0x01 != 0
    }

    /// Its fields and methods can be listed.
    pub fn is_prepared(self) -> bool {
        self.0 & 0x02 != 0
    }

    /// Its static initialiser has ended normally.
    pub fn is_initialized(self) -> bool {
        self.0 & 0x04 != 0
    }

    /// Its static initialiser has failed.
    pub fn is_failed(self) -> bool {
        self.0 & 0x08 != 0
    }

    /// It is the class of an array.
    pub fn is_array(self) -> bool {
        self.0 & 0x10 != 0
    }

    /// It is the class of a primitive, such as `int.class`.
    pub fn is_primitive(self) -> bool {
        self.0 & 0x20 != 0
    }
}

/// A field or method as its class declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberDecl<Id> {
    pub id: Id,
    pub name: String,
    pub descriptor: String,
    /// The generic signature, where the class file has one.
    pub signature: Option<String>,
    /// The access flags of the class file.
    pub modifiers: u32,
}

impl Jvmti {
    /// Every class loaded, arrays included.
    pub fn loaded_classes<'f>(&self, env: &Env<'f>) -> Result<Vec<Local<'f, Class>>, JvmtiError> {
        let mut found = ArraySlot::new(self);
        let (count, classes) = found.places();
        // SAFETY: both pointers are to places for the answer.
        self.check("GetLoadedClasses", unsafe { self.raw.GetLoadedClasses(count, classes) })?;
        // SAFETY: the references are new, and to classes.
        Ok(unsafe { found.locals(env) })
    }

    /// The descriptor of a class, `Ljava/lang/String;`, and its generic signature.
    pub fn class_signature(&self, class: Ref<'_, Class>) -> Result<(String, Option<String>), JvmtiError> {
        let (mut descriptor, mut generic) = (TextSlot::new(self), TextSlot::new(self));
        // SAFETY: the reference is to a class, and both pointers are to places for the answer.
        let code = unsafe { self.raw.GetClassSignature(class.raw(), descriptor.place(), generic.place()) };
        self.check("GetClassSignature", code)?;
        Ok((descriptor.text().unwrap_or_default(), generic.text()))
    }

    /// How far the class has come.
    pub fn class_status(&self, class: Ref<'_, Class>) -> Result<ClassStatus, JvmtiError> {
        let mut status = 0;
        // SAFETY: the reference is to a class, and the pointer to a place for the answer.
        self.check("GetClassStatus", unsafe { self.raw.GetClassStatus(class.raw(), &raw mut status) })?;
        Ok(ClassStatus(status))
    }

    /// The access flags of a class.
    pub fn class_modifiers(&self, class: Ref<'_, Class>) -> Result<u32, JvmtiError> {
        let mut modifiers = 0;
        // SAFETY: the reference is to a class, and the pointer to a place for the answer.
        self.check("GetClassModifiers", unsafe {
            self.raw.GetClassModifiers(class.raw(), &raw mut modifiers)
        })?;
        Ok(modifiers.cast_unsigned())
    }

    /// The loader that defined a class; `None` is the boot loader.
    pub fn class_loader<'f>(
        &self,
        _env: &Env<'f>,
        class: Ref<'_, Class>,
    ) -> Result<Option<Local<'f, Loader>>, JvmtiError> {
        let mut loader = std::ptr::null_mut();
        // SAFETY: the reference is to a class, and the pointer to a place for the answer.
        self.check("GetClassLoader", unsafe { self.raw.GetClassLoader(class.raw(), &raw mut loader) })?;
        // SAFETY: null or a new local reference of this thread's innermost frame.
        Ok(unsafe { Local::from_raw(loader) })
    }

    /// The constant pool of a class as its class file would have it (JVMS §4.4), and its count.
    pub fn constant_pool(&self, class: Ref<'_, Class>) -> Result<(u16, Vec<u8>), JvmtiError> {
        let (mut entries, mut found) = (0, ArraySlot::new(self));
        let (count, bytes) = found.places();
        // SAFETY: the reference is to a class, and the pointers are to places for the answer.
        let code = unsafe { self.raw.GetConstantPool(class.raw(), &raw mut entries, count, bytes) };
        self.check("GetConstantPool", code)?;
        Ok((u16::try_from(entries).unwrap_or_default(), found.elements()))
    }

    /// Whether the class can be retransformed.
    pub fn is_modifiable(&self, class: Ref<'_, Class>) -> Result<bool, JvmtiError> {
        let mut answer = jboolean::FALSE;
        // SAFETY: the reference is to a class, and the pointer to a place for the answer.
        self.check("IsModifiableClass", unsafe { self.raw.IsModifiableClass(class.raw(), &raw mut answer) })?;
        Ok(answer.as_bool())
    }

    /// The interfaces a class names in its declaration.
    pub fn interfaces<'f>(
        &self,
        env: &Env<'f>,
        class: Ref<'_, Class>,
    ) -> Result<Vec<Local<'f, Class>>, JvmtiError> {
        let mut found = ArraySlot::new(self);
        let (count, interfaces) = found.places();
        // SAFETY: the reference is to a class, and both pointers are to places for the answer.
        let code = unsafe { self.raw.GetImplementedInterfaces(class.raw(), count, interfaces) };
        self.check("GetImplementedInterfaces", code)?;
        // SAFETY: the references are new, and to classes.
        Ok(unsafe { found.locals(env) })
    }

    /// The fields a class declares itself, in the order of its class file. The class must be prepared; it is not
    /// initialised by this.
    pub fn class_fields(&self, class: Ref<'_, Class>) -> Result<Vec<MemberDecl<FieldId>>, JvmtiError> {
        let mut found = ArraySlot::new(self);
        let (count, fields) = found.places();
        // SAFETY: the reference is to a class, and both pointers are to places for the answer.
        let code = unsafe { self.raw.GetClassFields(class.raw(), count, fields) };
        self.check("GetClassFields", code)?;
        found.elements().into_iter().map(|id| self.field_decl(class, FieldId::new(id))).collect()
    }

    fn field_decl(&self, class: Ref<'_, Class>, id: FieldId) -> Result<MemberDecl<FieldId>, JvmtiError> {
        let [mut name, mut descriptor, mut generic] = [(); 3].map(|()| TextSlot::new(self));
        let (class, raw) = (class.raw(), id.raw());
        // SAFETY: the id was listed for this class, and the pointers are to places for the answer.
        let code =
            unsafe { self.raw.GetFieldName(class, raw, name.place(), descriptor.place(), generic.place()) };
        self.check("GetFieldName", code)?;
        let mut modifiers = 0;
        // SAFETY: the id was listed for this class, and the pointer is to a place for the answer.
        let code = unsafe { self.raw.GetFieldModifiers(class, raw, &raw mut modifiers) };
        self.check("GetFieldModifiers", code)?;
        Ok(MemberDecl {
            id,
            name: name.text().unwrap_or_default(),
            descriptor: descriptor.text().unwrap_or_default(),
            signature: generic.text(),
            modifiers: modifiers.cast_unsigned(),
        })
    }

    /// The methods, constructors and static initialiser a class declares itself. The class must be prepared; it is
    /// not initialised by this.
    pub fn class_methods(&self, class: Ref<'_, Class>) -> Result<Vec<MemberDecl<MethodId>>, JvmtiError> {
        let mut found = ArraySlot::new(self);
        let (count, methods) = found.places();
        // SAFETY: the reference is to a class, and both pointers are to places for the answer.
        let code = unsafe { self.raw.GetClassMethods(class.raw(), count, methods) };
        self.check("GetClassMethods", code)?;
        // The class is alive while its reference is, so its method ids are.
        found.elements().into_iter().map(|id| self.method_decl(MethodId::new(id))).collect()
    }

    /// Private to the crate: the class of the method must be kept loaded by the caller.
    pub(crate) fn method_decl(&self, id: MethodId) -> Result<MemberDecl<MethodId>, JvmtiError> {
        let [mut name, mut descriptor, mut generic] = [(); 3].map(|()| TextSlot::new(self));
        // SAFETY: the class of the method is loaded, and the pointers are to places for the answer.
        let code =
            unsafe { self.raw.GetMethodName(id.raw(), name.place(), descriptor.place(), generic.place()) };
        self.check("GetMethodName", code)?;
        let mut modifiers = 0;
        // SAFETY: the class of the method is loaded, and the pointer is to a place for the answer.
        let code = unsafe { self.raw.GetMethodModifiers(id.raw(), &raw mut modifiers) };
        self.check("GetMethodModifiers", code)?;
        Ok(MemberDecl {
            id,
            name: name.text().unwrap_or_default(),
            descriptor: descriptor.text().unwrap_or_default(),
            signature: generic.text(),
            modifiers: modifiers.cast_unsigned(),
        })
    }

    /// The class that declares a method. Private to the crate: the caller must keep that class loaded.
    pub(crate) fn declaring_class<'f>(
        &self,
        _env: &Env<'f>,
        id: MethodId,
    ) -> Result<Local<'f, Class>, JvmtiError> {
        let mut class = std::ptr::null_mut();
        // SAFETY: the class of the method is loaded, and the pointer is to a place for the answer.
        let code = unsafe { self.raw.GetMethodDeclaringClass(id.raw(), &raw mut class) };
        self.check("GetMethodDeclaringClass", code)?;
        // SAFETY: a new local reference of this thread's innermost frame.
        Ok(unsafe { Local::from_raw(class) }.expect("every method has a class"))
    }

    /// Has the class hook see these classes again, from their original bytes. All change, or none.
    ///
    /// New bytes may not add or remove members.
    pub fn retransform(&self, classes: &[Ref<'_, Class>]) -> Result<(), JvmtiError> {
        let raw: Vec<_> = classes.iter().map(|class| class.raw()).collect();
        let count = jint::try_from(raw.len()).expect("fewer than 2^31 classes");
        // SAFETY: the array has `count` references to classes.
        self.check("RetransformClasses", unsafe { self.raw.RetransformClasses(count, raw.as_ptr()) })
    }
}
