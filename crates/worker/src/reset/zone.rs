//! The default time zone.

use probat_jvm::{Env, Field, Global, Value};

use crate::fault::Fault;
use crate::jdk;

#[derive(Debug)]
pub struct Zone {
    /// `TimeZone.defaultTimeZone`, which getters answer copies of.
    current: Field,
    object: Global,
}

impl Zone {
    pub fn remember(env: &mut Env<'_>) -> Result<Self, Fault> {
        // The getter fills the field in.
        let get = jdk::static_method(env, "java/util/TimeZone", "getDefault", "()Ljava/util/TimeZone;")?;
        jdk::call_static(env, &get, &[])?;
        let current =
            jdk::static_field(env, "java/util/TimeZone", "defaultTimeZone", "Ljava/util/TimeZone;")?;
        let object = now(env, &current)?.ok_or_else(|| Fault::missing("default time zone"))?;
        Ok(Zone { current, object })
    }

    pub fn accept(&mut self, env: &mut Env<'_>) -> Result<bool, Fault> {
        match now(env, &self.current)? {
            Some(object) if !env.is_same(object.get(), self.object.get()) => {
                self.object = object;
                Ok(true)
            }
            _ => self.restore(env),
        }
    }

    pub fn restore(&mut self, env: &mut Env<'_>) -> Result<bool, Fault> {
        if let Ok(Value::Object(Some(object))) = env.get_static(&self.current)
            && env.is_same(object, self.object.get())
        {
            return Ok(false);
        }
        env.set_static(&self.current, Value::Object(Some(self.object.get())), probat_jvm::Trust::Nothing)
            .map_err(|_| Fault::missing("default time zone that can be set"))?;
        Ok(true)
    }
}

fn now(env: &mut Env<'_>, current: &Field) -> Result<Option<Global>, Fault> {
    match env.get_static(current) {
        Ok(Value::Object(Some(object))) => jdk::keep(env, object).map(Some),
        _ => Ok(None),
    }
}
