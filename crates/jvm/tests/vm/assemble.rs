//! A few small classes, put together byte by byte, so that no compiler is needed.
//!
//! Class files of version 49, which need no stack maps (JVMS §4.10).

pub const PUBLIC: u16 = 0x0001;
pub const PRIVATE_FINAL: u16 = 0x0012;
pub const PUBLIC_STATIC: u16 = 0x0009;
pub const STATIC_VOLATILE: u16 = 0x0048;
pub const STATIC_NATIVE: u16 = 0x0108;

/// A class in the making.
pub struct ClassBuilder {
    pool: Vec<Vec<u8>>,
    this: u16,
    parent: u16,
    fields: Vec<Vec<u8>>,
    methods: Vec<Vec<u8>>,
}

impl ClassBuilder {
    pub fn new(name: &str, parent: &str) -> Self {
        let mut class =
            ClassBuilder { pool: Vec::new(), this: 0, parent: 0, fields: Vec::new(), methods: Vec::new() };
        class.this = class.class(name);
        class.parent = class.class(parent);
        class
    }

    fn constant(&mut self, bytes: Vec<u8>) -> u16 {
        if let Some(at) = self.pool.iter().position(|known| *known == bytes) {
            return at as u16 + 1;
        }
        self.pool.push(bytes);
        self.pool.len() as u16
    }

    fn utf8(&mut self, text: &str) -> u16 {
        let length = text.len() as u16;
        self.constant([&[1], &length.to_be_bytes()[..], text.as_bytes()].concat())
    }

    fn pair(&mut self, tag: u8, left: u16, right: u16) -> u16 {
        self.constant([&[tag], &left.to_be_bytes()[..], &right.to_be_bytes()].concat())
    }

    pub fn class(&mut self, name: &str) -> u16 {
        let name = self.utf8(name);
        self.constant([&[7], &name.to_be_bytes()[..]].concat())
    }

    fn member(&mut self, tag: u8, class: &str, name: &str, descriptor: &str) -> u16 {
        let (class, name, descriptor) = (self.class(class), self.utf8(name), self.utf8(descriptor));
        let both = self.pair(12, name, descriptor);
        self.pair(tag, class, both)
    }

    pub fn field_ref(&mut self, class: &str, name: &str, descriptor: &str) -> u16 {
        self.member(9, class, name, descriptor)
    }

    pub fn method_ref(&mut self, class: &str, name: &str, descriptor: &str) -> u16 {
        self.member(10, class, name, descriptor)
    }

    pub fn field(mut self, access: u16, name: &str, descriptor: &str) -> Self {
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        self.fields.push(shorts(&[access, name, descriptor, 0]));
        self
    }

    /// A method without code.
    pub fn native(mut self, name: &str, descriptor: &str) -> Self {
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        self.methods.push(shorts(&[STATIC_NATIVE, name, descriptor, 0]));
        self
    }

    /// A method with code that uses at most eight locals and eight places on the stack.
    pub fn method(mut self, access: u16, name: &str, descriptor: &str, code: &[u8]) -> Self {
        let attribute = self.utf8("Code");
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        let mut method = shorts(&[access, name, descriptor, 1, attribute]);
        method.extend((code.len() as u32 + 12).to_be_bytes());
        method.extend(shorts(&[8, 8]));
        method.extend((code.len() as u32).to_be_bytes());
        method.extend(code);
        method.extend(shorts(&[0, 0]));
        self.methods.push(method);
        self
    }

    /// `public <init>()` that calls the parent's.
    pub fn constructor(mut self, parent: &str) -> Self {
        let [high, low] = self.method_ref(parent, "<init>", "()V").to_be_bytes();
        self.method(PUBLIC, "<init>", "()V", &[0x2a, 0xb7, high, low, 0xb1])
    }

    pub fn bytes(self) -> Vec<u8> {
        let mut out = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 49];
        out.extend(shorts(&[self.pool.len() as u16 + 1]));
        out.extend(self.pool.concat());
        // Public, super; no interfaces.
        out.extend(shorts(&[0x0021, self.this, self.parent, 0]));
        for members in [self.fields, self.methods] {
            out.extend(shorts(&[members.len() as u16]));
            out.extend(members.concat());
        }
        out.extend([0, 0]);
        out
    }
}

fn shorts(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

/// `class t.Answer { private final int kept; static int answer() { return 41; } Answer() {} }`
pub fn answer() -> Vec<u8> {
    ClassBuilder::new("t/Answer", "java/lang/Object")
        .field(PRIVATE_FINAL, "kept", "I")
        .constructor("java/lang/Object")
        .method(PUBLIC_STATIC, "answer", "()I", &[0x10, 41, 0xac])
        .bytes()
}

/// The same with another constant.
pub fn with_answer(bytes: &[u8], from: u8, to: u8) -> Option<Vec<u8>> {
    let at = bytes.windows(3).position(|code| code == [0x10, from, 0xac])?;
    let mut changed = bytes.to_vec();
    changed[at + 1] = to;
    Some(changed)
}

/// `class t.Loops { static volatile int started; static void spin() { started = 1; for (;;) {} }
/// static void dive() { dive(); } }`
pub fn loops() -> Vec<u8> {
    let mut class = ClassBuilder::new("t/Loops", "java/lang/Object");
    let [started_high, started_low] = class.field_ref("t/Loops", "started", "I").to_be_bytes();
    let [dive_high, dive_low] = class.method_ref("t/Loops", "dive", "()V").to_be_bytes();
    class
        .field(STATIC_VOLATILE, "started", "I")
        .method(PUBLIC_STATIC, "spin", "()V", &[0x04, 0xb3, started_high, started_low, 0xa7, 0, 0])
        .method(PUBLIC_STATIC, "dive", "()V", &[0xb8, dive_high, dive_low, 0xb1])
        .bytes()
}
