//! Messages between supervisor and worker.
