//! The class loader of the code under test, and its successors.
//!
//! In: class path entries. Out: a `URLClassLoader` below the platform loader; a fresh one on request. Where everything is to be as users have it,
//! the JVM's own loader, which is never fresh.
//! A fresh loader means fresh statics, at the price of loading everything again.

use std::path::PathBuf;

use probat_jvm::{Env, Global, Loader, Method, Ref, Value};
use probat_protocol::{Setting, WorkerConfig};

use crate::fault::Fault;
use crate::jdk;

/// Loaders after which a worker asks to be replaced: metaspace and compiled code of the old ones pile up.
pub const MANY: u32 = 48;

/// Makes loaders for the code under test.
#[derive(Debug)]
pub struct Loaders {
    /// A `URL[]` of the class path.
    urls: Global,
    /// The platform loader.
    parent: Global,
    make: Method,
    assertions: Method,
    with_assertions: bool,
    /// The JVM's own loader, where that is to be used.
    system: Option<Global>,
    made: u32,
}

impl Loaders {
    pub fn new(env: &mut Env<'_>, config: &WorkerConfig) -> Result<Self, Fault> {
        let class = "java/lang/ClassLoader";
        let system = match config.setting {
            Setting::Fixed | Setting::Still | Setting::Other => None,
            Setting::User | Setting::Later => Some(well_known(env, "getSystemClassLoader")?),
        };
        Ok(Loaders {
            parent: well_known(env, "getPlatformClassLoader")?,
            urls: urls(env, &config.class_path)?,
            make: jdk::method(
                env,
                "java/net/URLClassLoader",
                "<init>",
                "([Ljava/net/URL;Ljava/lang/ClassLoader;)V",
            )?,
            assertions: jdk::method(env, class, "setDefaultAssertionStatus", "(Z)V")?,
            with_assertions: config.assertions,
            system,
            made: 0,
        })
    }

    /// How many were made.
    pub fn made(&self) -> u32 {
        self.made
    }

    /// A loader that has loaded nothing yet.
    pub fn fresh(&mut self, env: &mut Env<'_>) -> Result<Global<Loader>, Fault> {
        if let Some(system) = &self.system {
            return self.ready(env, system.get());
        }
        let args = [Value::Object(Some(self.urls.get())), Value::Object(Some(self.parent.get()))];
        let loader = jdk::new_object(env, &self.make, &args)?;
        let kept = self.ready(env, loader.get())?;
        env.delete(loader);
        self.made += 1;
        Ok(kept)
    }

    fn ready(&self, env: &mut Env<'_>, loader: Ref<'_>) -> Result<Global<Loader>, Fault> {
        jdk::call(env, &self.assertions, loader, &[Value::Boolean(self.with_assertions)])?;
        let typed = env.cast::<Loader>(loader).ok_or_else(|| Fault::missing("a class loader"))?;
        env.global(typed).map_err(|_| Fault::missing("memory"))
    }
}

/// A loader that `ClassLoader` tells of.
fn well_known(env: &mut Env<'_>, name: &str) -> Result<Global, Fault> {
    let method = jdk::static_method(env, "java/lang/ClassLoader", name, "()Ljava/lang/ClassLoader;")?;
    let loader = jdk::call_static(env, &method, &[])?.ok_or_else(|| Fault::missing("a class loader"))?;
    jdk::keep(env, loader)
}

/// `new File(path).toURI().toURL()` of every entry.
fn urls(env: &mut Env<'_>, class_path: &[PathBuf]) -> Result<Global, Fault> {
    let file = jdk::method(env, "java/io/File", "<init>", "(Ljava/lang/String;)V")?;
    let to_uri = jdk::method(env, "java/io/File", "toURI", "()Ljava/net/URI;")?;
    let to_url = jdk::method(env, "java/net/URI", "toURL", "()Ljava/net/URL;")?;
    let url = jdk::class(env, "java/net/URL")?;
    let array = env.new_object_array(url.get(), class_path.len(), None);
    let array = array.ok().flatten().ok_or_else(|| Fault::missing("memory"))?;
    for (at, entry) in class_path.iter().enumerate() {
        let text = entry.to_str().ok_or_else(|| Fault::Failed {
            doing: format!("use `{}` as a class path entry", entry.display()),
            why: "its name is not UTF-8".into(),
        })?;
        let name = jdk::string(env, text)?;
        let file = jdk::new_object(env, &file, &[Value::Object(Some(name.get().erase()))])?;
        let uri = jdk::call(env, &to_uri, file.get(), &[])?.ok_or_else(|| Fault::missing("File.toURI"))?;
        let url = jdk::call(env, &to_url, uri, &[])?;
        env.set_element(array.get(), at, url).map_err(|_| Fault::missing("URL"))?;
    }
    jdk::keep(env, array.get().erase())
}
