//! The default locale, and those of its two categories.

use probat_jvm::{Env, Field, Global, Value};

use crate::fault::Fault;
use crate::jdk;

/// The static fields of `java.util.Locale` that hold the defaults; the last two may be null until first asked for.
const FIELDS: [&str; 3] = ["defaultLocale", "defaultDisplayLocale", "defaultFormatLocale"];

#[derive(Debug)]
pub struct Locales {
    all: Vec<(Field, Option<Global>)>,
}

impl Locales {
    pub fn remember(env: &mut Env<'_>) -> Result<Self, Fault> {
        // The getters fill the fields in.
        let category = "java/util/Locale$Category";
        let get = jdk::static_method(
            env,
            "java/util/Locale",
            "getDefault",
            "(Ljava/util/Locale$Category;)Ljava/util/Locale;",
        )?;
        for name in ["DISPLAY", "FORMAT"] {
            let constant = jdk::static_field(env, category, name, "Ljava/util/Locale$Category;")?;
            let Ok(constant) = env.get_static(&constant) else { return Err(Fault::missing(category)) };
            jdk::call_static(env, &get, &[constant])?;
        }
        let mut all = Vec::new();
        for name in FIELDS {
            let field = jdk::static_field(env, "java/util/Locale", name, "Ljava/util/Locale;")?;
            let value = current(env, &field)?;
            all.push((field, value));
        }
        Ok(Locales { all })
    }

    pub fn accept(&mut self, env: &mut Env<'_>) -> Result<bool, Fault> {
        let changed = self.has_changed(env);
        for (field, value) in &mut self.all {
            *value = current(env, field)?;
        }
        Ok(changed)
    }

    pub fn restore(&mut self, env: &mut Env<'_>) -> Result<bool, Fault> {
        if !self.has_changed(env) {
            return Ok(false);
        }
        for (field, value) in &self.all {
            let value = Value::Object(value.as_ref().map(Global::get));
            env.set_static(field, value, probat_jvm::Trust::Nothing)
                .map_err(|_| Fault::missing("a default locale that can be set"))?;
        }
        Ok(true)
    }

    fn has_changed(&self, env: &Env<'_>) -> bool {
        self.all.iter().any(|(field, value)| match (env.get_static(field), value) {
            (Ok(Value::Object(Some(now))), Some(then)) => !env.is_same(now, then.get()),
            (Ok(Value::Object(None)), None) => false,
            _ => true,
        })
    }
}

fn current(env: &mut Env<'_>, field: &Field) -> Result<Option<Global>, Fault> {
    match env.get_static(field) {
        Ok(Value::Object(Some(object))) => jdk::keep(env, object).map(Some),
        _ => Ok(None),
    }
}
