//! The sockets that subagents connect to, as the configuration lists them.

use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use trunkline_admin::AGENTX_SERVED;
use trunkline_agentx::wire::CloseReason;
use trunkline_config::{AgentxPlan, Plan};
use trunkline_credentials::secure::{self, SecureError};
use trunkline_local::{Endpoint, LocalError, PlainListener, SocketRights};
use trunkline_smi::Oid;

use super::Master;

/// The sockets that subagents connect to.
pub struct SubagentListeners {
    master: Arc<Master>,
    /// The row of AGENTX-MIB in sysORTable.
    row: Option<u32>,
    runtime: Handle,
    open: Vec<Open>,
}

/// A socket that is served. Dropping it closes the socket and all connections.
struct Open {
    /// As it is configured.
    endpoint: Endpoint,
    rights: SocketRights,
    task: JoinHandle<()>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Sockets that are bound and not yet served.
pub struct PreparedListeners {
    fresh: Vec<(Endpoint, PlainListener)>,
    rights: Option<SocketRights>,
}

impl SubagentListeners {
    /// None yet.
    pub fn new(master: Arc<Master>, runtime: Handle) -> Self {
        SubagentListeners { master, row: None, runtime, open: Vec::new() }
    }

    /// Binds what the plan lists and is not open; nothing that is open changes.
    ///
    /// # Errors
    /// All sockets that cannot be had.
    pub fn prepare(&self, plan: &Plan) -> Result<PreparedListeners, Vec<SecureError>> {
        let is_open = |endpoint: &Endpoint| self.open.iter().any(|open| open.endpoint == *endpoint);
        PreparedListeners::bind(plan, is_open, None)
    }

    /// Serves what was prepared, and closes what the plan does not list any more. Returns what was opened.
    pub fn apply(&mut self, plan: &Plan, prepared: PreparedListeners) -> Vec<Endpoint> {
        self.master.set_serving(plan.agentx.is_some());
        let Some(plan) = &plan.agentx else {
            self.master.close_all(CloseReason::Shutdown);
            self.open.clear();
            if let Some(row) = self.row.take() {
                self.master.serve_no_more(row);
            }
            return Vec::new();
        };
        if self.row.is_none() {
            let (identity, description) = AGENTX_SERVED;
            self.row = self.master.serve_row(&Oid::EMPTY.child(identity), description);
        }
        self.master.set_timeout(plan.timeout);
        self.open.retain(|open| plan.listen.contains(&open.endpoint));
        let Some(rights) = prepared.rights else { return Vec::new() };
        for open in self.open.iter_mut().filter(|open| open.rights != rights) {
            if let Endpoint::Unix(path) = &open.endpoint
                && let Err(error) = rights.apply(path)
            {
                tracing::error!(%error, "the rights of {} stay as they were", open.endpoint);
                continue;
            }
            open.rights = rights.clone();
        }
        let mut opened = Vec::new();
        for (endpoint, listener) in prepared.fresh {
            opened.push(listener.endpoint().clone());
            let task = self.runtime.spawn(self.master.clone().serve(listener));
            self.open.push(Open { endpoint, rights: rights.clone(), task });
        }
        opened
    }

    /// Tells all subagents that the agent ends.
    pub fn finish(&mut self) {
        self.master.close_all(CloseReason::Shutdown);
        self.open.clear();
    }
}

/// Whether the sockets of a plan can have the owners that they are to have: only root gives them to others.
///
/// # Errors
/// The sockets that cannot.
pub fn check_owners(plan: &Plan) -> Result<(), Vec<SecureError>> {
    let Some(plan) = plan.agentx.as_ref().filter(|_| !rustix::process::geteuid().is_root()) else {
        return Ok(());
    };
    let rights = rights(plan).map_err(|error| vec![error])?;
    let groups = rustix::process::getgroups().unwrap_or_default();
    let own_group = rustix::process::getegid();
    let is_ours = |group: u32| own_group.as_raw() == group || groups.iter().any(|own| own.as_raw() == group);
    let why = if rights.user.is_some_and(|user| rustix::process::geteuid().as_raw() != user) {
        "only root can give it to the user of socket-user: leave the key out, or start the agent as root with user in [agent]"
    } else if rights.group.is_some_and(|group| !is_ours(group)) {
        "the agent's user is not in the group of socket-group: add it with usermod -a -G GROUP USER"
    } else {
        return Ok(());
    };
    let refused = |endpoint: &Endpoint| match endpoint {
        Endpoint::Unix(path) => {
            Some(LocalError::Bind { path: path.clone(), source: std::io::Error::other(why) }.into())
        }
        Endpoint::Tcp(_) => None,
    };
    let errors: Vec<SecureError> = plan.listen.iter().filter_map(refused).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

impl PreparedListeners {
    /// Binds all that the plan lists, as root if the agent was started so. `owner` is the user and group that the agent
    /// changes to: sockets, and folders that are made for them, are theirs. Must be called on a tokio runtime.
    ///
    /// # Errors
    /// All sockets that cannot be had.
    pub fn at_start(plan: &Plan, owner: Option<(u32, u32)>) -> Result<Self, Vec<SecureError>> {
        PreparedListeners::bind(plan, |_| false, owner)
    }

    fn bind(
        plan: &Plan,
        is_open: impl Fn(&Endpoint) -> bool,
        owner: Option<(u32, u32)>,
    ) -> Result<Self, Vec<SecureError>> {
        let Some(plan) = &plan.agentx else {
            return Ok(PreparedListeners { fresh: Vec::new(), rights: None });
        };
        let rights = rights(plan).map_err(|error| vec![error])?;
        let theirs = SocketRights {
            user: rights.user.or(owner.map(|(user, _)| user)),
            group: rights.group.or(owner.map(|(_, group)| group)),
            ..rights
        };
        let (mut fresh, mut errors) = (Vec::new(), Vec::new());
        for endpoint in plan.listen.iter().filter(|endpoint| !is_open(endpoint)) {
            let made = match endpoint {
                Endpoint::Unix(path) => {
                    path.parent().map_or(Ok(()), |folder| make_folder(folder, plan, owner))
                }
                Endpoint::Tcp(_) => Ok(()),
            };
            match made.and_then(|()| PlainListener::bind(endpoint, &theirs)) {
                Ok(listener) => fresh.push((endpoint.clone(), listener)),
                Err(error) => errors.push(SecureError::from(error)),
            }
        }
        if errors.is_empty() { Ok(PreparedListeners { fresh, rights: Some(rights) }) } else { Err(errors) }
    }
}

fn rights(plan: &AgentxPlan) -> Result<SocketRights, SecureError> {
    Ok(SocketRights {
        mode: plan.socket_mode,
        user: plan.socket_user.as_deref().map(secure::user_id).transpose()?,
        group: plan.socket_group.as_deref().map(secure::group_id).transpose()?,
    })
}

/// The folder of a socket, if there is none.
fn make_folder(folder: &Path, plan: &AgentxPlan, owner: Option<(u32, u32)>) -> Result<(), LocalError> {
    if folder.is_dir() {
        return Ok(());
    }
    let made = std::fs::DirBuilder::new().recursive(true).mode(plan.directory_mode).create(folder);
    let made = made.and_then(|()| match owner {
        Some((user, group)) => std::os::unix::fs::chown(folder, Some(user), Some(group)),
        None => Ok(()),
    });
    made.map_err(|source| LocalError::Bind { path: folder.to_path_buf(), source })
}
