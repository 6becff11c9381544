//! Lets the tests and examples of this crate export the agent's entry point, as the product's executable does.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for target in ["tests", "examples"] {
        println!("cargo:rustc-link-arg-{target}=-Wl,--export-dynamic-symbol=Agent_OnLoad_probat");
    }
}
