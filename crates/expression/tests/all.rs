//! All tests of the room.

mod bounds;
mod properties;
mod sheet;
mod syntax;
mod values;
