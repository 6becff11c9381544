//! The list of security providers.
//!
//! Asking for the providers themselves would load them all, which takes longer than starting the JVM. The JDK keeps
//! them in one immutable list that can be made anew from its configuration.

use probat_jvm::{Env, Global, Value};

use crate::fault::Fault;
use crate::jdk;

const LIST: &str = "Lsun/security/jca/ProviderList;";
const LISTS: &str = "sun/security/jca/Providers";

/// The list an initialiser left behind; until one does, the list of the configuration counts.
#[derive(Debug)]
pub struct Providers {
    accepted: Option<Global>,
}

impl Providers {
    pub fn new() -> Self {
        Providers { accepted: None }
    }

    pub fn accept(&mut self, env: &mut Env<'_>) -> Result<bool, Fault> {
        let get = jdk::static_method(env, LISTS, "getProviderList", &format!("(){LIST}"))?;
        let list = jdk::call_static(env, &get, &[])?.ok_or_else(|| Fault::missing("provider list"))?;
        self.accepted = Some(jdk::keep(env, list)?);
        Ok(true)
    }

    pub fn restore(&mut self, env: &mut Env<'_>) -> Result<bool, Fault> {
        let set = jdk::static_method(env, LISTS, "setSystemProviderList", &format!("({LIST})V"))?;
        let list = match &self.accepted {
            Some(list) => Some(list.get()),
            None => {
                let from = "fromSecurityProperties";
                let make =
                    jdk::static_method(env, "sun/security/jca/ProviderList", from, &format!("(){LIST}"))?;
                jdk::call_static(env, &make, &[])?
            }
        };
        jdk::call_static(env, &set, &[Value::Object(list)])?;
        Ok(true)
    }
}
