//! What the papers printed, as code and constants: each paper a file, so that the
//! report can set like beside like.

pub mod du2001;
pub mod ma2005;
pub mod marinov2006;
pub mod pras2005;
