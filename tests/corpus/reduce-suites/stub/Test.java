package org.testng.annotations;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands for the other framework, which is not needed to know its tests. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Test {}
