//! What monitoring systems ask of a Linux server: the tables of docs/monitoring, Prometheus' exporter and the plugins
//! that Icinga and Nagios run.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod exporter;
mod pages;
mod plugins;
mod world;
