//! What is asked of who takes part: [`generator`] for those who ask (the
//! manager), [`originator`] for those who notify, [`responder`] for those who
//! answer (the agent). All are without I/O; request-ids, windows, time-outs and
//! retries are the client's, retrieval is the tree's.

pub mod generator;
pub mod manager;
pub mod originator;
pub mod responder;
