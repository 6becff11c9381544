//! What a printed test class looks like.

#![allow(clippy::unwrap_used)]

use expect_test::{Expect, expect};
use probat_emit::{Check, Ending, Expected, Framework, Scope, Style, TestCase, TestClass, test_class_source};
use probat_model::{
    ClassName, Literal, MethodDescriptor, Operation, OperationTable, Sequence, StepId, StubBehaviour,
    StubMethod, StubSpec, Type,
};

/// A world in which `ArrayList` is a `List`, `remove` is overloaded and `Hidden` is an inaccessible `List`.
struct Small;

impl Scope for Small {
    fn is_subtype(&self, sub: &Type, of: &Type) -> bool {
        let below = |sub: &str, of: &str| (Type::class(sub), Type::class(of));
        sub == of
            || *of == Type::class("java/lang/Object")
            || [below("java/util/ArrayList", "java/util/List")].contains(&(sub.clone(), of.clone()))
    }

    fn nameable(&self, class: &ClassName, _package: &str) -> ClassName {
        if class.simple() == "Hidden" { ClassName::internal("java/util/List") } else { class.clone() }
    }

    fn source_name(&self, class: &ClassName) -> String {
        class.to_binary().replace('$', ".")
    }

    fn is_overloaded(&self, operation: &Operation) -> bool {
        matches!(operation, Operation::Call { name, .. } if name == "remove")
    }

    fn checked(&self, operation: &Operation) -> Vec<ClassName> {
        match operation {
            Operation::Call { name, .. } if name == "close" => {
                vec![ClassName::internal("java/io/IOException")]
            }
            _ => Vec::new(),
        }
    }

    fn is_generic(&self, class: &ClassName) -> bool {
        class.as_internal().starts_with("java/util/")
    }

    fn is_deprecated(&self, _operation: &Operation) -> bool {
        false
    }
}

#[derive(Default)]
struct Build {
    table: OperationTable,
    sequence: Sequence,
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
        let class = ClassName::internal("java/util/ArrayList");
        self.push(Operation::Construct { class, descriptor: MethodDescriptor::parse("()V").unwrap() }, &[])
    }

    fn call(&mut self, name: &str, descriptor: &str, args: &[StepId]) -> StepId {
        let class = ClassName::internal("java/util/List");
        let descriptor = MethodDescriptor::parse(descriptor).unwrap();
        self.push(Operation::Call { class, name: name.into(), descriptor, interface: true }, args)
    }

    fn boxed(&mut self, value: i32) -> StepId {
        let inside = self.literal(Literal::Int(value));
        self.push(Operation::Convert { from: Type::Int, to: Type::class("java/lang/Integer") }, &[inside])
    }

    fn check(self, checks: Vec<Check>, ending: Ending, framework: Framework, expected: Expect) {
        let case = TestCase {
            name: "works".into(),
            steps: self.sequence.steps().to_vec(),
            checks,
            ending,
            notes: Vec::new(),
        };
        let class = TestClass {
            package: "shop".into(),
            name: "CartProbatTest".into(),
            about: Vec::new(),
            tests: vec![case],
        };
        let style = Style { framework, marker: "probat".into() };
        let (source, refused) = test_class_source(&class, &self.table, &Small, &style);
        assert_eq!(refused, []);
        expected.assert_eq(&source);
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

            @SuppressWarnings({"rawtypes", "unchecked"})
            class CartProbatTest {
                @Test
                void works() {
                    ArrayList arrayList = new ArrayList();
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

            @SuppressWarnings({"rawtypes", "unchecked"})
            public class CartProbatTest {
                @Test
                public void works() {
                    ArrayList arrayList = new ArrayList();
                    IndexOutOfBoundsException thrown = assertThrows(IndexOutOfBoundsException.class, () -> arrayList.get(3));
                    assertEquals("Index 3", thrown.getMessage());
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

            import java.util.Comparator;
            import java.util.List;
            import org.junit.jupiter.api.Test;

            @SuppressWarnings({"rawtypes", "unchecked"})
            class CartProbatTest {
                @Test
                void works() throws Exception {
                    List hidden = Lists.hidden();
                    hidden.sort((Comparator) (a, b) -> -1);
                    hidden.close();
                    assertEquals(7, (Object) hidden.get(0));
                }
            }
        "#]],
    );
}
