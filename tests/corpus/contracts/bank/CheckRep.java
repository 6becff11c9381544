package bank;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Of our own, kept in the class file only. */
@Retention(RetentionPolicy.CLASS)
public @interface CheckRep {}
