//! A reader, and the fixture's objects by name.

use probat_jvm::{CallError, Env, Loader, Method, Ref, Trust, Value, Vm};
use probat_model::StoredState;
use probat_model::state::{Token, tokens};
use probat_protocol::Rule;
use probat_worker::heap::{Linearised, StateReader};

/// What every case has at hand.
#[derive(Debug)]
pub struct Bed<'b, 'f> {
    pub vm: Vm,
    pub env: &'b mut Env<'f>,
    pub reader: StateReader,
    pub strict: bool,
    pub skewed: bool,
}

pub const PLENTY: u32 = 1 << 22;

impl<'f> Bed<'_, 'f> {
    pub fn lay(vm: Vm, env: &mut Env<'_>, mode: &str, case: fn(&mut Bed<'_, '_>)) {
        env.ensure_local_capacity(20_000).unwrap();
        let reader = StateReader::new(env, vm.jvmti(), &Rule::defaults(), PLENTY).unwrap();
        case(&mut Bed { vm, env, reader, strict: mode == "strict", skewed: mode == "skewed" });
    }

    pub fn method(&self, name: &str, descriptor: &str) -> Method {
        let zoo = self.env.find_class("fixture/Zoo").expect("the fixture is on the class path");
        self.env.static_method(zoo.get(), name, descriptor).expect("the fixture has the method")
    }

    /// What a static method of the fixture gives.
    #[track_caller]
    pub fn call(&self, name: &str, descriptor: &str, args: &[Value<'_>]) -> Value<'f> {
        let method = self.method(name, descriptor);
        match self.env.call_static(&method, args, Trust::Nothing) {
            Ok(result) => result.unwrap_or(Value::Object(None)),
            Err(CallError::Threw(thrown)) => panic!("{name}: {}", self.shown(thrown.keep().erase())),
            Err(CallError::Rejected(rejection)) => panic!("{name}: {rejection}"),
        }
    }

    fn shown(&self, object: Ref<'_>) -> String {
        let class = self.env.object_class(object);
        let to_string = self.env.method(class.get(), "toString", "()Ljava/lang/String;").unwrap();
        match self.env.call(&to_string, object, &[], Trust::Nothing) {
            Ok(Some(Value::Object(Some(text)))) => self.env.string_text(self.env.cast(text).unwrap(), 500),
            _ => "nothing to be shown".into(),
        }
    }

    pub fn text(&self, text: &str) -> Value<'f> {
        Value::Object(Some(self.env.new_string_from(text).unwrap().keep().erase()))
    }

    /// The fixture's object of a name, made anew.
    pub fn make(&self, name: &str) -> Value<'f> {
        let text = self.text(name);
        self.call("make", "(Ljava/lang/String;)Ljava/lang/Object;", &[text])
    }

    pub fn changed(&self, how: &str) -> Value<'f> {
        let text = self.text(how);
        self.call("changed", "(Ljava/lang/String;)Ljava/lang/Object;", &[text])
    }

    pub fn ring(&self, length: i32, first: i32) -> Value<'f> {
        self.call("ring", "(II)Lfixture/Zoo$Node;", &[Value::Int(length), Value::Int(first)])
    }

    pub fn names(&self) -> Vec<String> {
        let Value::Object(Some(array)) = self.call("names", "()[Ljava/lang/String;", &[]) else { panic!() };
        let array = self.env.cast::<probat_jvm::ObjectArray>(array).unwrap();
        let count = self.env.array_length(array);
        let name = |at| {
            let element = self.env.element(array, at).unwrap().unwrap().keep();
            self.env.string_text(self.env.cast(element).unwrap(), 100)
        };
        (0..count).map(name).collect()
    }

    pub fn read(&mut self, roots: &[Value<'_>]) -> Linearised {
        self.reader.linearise(self.env, roots).unwrap()
    }

    pub fn bytes(&mut self, roots: &[Value<'_>]) -> Vec<u8> {
        assert!(!self.read(roots).truncated);
        self.reader.bytes().to_vec()
    }

    pub fn stored(&mut self, roots: &[Value<'_>]) -> StoredState {
        self.read(roots);
        self.reader.stored()
    }

    /// The tokens of a value.
    pub fn tokens(&mut self, value: Value<'_>) -> Vec<Token> {
        tokens(&self.bytes(&[value])).unwrap()
    }

    /// The loader of the fixture.
    pub fn loader(&self) -> Ref<'f, Loader> {
        let zoo = self.env.find_class("fixture/Zoo").unwrap();
        self.vm.jvmti().class_loader(self.env, zoo.get()).unwrap().unwrap().keep()
    }
}
