package shop;

/** What a price becomes. */
public interface Discount {
    Money apply(Money price);

    static Discount none() {
        return price -> price;
    }

    default Discount then(Discount next) {
        return price -> next.apply(apply(price));
    }
}
