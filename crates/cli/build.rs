//! Exports the entry point of the statically linked JVMTI agent, which the VM looks up in the executable.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-arg-bins=-Wl,--export-dynamic-symbol=Agent_OnLoad_probat");
}
