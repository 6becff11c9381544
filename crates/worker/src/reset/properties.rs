//! System properties: one object, and a copy of what was in it.

use probat_jvm::{Env, Field, Global, Method, Value};

use crate::fault::Fault;
use crate::jdk;

#[derive(Debug)]
pub struct Properties {
    /// `System.props`.
    current: Field,
    set: Method,
    clear: Method,
    put_all: Method,
    equals: Method,
    clone: Method,
    /// The object that was in place, and a copy of it.
    object: Global,
    copy: Global,
}

impl Properties {
    pub fn remember(env: &mut Env<'_>) -> Result<Self, Fault> {
        let class = "java/util/Properties";
        let current = jdk::static_field(env, "java/lang/System", "props", "Ljava/util/Properties;")?;
        let clone = jdk::method(env, class, "clone", "()Ljava/lang/Object;")?;
        let (object, copy) = copy_of(env, &current, &clone)?;
        Ok(Properties {
            current,
            set: jdk::static_method(env, "java/lang/System", "setProperties", "(Ljava/util/Properties;)V")?,
            clear: jdk::method(env, class, "clear", "()V")?,
            put_all: jdk::method(env, class, "putAll", "(Ljava/util/Map;)V")?,
            equals: jdk::method(env, class, "equals", "(Ljava/lang/Object;)Z")?,
            clone,
            object,
            copy,
        })
    }

    pub fn accept(&mut self, env: &mut Env<'_>) -> Result<bool, Fault> {
        let changed = self.has_changed(env)?;
        if changed {
            (self.object, self.copy) = copy_of(env, &self.current, &self.clone)?;
        }
        Ok(changed)
    }

    pub fn restore(&mut self, env: &mut Env<'_>) -> Result<bool, Fault> {
        if !self.has_changed(env)? {
            return Ok(false);
        }
        jdk::call_static(env, &self.set, &[Value::Object(Some(self.object.get()))])?;
        jdk::call(env, &self.clear, self.object.get(), &[])?;
        jdk::call(env, &self.put_all, self.object.get(), &[Value::Object(Some(self.copy.get()))])?;
        Ok(true)
    }

    /// Asks the copy, whose values are strings, so that no foreign `equals` runs.
    fn has_changed(&self, env: &mut Env<'_>) -> Result<bool, Fault> {
        let Ok(Value::Object(Some(current))) = env.get_static(&self.current) else { return Ok(true) };
        if !env.is_same(current, self.object.get()) {
            return Ok(true);
        }
        match env.call(
            &self.equals,
            self.copy.get(),
            &[Value::Object(Some(current))],
            probat_jvm::Trust::Nothing,
        ) {
            Ok(Some(Value::Boolean(equal))) => Ok(!equal),
            Ok(_) => Ok(true),
            Err(error) => Err(Fault::call(env, "compare system properties", error)),
        }
    }
}

fn copy_of(env: &mut Env<'_>, current: &Field, clone: &Method) -> Result<(Global, Global), Fault> {
    let Ok(Value::Object(Some(object))) = env.get_static(current) else {
        return Err(Fault::missing("system properties"));
    };
    let copy = jdk::call(env, clone, object, &[])?.ok_or_else(|| Fault::missing("Properties.clone"))?;
    Ok((jdk::keep(env, object)?, jdk::keep(env, copy)?))
}
