//! Lets the tests of this crate export the agent's entry point, as the product's executable does.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-arg-tests=-Wl,--export-dynamic-symbol=Agent_OnLoad_probat");
}
