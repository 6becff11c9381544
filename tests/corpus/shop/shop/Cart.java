package shop;

import java.util.LinkedHashMap;
import java.util.Map;

/** What a customer carries. */
public class Cart {
    private final Map<String, Line> lines = new LinkedHashMap<>();
    private Discount discount = Discount.none();
    private State state = State.OPEN;

    /** Where a cart is in its life. */
    public enum State { OPEN, PAID, ABANDONED }

    /** One article and how often. */
    public static final class Line {
        private final String article;
        private final Money price;
        private int number;

        Line(String article, Money price, int number) {
            this.article = article;
            this.price = price;
            this.number = number;
        }

        public String article() {
            return article;
        }

        public int number() {
            return number;
        }

        public Money total() {
            return price.times(number);
        }
    }

    public Line add(String article, Money price, int number) {
        check();
        if (article.isEmpty()) {
            throw new IllegalArgumentException("no article");
        }
        if (number <= 0) {
            throw new IllegalArgumentException("number: " + number);
        }
        Line line = lines.get(article);
        if (line == null) {
            line = new Line(article, price, number);
            lines.put(article, line);
        } else {
            line.number += number;
        }
        return line;
    }

    public boolean remove(String article) {
        check();
        return lines.remove(article) != null;
    }

    public void setDiscount(Discount discount) {
        this.discount = discount;
    }

    public Money total(Currency currency) {
        Money sum = new Money(0, currency);
        for (Line line : lines.values()) {
            sum = sum.plus(line.total());
        }
        return discount.apply(sum);
    }

    public void pay() {
        check();
        state = lines.isEmpty() ? State.ABANDONED : State.PAID;
    }

    public State state() {
        return state;
    }

    public int size() {
        return lines.size();
    }

    public boolean isEmpty() {
        return lines.isEmpty();
    }

    private void check() {
        if (state != State.OPEN) {
            throw new IllegalStateException("the cart is " + state.name().toLowerCase(java.util.Locale.ROOT));
        }
    }
}
