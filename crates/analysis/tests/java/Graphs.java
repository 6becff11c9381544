package graphs;

import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

interface Animal { String sound(); }
class Dog implements Animal { public String sound() { return "wuff"; } }
class Cat implements Animal { public String sound() { return purr(); } String purr() { return "purr"; } }
class Kitten extends Cat { String purr() { return super.purr(); } }
abstract class Bird implements Animal { }
record Point(int x, Dog dog) { }

class Calls {
    static String all(Animal animal) { return animal.sound(); }
    static String one(Dog dog) { return dog.sound(); }
    static String cat(Cat cat) { return cat.sound(); }
    private void hidden() { }
    void callsHidden() { hidden(); }
    static Calls make() { return new Calls(); }
    static int[] copy(int[] numbers) { return numbers.clone(); }

    static int viaLambda() { IntSupplier supplier = () -> answer(); return supplier.getAsInt(); }
    static int answer() { return 42; }
    static String viaReference(Animal animal) { Supplier<String> supplier = animal::sound; return supplier.get(); }
    static Supplier<Dog> viaConstructor() { return Dog::new; }
    static Object apply(Function<Object, Object> function) { return function.apply(null); }
    static Object passes() { return apply(value -> value); }
    static String concat(Dog dog, Animal animal, int number, String text) { return dog + ":" + animal + number + text; }
    static int hash(Point point) { return point.hashCode(); }
    static boolean even(int n) { return n == 0 || odd(n - 1); }
    static boolean odd(int n) { return n != 0 && even(n - 1); }
}

class Holder { static int value = Calls.answer(); static int get() { return value; } }
class Toucher { static int touch() { return Holder.get(); } }
