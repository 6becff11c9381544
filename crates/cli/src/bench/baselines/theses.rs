//! Figures of the theses, to stand beside ours: other code, other machines, other years.
//!
//! In: nothing. Out: rows as the sources print them (spec 001 §3.2–3.4, spec 004 §6.1).

/// Block coverage of spec 001 §3.2: container, and the ratio with and without direction; 2 minutes, mean of 10 seeds.
pub const CONTAINERS: [(&str, f64, f64); 4] =
    [("BinTree", 0.78, 0.78), ("BHeap", 0.95, 0.86), ("FibHeap", 1.0, 0.98), ("TreeMap", 0.72, 0.68)];

/// Directed, spec 001 §3.3: library, classes, methods, tests, violating tests, classes of failures; 2 minutes each, JDK 1.5.
pub const LIBRARIES: [(&str, u64, u64, u64, u64, u64); 8] = [
    ("java.util", 204, 1019, 22_474, 298, 20),
    ("javax.xml", 68, 437, 15_311, 315, 12),
    ("chain", 59, 226, 35_766, 1226, 20),
    ("collections", 402, 2412, 16_740, 188, 67),
    ("jelly", 99, 724, 18_846, 1484, 78),
    ("logging", 9, 140, 764, 0, 0),
    ("math", 111, 910, 3_049, 27, 9),
    ("primitives", 294, 1908, 49_789, 119, 13),
];

/// Spec 001 §3.4: library, failing tests and errors of a random walk, bottom-up with legality, directed; 10^8 operations each.
pub const DEPTH: [(&str, [u64; 3], [u64; 3]); 5] = [
    ("java.util", [2_700, 4_400, 19_000], [20, 21, 27]),
    ("collections", [11_000, 8_300, 13_000], [28, 37, 48]),
    ("primitives", [2_300, 860, 1_900], [16, 13, 19]),
    ("trove", [110_000, 140_000, 330_000], [20, 27, 27]),
    ("jace", [6_400, 6_400, 7_500], [15, 15, 26]),
];

/// Statement coverage of spec 004 §6.1 in percent, and tests: library, lines, undirected, feedback, adaptive, RecGen; 2 minutes each.
pub const RECGEN: [(&str, u64, [f64; 4], [u64; 4]); 3] = [
    ("Berkeley DB", 29_835, [11.0, 37.4, 24.2, 48.4], [100_077, 10_061, 12_267, 13_805]),
    ("JDSL", 3_925, [23.2, 45.5, 35.2, 58.9], [99_964, 13_957, 2_409, 12_806]),
    ("JScience", 5_916, [37.7, 56.1, 56.0, 64.9], [99_977, 4_362, 3_607, 13_413]),
];
