//! Classes written by hand for tests.
//!
//! One line per class, indented lines for its members: flags, name and descriptor. A descriptor in parentheses
//! makes a method. Everything is public unless a flag says otherwise.

use std::collections::BTreeMap;
use std::sync::Arc;

use probat_model::{ClassName, MethodDescriptor, Type};

use crate::types::{Access, ClassFacts, ClassKind, FieldFacts, MethodFacts, Types};

const CLASSES: &str = "
class java/lang/Object
  <init> ()V
  equals (Ljava/lang/Object;)Z
  hashCode ()I
  toString ()Ljava/lang/String;
  final getClass ()Ljava/lang/Class;
  protected clone ()Ljava/lang/Object;
final class java/lang/String implements java/lang/Comparable java/lang/CharSequence
  <init> ()V
  <init> ([C)V
  <init> (Ljava/lang/String;)V
  package <init> (Ljava/lang/StringBuilder;Ljava/lang/Void;)V
  length ()I
  compareTo (Ljava/lang/String;)I
  synthetic compareTo (Ljava/lang/Object;)I
  static varargs format (Ljava/lang/String;[Ljava/lang/Object;)Ljava/lang/String;
  static valueOf (Ljava/lang/Object;)Ljava/lang/String;
  static valueOf ([C)Ljava/lang/String;
  static valueOf (C)Ljava/lang/String;
  static valueOf (I)Ljava/lang/String;
  private hash I
interface java/lang/Comparable
  abstract compareTo (Ljava/lang/Object;)I
interface java/lang/CharSequence
  abstract length ()I
  abstract charAt (I)C
interface java/lang/Runnable
  abstract run ()V
interface java/lang/Iterable
  abstract iterator ()Ljava/util/Iterator;
final class java/lang/Class
final class java/lang/Void
abstract class java/lang/Number
  <init> ()V
  abstract intValue ()I
final class java/lang/Integer extends java/lang/Number
  static valueOf (I)Ljava/lang/Integer;
  static valueOf (Ljava/lang/String;)Ljava/lang/Integer;
  static final MAX_VALUE I
  intValue ()I
final class java/lang/Long extends java/lang/Number
final class java/lang/Byte extends java/lang/Number
  static valueOf (B)Ljava/lang/Byte;
final class java/lang/Boolean
final class java/lang/Character
final class java/lang/Double extends java/lang/Number
  static final NaN D
class java/lang/AbstractStringBuilder
  capacity ()I
final class java/lang/StringBuilder extends java/lang/AbstractStringBuilder implements java/lang/CharSequence
  <init> ()V
  synthetic capacity ()I
  append ([C)Ljava/lang/StringBuilder;
  append (Ljava/lang/String;)Ljava/lang/StringBuilder;
  append (C)Ljava/lang/StringBuilder;
  append (J)Ljava/lang/StringBuilder;
  append (Ljava/lang/Object;)Ljava/lang/StringBuilder;
class java/lang/Throwable
  <init> ()V
class java/lang/IllegalStateException extends java/lang/Throwable
  <init> ()V
class java/lang/Argless extends java/lang/Throwable
  <init> (I)V
final class java/lang/Math
  static max (II)I
  static max (JJ)J
  static max (DD)D
  static final PI D
interface java/util/Iterator
interface java/util/Collection implements java/lang/Iterable
  abstract size ()I
  abstract add (Ljava/lang/Object;)Z
  isEmpty ()Z
interface java/util/List implements java/util/Collection
  abstract add (Ljava/lang/Object;)Z
  abstract add (ILjava/lang/Object;)V
  abstract get (I)Ljava/lang/Object;
  static of (Ljava/lang/Object;)Ljava/util/List;
  static varargs of ([Ljava/lang/Object;)Ljava/util/List;
abstract class java/util/AbstractList implements java/util/List
  protected <init> ()V
  add (Ljava/lang/Object;)Z
  abstract get (I)Ljava/lang/Object;
class java/util/ArrayList extends java/util/AbstractList implements java/util/List
  <init> ()V
  <init> (I)V
  <init> (Ljava/util/Collection;)V
  size ()I
  add (Ljava/lang/Object;)Z
  add (ILjava/lang/Object;)V
  private add (Ljava/lang/Object;[Ljava/lang/Object;I)V
  get (I)Ljava/lang/Object;
  clear ()V
  private size I
interface java/util/Map
  abstract get (Ljava/lang/Object;)Ljava/lang/Object;
interface java/util/Map$Entry
  abstract getKey ()Ljava/lang/Object;
interface java/util/Comparator
  abstract compare (Ljava/lang/Object;Ljava/lang/Object;)I
  abstract equals (Ljava/lang/Object;)Z
interface java/util/function/Supplier
  abstract get ()Ljava/lang/Object;
interface java/util/function/Function
  abstract apply (Ljava/lang/Object;)Ljava/lang/Object;
interface java/util/function/IntSupplier
  abstract getAsInt ()I
interface java/awt/List
final class p/Enum$Color
interface p/Sealed
class p/Jobs
  <init> ()V
  submit (Ljava/lang/Runnable;)V
  submit (Ljava/util/function/Supplier;)Ljava/lang/Object;
  map (Ljava/util/function/Function;)V
  number (Ljava/util/function/IntSupplier;)V
  two (Ljava/lang/Object;I)V
  two (ILjava/lang/Object;)V
class p/Point
  <init> (II)V
  x I
  b B
  final id J
  box Ljava/lang/Integer;
  package hidden I
  static count I
  static varargs sum ([I)I
  package secret ()V
class p/Point$Inner
  <init> (Lp/Point;I)V
abstract class p/Shape
  protected <init> (ILjava/lang/String;)V
  abstract area ()D
  name ()Ljava/lang/String;
enum p/Color
  static final RED Lp/Color;
sealed interface p/Closed
";

/// The classes above, and more if a test brings them.
#[derive(Debug)]
pub struct Fake {
    classes: BTreeMap<ClassName, Arc<ClassFacts>>,
}

impl Fake {
    pub fn new() -> Self {
        let mut fake = Fake { classes: BTreeMap::new() };
        let mut open: Option<ClassFacts> = None;
        for line in CLASSES.lines().filter(|line| !line.is_empty()) {
            match line.strip_prefix("  ") {
                Some(member) => add_member(open.as_mut().unwrap(), member),
                None => {
                    fake.finish(open.take());
                    open = Some(head(line));
                }
            }
        }
        fake.finish(open);
        fake
    }

    fn finish(&mut self, class: Option<ClassFacts>) {
        if let Some(class) = class {
            self.classes.insert(class.name.clone(), Arc::new(class));
        }
    }
}

fn head(line: &str) -> ClassFacts {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|word| ["class", "interface", "enum"].contains(word)).unwrap();
    let after = |word: &str| words.iter().position(|w| *w == word).map(|at| &words[at + 1..]);
    let kind = match words[at] {
        "interface" => ClassKind::Interface,
        "enum" => ClassKind::Enum,
        _ => ClassKind::Class,
    };
    let name = ClassName::internal(words[at + 1]);
    let extends = after("extends").map_or("java/lang/Object", |rest| rest[0]);
    let superclass = (name.as_internal() != "java/lang/Object").then(|| ClassName::internal(extends));
    let interfaces =
        after("implements").unwrap_or(&[]).iter().map(|name| ClassName::internal(name)).collect();
    let has = |flag: &str| words[..at].contains(&flag);
    ClassFacts {
        name,
        kind,
        access: Access::Public,
        is_abstract: has("abstract") || kind == ClassKind::Interface,
        is_final: has("final"),
        is_sealed: has("sealed"),
        superclass,
        interfaces,
        methods: Vec::new(),
        fields: Vec::new(),
    }
}

fn add_member(class: &mut ClassFacts, line: &str) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [flags @ .., name, descriptor] = words.as_slice() else { panic!("{line}") };
    let has = |flag: &str| flags.contains(&flag);
    let access = match flags {
        _ if has("private") => Access::Private,
        _ if has("package") => Access::Package,
        _ if has("protected") => Access::Protected,
        _ => Access::Public,
    };
    if descriptor.starts_with('(') {
        class.methods.push(MethodFacts {
            name: (*name).into(),
            descriptor: MethodDescriptor::parse(descriptor).unwrap(),
            access,
            is_static: has("static"),
            is_abstract: has("abstract"),
            is_final: has("final"),
            is_varargs: has("varargs"),
            is_synthetic: has("synthetic"),
        });
    } else {
        let ty = Type::parse(descriptor).unwrap();
        let (is_static, is_final) = (has("static"), has("final"));
        class.fields.push(FieldFacts { name: (*name).into(), ty, access, is_static, is_final });
    }
}

impl Types for Fake {
    fn class(&self, name: &ClassName) -> Option<Arc<ClassFacts>> {
        self.classes.get(name).cloned()
    }

    fn near_classes(&self, wanted: &str, limit: usize) -> Vec<ClassName> {
        probat_classpath::near_matches(wanted, self.classes.keys(), limit).into_iter().cloned().collect()
    }

    fn has_package(&self, package: &str) -> bool {
        self.classes.keys().any(|class| class.package() == package)
    }
}
