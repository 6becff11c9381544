//! Why a worker cannot go on.
//!
//! In: what failed. Out: [`Fault`], which `main` turns into last words. Failing user code is never a fault.

use probat_jvm::{CallError, Env, JvmtiError, MemberError, Thrown};

use crate::thrown;

/// A reason for the worker to end itself.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The JDK is not as every JDK is.
    #[error("this JDK has no {0}")]
    Missing(String),
    /// Something we did for ourselves went wrong, mostly by an exception of the JDK.
    #[error("cannot {doing}: {why}")]
    Failed { doing: String, why: String },
    #[error(transparent)]
    Jvmti(#[from] JvmtiError),
    /// Something the supervisor sent makes no sense.
    #[error("{0}")]
    Confused(String),
    /// The pipe is broken: nobody is left to tell.
    #[error("cannot write to the supervisor")]
    Pipe(#[source] std::io::Error),
}

impl Fault {
    pub fn missing(what: &str) -> Self {
        Fault::Missing(what.into())
    }

    /// A call we made for ourselves ended with an exception.
    pub fn threw(env: &mut Env<'_>, doing: &str, exception: Thrown<'_>) -> Self {
        let local = exception.into_local();
        let why = thrown::one_line(env, local.get());
        env.delete(local);
        Fault::Failed { doing: doing.into(), why }
    }

    /// As [`threw`](Self::threw), for calls that may also be rejected.
    pub fn call(env: &mut Env<'_>, doing: &str, error: CallError<'_>) -> Self {
        match error {
            CallError::Threw(exception) => Fault::threw(env, doing, exception),
            CallError::Rejected(rejection) => {
                Fault::Failed { doing: doing.into(), why: rejection.to_string() }
            }
        }
    }

    /// As [`threw`](Self::threw), for looking up members.
    pub fn member(env: &mut Env<'_>, doing: &str, error: MemberError<'_>) -> Self {
        match error {
            MemberError::Threw(exception) => Fault::threw(env, doing, exception),
            MemberError::Descriptor(error) => Fault::Failed { doing: doing.into(), why: error.to_string() },
            MemberError::Jvmti(error) => error.into(),
        }
    }
}
