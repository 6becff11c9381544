package hierarchy;

interface Root { default String who() { return "Root"; } }
interface Left extends Root { default String who() { return "Left"; } }
interface Right extends Root { }
interface OtherWho { default String who() { return "Other"; } }

class Both implements Left, Right { }
class Base { public String name() { return "Base"; } String hidden() { return "Base"; } private void secret() { } static int count; }
class Derived extends Base implements Named { public String name() { return "Derived"; } public String own() { return super.name(); } }
interface Named { String name(); int LIMIT = 7; }
class Inherits extends Base implements Named { }
abstract class Half implements Named, Comparable<Half> { abstract int size(); public int compareTo(Half other) { return 0; } }

interface Shape { double area(); }
interface Sub extends Comparable<String> { int compareTo(String other); }
interface Two { void a(); void b(); }
interface WithObject { void run(); boolean equals(Object other); String toString(); }
interface Defaulted extends Two { default void b() { } }
sealed interface Closed permits Only { void act(); }
final class Only implements Closed { public void act() { } }
interface Generic<T> { T apply(T value); }
interface Narrow extends Generic<String> { String apply(String value); }
interface Nothing { }
