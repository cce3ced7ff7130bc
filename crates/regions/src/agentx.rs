//! A master of AgentX (RFC 2741): subagents connect, register subtrees and answer for them. Each subtree is a region of the
//! tree, as those of programs and of other agents are, under the same access policy.
//!
//! ```text
//! connection  octets of a subagent -> packets -> what it wants of the master (`master`), responses to requests
//! session     requests to it, within their time limits; what it does wrong is logged and costs its own subtrees
//! subagent    as regions of the tree; `audit` is what is believed of responses
//! listeners   where subagents connect
//! subagents   what all of them answer for, as parts of a tree
//! view        what AGENTX-MIB shows of it
//! ```

mod audit;
mod connection;
mod link;
mod listeners;
mod master;
mod session;
mod subagent;
mod subagents;
mod view;

pub use link::{Answer, Link, Unsent};
pub use listeners::{PreparedListeners, SubagentListeners, check_owners};
pub use master::{Hooks, Master};
pub(crate) use subagent::Subtree;
pub use subagents::Subagents;
pub use view::MasterView;
