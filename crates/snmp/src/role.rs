//! The roles of the protocol: [`generator`] for those that send requests (the manager), [`originator`] for those
//! that notify, [`responder`] for those that answer (the agent). All are without I/O; request-ids, windows,
//! time-outs and retries belong to the client, retrieval to the tree.

pub mod generator;
pub mod manager;
pub mod originator;
pub mod responder;
