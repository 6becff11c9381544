//! Hash codes of the constants of enums, which differ from JVM to JVM and with them the order of hash tables.
//!
//! In: the bytes of `java.lang.Enum`. Out: the same, with a `hashCode` that goes by the ordinal, upwards or downwards: two JVMs then agree or
//! disagree, as they are told to. Enums of the JDK keep their own, as tables of the JDK go by it already.

use probat_classfile::code::{Arith, Cond, Kind, Number};
use probat_classfile::passes::Edits;
use probat_classfile::{ClassFile, Frame, Insn, Node, VerificationType};
use probat_protocol::Setting;

/// Internal name of the class to change.
pub const ENUM: &str = "java/lang/Enum";

/// What ordinals are taken from where they go downwards: as many places as a small hash table has, less one.
const LAST: i16 = 15;

/// The class, if it is `Enum` and the setting is not that of users.
pub fn with_fixed_hashes(bytes: &[u8], setting: Setting) -> Option<Vec<u8>> {
    let downwards = match setting {
        Setting::Fixed | Setting::Still => false,
        Setting::Other => true,
        Setting::User | Setting::Later => return None,
    };
    let mut class = ClassFile::read(bytes).ok()?;
    if class.name().ok()?.as_internal() != ENUM {
        return None;
    }
    let at = class.find_method("hashCode", "()I")?;
    let code = class.code(&class.methods[at]).ok()??;
    let mut edits = Edits::new(&code);
    let own = edits.fresh_label();
    let pool = &mut class.pool;
    let get_class = pool.add_method_ref("java/lang/Object", "getClass", "()Ljava/lang/Class;").ok()?;
    let loader =
        pool.add_method_ref("java/lang/Class", "getClassLoader0", "()Ljava/lang/ClassLoader;").ok()?;
    let ordinal = pool.add_field_ref(ENUM, "ordinal", "I").ok()?;
    let this = Insn::Load(Kind::Reference, 0);
    let mut nodes: Vec<Node> = vec![
        this.clone().into(),
        Insn::InvokeVirtual(get_class).into(),
        Insn::InvokeVirtual(loader).into(),
        Insn::If(Cond::Null, own).into(),
    ];
    if downwards {
        nodes.push(Insn::Int(LAST).into());
    }
    nodes.extend([this.into(), Insn::GetField(ordinal).into()]);
    if downwards {
        nodes.push(Insn::Arith(Arith::Sub, Number::Int).into());
    }
    nodes.extend([Insn::Return(Some(Kind::Int)).into(), own.into()]);
    edits.before(0, nodes);
    let receiver = VerificationType::Object(pool.add_class(ENUM).ok()?);
    edits.add_frame(own, Frame { locals: vec![receiver], stack: Vec::new() });
    edits.need_stack(2);
    let code = edits.apply(code)?;
    class.set_code(at, &code).ok()?;
    class.write().ok()
}
