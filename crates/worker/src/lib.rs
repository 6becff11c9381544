//! Placeholder, filled next.

pub mod heap;
