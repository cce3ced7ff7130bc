//! What is asked of who takes part: [`generator`] for those who ask (the
//! manager), [`responder`] for those who answer (the agent). Both are without
//! I/O and without state of their own; request-ids, windows, time-outs and
//! retries are the client's, retrieval is the tree's.

pub mod generator;
pub mod responder;
