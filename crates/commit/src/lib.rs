//! The configuration that clients edit: `running` and `candidate` (RFC 6241 sections 5.1 and 8.3), and how a change of `running` is
//! applied to the machine, to the agent's own objects and to the disk, wholly or not at all.
//!
//! Who has locked what of them stands in the [`register`] of sessions.
//!
//! What is kept is `running`. While a change is applied, and until a confirmed commit is confirmed, what is being applied is kept
//! too: an agent that finds that at its start takes it back.

mod administration;
mod apply;
pub mod audit;
mod authors;
mod confirmed;
mod elsewhere;
mod hooks;
mod kept;
pub mod keyring;
mod machine;
mod newcomers;
pub mod paths;
mod plan;
mod rbac;
mod rbac_size;
pub mod register;
mod roots;
mod snmp;
mod state;
mod stored;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use arc_swap::ArcSwapOption;
use tokio::sync::{Mutex, MutexGuard};
use trunkline_admin::{Flush, StateError, SystemGroup};
use trunkline_config::NetconfPlan;
use trunkline_datastore::{Branch, Change, Config, Item, Step, changes, check_change};
use trunkline_host::{HostOptions, InterfaceState};
use trunkline_models::snmp::SnmpState;
use trunkline_nacm::Rbac;
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_smi::{Oid, Value};
use trunkline_yang::forest::{Forest, NodeId};

pub use self::administration::Administration;
use self::confirmed::lasting;
pub use self::confirmed::{Confirmed, Timer, Trial, is_of_rights, role_roots, try_again};
pub use self::elsewhere::Unfit;
use self::hooks::Hooks;
pub use self::hooks::Known;
pub use self::hooks::check_plan as check_hooks;
use self::kept::{Held, Kept};
use self::keyring::Keyring;
pub use self::newcomers::{Come, Newcomers};
use self::plan::Changed;
pub use self::rbac::{
    Contradiction, FileRoles, FindSubtrees, Interfaces, PathOfPermission, RbacSource, kept_rbac,
};
use self::roots::{SYSTEM, tree_roots, without_tree};
pub use self::snmp::SnmpSource;
pub use self::state::State;
use self::state::Writes;
pub use self::stored::{NotAccepted, Stored};
use trunkline_core::{Core, Touched};

/// All datastores.
pub struct Datastores {
    host: HostOptions,
    /// Knows what the configuration file sets.
    system: Option<Arc<SystemGroup>>,
    /// The rows of SNMP's tables.
    snmp: Option<Arc<SnmpSource>>,
    /// The access policy.
    rbac: Option<Arc<RbacSource>>,
    kept: Kept,
    hooks: Hooks,
    is_restored: AtomicBool,
    /// What is kept could not be read, and must not be replaced.
    is_unread: AtomicBool,
    /// What readers get while programs work, which may take long: running and the candidate as they were before.
    meanwhile: ArcSwapOption<[Config; 2]>,
    keyring: Keyring,
    stored: Arc<Stored>,
    writes: Arc<Writes>,
    state: Mutex<State>,
}

/// As long as it is there, nobody who only reads waits for the datastores.
pub struct Meanwhile<'d>(&'d ArcSwapOption<[Config; 2]>);

impl Drop for Meanwhile<'_> {
    fn drop(&mut self) {
        self.0.store(None);
    }
}

impl Datastores {
    /// Reads what is kept; applies nothing.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn open(directory: &Path, host: HostOptions) -> Result<Self, StateError> {
        let kept = Kept::open(directory)?;
        let stored = Arc::new(Stored::open(directory)?);
        let (is_restored, state) = (AtomicBool::new(false), State::default());
        let writes = state.writes.clone();
        let hooks = Hooks::default();
        let is_unread = AtomicBool::new(false);
        let meanwhile = ArcSwapOption::empty();
        Ok(Datastores {
            host,
            system: None,
            snmp: None,
            rbac: None,
            kept,
            hooks,
            is_restored,
            is_unread,
            meanwhile,
            keyring: Keyring::default(),
            stored,
            writes,
            state: Mutex::new(state),
        })
    }

    /// Applies another configuration of the agent: with which programs.
    pub fn configure(&self, plan: Option<&NetconfPlan>) {
        self.hooks.configure(plan);
    }

    /// The same with the group that knows what the configuration file sets.
    #[must_use]
    pub fn with_system(self, system: Arc<SystemGroup>) -> Self {
        Datastores { system: Some(system), ..self }
    }

    /// The same with what `/snmp` lies over.
    #[must_use]
    pub fn with_snmp(self, snmp: Arc<SnmpSource>) -> Self {
        Datastores { snmp: Some(snmp), ..self }
    }

    /// The same with what `/rbac` lies over.
    #[must_use]
    pub fn with_rbac(self, rbac: Arc<RbacSource>) -> Self {
        Datastores { rbac: Some(rbac), ..self }
    }

    /// The access policy: what is configured of it as data, and the keys of roles.
    pub const fn rbac(&self) -> Option<&Arc<RbacSource>> {
        self.rbac.as_ref()
    }

    /// What `/snmp` lies over now; nothing without it.
    pub fn snmp(&self) -> SnmpState {
        self.snmp.as_ref().map(|snmp| snmp.state()).unwrap_or_default()
    }

    /// Whether the configuration file sets a leaf of `/system`.
    pub fn is_fixed(&self, leaf: &str) -> bool {
        let object = match leaf {
            "contact" => "sysContact",
            "hostname" => "sysName",
            "location" => "sysLocation",
            _ => return false,
        };
        self.system.as_ref().is_some_and(|system| system.is_fixed(object))
    }

    /// Whether what is kept can be read.
    ///
    /// # Errors
    /// It cannot.
    pub fn check(directory: &Path) -> Result<(), StateError> {
        Kept::open(directory)?;
        Stored::open(directory).map(drop)
    }

    /// Whether there is something to restore.
    pub fn has_kept(&self) -> bool {
        self.kept.is_any()
    }

    /// Applies what an earlier process has kept, once, and takes back what was not finished. What the machine refuses is left out, and the
    /// log says so.
    pub async fn restore(&self, core: &Core, forest: &Forest) {
        let mut state = self.state.lock().await;
        if self.is_restored.swap(true, Relaxed) || self.kept.is_ours() {
            return;
        }
        let file = self.kept.path();
        let Held { running, unfinished, machine } = match self.kept.read(forest) {
            Ok((held, errors)) => {
                for error in &errors {
                    tracing::error!(file = %file.display(), %error, "a part of the kept configuration is not applied");
                }
                if !errors.is_empty() && !self.set_aside() {
                    self.is_unread.store(true, Relaxed);
                    return;
                }
                held
            }
            Err(error) => {
                self.is_unread.store(true, Relaxed);
                tracing::error!(file = %file.display(), %error, "the kept configuration is not applied");
                return;
            }
        };
        let wanted = without_tree(forest, &running);
        let mut parts = Vec::new();
        if let Some(unfinished) = unfinished {
            tracing::warn!(
                "a change of the configuration was not finished or not confirmed: it is taken back"
            );
            parts = self.parts_back(forest, &unfinished, &running, &machine);
        }
        // The machine may have started anew.
        parts.extend(Changed::each(forest, &self.snmp(), &Config::default(), &wanted));
        // Programs know nothing of what is kept elsewhere, and get all of it.
        parts.extend(self.calls(forest, &Config::default(), &running));
        self.apply_each(core, parts, "a part of the kept configuration cannot be applied").await;
        self.store(forest, &mut state, wanted);
        self.keep(forest, &running)
            .unwrap_or_else(|error| tracing::error!(%error, "the configuration is not kept"));
    }

    /// What of running is kept here is now this.
    fn store(&self, forest: &Forest, state: &mut State, stored: Config) {
        self.keyring.take(forest, &stored);
        state.stored = stored;
        self.writes.note_running();
    }

    /// A number that every write of running, or of the candidate, makes another one, even one that changes nothing.
    pub fn writes(&self, is_candidate: bool) -> u64 {
        self.writes.of(is_candidate)
    }

    /// The keys of messages that protect themselves.
    pub fn keyring(&self) -> &Keyring {
        &self.keyring
    }

    /// The numbers of messages that came without a session.
    pub fn stored(&self) -> &Arc<Stored> {
        &self.stored
    }

    /// Copies the kept configuration; whether that worked.
    fn set_aside(&self) -> bool {
        match self.kept.set_aside() {
            Ok(copy) => {
                tracing::error!(copy = %copy.display(), "the kept configuration, with these parts, is copied");
                true
            }
            Err(error) => {
                tracing::error!(%error, "the kept configuration cannot be copied, and is not applied");
                false
            }
        }
    }

    /// Locks the datastores against each other's changes.
    pub async fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().await
    }

    /// What is in force.
    pub async fn running(&self, core: &Core, forest: &Forest, state: &State) -> Config {
        self.running_of(core, forest, state, |_| true).await
    }

    /// What is in force of some roots: the others cost nothing.
    async fn running_of(
        &self,
        core: &Core,
        forest: &Forest,
        state: &State,
        wants: impl Fn(NodeId) -> bool,
    ) -> Config {
        let mut running = state.stored.of_roots(&wants);
        let root = trunkline_models::snmp::root(forest).filter(|root| wants(*root));
        if let (Some(snmp), Some(root)) = (&self.snmp, root) {
            let found = trunkline_models::snmp::configured(forest, &snmp.configured());
            if !found.is_empty() {
                running.root_mut().insert(Step::to(root), Item::Within(Arc::new(found)));
            }
        }
        let root = trunkline_models::delegation::root(forest).filter(|root| wants(*root));
        if let (Some(snmp), Some(root)) = (&self.snmp, root) {
            let found = trunkline_models::delegation::configured(forest, &snmp.configured());
            if !found.is_empty() {
                running.root_mut().insert(Step::to(root), Item::Within(Arc::new(found)));
            }
        }
        if trunkline_nacm::root(forest).is_some_and(&wants) {
            let groups = rbac::groups(self.rbac.as_deref(), core.settings().guard().policy());
            trunkline_nacm::configured(forest, &groups, &mut running);
        }
        let Some(system) = forest.child(None, SYSTEM).filter(|root| wants(*root)) else { return running };
        // The leaves of `/system` are objects of the tree (RFC 7317 section 4).
        let leaves = forest[system].children.iter();
        let objects: Vec<(NodeId, Oid)> = leaves
            .filter_map(|leaf| {
                let object = forest[*leaf].place.setting()?.object;
                Some((*leaf, Oid::EMPTY.child(object).child(&[0])))
            })
            .collect();
        let names: Vec<Oid> = objects.iter().map(|(_, name)| name.clone()).collect();
        let served = core.settings().served().clone();
        let found = served.read(&names).await;
        let mut branch = Branch::default();
        for (leaf, name) in &objects {
            let Some(Value::OctetString(octets)) = found.get(name) else { continue };
            // What managers set over SNMP may be no value of the leaf's type: then the leaf is not there.
            let setting = forest[*leaf].place.setting();
            let Ok(text) = std::str::from_utf8(octets) else { continue };
            if !setting.is_some_and(|it| it.value.canonical(text, |_| None).is_ok_and(|form| form == text)) {
                continue;
            }
            // sysName is the machine's own name unless somebody gave it one.
            let is_given = forest[*leaf].name != "hostname"
                || self.system.as_ref().is_some_and(|system| system.is_named());
            if !text.is_empty() && is_given {
                branch.insert(Step::to(*leaf), Item::Leaf(text.into()));
            }
        }
        if !branch.is_empty() {
            running.root_mut().insert(Step::to(system), Item::Within(Arc::new(branch)));
        }
        running
    }

    /// What running, or the candidate, is to those who only read some roots of it: while programs work on a change, what it was before.
    pub async fn read(
        &self,
        core: &Core,
        forest: &Forest,
        is_candidate: bool,
        wants: impl Fn(NodeId) -> bool,
    ) -> Config {
        let state = match self.state.try_lock() {
            Ok(state) => state,
            Err(_) => match self.meanwhile.load_full() {
                Some(before) => return before[usize::from(is_candidate)].of_roots(wants),
                None => self.state.lock().await,
            },
        };
        match &state.candidate {
            Some(candidate) if is_candidate => candidate.of_roots(wants),
            _ => self.running_of(core, forest, &state, wants).await,
        }
    }

    /// Lets readers go on with running as it is, and the candidate, while programs work.
    pub fn meanwhile(&self, running: &Config, state: &State) -> Meanwhile<'_> {
        let candidate = state.candidate.as_ref().unwrap_or(running).clone();
        self.meanwhile.store(Some(Arc::new([running.clone(), candidate])));
        Meanwhile(&self.meanwhile)
    }

    /// What is prepared.
    pub async fn candidate(&self, core: &Core, forest: &Forest, state: &State) -> Config {
        match &state.candidate {
            Some(candidate) => candidate.clone(),
            None => self.running(core, forest, state).await,
        }
    }

    /// Makes `running` another configuration. With a trial the old one stays on the disk until another change. What the new one has been given
    /// again is so afterwards, whoever has changed the machine since: leaves that somebody `may` write.
    ///
    /// # Errors
    /// Why nothing has changed.
    pub async fn change(
        &self,
        core: &Core,
        forest: &Forest,
        state: &mut State,
        new: Config,
        trial: Trial,
        may: impl Fn(&[Step]) -> bool,
    ) -> Result<(), Vec<RpcError>> {
        if self.is_unread.load(Relaxed) {
            let message =
                "the kept configuration could not be read, and would be lost: the agent's log says why";
            return Err(vec![RpcError::new(Layer::Application, Tag::OperationFailed, message)]);
        }
        let by = state.by.take();
        let old = self.running(core, forest, state).await;
        check_change(forest, &old, &new)?;
        trunkline_nacm::check(forest, &new)?;
        self.keyring.check(forest, &new)?;
        let is_trial = trial != Trial::No;
        let lasting = lasting(forest, state, &old, &new, trial);
        if trial == Trial::OfAnother {
            trunkline_nacm::check(forest, &lasting)
                .and_then(|()| self.keyring.check(forest, &lasting))
                .map_err(|errors| {
                    let why = errors.first().map(|it| it.to_string()).unwrap_or_default();
                    let message = format!(
                        "a commit waits to be confirmed, and without it this change would be wrong: {why}"
                    );
                    vec![RpcError::new(Layer::Protocol, Tag::InUse, message)]
                })?;
        }
        let _meanwhile = self.meanwhile(&old, state);
        let mut machine = state.machine.clone();
        let mut again = plan::asserted(forest, &old, &new);
        again.retain(|leaf| may(leaf));
        if old == new && !again.is_empty() {
            let changed = self.changed(forest, &old, &new, &again).map_err(|error| vec![error])?;
            self.apply(core, changed).await.map_err(|error| vec![error])?;
        }
        if old != new {
            self.ask_hooks(forest, &old, &new).await?;
            let mut changed = self.changed(forest, &old, &new, &again).map_err(|error| vec![error])?;
            let prepared = |place: &[Step]| state.authors.of(state.candidate.as_ref(), &new, place);
            changed.delegated_by(by.as_ref(), prepared).map_err(|error| vec![error])?;
            let flush = if changed.is_of_kernel_alone() { Flush::WithNext } else { Flush::Now };
            machine =
                self.machine(forest, state, &old, &changed, is_trial).await.map_err(|error| vec![error])?;
            self.kept.keep(forest, &lasting, Some(&new), &machine, flush).map_err(failed)?;
            if let Err(error) = self.apply(core, changed).await {
                // What is on the disk says what to take back, and there is nothing: it can be left there.
                let (lasting, pending) =
                    state.confirmed.as_ref().map_or((&old, None), |it| (&it.before, Some(&old)));
                state.is_unkept =
                    self.kept.keep(forest, lasting, pending, &state.machine, Flush::Now).is_err();
                return Err(vec![error]);
            }
        }
        if !is_trial && let Err(error) = self.keep(forest, &new) {
            state.is_unkept = true;
            let mut errors = failed(error);
            errors.extend(self.turn_back(core, forest, &new, &old, &machine).await.err());
            return Err(errors);
        }
        if let Some(confirmed) = &mut state.confirmed {
            confirmed.before = lasting;
        }
        state.machine = if is_trial { machine } else { Vec::new() };
        state.is_unkept = false;
        self.store(forest, state, without_tree(forest, &new));
        if state.confirmed.is_some() || state.candidate.is_some() {
            self.carry(core, forest, state, &old, trial).await;
        }
        Ok(())
    }

    /// An interface has appeared: it gets what is configured of it. Whether anything is.
    ///
    /// # Errors
    /// Why it does not get that.
    pub async fn appeared(&self, core: &Core, forest: &Forest, name: &str) -> Result<bool, RpcError> {
        let state = self.state.lock().await;
        match Changed::all_of(forest, &state.stored, name) {
            Some(changed) => self.apply(core, changed).await.map(|()| true),
            None => Ok(false),
        }
    }

    /// The interfaces that have an entry.
    pub async fn interfaces(&self, forest: &Forest) -> Vec<String> {
        plan::names(forest, &self.state.lock().await.stored)
    }

    /// Takes back a trial whose time is over, and makes the file say what is in force. Returns what it changed. `in_parts`: what of it cannot be taken
    /// back is left, as at a start, and the log says so.
    ///
    /// # Errors
    /// It did not work. Until it does, the trial stays, can no longer be confirmed, and would be taken back by the next start.
    pub async fn take_back(
        &self,
        core: &Core,
        forest: &Forest,
        state: &mut State,
        in_parts: bool,
    ) -> Result<Vec<Change>, RpcError> {
        if let Some(confirmed) = &mut state.confirmed {
            confirmed.is_over = true;
            let before = confirmed.before.clone();
            let now = self.running(core, forest, state).await;
            // The file says already what is to be taken back.
            let _meanwhile = self.meanwhile(&now, state);
            match self.turn_back(core, forest, &now, &before, &state.machine).await {
                Err(_) if in_parts => {
                    let parts = self.parts_back(forest, &now, &before, &state.machine);
                    self.apply_each(core, parts, "a part of a change of the configuration is not taken back")
                        .await;
                }
                turned => turned?,
            }
            state.machine = Vec::new();
            state.untold = changes(&now, &before);
            self.store(forest, state, without_tree(forest, &before));
            state.confirmed = None;
            state.is_unkept = true;
        }
        if state.is_unkept {
            let running = self.running(core, forest, state).await;
            self.keep(forest, &running).map_err(|error| {
                let message = format!("the file of the configuration is not up to date: {error}");
                RpcError::new(Layer::Application, Tag::OperationFailed, message)
            })?;
            state.is_unkept = false;
        }
        Ok(std::mem::take(&mut state.untold))
    }

    /// Whether a change would be accepted by the tables of SNMP, the access policy and the programs that would have to apply it. Nothing is
    /// changed.
    ///
    /// # Errors
    /// Why it would not.
    pub async fn try_change(&self, forest: &Forest, from: &Config, to: &Config) -> Result<(), Vec<RpcError>> {
        let changed = self.changed(forest, from, to, &[]).map_err(|error| vec![error])?;
        let (edits, places) = &changed.rows;
        if let Some(snmp) = &self.snmp {
            snmp.check(edits).map_err(|error| vec![plan::refused_row(&error, places)])?;
        }
        self.ask_hooks(forest, from, to).await
    }

    /// Whether the programs that would have to apply a change accept it.
    ///
    /// # Errors
    /// Why they do not.
    async fn ask_hooks(&self, forest: &Forest, from: &Config, to: &Config) -> Result<(), Vec<RpcError>> {
        self.check_policy(forest, from, to).await?;
        let calls = self.hooks.calls(forest, from, to).map_err(|error| vec![error])?;
        if calls.is_empty() {
            return Ok(());
        }
        let done = tokio::task::spawn_blocking(move || hooks::check(&calls)).await;
        done.unwrap_or_else(|panic| Err(broken(&panic))).map_err(|error| vec![error])
    }

    /// Whether the roles of a configuration make a policy with those of the configuration file.
    async fn check_policy(&self, forest: &Forest, from: &Config, to: &Config) -> Result<(), Vec<RpcError>> {
        let policy = plan::policy(forest, from, to)?;
        let Some((source, policy)) = self.rbac.clone().zip(policy) else { return Ok(()) };
        let (rbac, places) = policy;
        let done = tokio::task::spawn_blocking(move || source.check(&rbac)).await;
        done.map_err(|panic| vec![broken(&panic)])?
            .map_err(|error| vec![plan::refused_policy(&error, &places)])
    }

    /// The state of a root, if a program knows it.
    pub async fn state_of(&self, forest: &Forest, root: NodeId) -> Option<Known> {
        self.hooks.state(forest, root).await
    }

    /// What takes back what made one configuration another one, in parts that can be applied alone. `machine`: interfaces as they were before that.
    fn parts_back(
        &self,
        forest: &Forest,
        from: &Config,
        to: &Config,
        machine: &[InterfaceState],
    ) -> Vec<Changed> {
        let mut parts = Changed::each(forest, &self.snmp(), from, to);
        parts.extend(self.calls(forest, from, to));
        parts.iter_mut().for_each(|part| part.put_back(forest, to, machine));
        parts
    }

    /// Applies what can be applied; the log has the rest.
    async fn apply_each(&self, core: &Core, parts: Vec<Changed>, otherwise: &str) {
        for changed in parts {
            if let Err(error) = self.apply(core, changed).await {
                tracing::warn!(%error, "{otherwise}");
            }
        }
    }

    /// The part of it that programs apply.
    fn calls(&self, forest: &Forest, from: &Config, to: &Config) -> Vec<Changed> {
        let calls = self.hooks.calls(forest, from, to).unwrap_or_else(|error| {
            tracing::error!(%error, "a part of the kept configuration is not applied");
            Vec::new()
        });
        calls.into_iter().map(|it| Changed { hooks: vec![it], ..Changed::default() }).collect()
    }

    /// Keeps what is in force, and nothing that is unfinished.
    fn keep(&self, forest: &Forest, running: &Config) -> Result<(), StateError> {
        self.kept.keep(forest, running, None, &[], Flush::Now)
    }

    /// Takes back what made one configuration another one. `machine`: interfaces as they were before that.
    async fn turn_back(
        &self,
        core: &Core,
        forest: &Forest,
        from: &Config,
        to: &Config,
        machine: &[InterfaceState],
    ) -> Result<(), RpcError> {
        let mut changed = self.changed(forest, from, to, &[])?;
        changed.put_back(forest, to, machine);
        self.apply(core, changed).await
    }

    /// What is known of interfaces from before a trial, with those that a change adds: all of a trial, and those that were not configured.
    async fn machine(
        &self,
        forest: &Forest,
        state: &State,
        old: &Config,
        changed: &Changed,
        is_trial: bool,
    ) -> Result<Vec<InterfaceState>, RpcError> {
        let mut known = state.machine.clone();
        let is_new = |name: &String| {
            known.iter().all(|it| it.name != *name)
                && (is_trial || plan::entry_of_interface(forest, old, name).is_none())
        };
        let names: Vec<String> = changed.interfaces.iter().map(|it| it.name.clone()).filter(is_new).collect();
        if names.is_empty() {
            return Ok(known);
        }
        let host = self.host.clone();
        let found = tokio::task::spawn_blocking(move || host.interface_states(&names)).await;
        let found = found.map_err(|panic| broken(&panic))?.map_err(|error| {
            RpcError::new(Layer::Application, Tag::OperationFailed, format!("nothing is changed: {error}"))
        })?;
        known.extend(found);
        Ok(known)
    }

    /// What the difference of two configurations means.
    fn changed(
        &self,
        forest: &Forest,
        from: &Config,
        to: &Config,
        again: &[Vec<Step>],
    ) -> Result<Changed, RpcError> {
        let hooks = self.hooks.calls(forest, from, to)?;
        Ok(Changed { hooks, ..Changed::of(forest, &self.snmp(), from, to, again)? })
    }

    /// Applies a change to the machine and the tree: all of it or nothing.
    async fn apply(&self, core: &Core, changed: Changed) -> Result<(), RpcError> {
        let (host, settings) = (self.host.clone(), core.settings());
        let (snmp, rbac, served) = (self.snmp.clone(), self.rbac.clone(), settings.served().clone());
        let work = move || apply::apply(&host, (snmp.as_deref(), rbac.as_ref()), &served.tree, &changed);
        let done =
            async { tokio::task::spawn_blocking(work).await.unwrap_or_else(|panic| Err(broken(&panic))) };
        settings.observed(Touched::Configuration, done).await
    }
}

fn broken(panic: &tokio::task::JoinError) -> RpcError {
    tracing::error!(%panic, "a change of the configuration failed");
    RpcError::new(Layer::Application, Tag::OperationFailed, "the agent failed; its log says why")
}

/// Checks what a configuration must fulfil as a whole.
///
/// # Errors
/// All that is wrong.
pub fn check(forest: &Forest, config: &Config) -> Result<(), Vec<RpcError>> {
    trunkline_datastore::check(forest, config)?;
    Rbac::read(forest, config)?;
    trunkline_nacm::check(forest, config)?;
    keyring::check(forest, config)
}

fn failed(error: StateError) -> Vec<RpcError> {
    vec![RpcError::new(
        Layer::Application,
        Tag::OperationFailed,
        format!("the configuration is not changed: {error}"),
    )]
}
