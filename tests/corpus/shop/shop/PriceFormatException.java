package shop;

public class PriceFormatException extends Exception {
    private static final long serialVersionUID = 1L;

    public PriceFormatException(String message) {
        super(message);
    }
}
