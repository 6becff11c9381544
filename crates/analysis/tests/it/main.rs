//! Analyses of small Java sources with expectations written by hand, and of whole libraries without a crash.
//!
//! The sources in `tests/java` are compiled once per run with the `javac` of a JDK found by `PROBAT_TEST_JDKS`,
//! `JAVA_HOME`, the path or the usual folders. Libraries are those that `PROBAT_TEST_JARS` lists.

#![allow(clippy::unwrap_used)] // helpers of tests fail by panicking

mod effects;
mod fields;
mod graphs;
mod hierarchy;
mod libraries;
mod literals;
mod members;
mod nondeterminism;
mod support;
