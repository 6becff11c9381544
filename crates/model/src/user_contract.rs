//! Contracts that the user wrote: methods that judge objects or calls.
//!
//! In: methods found in class files. Out: [`UserContract`], the same for whoever checks it, reports it or writes a test that fails
//! by it. A contract is named by its index in the list of a run; see [`Contract::User`](crate::Contract::User).

use serde::{Deserialize, Serialize};

use crate::name::{ClassName, MethodDescriptor, Type};
use crate::operation::Operation;

/// A method that says whether something is as it should be. One that answers `false` or throws says no.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserContract {
    /// As reports name it: `com.acme.CartRules.totalIsNeverNegative`.
    pub name: String,
    /// The method: [`Operation::Call`] on the judged object, or [`Operation::CallStatic`].
    pub operation: Operation,
    /// Source outside its class cannot call it.
    pub is_private: bool,
    pub judges: Judges,
}

impl UserContract {
    /// Whether the method answers with a truth value; otherwise it only can throw.
    pub fn answers(&self) -> bool {
        self.operation.result() == Some(Type::Boolean)
    }

    /// The name of the method alone.
    pub fn method(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }
}

/// What a contract judges. Match without `_`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Judges {
    /// Objects of this type, subtypes included.
    Object(Type),
    /// Calls about to be made: those it refuses are the caller's fault, so nothing that comes of them is held against the code.
    Before(JudgedCall),
    /// Calls that returned.
    After(JudgedCall),
}

/// Which calls a contract is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedCall {
    pub target: Target,
    pub name: String,
    pub descriptor: MethodDescriptor,
}

/// Whose member is called. Match without `_`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// An instance method, on receivers of this class and its subclasses.
    Receiver(ClassName),
    /// A static method of this class.
    Static(ClassName),
    /// A constructor of this class.
    New(ClassName),
}

impl JudgedCall {
    /// Whether an operation may be such a call; of an instance method the receiver still decides.
    pub fn may_be(&self, operation: &Operation) -> bool {
        match (&self.target, operation) {
            (Target::Receiver(_), Operation::Call { name, descriptor, .. }) => {
                *name == self.name && *descriptor == self.descriptor
            }
            (Target::Static(of), Operation::CallStatic { class, name, descriptor, .. }) => {
                of == class && *name == self.name && *descriptor == self.descriptor
            }
            (Target::New(of), Operation::Construct { class, descriptor }) => {
                of == class && *descriptor == self.descriptor
            }
            (Target::Receiver(_) | Target::Static(_) | Target::New(_), _) => false,
        }
    }
}
