//! Operations on configurations: `edit-config`, `copy-config`, `commit` and what belongs to them.

mod each;
mod files;
mod rights;
mod settle;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use trunkline_datastore::{Change, Config, Step, edit, outermost, path, read, steps, trimmed, with_all};
use trunkline_netconf::PARTIAL_LOCK;
use trunkline_netconf::data::{Shown, config_document};
use trunkline_netconf::document::Element;
use trunkline_netconf::error::{Info, Layer, Path, RpcError, Tag};
use trunkline_netconf::operation::{self, Content, Datastore, Edit, Place, TestOption, WithDefaults};
use trunkline_tree::Access;
use trunkline_tree::policy::{OwnedPrincipal, Principal, ViewType};
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::instances::Instances;

use self::rights::secrets_of;
pub(super) use self::settle::{leave, leave_behind, note_elsewhere};
use self::settle::{note_change, note_confirm, settle, take_back};
use super::event::{Confirm, Who};
use super::permission::{access, denied, objects_in};
use super::register::{HeldBy, Lockable, MOST_PARTS, NotLocked, PartialLock};
use super::{Models, Netconf, hook_state, permission, register, xpath};
use trunkline_commit::audit::{Changes, who};
use trunkline_commit::{Confirmed, State, Timer, Trial, check, is_of_rights};
use trunkline_core::Phase;

/// What went wrong, all of it.
pub(super) type Errors = Vec<RpcError>;

/// What an operation works with.
pub(super) struct Configuring<'s> {
    place: &'s register::Place,
    door: &'s Arc<Netconf>,
    models: &'s Models,
    access: Arc<Access>,
    principal: OwnedPrincipal,
}

impl<'s> Configuring<'s> {
    /// For a principal who may write something, in whatever protocol.
    ///
    /// # Errors
    /// It may not.
    pub fn of(
        place: &'s register::Place,
        door: &'s Arc<Netconf>,
        principal: Principal<'_>,
    ) -> Result<Self, Errors> {
        let access = access(door, principal, ViewType::Write);
        let is_administrator = || door.administration(principal).is_some();
        let access = access.filter(|access| access.may_write_anything() || is_administrator());
        let access = access.ok_or_else(|| {
            door.denials.operation();
            vec![denied("there is no right to change anything here")]
        })?;
        Ok(Configuring { place, door, models: door.models(), access, principal: principal.into_owned() })
    }

    fn forest(&self) -> &'s Forest {
        &self.models.forest
    }

    /// Whose request it is, as events and the log name the user.
    fn who(&self) -> Who {
        let acting = self.principal.acting.as_ref();
        let role = acting.map(|acting| String::from_utf8_lossy(&acting.role).into_owned());
        Who { role, ..who(self.place) }
    }

    /// `edit-config`.
    pub async fn edit(&self, given: Edit<'_>) -> Result<(), Errors> {
        self.edit_if(given, |_, _| Ok(())).await.map(drop)
    }

    /// The same if a condition holds of what the target holds and of the rights to it. Returns its result, and what the target holds then.
    pub async fn edit_if<T, E: From<Errors>>(
        &self,
        given: Edit<'_>,
        condition: impl FnOnce(&Config, &Access) -> Result<T, E>,
    ) -> Result<(T, Config), E> {
        let target = writable(given.target)?;
        self.free(target)?;
        let file;
        let content = match given.content {
            Content::Config(content) => content,
            Content::Url(url) => {
                file = self.file(url).await?;
                file.root()
            }
        };
        self.check_operations(content, given.default_operation)?;
        trunkline_nacm::check_edit(self.forest(), content).map_err(|error| vec![error])?;
        let mut state = self.door.datastores.lock().await;
        let before = self.held(target, &state).await;
        let met = condition(&before, &self.access)?;
        let mut after = before.clone();
        let edited = edit(&mut after, self.forest(), content, given.default_operation, given.error_option);
        let rest = edited.err().unwrap_or_default();
        if !rest.is_empty() && given.error_option != operation::ErrorOption::ContinueOnError {
            return Err(rest.into());
        }
        let after = self.with_secrets_of(&after, &before);
        let changed = self.may_change(&before, &after, &secrets_of(self.forest(), &[content]))?;
        match given.test_option {
            TestOption::TestOnly => {
                check(self.forest(), &after)?;
                hook_state::ask(self.door, &state, &after).await?;
            }
            // Running is checked in any case; the candidate may be incomplete until it is committed.
            TestOption::TestThenSet | TestOption::Set => {
                self.put(target, &mut state, after.clone(), &changed).await?;
            }
        }
        if rest.is_empty() { Ok((met, after)) } else { Err(rest.into()) }
    }

    /// `copy-config`.
    pub async fn copy(
        &self,
        target: Place<'_>,
        source: Place<'_>,
        with_defaults: Option<WithDefaults>,
    ) -> Result<(), Errors> {
        if let Place::Url(url) = target {
            if matches!(source, Place::Url(other) if other == url) {
                return Err(invalid("source and target are the same"));
            }
            return self.copy_to_file(url, source, with_defaults).await;
        }
        let target = writable(target)?;
        self.free(target)?;
        if matches!(source, Place::Datastore(known) if known == target) {
            return Err(invalid("source and target are the same"));
        }
        self.check_copy(source)?;
        let mut state = self.door.datastores.lock().await;
        let before = self.held(target, &state).await;
        let given = match source {
            Place::Config(content) => secrets_of(self.forest(), &[content]),
            Place::Datastore(Datastore::Candidate) => state.secrets().clone(),
            Place::Datastore(_) | Place::Url(_) => BTreeSet::new(),
        };
        let source = self.whole(source, &state).await?;
        let source = self.with_secrets_of(&source, &before);
        let changed = self.may_change(&before, &source, &given)?;
        self.put(target, &mut state, source, &changed).await
    }

    async fn copy_to_file(
        &self,
        url: &str,
        source: Place<'_>,
        with_defaults: Option<WithDefaults>,
    ) -> Result<(), Errors> {
        let config = self.source(source, &*self.door.datastores.lock().await).await?;
        let forest = self.forest();
        let mut shown = Shown::default();
        let instances = match with_defaults {
            Some(WithDefaults::ReportAll) => with_all(forest, &config).instances(),
            Some(WithDefaults::ReportAllTagged) => {
                shown.defaults = true;
                with_all(forest, &config).instances_marked(&config)
            }
            Some(WithDefaults::Trim) => trimmed(forest, &config).instances(),
            Some(WithDefaults::Explicit) | None => config.instances(),
        };
        let octets = config_document(forest, &instances, shown);
        self.in_files(url, move |files, url| files.write(url, &octets)).await
    }

    /// `delete-config`. Neither running nor the candidate can be deleted (RFC 6241 section 7.4).
    pub async fn delete(&self, target: Place<'_>) -> Result<(), Errors> {
        let Place::Url(url) = target else {
            return Err(invalid("only files can be deleted, and datastores cannot"));
        };
        self.in_files(url, |files, url| files.remove(url)).await
    }

    /// `validate`.
    pub async fn validate(&self, source: Place<'_>) -> Result<(), Errors> {
        let state = self.door.datastores.lock().await;
        let config = self.whole(source, &state).await?;
        check(self.forest(), &config)?;
        // Programs are asked about all of it, not only about what its reader may see.
        let whole = match source {
            Place::Datastore(datastore) => self.held(datastore, &state).await,
            _ => config.clone(),
        };
        // A commit would find that too.
        let valid = match whole == config {
            true => Ok(()),
            false => check(self.forest(), &whole),
        };
        let valid = match valid {
            Ok(()) => hook_state::ask(self.door, &state, &whole).await,
            errors => errors,
        };
        valid.map_err(|errors| match whole == config {
            true => errors,
            false => {
                let message = "it is not valid where this user may not read it";
                vec![RpcError::new(Layer::Application, Tag::OperationFailed, message)]
            }
        })
    }

    /// `commit`.
    pub async fn commit(
        &self,
        confirmed: Option<operation::Confirmed<'_>>,
        persist_id: Option<&str>,
    ) -> Result<(), Errors> {
        self.free(Datastore::Candidate)?;
        self.free(Datastore::Running)?;
        let mut state = self.door.datastores.lock().await;
        self.is_confirmer(&state, persist_id)?;
        let candidate = self.held(Datastore::Candidate, &state).await;
        let running = self.held(Datastore::Running, &state).await;
        let changed = self.may_change(&running, &candidate, state.secrets())?;
        let trial = confirmed.as_ref().map_or(Trial::No, |_| Trial::OfSession);
        confirmed.as_ref().map_or(Ok(()), |_| self.may_wait(&changed))?;
        let took = self.change(&mut state, candidate, trial, &changed).await?;
        state.discard();
        let earlier = state.confirmed.take();
        let confirm = match (confirmed, &earlier) {
            (None, None) => None,
            (None, Some(_)) => Some(Confirm::Complete),
            (Some(wanted), None) => Some(Confirm::Start(wanted.timeout)),
            (Some(wanted), Some(_)) => Some(Confirm::Extend(wanted.timeout)),
        };
        self.door.audit.committed(&self.who(), &Changes(self.forest(), &changed), confirm, took);
        if let Some(confirm) = confirm {
            note_confirm(self.door, Some(&self.who()), confirm);
        }
        let Some(wanted) = confirmed else { return Ok(()) };
        state.commits += 1;
        let commit = state.commits;
        // A further confirmed commit is taken back to before the first one.
        let before = earlier.map_or(running, |earlier| earlier.before);
        let persist = wanted.persist.map(str::to_owned);
        let (door, time) = (self.door.clone(), Duration::from_secs(wanted.timeout.into()));
        let timer = Timer::after(time, async move {
            let is_it = |confirmed: &Confirmed| confirmed.commit == commit;
            take_back(&door, is_it, Confirm::Timeout, "it was not confirmed in time").await;
        });
        let (session, member, is_over) = (self.place.id, self.place.member.clone(), false);
        state.confirmed = Some(Confirmed { before, session, member, persist, commit, is_over, timer });
        Ok(())
    }

    /// `cancel-commit`.
    pub async fn cancel(&self, persist_id: Option<&str>) -> Result<(), Errors> {
        let mut state = self.door.datastores.lock().await;
        let Some(session) = state.confirmed.as_ref().map(|confirmed| confirmed.session) else {
            return Err(invalid("there is no confirmed commit to cancel"));
        };
        // Of a session that has ended only the name is left, and somebody may keep it for 136 years: whoever may change everything need not know it.
        let is_left = self.place.register.open_or_none(session) == 0 && persist_id.is_none();
        match is_left && permission::may_write_all(self.forest(), &self.access) {
            true => self.is_settled(&state)?,
            false => self.is_confirmer(&state, persist_id)?,
        }
        // The event is sent when it has worked, which may be at a later attempt.
        let (door, by) = (self.door.clone(), self.who());
        state.once_settled = Some(Box::new(move || note_confirm(&door, Some(&by), Confirm::Cancel)));
        self.door.audit.taken_back(Some(&self.who()), session, "it is cancelled");
        settle(self.door, &mut state).await.map_err(|error| vec![error])
    }

    /// `discard-changes`.
    pub async fn discard(&self) -> Result<(), Errors> {
        self.free(Datastore::Candidate)?;
        self.door.datastores.lock().await.discard();
        Ok(())
    }

    /// `lock`.
    pub async fn lock(&self, target: Datastore) -> Result<(), Errors> {
        let lockable = lockable(target)?;
        let state = self.door.datastores.lock().await;
        let refused = |holder: u32, message: String| {
            RpcError::new(Layer::Protocol, Tag::LockDenied, message).with(Info::SessionId(holder))
        };
        if let Some(confirmed) = &state.confirmed
            && lockable == Lockable::Running
            && (confirmed.session != self.place.id || confirmed.persist.is_some())
        {
            // The session of a commit with a name may have ended; 0 stands for what is not a session (RFC 6241 section 7.5).
            let holder = self.place.register.open_or_none(confirmed.session);
            let refused = refused(holder, "a commit waits to be confirmed".into());
            return Err(vec![refused.called("outstanding-confirmed-commit")]);
        }
        // Whoever holds the lock is named first: what is in the candidate is that session's.
        let holder = self.place.register.lock_of(lockable);
        if lockable == Lockable::Candidate
            && holder.is_none()
            && state.is_edited()
            && (!state.secrets().is_empty()
                || self.held(Datastore::Candidate, &state).await
                    != self.held(Datastore::Running, &state).await)
        {
            let message = "the candidate has changes that are not committed: discard-changes first";
            return Err(vec![refused(0, message.into())]);
        }
        self.place
            .lock(lockable)
            .map_err(|HeldBy(holder)| vec![refused(holder, format!("session {holder} holds the lock"))])
    }

    /// `partial-lock` (RFC 5717 section 2.4.1): the number of the lock, and what is locked.
    pub async fn partial_lock(&self, operation: Element<'_>) -> Result<(u32, Vec<Path>), Errors> {
        let state = self.door.datastores.lock().await;
        if let Some(confirmed) = &state.confirmed
            && (confirmed.session != self.place.id || confirmed.persist.is_some())
        {
            let message = "a commit of another session waits to be confirmed";
            let error = RpcError::new(Layer::Protocol, Tag::InUse, message);
            return Err(vec![error.called("outstanding-confirmed-commit")]);
        }
        let forest = self.forest();
        let running = self.held(Datastore::Running, &state).await;
        let running = Arc::new(permission::readable(forest, &running, &self.access).instances());
        let (mut places, mut selects) = (Vec::new(), Vec::new());
        for element in operation.children().filter(|it| it.is(PARTIAL_LOCK, "select")) {
            if selects.len() == MOST_SELECTS {
                return Err(too_much(&format!("a lock has at most {MOST_SELECTS} expressions")));
            }
            let filter = xpath::Filter::of(element.value(), element, forest).map_err(|error| vec![error])?;
            selects.push(filter.text(forest));
            let found = self.found(filter, running.clone()).await.map_err(|error| vec![error])?;
            if found.is_empty() {
                let message = format!("the expression selects nothing of running: {}", element.value());
                let error = RpcError::new(Layer::Application, Tag::OperationFailed, message);
                return Err(vec![error.called("no-matches")]);
            }
            places.extend(found);
        }
        let places = outermost(places);
        if places.len() > MOST_LOCKED {
            return Err(too_much(&format!("a lock has at most {MOST_LOCKED} nodes: lock what they are in")));
        }
        if let Some(place) = places.iter().find(|place| !self.may_lock(place)) {
            return Err(self.no_right(denied("there is no right to change it").at(path(forest, place))));
        }
        let paths = places.iter().map(|place| path(forest, place)).collect();
        let objects = places.iter().flat_map(|place| objects_in(forest, place)).collect();
        let (session, since) = (self.place.id, SystemTime::now());
        match self.place.lock_parts(PartialLock { session, since, selects, places, objects }) {
            Ok(id) => Ok((id, paths)),
            Err(NotLocked::Held(holder)) => {
                let message = format!("session {holder} has locked some of it");
                let error = RpcError::new(Layer::Protocol, Tag::LockDenied, message);
                Err(vec![error.with(Info::SessionId(holder))])
            }
            Err(NotLocked::TooMany) => {
                Err(too_much(&format!("a session has at most {MOST_PARTS} locks on parts")))
            }
        }
    }

    /// What an expression selects of running.
    async fn found(
        &self,
        filter: xpath::Filter,
        running: Arc<Instances>,
    ) -> Result<Vec<Vec<Step>>, RpcError> {
        let failed = || RpcError::new(Layer::Application, Tag::OperationFailed, "the agent is closing");
        let user = self.principal.as_principal().name;
        let turn = self.door.expressions.of(user).await.ok_or_else(failed)?;
        let door = self.door.clone();
        let work = move || {
            let _one_at_a_time = turn;
            let forest = &door.models().forest;
            let found = filter.found(forest, &running, xpath::MOST_WORK)?;
            Ok(found.into_iter().map(|id| steps(forest, &running, id)).collect())
        };
        tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(failed()))
    }

    fn may_lock(&self, place: &[Step]) -> bool {
        match place.last() {
            Some(step) => permission::may_write_in(self.forest(), step.node, &self.access),
            None => self.forest().roots().iter().all(|root| {
                !self.forest()[*root].place.is_configuration()
                    || permission::may_write_in(self.forest(), *root, &self.access)
            }),
        }
    }

    /// `partial-unlock`.
    pub fn partial_unlock(&self, lock_id: u32) -> Result<(), Errors> {
        match self.place.unlock_parts(lock_id) {
            true => Ok(()),
            false => Err(invalid(&format!("this session has no lock {lock_id}"))),
        }
    }

    /// Refuses to change parts that another session has locked.
    fn is_free(&self, changed: &[Change]) -> Result<(), Errors> {
        let Some((place, holder)) = self.place.part_of_another(changed.iter().map(|it| &it.path[..])) else {
            return Ok(());
        };
        let message = format!("session {holder} has locked it");
        let error = RpcError::new(Layer::Application, Tag::InUse, message).called("locked");
        Err(vec![error.at(path(self.forest(), place)).with(Info::SessionId(holder))])
    }

    /// `unlock`.
    pub async fn unlock(&self, target: Datastore) -> Result<(), Errors> {
        let lockable = lockable(target)?;
        let mut state = self.door.datastores.lock().await;
        if !self.place.unlock(lockable) {
            let message = "this session does not hold the lock";
            return Err(vec![RpcError::new(Layer::Protocol, Tag::OperationFailed, message)]);
        }
        if lockable == Lockable::Candidate {
            // What was not committed ends with the lock (RFC 6241 section 8.3.5.2).
            state.discard();
        }
        Ok(())
    }

    /// `kill-session`.
    pub fn kill(&self, session_id: u32) -> Result<(), Errors> {
        if session_id == self.place.id {
            return Err(invalid("a session cannot kill itself: close-session ends it"));
        }
        match self.place.kill(session_id) {
            Some(ended) => {
                self.door.audit.killed(&self.who(), session_id, &ended);
                Ok(())
            }
            None => Err(invalid(&format!("there is no session {session_id}"))),
        }
    }

    /// What a datastore holds.
    async fn held(&self, datastore: Datastore, state: &State) -> Config {
        held(self.door, self.forest(), datastore, state).await
    }

    async fn source(&self, source: Place<'_>, state: &State) -> Result<Config, Errors> {
        match source {
            Place::Datastore(Datastore::Startup) => Err(no_startup()),
            Place::Datastore(datastore) => {
                let config = self.held(datastore, state).await;
                Ok(permission::readable(self.forest(), &config, &self.access))
            }
            Place::Config(content) => read(self.forest(), content),
            Place::Url(url) => {
                let config = read(self.forest(), self.file(url).await?.root())?;
                Ok(permission::readable(self.forest(), &config, &self.access))
            }
        }
    }

    /// The same with the secrets of what somebody may read: those that the source has, and elsewhere those in force.
    async fn whole(&self, source: Place<'_>, state: &State) -> Result<Config, Errors> {
        let datastore = if let Place::Datastore(it) = source { it } else { Datastore::Running };
        let config = self.source(source, state).await?;
        Ok(self.with_secrets_of(&config, &self.held(datastore, state).await))
    }

    async fn put(
        &self,
        target: Datastore,
        state: &mut State,
        config: Config,
        changed: &[Change],
    ) -> Result<(), Errors> {
        if target == Datastore::Candidate {
            state.prepare(self.forest(), config, changed, &self.principal);
            return Ok(());
        }
        // What cannot be taken back holds no revocation off.
        if changed.iter().any(|change| !is_of_rights(self.forest(), change)) {
            self.is_settled(state)?;
        }
        let waits = state.confirmed.as_ref();
        // An edit over RESTCONF confirms a commit that waits for that, unless it needs its name (RFC 8040 section 1.4).
        let confirms = waits.is_some_and(|it| !it.is_over) && self.place.is_of_restconf();
        if confirms && waits.is_some_and(|it| it.persist.is_some()) {
            let message = "a commit waits to be confirmed by its persist-id";
            return Err(vec![RpcError::new(Layer::Protocol, Tag::InUse, message)]);
        }
        let trial = match waits.filter(|_| !confirms) {
            None => Trial::No,
            Some(waits) if waits.session == self.place.id && self.may_wait(changed).is_ok() => {
                Trial::OfSession
            }
            Some(_) => Trial::OfAnother,
        };
        let took = self.change(state, config, trial, changed).await?;
        let over = if self.place.is_of_restconf() { "RESTCONF" } else { "NETCONF" };
        let changed = Changes(self.forest(), changed);
        self.door.audit.edited(&self.who(), over, &changed, trial != Trial::No, took);
        if confirms {
            state.confirmed = None;
            note_confirm(self.door, Some(&self.who()), Confirm::Complete);
        }
        Ok(())
    }

    /// Changes running. `changed`: in what. Returns how long it took.
    async fn change(
        &self,
        state: &mut State,
        config: Config,
        trial: Trial,
        changed: &[Change],
    ) -> Result<Duration, Errors> {
        self.is_free(changed)?;
        let (door, begun) = (self.door, Instant::now());
        let (forest, access) = (self.forest(), &self.access);
        let may = |leaf: &[Step]| permission::may_write(forest, leaf, access);
        state.act_for(self.principal.clone());
        let done = door.datastores.change(&door.core, forest, state, config, trial, may).await;
        match &done {
            Ok(()) => note_change(door, Some(&self.who()), changed),
            Err(errors) => {
                door.audit.failed(&self.who(), &Changes(self.forest(), changed), errors);
                if state.is_unsettled() {
                    // The refusal says why.
                    drop(settle(door, state).await);
                }
            }
        }
        done.map(|()| begun.elapsed())
    }

    /// Whether no commit is left that is to be taken back and could not be.
    fn is_settled(&self, state: &State) -> Result<(), Errors> {
        if state.confirmed.as_ref().is_some_and(|confirmed| confirmed.is_over) {
            let message = "a commit that was not confirmed could not be taken back yet: the agent's log says why, and it tries again";
            return Err(vec![RpcError::new(Layer::Application, Tag::InUse, message)]);
        }
        Ok(())
    }

    /// What is needed for an operation is not there.
    fn no_right(&self, error: RpcError) -> Errors {
        self.door.denials.operation();
        vec![error]
    }

    /// Refuses to change what another session has locked.
    fn free(&self, target: Datastore) -> Result<(), Errors> {
        match self.place.locked_by_another(lockable(target)?) {
            None => Ok(()),
            Some(holder) => {
                let message = format!("session {holder} has locked it");
                Err(vec![RpcError::new(Layer::Protocol, Tag::InUse, message)])
            }
        }
    }

    /// Whether this session may confirm or cancel the commit that waits for that, if one does.
    fn is_confirmer(&self, state: &State, persist_id: Option<&str>) -> Result<(), Errors> {
        self.is_settled(state)?;
        let Some(confirmed) = &state.confirmed else {
            return match persist_id {
                Some(_) => Err(invalid("no commit waits to be confirmed by this persist-id")),
                None => Ok(()),
            };
        };
        match (&confirmed.persist, persist_id) {
            (Some(name), Some(given)) if name == given => Ok(()),
            (Some(_), Some(_)) => {
                Err(invalid("the commit that waits to be confirmed has another persist-id"))
            }
            (Some(_), None) => {
                Err(invalid("the commit that waits to be confirmed has a persist-id: give it"))
            }
            (None, _) if confirmed.session == self.place.id => Ok(()),
            (None, _) => {
                let message = format!("session {} waits to confirm its commit", confirmed.session);
                Err(vec![RpcError::new(Layer::Protocol, Tag::InUse, message)])
            }
        }
    }
}

/// What a principal may read of some roots of a datastore.
pub(super) async fn readable(
    door: &Netconf,
    principal: Principal<'_>,
    datastore: Datastore,
    roots: &[NodeId],
) -> Result<Config, Errors> {
    if datastore == Datastore::Startup {
        return Err(no_startup());
    }
    let forest = &door.models().forest;
    let phases = door.core.phases();
    phases.begin(Phase::Access);
    let Some(access) = access(door, principal, ViewType::Read) else { return Ok(Config::default()) };
    let (is_candidate, wants) = (datastore == Datastore::Candidate, |root| roots.contains(&root));
    phases.begin(Phase::Retrieve);
    let config = door.datastores.read(&door.core, forest, is_candidate, wants).await;
    phases.begin(Phase::Access);
    Ok(permission::readable(forest, &config, &access))
}

/// What somebody may read of a configuration, with the defaults that are wanted (RFC 6243 section 3), of those too what may be read: one must
/// not stand where another value is kept from the reader.
pub(super) fn with_defaults(
    door: &Netconf,
    principal: Principal<'_>,
    config: &Config,
    wanted: Option<WithDefaults>,
) -> Config {
    let forest = &door.models().forest;
    match wanted {
        Some(WithDefaults::ReportAll | WithDefaults::ReportAllTagged) => {
            let all = with_all(forest, config);
            let access = access(door, principal, ViewType::Read);
            access.map_or(Config::default(), |access| permission::readable(forest, &all, &access))
        }
        Some(WithDefaults::Trim) => trimmed(forest, config),
        Some(WithDefaults::Explicit) | None => config.clone(),
    }
}

async fn held(door: &Netconf, forest: &Forest, datastore: Datastore, state: &State) -> Config {
    match datastore {
        Datastore::Candidate => door.datastores.candidate(&door.core, forest, state).await,
        _ => door.datastores.running(&door.core, forest, state).await,
    }
}

fn writable(target: Place<'_>) -> Result<Datastore, Errors> {
    match target {
        Place::Datastore(Datastore::Startup) => Err(no_startup()),
        Place::Datastore(datastore) => Ok(datastore),
        Place::Url(_) => Err(invalid("expected a datastore, found a URL")),
        Place::Config(_) => Err(invalid("expected a datastore, found a configuration")),
    }
}

fn lockable(datastore: Datastore) -> Result<Lockable, Errors> {
    match datastore {
        Datastore::Running => Ok(Lockable::Running),
        Datastore::Candidate => Ok(Lockable::Candidate),
        Datastore::Startup => Err(no_startup()),
    }
}

fn no_startup() -> Errors {
    invalid("there is no startup configuration here: running outlives a restart")
}

fn too_much(message: &str) -> Errors {
    vec![RpcError::new(Layer::Protocol, Tag::ResourceDenied, message)]
}

fn invalid(message: &str) -> Errors {
    vec![RpcError::new(Layer::Protocol, Tag::InvalidValue, message)]
}

/// Expressions of one lock.
const MOST_SELECTS: usize = 20;
/// Nodes of one lock.
const MOST_LOCKED: usize = 1000;
