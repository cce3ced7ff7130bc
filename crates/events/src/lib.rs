//! DISMAN-EVENT-MIB (RFC 2981): objects of this agent that are sampled, and what happens when they change or cross
//! limits: a notification, or a set.
//!
//! `group` serves the tables, which hold the configuration's rows (`configured`) and those of managers. `definition`
//! reads the active rows. `engine` has a task for each trigger, which samples its object by the rights of whoever
//! activated the row; `sampler` finds what the samples mean, and `fire` does what the event says. `expressions` has
//! DISMAN-EXPRESSION-MIB (RFC 2982), whose values triggers may sample as they do any other object.

mod authority;
mod columns;
mod configured;
mod definition;
mod engine;
mod expiry;
mod expressions;
mod fire;
mod group;
mod limits;
mod resources;
mod sampler;
mod shared;
mod task;

pub use engine::Engine;
pub use expiry::{Expiry, Lasting};
pub use expressions::{
    EXPRESSION_VALUES, EXPRESSIONS, ExpressionEngine, ExpressionValues, ExpressionsGroup, Inputs,
};
pub use group::{EVENTS, EventsGroup};
