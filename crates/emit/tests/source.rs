//! What a printed test class looks like.

#![allow(clippy::unwrap_used)]

use expect_test::{Expect, expect};
use probat_emit::{
    Access, Argument, Caught, Check, ClassShape, Deprecation, Ending, Expected, Field, Framework, Group,
    JavaType, Method, Scope, Style, TestCase, TestClass, TypeParameter, test_class_source,
};
use probat_model::{
    ClassName, Contract, Literal, MethodDescriptor, Operation, OperationTable, Sequence, StepId,
    StubBehaviour, StubMethod, StubSpec, Type,
};

/// A world with `java.util` lists and comparators, and an inaccessible `Hidden` list.
struct Small;

const OBJECT: &str = "java/lang/Object";

/// Class, its type parameters, its supertypes; `0` among their arguments stands for the first parameter.
const CLASSES: &[(&str, usize, &[&str])] = &[
    ("java/lang/Object", 0, &[]),
    ("java/lang/String", 0, &[OBJECT, "java/lang/CharSequence"]),
    ("java/lang/CharSequence", 0, &[OBJECT]),
    ("java/lang/Integer", 0, &[OBJECT]),
    ("java/lang/IndexOutOfBoundsException", 0, &[OBJECT]),
    ("java/lang/RuntimeException", 0, &[OBJECT]),
    ("java/lang/IllegalStateException", 0, &["java/lang/RuntimeException"]),
    ("java/util/List", 1, &[OBJECT]),
    ("java/util/ArrayList", 1, &[OBJECT, "java/util/List 0"]),
    ("java/util/Comparator", 1, &[OBJECT]),
    ("shop/Hidden", 0, &[OBJECT, "java/util/List 0"]),
    ("shop/Lists", 0, &[OBJECT]),
    ("shop/Till", 0, &[OBJECT]),
    ("mall/Till", 0, &["shop/Till", OBJECT]),
];

/// Owner, name, descriptor, generic parameters and result as `0` for the first variable of the class.
const METHODS: &[(&str, &str, &str, &str)] = &[
    (OBJECT, "<init>", "()V", ""),
    (OBJECT, "equals", "(Ljava/lang/Object;)Z", ""),
    (OBJECT, "hashCode", "()I", ""),
    ("java/util/ArrayList", "<init>", "()V", ""),
    ("java/util/List", "add", "(Ljava/lang/Object;)Z", "0"),
    ("java/util/List", "add", "(ILjava/lang/Object;)V", ".0"),
    ("java/util/List", "remove", "(Ljava/lang/Object;)Z", "."),
    ("java/util/List", "remove", "(I)Ljava/lang/Object;", ".0"),
    ("java/util/List", "get", "(I)Ljava/lang/Object;", ".0"),
    ("java/util/List", "size", "()I", ""),
    ("java/util/List", "sort", "(Ljava/util/Comparator;)V", ""),
    ("java/util/List", "close", "()V", ""),
    ("java/util/List", "flush", "()I", ""),
    ("java/util/Comparator", "compare", "(Ljava/lang/Object;Ljava/lang/Object;)I", "00"),
    ("shop/Lists", "hidden", "()Lshop/Hidden;", ""),
    ("shop/Lists", "open", "()Ljava/util/List;", ""),
    ("shop/Lists", "count", "([Ljava/lang/Object;)I", ""),
    ("shop/Lists", "sum", "(Ljava/util/List;)I", ""),
    ("shop/Till", "<init>", "()V", ""),
    ("shop/Till", "ring", "(Ljava/lang/String;)I", ""),
    ("shop/Till", "ring", "(Ljava/lang/CharSequence;)I", ""),
    ("shop/Till", "ring", "(Ljava/lang/Integer;)I", ""),
    ("shop/Till", "ring", "(J)I", ""),
    ("shop/Till", "total", "()D", ""),
    ("shop/Till", "audit", "()I", ""),
    ("mall/Till", "<init>", "()V", ""),
    ("mall/Till", "audit", "()I", ""),
    ("shop/Till", "prices", "()[F", ""),
    ("shop/Till", "names", "()[Ljava/lang/String;", ""),
];

fn class_row(class: &ClassName) -> Option<&'static (&'static str, usize, &'static [&'static str])> {
    CLASSES.iter().find(|(name, ..)| *name == class.as_internal())
}

impl Scope for Small {
    fn is_subtype(&self, sub: &Type, of: &Type) -> bool {
        match (sub, of) {
            (Type::Class(sub), Type::Class(of)) => self.supertypes(sub).contains(of),
            _ => sub == of,
        }
    }

    fn is_nameable(&self, class: &ClassName, _package: &str) -> bool {
        class.simple() != "Hidden"
    }

    fn supertypes(&self, class: &ClassName) -> Vec<ClassName> {
        let mut found = vec![class.clone()];
        let above = class_row(class).map_or(&[][..], |(_, _, above)| above);
        for name in above.iter().filter(|name| **name != OBJECT) {
            found.push(ClassName::internal(name.split(' ').next().unwrap()));
        }
        if class.as_internal() != OBJECT {
            found.push(ClassName::internal(OBJECT));
        }
        found
    }

    fn source_name(&self, class: &ClassName) -> String {
        class.to_binary().replace('$', ".")
    }

    fn exists(&self, class: &ClassName) -> bool {
        class_row(class).is_some()
    }

    fn shape(&self, class: &ClassName) -> ClassShape {
        let Some((_, parameters, above)) = class_row(class) else { return ClassShape::default() };
        let supertype = |text: &&str| {
            let mut words = text.split(' ');
            let name = ClassName::internal(words.next().unwrap());
            JavaType::Class(name, words.map(|_| Argument::Exact(JavaType::OfClass(0))).collect())
        };
        ClassShape {
            parameters: vec![TypeParameter { bounds: Vec::new() }; *parameters],
            supertypes: above.iter().map(supertype).collect(),
            is_interface: false,
            is_final: class.as_internal() == "java/lang/String",
            outer: None,
        }
    }

    fn methods(&self, class: &ClassName, name: &str) -> Vec<Method> {
        let all = if name == "<init>" { vec![class.clone()] } else { self.supertypes(class) };
        let of = |owner: &ClassName| {
            let owner = owner.clone();
            METHODS.iter().filter(move |row| row.0 == owner.as_internal() && row.1 == name).map(method)
        };
        all.iter().flat_map(of).collect()
    }

    fn field(&self, _class: &ClassName, _name: &str) -> Option<Field> {
        None
    }

    fn checked(&self, operation: &Operation) -> Vec<ClassName> {
        match operation {
            Operation::Call { name, .. } if name == "close" => {
                vec![ClassName::internal("java/io/IOException")]
            }
            // What is below it throws nothing.
            Operation::Call { class, name, .. } if name == "flush" && class.simple() == "List" => {
                vec![ClassName::internal("java/io/IOException")]
            }
            _ => Vec::new(),
        }
    }

    fn release(&self) -> Option<u32> {
        None
    }

    fn deprecation(&self, _operation: &Operation) -> Deprecation {
        Deprecation::None
    }
}

fn method((owner, name, descriptor, generic): &(&str, &str, &str, &str)) -> Method {
    let descriptor = MethodDescriptor::parse(descriptor).unwrap();
    let is_variable = |at: usize| generic.as_bytes().get(at) == Some(&b'0');
    let ty = |at: usize, ty: &Type| if is_variable(at) { JavaType::OfClass(0) } else { JavaType::of(ty) };
    let count = descriptor.params.len();
    Method {
        owner: ClassName::internal(owner),
        name: (*name).into(),
        access: if *name == "audit" { Access::Protected } else { Access::Public },
        is_static: *owner == "shop/Lists",
        is_varargs: *name == "count",
        parameters: Vec::new(),
        params: descriptor.params.iter().enumerate().map(|(at, param)| ty(at, param)).collect(),
        returns: descriptor.returns.as_ref().map(|returns| ty(count, returns)),
        names: Vec::new(),
        descriptor,
    }
}

#[derive(Default)]
struct Build {
    table: OperationTable,
    sequence: Sequence,
    caught: Vec<Caught>,
    raw: bool,
}

impl Build {
    fn push(&mut self, operation: Operation, args: &[StepId]) -> StepId {
        let id = self.table.intern(operation);
        self.sequence.push(&self.table, id, args.iter().copied()).unwrap()
    }

    fn literal(&mut self, literal: Literal) -> StepId {
        self.push(Operation::Literal(literal), &[])
    }

    fn new_list(&mut self) -> StepId {
        self.new_of("java/util/ArrayList")
    }

    fn ring(&mut self, descriptor: &str, till: StepId, item: StepId) -> StepId {
        let class = ClassName::internal("shop/Till");
        let descriptor = MethodDescriptor::parse(descriptor).unwrap();
        self.push(Operation::Call { class, name: "ring".into(), descriptor, interface: false }, &[till, item])
    }

    fn new_of(&mut self, class: &str) -> StepId {
        let class = ClassName::internal(class);
        self.push(Operation::Construct { class, descriptor: MethodDescriptor::parse("()V").unwrap() }, &[])
    }

    fn call(&mut self, name: &str, descriptor: &str, args: &[StepId]) -> StepId {
        let class = ClassName::internal("java/util/List");
        let descriptor = MethodDescriptor::parse(descriptor).unwrap();
        self.push(Operation::Call { class, name: name.into(), descriptor, interface: true }, args)
    }

    fn call_lists(&mut self, name: &str, descriptor: &str, args: &[StepId]) -> StepId {
        let class = ClassName::internal("shop/Lists");
        let descriptor = MethodDescriptor::parse(descriptor).unwrap();
        self.push(Operation::CallStatic { class, name: name.into(), descriptor, interface: false }, args)
    }

    fn boxed(&mut self, value: i32) -> StepId {
        let inside = self.literal(Literal::Int(value));
        self.push(Operation::Convert { from: Type::Int, to: Type::class("java/lang/Integer") }, &[inside])
    }

    /// As [`check`](Self::check), for the statements alone.
    fn check_body(self, checks: Vec<Check>, ending: Ending, expected: Expect) {
        let source = self.source(checks, ending, Framework::JUnit5);
        let lines = source.lines().skip_while(|line| !line.starts_with("    void ")).skip(1);
        let lines = lines.take_while(|line| *line != "    }");
        expected.assert_eq(&lines.map(|line| format!("{}\n", line.trim_start())).collect::<String>());
    }

    fn check(self, checks: Vec<Check>, ending: Ending, framework: Framework, expected: Expect) {
        expected.assert_eq(&self.source(checks, ending, framework));
    }

    /// The steps so far as a case; what comes next is another.
    fn case(&mut self, name: &str, checks: Vec<Check>, ending: Ending) -> TestCase {
        TestCase {
            name: name.into(),
            steps: std::mem::take(&mut self.sequence).steps().to_vec(),
            checks,
            caught: std::mem::take(&mut self.caught),
            ending,
            notes: Vec::new(),
            raw: self.raw,
        }
    }

    fn source(mut self, checks: Vec<Check>, ending: Ending, framework: Framework) -> String {
        let case = self.case("works", checks, ending);
        let class = TestClass {
            package: "shop".into(),
            name: "CartProbatTest".into(),
            about: Vec::new(),
            tests: vec![case],
            groups: Vec::new(),
        };
        let style = Style { framework, marker: "probat".into() };
        let source = test_class_source(&class, &self.table, &Small, &style);
        assert_eq!(source.refused, []);
        source.text
    }
}

#[test]
fn overloads_are_chosen_by_casts_and_results_asserted() {
    let mut build = Build::default();
    let list = build.new_list();
    let minus = build.boxed(-5);
    build.call("add", "(Ljava/lang/Object;)Z", &[list, minus]);
    let again = build.boxed(-5);
    let removed = build.call("remove", "(Ljava/lang/Object;)Z", &[list, again]);
    let size = build.call("size", "()I", &[list]);
    let checks = vec![
        Check { step: removed, expected: Expected::Boolean(true) },
        Check { step: size, expected: Expected::Int(0) },
    ];
    build.check(
        checks,
        Ending::Returns,
        Framework::JUnit5,
        expect![[r#"
            // probat
            package shop;

            import static org.junit.jupiter.api.Assertions.assertEquals;
            import static org.junit.jupiter.api.Assertions.assertTrue;

            import java.util.ArrayList;
            import org.junit.jupiter.api.Test;

            class CartProbatTest {
                @Test
                void works() {
                    ArrayList<Integer> arrayList = new ArrayList<>();
                    arrayList.add(-5);
                    assertTrue(arrayList.remove((Object) (-5)));
                    assertEquals(0, arrayList.size());
                }
            }
        "#]],
    );
}

#[test]
fn a_throwing_call_ends_the_test() {
    let mut build = Build::default();
    let list = build.new_list();
    let index = build.literal(Literal::Int(3));
    build.call("get", "(I)Ljava/lang/Object;", &[list, index]);
    let class = ClassName::internal("java/lang/IndexOutOfBoundsException");
    build.check(
        Vec::new(),
        Ending::Throws { class, message: Some("Index 3".into()) },
        Framework::JUnit4,
        expect![[r#"
            // probat
            package shop;

            import static org.junit.Assert.assertEquals;
            import static org.junit.Assert.assertThrows;

            import java.util.ArrayList;
            import org.junit.Test;

            public class CartProbatTest {
                @Test
                public void works() {
                    ArrayList<Object> arrayList = new ArrayList<>();
                    assertEquals("Index 3",
                            assertThrows(IndexOutOfBoundsException.class, () -> arrayList.get(3)).getMessage());
                }
            }
        "#]],
    );
}

#[test]
fn stubs_are_lambdas_and_hidden_types_are_widened() {
    let mut build = Build::default();
    let spec = StubSpec {
        of: ClassName::internal("java/util/Comparator"),
        is_interface: true,
        constructor: None,
        captures: Vec::new(),
        methods: vec![StubMethod {
            name: "compare".into(),
            descriptor: MethodDescriptor::parse("(Ljava/lang/Object;Ljava/lang/Object;)I").unwrap(),
            behaviour: StubBehaviour::Constant(Literal::Int(-1)),
        }],
    };
    let comparator = build.push(Operation::Stub(spec), &[]);
    let hidden = build.push(
        Operation::CallStatic {
            class: ClassName::internal("shop/Lists"),
            name: "hidden".into(),
            descriptor: MethodDescriptor::parse("()Lshop/Hidden;").unwrap(),
            interface: false,
        },
        &[],
    );
    build.call("sort", "(Ljava/util/Comparator;)V", &[hidden, comparator]);
    build.call("close", "()V", &[hidden]);
    let first = build.literal(Literal::Int(0));
    let got = build.call("get", "(I)Ljava/lang/Object;", &[hidden, first]);
    build.check(
        vec![Check { step: got, expected: Expected::Int(7) }],
        Ending::Returns,
        Framework::JUnit5,
        expect![[r#"
            // probat
            package shop;

            import static org.junit.jupiter.api.Assertions.assertEquals;

            import java.util.List;
            import org.junit.jupiter.api.Test;

            class CartProbatTest {
                @Test
                void works() throws Exception {
                    List<?> list = Lists.hidden();
                    list.sort((a, b) -> -1);
                    list.close();
                    assertEquals(7, list.get(0));
                }
            }
        "#]],
    );
}

#[test]
fn type_arguments_are_what_flows_in() {
    let mut build = Build::default();
    let [words, mixed, empty] = [build.new_list(), build.new_list(), build.new_list()];
    let word = build.literal(Literal::String("tea".into()));
    let number = build.boxed(3);
    build.call("add", "(Ljava/lang/Object;)Z", &[words, word]);
    build.call("add", "(Ljava/lang/Object;)Z", &[mixed, word]);
    build.call("add", "(Ljava/lang/Object;)Z", &[mixed, number]);
    let size = build.call("size", "()I", &[empty]);
    let sum = build.call_lists("sum", "(Ljava/util/List;)I", &[mixed]);
    build.check_body(
        [size, sum].map(|step| Check { step, expected: Expected::Int(0) }).to_vec(),
        Ending::Returns,
        expect![[r#"
            ArrayList<String> arrayList = new ArrayList<>();
            ArrayList<Object> arrayList2 = new ArrayList<>();
            ArrayList<Object> arrayList3 = new ArrayList<>();
            arrayList.add("tea");
            arrayList2.add("tea");
            arrayList2.add(3);
            assertEquals(0, arrayList3.size());
            assertEquals(0, Lists.sum(arrayList2));
        "#]],
    );
}

#[test]
fn a_test_that_a_compiler_refused_is_written_with_raw_types() {
    let mut build = Build { raw: true, ..Build::default() };
    let list = build.new_list();
    let size = build.call("size", "()I", &[list]);
    build.check(
        vec![Check { step: size, expected: Expected::Int(0) }],
        Ending::Returns,
        Framework::JUnit5,
        expect![[r#"
            // probat
            package shop;

            import static org.junit.jupiter.api.Assertions.assertEquals;

            import java.util.ArrayList;
            import org.junit.jupiter.api.Test;

            @SuppressWarnings({"rawtypes", "unchecked"})
            class CartProbatTest {
                @Test
                void works() {
                    assertEquals(0, new ArrayList().size());
                }
            }
        "#]],
    );
}

#[test]
fn elements_stand_for_an_array_that_a_compiler_makes() {
    let mut build = Build::default();
    let word = build.literal(Literal::String("tea".into()));
    let number = build.boxed(3);
    let null = build.literal(Literal::Null(Type::class(OBJECT)));
    let mut checks = Vec::new();
    for elements in [vec![], vec![word], vec![word, number], vec![null], vec![null, word]] {
        let array = Operation::ArrayOf { element: Type::class(OBJECT), length: elements.len() as u32 };
        let array = build.push(array, &elements);
        let step = build.call_lists("count", "([Ljava/lang/Object;)I", &[array]);
        checks.push(Check { step, expected: Expected::Int(elements.len() as i32) });
    }
    build.check_body(
        checks,
        Ending::Returns,
        expect![[r#"
        assertEquals(0, Lists.count());
        assertEquals(1, Lists.count("tea"));
        assertEquals(2, Lists.count("tea", 3));
        assertEquals(1, Lists.count(new Object[] {null}));
        assertEquals(2, Lists.count(null, "tea"));
    "#]],
    );
}

#[test]
fn an_overload_that_a_compiler_would_not_choose_is_forced() {
    let mut build = Build::default();
    let till = build.new_of("shop/Till");
    let text = build.literal(Literal::String("tea".into()));
    let as_text = build.ring("(Ljava/lang/String;)I", till, text);
    let as_characters = build.ring("(Ljava/lang/CharSequence;)I", till, text);
    let none = build.literal(Literal::Null(Type::class("java/lang/Integer")));
    let as_null = build.ring("(Ljava/lang/Integer;)I", till, none);
    let number = build.boxed(7);
    let as_number = build.ring("(Ljava/lang/Integer;)I", till, number);
    let checks = [as_text, as_characters, as_null, as_number];
    let checks = checks.map(|step| Check { step, expected: Expected::Int(1) });
    build.check_body(
        checks.to_vec(),
        Ending::Returns,
        expect![[r#"
            Till till = new Till();
            assertEquals(1, till.ring("tea"));
            assertEquals(1, till.ring((CharSequence) "tea"));
            assertEquals(1, till.ring((Integer) null));
            assertEquals(1, till.ring((Integer) 7));
        "#]],
    );
}

/// A till, of which some methods are called.
fn till(calls: &[(&str, &str)]) -> (Build, Vec<StepId>) {
    let mut build = Build::default();
    let till = build.new_of("shop/Till");
    let mut call = |(name, descriptor): &(&str, &str)| {
        let class = ClassName::internal("shop/Till");
        let descriptor = MethodDescriptor::parse(descriptor).unwrap();
        build.push(Operation::Call { class, name: (*name).into(), descriptor, interface: false }, &[till])
    };
    let steps = calls.iter().map(&mut call).collect();
    (build, steps)
}

#[test]
fn a_test_without_anything_to_compare_says_what_it_asserts() {
    let written = |framework| {
        let source = till(&[("total", "()D")]).0.source(Vec::new(), Ending::Returns, framework);
        let body = source.lines().skip_while(|line| !line.contains("void ")).skip(1);
        body.take_while(|line| *line != "    }")
            .map(|line| format!("{}\n", line.trim_start()))
            .collect::<String>()
    };
    expect![[r#"
        assertDoesNotThrow(() -> new Till().total());
    "#]]
    .assert_eq(&written(Framework::JUnit5));
    expect![[r#"
        // Throws nothing.
        new Till().total();
    "#]]
    .assert_eq(&written(Framework::JUnit4));
    expect![[r#"
        assertDoesNotThrow(() -> new Till().total());
    "#]]
    .assert_eq(&written(Framework::Java));
}

#[test]
fn numbers_with_fractions_arrays_and_texts_are_compared_as_a_framework_does() {
    let written = |framework| {
        let (build, steps) =
            till(&[("total", "()D"), ("prices", "()[F"), ("names", "()[Ljava/lang/String;")]);
        let texts = ["t\u{e9}\r\n\"", "\u{1f375}"].map(|text| Expected::String(text.into()));
        let expected = [
            Expected::Double(f64::NAN),
            Expected::Array(Type::Float, vec![Expected::Float(-0.0), Expected::Float(f32::INFINITY)]),
            Expected::Array(Type::class("java/lang/String"), texts.to_vec()),
        ];
        let checks = steps.into_iter().zip(expected).map(|(step, expected)| Check { step, expected });
        let source = build.source(checks.collect(), Ending::Returns, framework);
        let asserts = source.lines().filter(|line| line.trim_start().starts_with("assert"));
        asserts.map(|line| format!("{}\n", line.trim_start())).collect::<String>()
    };
    expect![[r#"
        assertEquals(Double.NaN, till.total());
        assertArrayEquals(new float[] {-0.0f, Float.POSITIVE_INFINITY}, till.prices());
        assertArrayEquals(new String[] {"t\u00e9\r\n\"", "\ud83c\udf75"}, till.names());
    "#]]
    .assert_eq(&written(Framework::JUnit5));
    expect![[r#"
        assertEquals(Double.NaN, till.total(), 0.0);
        assertArrayEquals(new float[] {-0.0f, Float.POSITIVE_INFINITY}, till.prices(), 0.0f);
        assertArrayEquals(new String[] {"t\u00e9\r\n\"", "\ud83c\udf75"}, till.names());
    "#]]
    .assert_eq(&written(Framework::JUnit4));
}

#[test]
fn a_broken_contract_is_asserted_and_explained() {
    let mut build = Build::default();
    let till = build.new_of("shop/Till");
    let ending = Ending::Breaks { contract: Contract::EqualsNull, steps: vec![till], thrown: None };
    build.check_body(
        Vec::new(),
        ending,
        expect![[r#"
            Till till = new Till();
            // Broken contract: no object is equal to null.
            // Perhaps a bug: callers take such an object for an absent one.
            assertFalse(till.equals(null), "no object is equal to null");
        "#]],
    );
}

#[test]
fn a_call_that_throws_what_it_should_not_is_left_to_fail() {
    let mut build = Build::default();
    let list = build.new_list();
    let comparator = build.literal(Literal::Null(Type::class("java/util/Comparator")));
    let sorted = build.call("sort", "(Ljava/util/Comparator;)V", &[list, comparator]);
    let ending = Ending::Breaks { contract: Contract::NullPointer, steps: vec![sorted], thrown: None };
    build.check_body(
        Vec::new(),
        ending,
        expect![[r#"
            ArrayList<Object> arrayList = new ArrayList<>();
            // Broken contract: no NullPointerException without a null argument.
            // Perhaps a bug: nobody passed null, so the null is the code's own.
            arrayList.sort(null);
        "#]],
    );
}

#[test]
fn what_the_declared_type_of_a_receiver_throws_is_declared() {
    let mut build = Build::default();
    let open = build.call_lists("open", "()Ljava/util/List;", &[]);
    let flush = Operation::Call {
        class: ClassName::internal("java/util/ArrayList"),
        name: "flush".into(),
        descriptor: MethodDescriptor::parse("()I").unwrap(),
        interface: false,
    };
    let flushed = build.push(flush, &[open]);
    let source = build.source(
        vec![Check { step: flushed, expected: Expected::Int(7) }],
        Ending::Returns,
        Framework::JUnit5,
    );
    assert!(source.contains("void works() throws Exception {"), "{source}");
    assert!(source.contains("assertEquals(7, Lists.open().flush());"), "{source}");
}

#[test]
fn a_test_goes_on_after_a_call_that_throws() {
    let mut build = Build::default();
    let list = build.new_list();
    let item = build.boxed(3);
    let failed = build.call("add", "(Ljava/lang/Object;)Z", &[list, item]);
    let again = build.call("add", "(Ljava/lang/Object;)Z", &[list, item]);
    let class = ClassName::internal("java/lang/IllegalStateException");
    build.caught = vec![Caught { step: failed, class, message: Some("full".into()) }];
    build.check_body(
        vec![Check { step: again, expected: Expected::Boolean(true) }],
        Ending::Returns,
        expect![[r#"
            ArrayList<Integer> arrayList = new ArrayList<>();
            try {
            arrayList.add(3);
            fail("IllegalStateException expected");
            } catch (IllegalStateException expected) {
            assertEquals("full", expected.getMessage());
            }
            assertTrue(arrayList.add(3));
        "#]],
    );
}

#[test]
fn what_a_catch_would_swallow_or_a_compiler_refuse_is_asserted() {
    let mut build = Build::default();
    let list = build.new_list();
    let item = build.boxed(3);
    for class in ["java/lang/AssertionError", "java/io/IOException"] {
        let step = build.call("add", "(Ljava/lang/Object;)Z", &[list, item]);
        build.caught.push(Caught { step, class: ClassName::internal(class), message: None });
    }
    build.call("add", "(Ljava/lang/Object;)Z", &[list, item]);
    build.check_body(
        Vec::new(),
        Ending::Returns,
        expect![[r#"
            ArrayList<Integer> arrayList = new ArrayList<>();
            assertThrows(AssertionError.class, () -> arrayList.add(3));
            assertThrows(IOException.class, () -> arrayList.add(3));
            arrayList.add(3);
        "#]],
    );
}

#[test]
fn calls_that_throw_share_their_receiver() {
    let mut build = Build::default();
    let mut tests = Vec::new();
    for (name, index) in [("three", 3), ("four", 4)] {
        let list = build.new_of("shop/Till");
        let index = build.boxed(index);
        build.ring("(Ljava/lang/Integer;)I", list, index);
        let class = ClassName::internal("java/lang/IllegalStateException");
        tests.push(build.case(name, Vec::new(), Ending::Throws { class, message: None }));
    }
    let cases = vec!["three".into(), "four".into()];
    let groups = vec![Group { name: "ring".into(), cases }];
    let class = TestClass { name: "CartProbatTest".into(), tests, groups, ..TestClass::default() };
    let style = Style { framework: Framework::JUnit5, marker: "probat".into() };
    let source = test_class_source(&class, &build.table, &Small, &style).text;
    let body: String =
        source.lines().skip_while(|line| !line.contains("void ring")).collect::<Vec<_>>().join("\n");
    expect![[r#"
            void ring() {
                Till till = new Till();
                assertThrows(IllegalStateException.class, () -> till.ring((Integer) 3));

                assertThrows(IllegalStateException.class, () -> till.ring((Integer) 4));
            }
        }"#]]
    .assert_eq(&body);
}

#[test]
fn cases_of_a_group_share_a_method() {
    let mut build = Build::default();
    let mut tests = Vec::new();
    for name in ["empty", "emptyToo"] {
        let list = build.new_list();
        let size = build.call("size", "()I", &[list]);
        tests.push(build.case(name, vec![Check { step: size, expected: Expected::Int(0) }], Ending::Returns));
    }
    let list = build.new_list();
    let three = build.literal(Literal::Int(3));
    build.call("get", "(I)Ljava/lang/Object;", &[list, three]);
    let class = ClassName::internal("java/lang/IndexOutOfBoundsException");
    tests.push(build.case("outside", Vec::new(), Ending::Throws { class, message: Some("Index 3".into()) }));
    let cases = vec!["empty".into(), "emptyToo".into(), "outside".into(), "gone".into()];
    let groups = vec![Group { name: "size".into(), cases }];
    let class = TestClass { name: "CartProbatTest".into(), tests, groups, ..TestClass::default() };
    let style = Style { framework: Framework::JUnit5, marker: "probat".into() };
    let source = test_class_source(&class, &build.table, &Small, &style);
    expect![[r#"
        // probat

        import static org.junit.jupiter.api.Assertions.assertEquals;
        import static org.junit.jupiter.api.Assertions.assertThrows;

        import java.util.ArrayList;
        import org.junit.jupiter.api.Test;

        class CartProbatTest {
            @Test
            void size() {
                assertEquals(0, new ArrayList<>().size());
                assertEquals(0, new ArrayList<>().size());

                ArrayList<Object> arrayList = new ArrayList<>();
                assertEquals("Index 3",
                        assertThrows(IndexOutOfBoundsException.class, () -> arrayList.get(3)).getMessage());
            }
        }
    "#]]
    .assert_eq(&source.text);
    let lines: Vec<&str> = source.text.lines().collect();
    let of_case = |name: &str| {
        let place = source.places.iter().find(|place| place.name == name).unwrap();
        lines[place.lines.end - 2]
    };
    assert!(of_case("emptyToo").contains("assertEquals(0"));
    assert!(of_case("outside").contains("assertThrows"));
}

#[test]
fn what_a_protected_method_elsewhere_overrides_is_called_through_its_own_class() {
    let mut build = Build::default();
    let till = build.new_of("mall/Till");
    let (class, descriptor) = (ClassName::internal("shop/Till"), MethodDescriptor::parse("()I").unwrap());
    let audit = Operation::Call { class, name: "audit".into(), descriptor, interface: false };
    let sum = build.push(audit, &[till]);
    let checks = vec![Check { step: sum, expected: Expected::Int(2) }];
    let source = build.source(checks, Ending::Returns, Framework::JUnit5);
    assert!(source.contains("assertEquals(2, ((shop.Till) new Till()).audit());"), "{source}");
}
