//! A few hundred sequences of all sorts: what a search would try, and what it had better not.

use probat_model::{Literal, Operation, StepId, Type};
use probat_protocol::Item;

use super::bed::Bed;
use super::script::{Arg, Script};

/// How often a group of sequences is repeated, each time with other numbers.
const ROUNDS: i32 = 12;

/// Sequences that leave something behind, throw, run long, print, count, hash and cast; a few stop their worker.
pub fn mixed(bed: &mut Bed) -> Vec<Item> {
    let mut items = Vec::new();
    for round in 0..ROUNDS {
        ordinary(bed, round, &mut items);
        rude(bed, round, &mut items);
        if round % 6 == 3 {
            costly(bed, &mut items);
        }
    }
    items
}

fn ordinary(bed: &mut Bed, round: i32, items: &mut Vec<Item>) {
    let mut add = |build: &dyn Fn(&mut Script<'_>) -> StepId| items.push(bed.item(build));
    add(&|s| s.call("Branches.calls", &[(round - 3).into()]));
    add(&|s| s.call("Branches.pick", &[(round % 4).into()]));
    add(&|s| s.call("Branches.parse", &[if round % 2 == 0 { "17" } else { "x" }.into()]));
    add(&|s| s.call("Calm.divide", &[round.into(), (round % 3).into()]));
    add(&|s| s.call("Calm.work", &[(round * 100).into()]));
    add(&|s| s.call("Calm.next", &[]));
    add(&|s| {
        let length = s.literal(round);
        s.op(Operation::NewArray { element: Type::Int }, &[length.into()])
    });
    add(&|s| {
        let text = s.literal("text");
        s.op(Operation::Cast { to: Type::class("java/lang/Integer") }, &[text.into()])
    });
    for class in ["java/util/ArrayList", "java/util/HashSet", "java/util/LinkedList", "java/util/TreeSet"] {
        items.push(collection(bed, class, round));
    }
    items.push(identity_keys(bed, round));
    let mut script = Script::new(&mut bed.table);
    let mixed = script.construct("Mixed", &[]);
    script.call("Mixed.show", &[mixed.into()]);
    items.push(script.item_with_state(&[mixed]));
    let mut contracts = bed.item(|s| s.construct("Evil", &[]));
    contracts.observe.contracts = true;
    items.push(contracts);
}

fn collection(bed: &mut Bed, class: &str, round: i32) -> Item {
    let mut script = Script::new(&mut bed.table);
    let made = script.jdk(&format!("{class}.<init>()V"), &[]);
    for n in 0..=round % 5 {
        let boxed = script.jdk("java/lang/Integer.valueOf(I)Ljava/lang/Integer;", &[(n * 7).into()]);
        script.jdk(&format!("{class}.add(Ljava/lang/Object;)Z"), &[made.into(), boxed.into()]);
    }
    script.jdk("java/lang/String.valueOf(Ljava/lang/Object;)Ljava/lang/String;", &[made.into()]);
    let mut item = script.item_with_state(&[made]);
    item.observe.contracts = true;
    item
}

/// Keys that hash by identity, which differs from run to run.
fn identity_keys(bed: &mut Bed, round: i32) -> Item {
    let mut script = Script::new(&mut bed.table);
    let map = script.jdk("java/util/HashMap.<init>()V", &[]);
    for n in 0..=round % 4 {
        let key: Arg = script.construct("Node", &[n.into()]).into();
        let put = "java/util/HashMap.put(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;";
        script.jdk(put, &[map.into(), key, "value".into()]);
    }
    script.item_with_state(&[map])
}

fn rude(bed: &mut Bed, round: i32, items: &mut Vec<Item>) {
    let value = format!("value {round}");
    let mut add = |build: &dyn Fn(&mut Script<'_>) -> StepId| items.push(bed.item(build));
    add(&|s| s.call("Global.property", &[value.as_str().into()]));
    add(&|s| s.call("Global.readProperty", &[]));
    add(&|s| s.call("Global.locale", &[]));
    add(&|s| s.call("Calm.surroundings", &[]));
    add(&|s| s.call("Global.statics", &[]));
    add(&|s| s.call("Global.readStatics", &[]));
    add(&|s| s.call("Exits.exit", &[]));
    add(&|s| s.call("Streams.setOutNull", &[]));
    add(&|s| s.call("Threads.interruptSelf", &[]));
    add(&|s| s.call("Evil.throwMessage", &[]));
    add(&|s| {
        let null = s.op(Operation::Literal(Literal::Null(Type::class("observed/Node"))), &[]);
        s.call("Node.sum", &[null.into(), 1.into()])
    });
}

/// What costs a worker or its class loader.
fn costly(bed: &mut Bed, items: &mut Vec<Item>) {
    let calls =
        ["InitThrows.value", "Loops.endless", "Inner.throwing", "Threads.leftBehind", "Memory.direct"];
    items.extend(calls.map(|call| bed.item(|s| s.call(call, &[]))));
    items.push(bed.item(|s| s.call("Stack.deep", &[0.into()])));
}
