//! Why a policy allows or denies: which row of which table decides, and why the others do not.

use std::fmt;

use trunkline_smi::{Oid, display_oid, visible};

use super::decision::preference;
use super::{
    AccessKey, AccessRow, Acting, AdminString, ContextMatch, Decision, Denied, GroupKey, GroupRow, Origin,
    Policy, Principal, RowState, RowStatus, SecurityLevel, SecurityModel, ViewType,
};
use crate::Family;

/// The path of one query through the four tables. `Display` prints lines for people, each starting with a word
/// for its table.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The principal's security model.
    pub model: SecurityModel,
    /// The security name.
    pub name: String,
    /// The level.
    pub level: SecurityLevel,
    /// The context.
    pub context: String,
    /// For what.
    pub view_type: ViewType,
    /// The object or instance.
    pub object: Oid,
    /// The existing contexts, if the requested one is not among them.
    pub contexts: Vec<AdminString>,
    /// The row of vacmSecurityToGroupTable; it counts if it is active.
    pub group: Option<(GroupKey, GroupRow)>,
    /// The role that the request is on behalf of.
    pub role: Option<ActedIn>,
    /// The row of vacmAccessTable that decides.
    pub access: Option<(AccessKey, AccessRow)>,
    /// The group's other rows, and why they do not decide; those that come nearest first.
    pub passed_over: Vec<(AccessKey, AccessRow, PassedOver)>,
    /// The row of vacmViewTreeFamilyTable that decides.
    pub family: Option<(Family, RowState)>,
    /// Other families of the view that match the object, the longest first.
    pub weaker: Vec<Family>,
    /// Families that decide about parts of what lies below the object.
    pub below: Vec<Family>,
    /// The verdict.
    pub verdict: Result<(), Denied>,
}

/// The role that a request is on behalf of.
#[derive(Clone, Debug)]
pub struct ActedIn {
    /// Its name.
    pub name: AdminString,
    /// Whether its key is what counts, and not what the principal is.
    pub is_proved: bool,
    /// From the principal's group to the role; empty: the principal does not have it.
    pub path: Vec<AdminString>,
    /// What the principal may do without acting in a role.
    pub own: Result<(), Denied>,
}

/// Why a row of vacmAccessTable does not decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassedOver {
    /// Its status is not active.
    NotActive,
    /// It is for another security model.
    OtherModel,
    /// It is for another context.
    OtherContext,
    /// It requires a higher security level.
    HigherLevel,
    /// It is for any security model, and the one that decides for this one.
    AnyModel,
    /// Its context is a shorter beginning.
    ShorterContext,
    /// Its level is lower.
    LowerLevel,
}

impl Policy {
    /// Explains the result of [`Policy::is_access_allowed`].
    pub fn explain(
        &self,
        principal: &Principal<'_>,
        context: &[u8],
        view_type: ViewType,
        object: &[u32],
    ) -> Explanation {
        let has_context = self.contexts.contains(context);
        let row_of = |(key, row): (&GroupKey, &GroupRow)| (key.clone(), row.clone());
        let mut explanation = Explanation {
            model: principal.model,
            name: String::from_utf8_lossy(principal.name).into_owned(),
            level: principal.level,
            context: String::from_utf8_lossy(context).into_owned(),
            view_type,
            object: Oid::EMPTY.child(object),
            contexts: if has_context { Vec::new() } else { self.contexts.iter().cloned().collect() },
            group: self
                .group_of(principal)
                .or_else(|| self.groups.iter().find(|(key, _)| key.is(principal.model, principal.name)))
                .map(row_of),
            role: principal.acting.map(|acting| self.acted_in(principal, acting, context, view_type, object)),
            access: None,
            passed_over: Vec::new(),
            family: None,
            weaker: Vec::new(),
            below: Vec::new(),
            verdict: self.is_access_allowed(principal, context, view_type, object),
        };
        match self.decide(principal, context) {
            Ok(Decision { access: (key, row), .. }) => {
                explanation.access = Some((key.clone(), row.clone()));
                explanation.families(self, row.view(view_type), object);
                explanation.others(self, context);
            }
            Err(Denied::NoAccessEntry) => explanation.others(self, context),
            Err(_) => {}
        }
        explanation
    }
}

impl Policy {
    fn acted_in(
        &self,
        principal: &Principal<'_>,
        acting: Acting<'_>,
        context: &[u8],
        view_type: ViewType,
        object: &[u32],
    ) -> ActedIn {
        let group = self.group_of(principal).map(|(_, row)| &row.group);
        let path = group.and_then(|group| self.inheritance(group, acting.role)).unwrap_or_default();
        ActedIn {
            name: AdminString::try_from(acting.role).unwrap_or_default(),
            is_proved: acting.is_proved,
            path: path.into_iter().cloned().collect(),
            own: self.is_access_allowed(&principal.acting(None), context, view_type, object),
        }
    }
}

impl Explanation {
    /// The group's rows that do not decide.
    fn others(&mut self, policy: &Policy, context: &[u8]) {
        let of_row = self.group.as_ref().map(|(_, row)| &row.group);
        let Some(group) = self.role.as_ref().map(|role| &role.name).or(of_row) else { return };
        let chosen = self.access.as_ref().map(|(key, _)| key);
        let rows = policy.access.iter().filter(|(key, _)| key.group == *group && Some(*key) != chosen);
        let mut others: Vec<_> = rows
            .map(|(key, row)| {
                let why = PassedOver::of(key, row, chosen, self.model, self.level, context);
                (key.clone(), row.clone(), why)
            })
            .collect();
        others.sort_by_key(|(key, _, why)| (std::cmp::Reverse(*why as u8), preference(key)));
        self.passed_over = others;
    }

    /// The view's decision on the object.
    fn families(&mut self, policy: &Policy, view: &AdminString, object: &[u32]) {
        let Some(view_of_rows) = policy.view(view.octets()) else { return };
        let mut matching = view_of_rows.families().iter().filter(|family| family.matches(object));
        if let Some(deciding) = matching.next() {
            let state = policy
                .families_of(view.octets())
                .find(|(key, _)| key.subtree == deciding.subtree)
                .map_or(RowState::CONFIG, |(_, row)| row.state);
            self.family = Some((deciding.clone(), state));
        }
        self.weaker = matching.cloned().collect();
        let finer = |family: &&Family| family.subtree.len() > object.len() && family.meets(object);
        self.below = view_of_rows.families().iter().filter(finer).cloned().collect();
    }
}

impl PassedOver {
    fn of(
        key: &AccessKey,
        row: &AccessRow,
        chosen: Option<&AccessKey>,
        model: SecurityModel,
        level: SecurityLevel,
        context: &[u8],
    ) -> Self {
        let length = |key: &AccessKey| key.context.octets().len();
        if !row.state.is_active() {
            PassedOver::NotActive
        } else if key.model != SecurityModel::ANY && key.model != model {
            PassedOver::OtherModel
        } else if !row.context_match.matches(key.context.octets(), context) {
            PassedOver::OtherContext
        } else if key.level > level {
            PassedOver::HigherLevel
        } else if chosen.is_some_and(|chosen| chosen.model != key.model) {
            PassedOver::AnyModel
        } else if chosen.is_some_and(|chosen| length(chosen) > length(key)) {
            PassedOver::ShorterContext
        } else {
            PassedOver::LowerLevel
        }
    }
}

impl fmt::Display for PassedOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PassedOver::NotActive => "is not active",
            PassedOver::OtherModel => "is for another security model",
            PassedOver::OtherContext => "is for another context",
            PassedOver::HigherLevel => "requires a higher level",
            PassedOver::AnyModel => "is for any model; the one above is for this model",
            PassedOver::ShorterContext => "has a shorter context than the one above",
            PassedOver::LowerLevel => "has a lower level than the one above",
        })
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Explanation { model, name, level, context, view_type, object, .. } = self;
        let asked = display_oid(object);
        writeln!(f, "question  {view_type} {asked} as {name:?} ({model}, {level}) in context {context:?}")?;
        self.write_context(f)?;
        self.write_group(f)?;
        self.write_access(f)?;
        self.write_families(f)?;
        match self.verdict {
            Ok(()) => f.write_str("verdict   allowed"),
            Err(denied) => write!(f, "verdict   denied, {denied}"),
        }
    }
}

impl Explanation {
    fn write_context(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.contexts.is_empty() && self.verdict != Err(Denied::NoSuchContext) {
            return writeln!(f, "context   {:?} exists", self.context);
        }
        writeln!(f, "context   {:?} does not exist; known contexts: {:?}", self.context, self.contexts)
    }

    fn write_group(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.group {
            Some((_, row)) => writeln!(f, "group     {:?}{}", row.group, Row(row.state))?,
            None => writeln!(f, "group     none: no row for {:?} with model {}", self.name, self.model)?,
        }
        let Some(ActedIn { name, is_proved, path, own }) = &self.role else { return Ok(()) };
        let path = path.iter().map(|role| format!("{role:?}")).collect::<Vec<_>>().join(" > ");
        match (is_proved, path.is_empty(), own) {
            (true, ..) => writeln!(f, "role      {name:?}, proved by its key"),
            (false, true, _) => writeln!(f, "role      {name:?}: neither the group nor inherited by it"),
            (false, false, Ok(())) => writeln!(f, "role      {name:?}, inherited by {path}"),
            (false, false, Err(denied)) => {
                writeln!(f, "role      {name:?}, inherited by {path}; without it: denied, {denied}")
            }
        }
    }

    fn write_access(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.access {
            Some((key, row)) => {
                let AccessRow { read, write, notify, .. } = row;
                let views = format!("read {read:?}, write {write:?}, notify {notify:?}");
                writeln!(f, "access    {}: {views}{}", Subject(key, row), Row(row.state))?;
            }
            None if self.verdict == Err(Denied::NoAccessEntry) => {
                writeln!(f, "access    none of the group's rows applies to this request")?
            }
            None => {}
        }
        for (key, row, why) in &self.passed_over {
            writeln!(f, "  not     {}: {why}", Subject(key, row))?;
        }
        Ok(())
    }

    fn write_families(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((_, row)) = &self.access else { return Ok(()) };
        let view = row.view(self.view_type);
        if self.verdict == Err(Denied::NoSuchView) {
            return match view.is_empty() {
                true => writeln!(f, "view      none for {}", self.view_type),
                false => writeln!(f, "view      {view:?} has no active families"),
            };
        }
        match &self.family {
            Some((family, state)) => {
                writeln!(f, "view      {view:?}, decided by {}{}", Words(family), Row(*state))?;
            }
            None => writeln!(f, "view      {view:?}: no family matches")?,
        }
        for family in &self.weaker {
            let deciding = self.family.as_ref().map_or(0, |(family, _)| family.subtree.len());
            let why =
                if family.subtree.len() < deciding { "shorter" } else { "equally long, but not as great" };
            writeln!(f, "  not     {}: {why}", Words(family))?;
        }
        for family in &self.below {
            writeln!(f, "  below   {}", Words(family))?;
        }
        Ok(())
    }
}

/// The requests that a row of vacmAccessTable applies to.
struct Subject<'r>(&'r AccessKey, &'r AccessRow);

impl fmt::Display for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Subject(key, row) = self;
        let open = if row.context_match == ContextMatch::Prefix { "*" } else { "" };
        // A name that a manager has set must not begin a line.
        let context = key.context.to_string();
        write!(f, "context \"{}{open}\", model {}, level {}", visible(&context), key.model, key.level)
    }
}

/// A family and its type.
struct Words<'f>(&'f Family);

impl fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let family = self.0;
        let verb = if family.included { "includes" } else { "excludes" };
        let shown = family.to_string();
        let subtree = shown.trim_start_matches('-');
        write!(f, "{verb} {}", if subtree.is_empty() { "everything" } else { subtree })
    }
}

/// The origin of a row, if it is not the configuration, and its status, if it is not active.
struct Row(RowState);

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.origin == Origin::Set {
            f.write_str(" (set by a manager)")?;
        }
        match self.0.status {
            RowStatus::Active => Ok(()),
            RowStatus::NotInService => f.write_str(" (notInService, does not count)"),
            RowStatus::NotReady => f.write_str(" (notReady, does not count)"),
        }
    }
}
