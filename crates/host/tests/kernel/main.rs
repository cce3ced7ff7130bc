//! Providers against the kernel's own view: what `ip` of iproute2 and /sys say
//! in a network namespace that the test made for itself.

mod interfaces;
mod namespace;
