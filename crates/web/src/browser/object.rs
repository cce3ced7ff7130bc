//! Objects that are set in the page, of this machine and of devices: under the client's view for writing, if the value is still what
//! the page has shown, and with a line in the log.

use std::sync::Arc;
use std::time::Duration;

use trunkline_browser::form::Change;
use trunkline_browser::object::Object;
use trunkline_browser::row::NewRow;
use trunkline_browser::schema::Reads;
use trunkline_core::{NotSet, Served, Settings};
use trunkline_devices::{Device, NotSet as NotSetThere, Refused};
use trunkline_smi::{SetStatus, Value};
use trunkline_transport::LogLimit;
use trunkline_transport::http::{HttpRequest, StatusCode};
use trunkline_tree::policy::{OwnedPrincipal, ViewType};
use trunkline_tree::{Access, Coverage, SetBinding};

use super::super::http::{Asker, Front, device_of};

/// The tree that a request is about, and what its client may do there.
pub(super) struct Scope {
    settings: Arc<Settings>,
    served: Arc<Served>,
    access: Arc<Access>,
    principal: OwnedPrincipal,
    device: Option<Arc<Device>>,
}

/// Why the object does not have the new value.
#[derive(Debug)]
pub(super) enum NotDone {
    /// It has another value than the page has shown.
    Changed,
    /// The status of HTTP and a sentence.
    Refused(StatusCode, String),
}

/// The lines of the log, and what they may be.
pub(super) struct Lines(LogLimit);

impl Default for Lines {
    fn default() -> Self {
        Lines(LogLimit::new(MOST_LINES, Duration::from_secs(60)))
    }
}

impl Scope {
    /// That of a request; `None`: its client may change nothing there.
    pub(super) fn of(front: &Front, request: &HttpRequest, asker: &Asker) -> Option<Scope> {
        Scope::with(front, request, asker, ViewType::Write)
    }

    /// The same of somebody who may perhaps only read; `None`: nothing there.
    pub(super) fn of_reader(front: &Front, request: &HttpRequest, asker: &Asker) -> Option<Scope> {
        Scope::with(front, request, asker, ViewType::Read)
    }

    fn with(front: &Front, request: &HttpRequest, asker: &Asker, view: ViewType) -> Option<Scope> {
        let Asker::Principal(proved) = asker else { return None };
        let settings = front.core().settings();
        let principal = front.principal(proved).into_owned();
        let device = match device_of(&request.path).0 {
            Some(name) => Some(front.devices().find(name)?),
            None => None,
        };
        let (served, access) = match &device {
            Some(device) => {
                let policy = settings.guard().policy();
                let access = device.access(&principal.as_principal(), policy, view).ok()?;
                (device.served(), access)
            }
            None => {
                let access = front.access(&settings, request, asker, None, view).ok()?;
                (settings.served().clone(), access)
            }
        };
        Some(Scope { settings, served, access, principal, device })
    }

    /// Whether it is a device's.
    pub(super) fn is_of_device(&self) -> bool {
        self.device.is_some()
    }

    /// What the client may do there.
    pub(super) fn access(&self) -> &Access {
        &self.access
    }

    /// How much of what lies below an object the client may read there.
    pub(super) fn reads(&self, object: &[u32]) -> Reads {
        match self.access.may_read_below(object) {
            Coverage::None => Reads::Nothing,
            Coverage::Some => Reads::Some,
            Coverage::All => Reads::All,
        }
    }

    /// Whether the client may set an instance and not read it.
    pub(super) fn is_blind(&self, object: &Object) -> bool {
        !self.access.may_read_name(&object.name)
    }

    /// Whether there is a way to set objects there at all.
    pub(super) async fn can_set(&self) -> bool {
        match &self.device {
            Some(device) => self.access.may_write_anything() && device.can_set().await,
            None => self.access.may_write_anything(),
        }
    }

    /// Whether an object is there that the client may set.
    pub(super) fn may_set(&self, object: &[u32]) -> bool {
        let is_served = self.served.tree.leaf_of(object).is_some_and(|leaf| leaf.max_access().is_writable());
        is_served && self.access.may_write_below(object) != Coverage::None
    }

    /// The value of an object as RESTCONF writes it, as far as the client may read it.
    ///
    /// # Errors
    /// Why nobody knows, as a sentence.
    pub(super) async fn now(&self, object: &Object) -> Result<Option<String>, NotDone> {
        let value = self.value(object).await?;
        Ok(value.map(|value| object.text(value.as_value_ref())))
    }

    async fn value(&self, object: &Object) -> Result<Option<Value>, NotDone> {
        self.served.value(&object.name, &self.access).await.map_err(|unanswered| {
            let failure = self.device.as_ref().and_then(|device| device.failure());
            let words = match failure {
                Some(failure) => format!("The device does not answer: {failure}."),
                None => format!("Its value is not known: {unanswered}."),
            };
            NotDone::Refused(StatusCode::BAD_GATEWAY, words)
        })
    }

    /// Sets an object as a form says.
    ///
    /// # Errors
    /// [`NotDone`]; nothing was set, or nobody knows.
    pub(super) async fn set(&self, object: &Object, change: &Change, lines: &Lines) -> Result<(), NotDone> {
        let new = object
            .value(&change.new, change.octets)
            .map_err(|error| NotDone::Refused(StatusCode::BAD_REQUEST, format!("{error}.")))?;
        let done = match &self.device {
            Some(device) => self.set_there(device, object, change, new).await,
            None => self.set_here(object, change, new).await,
        };
        self.log(object, &done, lines);
        done
    }

    async fn set_here(&self, object: &Object, change: &Change, new: Value) -> Result<(), NotDone> {
        let before = self.value(object).await?;
        if !change.is_of(before.as_ref().map(|value| object.text(value.as_value_ref())).as_deref()) {
            return Err(NotDone::Changed);
        }
        let binding = SetBinding { name: object.name.clone(), value: Some(new) };
        let principal = self.principal.as_principal();
        let done = self.settings.set_if(&principal, &self.access, vec![binding], Some(vec![before])).await;
        done.map_err(not_here)
    }

    async fn set_there(
        &self,
        device: &Device,
        object: &Object,
        change: &Change,
        new: Value,
    ) -> Result<(), NotDone> {
        let is_still = |value: Option<&Value>| {
            // What has another type than the schema's was not shown either.
            let value = value.filter(|value| value.kind() == object.syntax.kind);
            change.is_of(value.map(|value| object.text(value.as_value_ref())).as_deref())
        };
        device.set(&self.access, &object.name, &is_still, new).await.map_err(|error| there(&error))
    }

    /// Creates a row, unless there is one of this index, in one Set.
    ///
    /// # Errors
    /// [`NotDone`]; nothing was created, or nobody knows.
    pub(super) async fn create(&self, row: &NewRow, lines: &Lines) -> Result<(), NotDone> {
        let Some((status, _)) = row.bindings.first() else { return Ok(()) };
        let denied = row.bindings.iter().find(|(object, _)| !self.access.may_write(&object.name));
        let done = match (denied, &self.device) {
            (Some((object, _)), _) => {
                let words = format!("{}: your role may not set this in a row of this index.", object.label);
                Err(NotDone::Refused(StatusCode::FORBIDDEN, words))
            }
            (None, Some(device)) => {
                let bindings =
                    row.bindings.iter().map(|(object, value)| (object.name.clone(), value.clone())).collect();
                let done = device.create(&self.access, bindings).await;
                done.map_err(|error| {
                    let binding = error.binding().and_then(|at| row.bindings.get(at));
                    of_column(there(&error), binding.map(|(object, _)| object.label))
                })
            }
            (None, None) => self.create_here(row).await,
        };
        let done = done.map_err(|error| match error {
            NotDone::Changed => NotDone::Refused(StatusCode::CONFLICT, THERE_IS_ONE.to_owned()),
            error => error,
        });
        self.log(status, &done, lines);
        done
    }

    async fn create_here(&self, row: &NewRow) -> Result<(), NotDone> {
        if self.value(&row.bindings[0].0).await?.is_some() {
            return Err(NotDone::Changed);
        }
        let binding = |(object, value): &(Object, Value)| SetBinding {
            name: object.name.clone(),
            value: Some(value.clone()),
        };
        let bindings: Vec<SetBinding> = row.bindings.iter().map(binding).collect();
        let before = vec![None; bindings.len()];
        let principal = self.principal.as_principal();
        let done = self.settings.set_if(&principal, &self.access, bindings, Some(before)).await;
        done.map_err(|error| {
            let column = match &error {
                NotSet::Refused(failure) => row.bindings.get(failure.binding).map(|(object, _)| object.label),
                _ => None,
            };
            of_column(not_here(error), column)
        })
    }

    /// Who has set what, and never to what.
    fn log(&self, object: &Object, done: &Result<(), NotDone>, lines: &Lines) {
        let Some(left_out) = lines.0.admit() else { return };
        let user = String::from_utf8_lossy(&self.principal.name);
        let device = self.device.as_ref().map(|device| device.name());
        let instance = trunkline_smi::display_oid(&object.name[object.object.len()..]);
        let object = object.label;
        match done {
            Ok(()) => {
                tracing::info!(%user, device, object, %instance, left_out, "an object is set in the page")
            }
            Err(error) => {
                let why = match error {
                    NotDone::Changed => "its value has changed meanwhile",
                    NotDone::Refused(_, words) => words,
                };
                tracing::info!(%user, device, object, %instance, why, left_out, "an object was to be set in the page, and is not");
            }
        }
    }
}

/// Why the agent has not set it, in plain words.
fn not_here(error: NotSet) -> NotDone {
    match error {
        NotSet::Changed => NotDone::Changed,
        NotSet::Panicked => {
            let words = "The agent has failed to set it; its log says why.".to_owned();
            NotDone::Refused(StatusCode::INTERNAL_SERVER_ERROR, words)
        }
        NotSet::Refused(failure) => {
            let reason = match failure.reason.as_str() {
                "" => String::new(),
                reason => format!(": {reason}"),
            };
            let words = match failure.status {
                SetStatus::NoAccess => "Your role may not set this".to_owned(),
                status => format!("{} ({})", here(status), status.name()),
            };
            NotDone::Refused(status_of(failure.status), format!("{words}{reason}."))
        }
    }
}

/// The same with the column of a row that it is about.
fn of_column(error: NotDone, column: Option<&str>) -> NotDone {
    match (error, column) {
        (NotDone::Refused(status, words), Some(column)) => {
            NotDone::Refused(status, format!("{column}: {words}"))
        }
        (error, _) => error,
    }
}

/// What a device has said, in plain words.
fn there(error: &NotSetThere) -> NotDone {
    let (status, words) = match error {
        NotSetThere::Changed => return NotDone::Changed,
        NotSetThere::There => (StatusCode::CONFLICT, THERE_IS_ANOTHER.to_owned()),
        NotSetThere::Unshown(_) => (StatusCode::BAD_GATEWAY, THERE_IT_IS.to_owned()),
        NotSetThere::Denied => (StatusCode::FORBIDDEN, "Your role may not set this.".to_owned()),
        NotSetThere::Protocol => (
            StatusCode::FORBIDDEN,
            "This device is reached over NETCONF or RESTCONF, where objects of MIB modules can only be read."
                .to_owned(),
        ),
        NotSetThere::Unreachable(why) => {
            (StatusCode::BAD_GATEWAY, format!("The device cannot be reached, and nothing was set: {why}."))
        }
        NotSetThere::Unread(why) => {
            (StatusCode::BAD_GATEWAY, format!("The device does not answer, and nothing was set: {why}."))
        }
        error @ NotSetThere::Doubtful(_) => {
            (StatusCode::BAD_GATEWAY, format!("It is not known whether this row was created: {error}."))
        }
        NotSetThere::Refused(Refused::Because(status), _) => {
            (status_of(*status), format!("The device refuses: {} ({}).", reason(*status), status.name()))
        }
        NotSetThere::Refused(Refused::NoSuchName, _) => (
            StatusCode::FORBIDDEN,
            "The device refuses: it does not have this object, or does not let it be set (noSuchName)."
                .to_owned(),
        ),
        NotSetThere::Refused(Refused::Failed, _) => (
            StatusCode::BAD_GATEWAY,
            "The device has failed to set it, and does not say why (genErr).".to_owned(),
        ),
        NotSetThere::Refused(Refused::Other, why) => {
            (StatusCode::BAD_GATEWAY, format!("The device refuses: {why}."))
        }
        error @ (NotSetThere::Unknown(_) | NotSetThere::Late(_)) => {
            let why = match error {
                NotSetThere::Unknown(why) => why.to_string(),
                error => error.to_string(),
            };
            let words = format!(
                "The device does not answer: {why}. Whether it was set is not known. Many devices are silent where a community may only read."
            );
            (StatusCode::BAD_GATEWAY, words)
        }
    };
    NotDone::Refused(status, words)
}

fn here(status: SetStatus) -> String {
    let words = reason(status);
    let mut characters = words.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}", characters.as_str())
}

/// What a status of RFC 3416 says.
const fn reason(status: SetStatus) -> &'static str {
    match status {
        SetStatus::NoAccess => "the credentials that it is asked with may not set this",
        SetStatus::NotWritable => "this cannot be set there",
        SetStatus::WrongType => "the value is of another type",
        SetStatus::WrongLength => "the value cannot have this length",
        SetStatus::WrongValue => "it cannot have this value",
        SetStatus::NoCreation => "it is not there and cannot be created",
        SetStatus::InconsistentName => "it cannot be created now",
        SetStatus::InconsistentValue => "it cannot have this value now",
        SetStatus::ResourceUnavailable => "it cannot be set now",
        SetStatus::CommitFailed => "setting it has failed, and nothing has changed",
        SetStatus::UndoFailed => "setting it has failed, and not all could be put back",
    }
}

const fn status_of(status: SetStatus) -> StatusCode {
    match status {
        SetStatus::NoAccess | SetStatus::NotWritable => StatusCode::FORBIDDEN,
        SetStatus::WrongType | SetStatus::WrongLength | SetStatus::WrongValue => StatusCode::BAD_REQUEST,
        SetStatus::NoCreation | SetStatus::InconsistentName | SetStatus::InconsistentValue => {
            StatusCode::CONFLICT
        }
        SetStatus::ResourceUnavailable => StatusCode::SERVICE_UNAVAILABLE,
        SetStatus::CommitFailed | SetStatus::UndoFailed => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

const THERE_IS_ONE: &str = "There is a row of this index already. Nothing was written.";
const THERE_IS_ANOTHER: &str = "There is a row of this index now, and not all of its values are these: somebody else has created it, or the device has set others. Look at it before anything else is set.";
const THERE_IT_IS: &str = "There is a row of this index now, and what the device shows of it is as it was to be; it does not show this column. So it is not known whether this or somebody else has created it.";
/// In a minute.
const MOST_LINES: u32 = 60;
