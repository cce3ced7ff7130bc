//! What answers in the tree's place: programs and other agents. A subtree is a region of the tree, asked instance
//! by instance; a whole context is forwarded request by request (RFC 3413 section 3.5).

mod agentx;
mod complaints;
mod context_tree;
mod contexts;
mod handler;
mod hold_off;
mod lines;
mod parts;
mod pass;
mod persist;
mod proxy;
mod proxy_forwarder;
mod refusal;
mod remote;
#[doc(hidden)]
pub mod value;
mod watched;

pub use agentx::{
    Answer as AgentxAnswer, Hooks as MasterHooks, Link as AgentxLink, Master, MasterView, PreparedListeners,
    SubagentListeners, Subagents, Unsent as AgentxUnsent, check_owners,
};
pub use context_tree::context_under_policy;
pub use contexts::{ContextProxy, Forwarder, Forwarding, Proxies};
pub use handler::{Asking, RegionFailed, RegionHandler, Together};
pub use parts::{PartsError, RegionParts};
pub use remote::RemoteError;
pub use watched::watch_options;
