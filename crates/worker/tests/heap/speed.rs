//! How long a state takes: `cargo test --release -p probat-worker --test heap -- speed`.

use std::time::Instant;

use crate::bed::Bed;

/// Prints nanoseconds per state, best of several rounds.
pub fn measure(bed: &mut Bed<'_, '_>) {
    for name in ["treeMap", "arrayList", "hashMap", "linkedList", "identityKeys", "everything"] {
        let value = bed.make(name);
        let tokens = bed.read(&[value]).tokens;
        let mut best = f64::MAX;
        for _ in 0..20 {
            let start = Instant::now();
            for _ in 0..2000 {
                bed.read(&[value]);
            }
            best = best.min(start.elapsed().as_nanos() as f64 / 2000.0);
        }
        println!("{name}: {best:.0} ns for {tokens} tokens, {} bytes", bed.reader.bytes().len());
    }
}
