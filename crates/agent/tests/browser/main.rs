//! The page for browsers at the running agent: as octets of HTTP, and in real browsers.

mod configuration;
mod devices;
mod groups;
mod happenings;
mod objects;
mod raw;
mod real;
mod rows;
mod sessions;
mod streams;
