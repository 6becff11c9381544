//! What source in a package can use.

use probat_analysis::members::Nesting;

use crate::support::package;

/// Names of constructors (with parameters), methods and fields, those of `java.lang.Object` left out.
#[track_caller]
fn check(from: &str, constructors: &[&str], methods: &[&str], fields: &[&str]) {
    let mut loaded = package("members");
    let class = loaded.class("members/Members");
    let members = loaded.world.members(class, from);
    let object = loaded.class("java/lang/Object");
    let own = members.methods.into_iter().filter(|&id| loaded.world.method(id).class != object);
    assert_eq!(loaded.method_names(members.constructors), constructors);
    assert_eq!(loaded.method_names(own), methods);
    assert_eq!(loaded.field_names(members.fields), fields);
}

#[test]
fn the_same_package_sees_all_but_private_members() {
    check(
        "members",
        &["members.Members.<init>()", "members.Members.<init>(int)"],
        &[
            "members.Members.copy()",
            "members.Members.local()",
            "members.Members.value()",
            "members.Members.anonymous()",
            "members.Members.local2()",
            "members.other.Parent.tool()",
            "members.Mixin.mixed()",
        ],
        &[
            "members.Members.open",
            "members.Members.here",
            "members.Members.guarded",
            "members.other.Parent.inherited",
            "members.Mixin.CONSTANT",
        ],
    );
}

#[test]
fn another_package_sees_public_members() {
    check(
        "elsewhere",
        &["members.Members.<init>()"],
        &[
            "members.Members.copy()",
            "members.Members.value()",
            "members.other.Parent.tool()",
            "members.Mixin.mixed()",
        ],
        &["members.Members.open", "members.other.Parent.inherited", "members.Mixin.CONSTANT"],
    );
}

#[test]
fn nested_classes_are_as_open_as_those_around_them() {
    let mut loaded = package("members");
    let cases = [
        ("members/Members", Nesting::TopLevel, [true, true]),
        ("members/Mixin", Nesting::TopLevel, [true, false]),
        ("members/Members$Inner", Nesting::Inner, [true, true]),
        ("members/Members$Nested", Nesting::Static, [true, true]),
        ("members/Members$Face", Nesting::Static, [true, false]),
        ("members/Members$Hidden", Nesting::Static, [false, false]),
        ("members/Members$Hidden$Deep", Nesting::Static, [false, false]),
        ("members/Members$1", Nesting::Anonymous, [false, false]),
        ("members/Members$1Local", Nesting::Local, [false, false]),
    ];
    for (name, nesting, nameable) in cases {
        let class = loaded.class(name);
        assert_eq!(loaded.world.nesting(class), Some(nesting), "{name}");
        let found = ["members", "elsewhere"].map(|from| loaded.world.is_nameable(class, from));
        assert_eq!(found, nameable, "{name}");
    }
}

#[test]
fn enums_know_their_constants() {
    let mut loaded = package("members");
    let colour = loaded.class("members/Colour");
    let body = loaded.class("members/Colour$1");
    assert!(loaded.world.is_enum(colour) && !loaded.world.is_enum(body));
    let constants = loaded.field_names(loaded.world.enum_constants(colour));
    assert_eq!(constants, ["members.Colour.RED", "members.Colour.GREEN"]);
}

#[test]
fn declarations_keep_generics_and_exceptions() {
    let mut loaded = package("members");
    let class = loaded.class("members/Generics");
    let (list, plain) =
        (loaded.method("members/Generics", "list"), loaded.method("members/Generics", "plain"));
    let world = &loaded.world;
    assert_eq!(world.class_signature(class).unwrap().parameters[0].name, "T");
    let signature = world.method_signature(list).unwrap();
    assert_eq!(signature.arguments.len(), 2);
    assert_eq!(signature.arguments[0], probat_classfile::signature::TypeSignature::Variable("T".into()));
    assert!(world.is_varargs(list) && !world.is_varargs(plain));
    assert_eq!(
        world.thrown(list).iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["java.io.IOException"]
    );
    assert!(world.method_signature(plain).is_none() && world.thrown(plain).is_empty());
    let map = world.declared_field(class, "map").unwrap();
    assert!(world.field_signature(map).is_some());
}

#[test]
fn records_have_components() {
    let mut loaded = package("members");
    let (pair, other) = (loaded.class("members/Pair"), loaded.class("members/Members"));
    let names: Vec<_> =
        loaded.world.record_components(pair).unwrap().into_iter().map(|component| component.name).collect();
    assert_eq!(names, ["left", "right"]);
    assert!(loaded.world.record_components(other).is_none());
}
