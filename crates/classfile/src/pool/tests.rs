//! Constants added, found, followed and refused.

use expect_test::{Expect, expect};
use probat_model::{JavaString, Type};

use super::*;
use crate::bytes::Bytes;
use crate::error::AppendError;

/// Reads the pool that these bytes, count first, are.
fn read(bytes: &[u8]) -> Result<ConstantPool, ReadError> {
    let bytes = Bytes::of_checked(bytes.to_vec());
    let mut cursor = bytes.cursor("constant pool");
    let pool = ConstantPool::read(&mut cursor)?;
    cursor.finish().map(|()| pool)
}

/// The same pool after it was written and read.
fn again(pool: &ConstantPool) -> ConstantPool {
    let mut out = Vec::new();
    pool.write(&mut out);
    assert_eq!(out.len(), pool.written_len());
    read(&out).unwrap()
}

#[track_caller]
fn check_error(bytes: &[u8], expected: Expect) {
    expected.assert_eq(&read(bytes).unwrap_err().to_string());
}

#[test]
fn equal_constants_are_one() {
    let mut pool = ConstantPool::new();
    let first = pool.add_method_ref("a/B", "m", "()V").unwrap();
    assert_eq!(pool.add_method_ref("a/B", "m", "()V").unwrap(), first);
    // text a/B, class, text m, text ()V, name and type, reference
    assert_eq!(pool.count(), 7);
    let mut pool = again(&pool);
    assert_eq!(pool.add_method_ref("a/B", "m", "()V").unwrap(), first);
    assert_ne!(pool.add_interface_method_ref("a/B", "m", "()V").unwrap(), first);
    assert_eq!(pool.find_class(b"a/B"), Some(PoolIndex(2)));
    assert_eq!(pool.find_class(b"m"), None);
}

#[test]
fn numbers_differ_by_their_bits() {
    let mut pool = ConstantPool::new();
    let zero = pool.add_double(0.0).unwrap();
    let minus_zero = pool.add_double(-0.0).unwrap();
    let nan = pool.add_float(f32::from_bits(0x7fc0_0001)).unwrap();
    let other_nan = pool.add_float(f32::NAN).unwrap();
    assert!(zero != minus_zero && nan != other_nan);
    // A double takes two indices.
    assert_eq!((zero, minus_zero, nan), (PoolIndex(1), PoolIndex(3), PoolIndex(5)));
    assert_eq!(pool.get(PoolIndex(2)), Err(PoolError::NoSuchConstant { index: PoolIndex(2) }));
    let Ok(Loadable::Float(value)) = again(&pool).loadable(nan) else { panic!("a float") };
    assert_eq!(value.to_bits(), 0x7fc0_0001);
}

#[test]
fn thousands_of_constants_are_found_again() {
    let mut pool = ConstantPool::new();
    let all: Vec<PoolIndex> = (0..30_000).map(|value| pool.add_int(value).unwrap()).collect();
    let found: Vec<PoolIndex> = (0..30_000).map(|value| pool.add_int(value).unwrap()).collect();
    assert_eq!(all, found);
    assert_eq!(pool.iter().count(), 30_000);
}

#[test]
fn a_full_pool_refuses() {
    let mut pool = ConstantPool::new();
    (0..65_533).for_each(|value| assert!(pool.add_int(value).is_ok()));
    assert_eq!(pool.add_long(1), Err(AppendError::PoolFull));
    assert_eq!(pool.add_int(-1).unwrap(), PoolIndex(65_534));
    assert_eq!(pool.add_int(-2), Err(AppendError::PoolFull));
    assert_eq!(pool.add_int(5).unwrap(), PoolIndex(6));
    assert_eq!(again(&pool), pool);
}

#[test]
fn long_text_refuses() {
    let mut pool = ConstantPool::new();
    assert!(pool.add_text(&"x".repeat(65_535)).is_ok());
    assert_eq!(pool.add_text(&"x".repeat(65_536)), Err(AppendError::TextTooLong(65_536)));
    // It is the encoded length that counts.
    assert_eq!(pool.add_text(&"\0".repeat(40_000)), Err(AppendError::TextTooLong(80_000)));
}

#[test]
fn strings_keep_lone_surrogates_and_names_refuse_them() {
    let mut pool = ConstantPool::new();
    let value = JavaString::from_units(&[0x61, 0xd800, 0]);
    let index = pool.add_string(&value).unwrap();
    let pool = again(&pool);
    assert_eq!(pool.string(index), Ok(value));
    let Ok(Constant::String { text }) = pool.get(index) else { panic!("a string") };
    assert_eq!(pool.text(text), Err(PoolError::UnpairedSurrogate { index: text }));
}

#[test]
fn classes_may_be_arrays() {
    let mut pool = ConstantPool::new();
    let array = pool.add_class("[[Ljava/lang/String;").unwrap();
    assert_eq!(pool.class_type(array), Ok(Type::class("java/lang/String").array().array()));
    assert_eq!(pool.class_name(array), Err(PoolError::ArrayClass { index: array }));
    let broken = pool.add_class("[").unwrap();
    assert!(matches!(pool.class_type(broken), Err(PoolError::NotADescriptor { .. })));
}

#[test]
fn loadable_constants_come_out_whole() {
    let mut pool = ConstantPool::new();
    let member = pool.add_method_ref("a/B", "m", "(I)V").unwrap();
    let handle = pool.add_method_handle(HandleKind::InvokeStatic, member).unwrap();
    let ty = pool.add_method_type("(I)V").unwrap();
    let dynamic = pool.add_dynamic(3, "x", "[J").unwrap();
    let shown: Vec<String> =
        [handle, ty, dynamic].map(|index| format!("{:?}", pool.loadable(index).unwrap())).into();
    expect![[r#"
        MethodHandle(MethodHandle { kind: InvokeStatic, member: Method, owner: Class(ClassName("a/B")), name: "m", descriptor: "(I)V" })
        MethodType(MethodDescriptor { params: [Int], returns: None })
        Dynamic { bootstrap: 3, name: "x", ty: Array(Long) }"#]]
    .assert_eq(&shown.join("\n"));
    let found = pool.loadable(member).unwrap_err().to_string();
    assert_eq!(found, "constant #6 is a Methodref, expected loadable constant");
}

#[test]
fn broken_pools_say_where() {
    check_error(
        &[0, 0],
        expect!["constant pool at byte 2: constant pool has no place for index 0 (count is 0)"],
    );
    check_error(&[0, 2], expect!["constant pool at byte 2: needs 1 more bytes, 0 are left"]);
    check_error(&[0, 2, 2, 0], expect!["constant pool at byte 2: unknown constant tag 2"]);
    check_error(&[0, 2, 1, 0, 5, 65], expect!["constant pool at byte 5: needs 5 more bytes, 1 are left"]);
    let long_in_the_last_place = [0, 2, 5, 0, 0, 0, 0, 0, 0, 0, 1];
    check_error(&long_in_the_last_place, expect!["constant pool at byte 11: needs 1 more bytes, 0 are left"]);
}
