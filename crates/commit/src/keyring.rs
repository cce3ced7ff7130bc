//! The keys of messages that protect themselves, as `running` has them: `/keys` of trunkline-keys. They are found without a lock.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwap;
use tokio::sync::Notify;
use trunkline_datastore::{Branch, Config, Item, Step, path};
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_xmlsec::{Found, KeyName, RoleKeys, RoleName, Time, UserName, Verifier};
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::own::KEYS;
use trunkline_yang::value_type::{of_binary, of_hex};

/// All keys.
#[derive(Default)]
pub struct Keyring {
    table: ArcSwap<Table>,
    /// They have changed.
    news: Notify,
}

/// The keys of one moment.
#[derive(Default)]
pub struct Table {
    /// What it was made of.
    source: Option<Branch>,
    roles: HashMap<RoleName, HashMap<u32, Epoch>>,
    users: HashMap<UserName, Vec<Verifier>>,
}

struct Epoch {
    keys: RoleKeys,
    /// From when on they are refused.
    expires: Option<Time>,
}

impl Keyring {
    /// The keys now.
    pub fn table(&self) -> Arc<Table> {
        self.table.load_full()
    }

    /// Waits until keys have changed since this was last called, or some expire. For one who waits.
    pub async fn changed(&self) {
        let rest = self.table.load().rest(Time::from(SystemTime::now()));
        match rest {
            Some(rest) => drop(tokio::time::timeout(rest, self.news.notified()).await),
            None => self.news.notified().await,
        }
    }

    /// Refuses keys that cannot be used; those that are in force can.
    ///
    /// # Errors
    /// The first that is wrong.
    pub(super) fn check(&self, forest: &Forest, config: &Config) -> Result<(), Vec<RpcError>> {
        match self.table.load().source.as_ref() == source(forest, config) {
            true => Ok(()),
            false => check(forest, config),
        }
    }

    /// Takes the keys of what is in force; what was checked has no mistakes.
    pub(super) fn take(&self, forest: &Forest, running: &Config) {
        if self.table.load().source.as_ref() == source(forest, running) {
            return;
        }
        self.table.store(Arc::new(Table::of(forest, running).unwrap_or_else(|error| {
            tracing::error!(%error, "the keys of protected messages cannot be read: there are none");
            Table::default()
        })));
        self.news.notify_one();
    }
}

impl Table {
    fn of(forest: &Forest, config: &Config) -> Result<Table, RpcError> {
        let mut table = Table::default();
        let Some(root) = root(forest) else { return Ok(table) };
        let Some(source) = config.root().within(&Step::to(root)) else { return Ok(table) };
        let (role, user) = (child(forest, root, "role"), child(forest, root, "user"));
        for (step, item) in source.iter() {
            let at = [Step::to(root), step.clone()];
            let (Some(name), Item::Within(entry)) = (step.keys.first(), item) else { continue };
            if Some(step.node) == role {
                let name: RoleName = name.parse().map_err(|error| wrong(forest, &at, &error))?;
                // Not a name of a role with others: KeyName knows which.
                let key = format!("{name}/0/u").parse::<KeyName>();
                key.map_err(|_| RpcError { tag: Tag::OperationFailed, ..wrong(forest, &at, &RESERVED) })
                    .map_err(|error| error.called("must-violation"))?;
                table.roles.insert(name, epochs(forest, &at, entry)?);
            } else if Some(step.node) == user {
                let name: UserName = name.parse().map_err(|error| wrong(forest, &at, &error))?;
                table.users.insert(name, public_keys(forest, &at, entry)?);
            }
        }
        table.source = Some(source.clone());
        Ok(table)
    }

    /// Whether there is any key.
    pub fn is_empty(&self) -> bool {
        self.roles.is_empty() && self.users.is_empty()
    }

    /// The keys of a user in a role's epoch; `None`: there are none, or they have expired.
    pub fn role_keys(&self, role: &RoleName, epoch: u32, now: Time) -> Option<&RoleKeys> {
        let epoch = self.roles.get(role)?.get(&epoch)?;
        epoch.expires.is_none_or(|expires| now < expires).then_some(&epoch.keys)
    }

    /// Whether a name stands for any key now.
    pub fn has(&self, name: &KeyName, now: Time) -> bool {
        match name {
            KeyName::Role { role, epoch, .. } => self.role_keys(role, *epoch, now).is_some(),
            KeyName::User(user) => self.users.get(user).is_some_and(|keys| !keys.is_empty()),
        }
    }

    /// How long until the next key expires, at most [`LONGEST`], since clocks are set; `None`: none will.
    fn rest(&self, now: Time) -> Option<Duration> {
        let epochs = self.roles.values().flat_map(HashMap::values);
        let next = epochs.filter_map(|epoch| epoch.expires).filter(|expires| *expires > now).min()?;
        Some(next.apart(now).min(LONGEST) + Duration::from_millis(1))
    }

    /// All keys that a name may stand for now.
    pub fn find(&self, name: &KeyName, now: Time) -> Vec<Found> {
        match name {
            KeyName::Role { role, epoch, user } => {
                let keys = self.role_keys(role, *epoch, now);
                keys.map(|keys| Found::Shared(keys.of_user(user))).into_iter().collect()
            }
            KeyName::User(user) => {
                self.users.get(user).into_iter().flatten().cloned().map(Found::Public).collect()
            }
        }
    }
}

/// Refuses keys that cannot be used.
///
/// # Errors
/// The first that is wrong.
pub(super) fn check(forest: &Forest, config: &Config) -> Result<(), Vec<RpcError>> {
    Table::of(forest, config).map(drop).map_err(|error| vec![error])
}

fn epochs(forest: &Forest, at: &[Step; 2], role: &Branch) -> Result<HashMap<u32, Epoch>, RpcError> {
    let mut epochs = HashMap::new();
    for (step, item) in role.iter() {
        let (Some(number), Item::Within(entry)) = (step.keys.first(), item) else { continue };
        let leaf = |name| child(forest, step.node, name).and_then(|node| entry.leaf(node));
        let key = |name| leaf(name).and_then(of_hex).unwrap_or_default();
        let (authentication, encryption) = (key("authentication-key"), key("encryption-key"));
        let place = [at.as_slice(), std::slice::from_ref(step)].concat();
        let keys = RoleKeys::new(&authentication, &encryption);
        let keys = keys.map_err(|error| wrong(forest, &place, &error))?;
        let expires = leaf("expires").map(str::parse).transpose();
        let expires = expires.map_err(|error: trunkline_xmlsec::NotATime| wrong(forest, &place, &error))?;
        if let Ok(number) = number.parse() {
            epochs.insert(number, Epoch { keys, expires });
        }
    }
    Ok(epochs)
}

fn public_keys(forest: &Forest, at: &[Step; 2], user: &Branch) -> Result<Vec<Verifier>, RpcError> {
    let is_key = |step: &&Step| forest[step.node].name == "public-key";
    let steps = user.iter().map(|(step, _)| step).filter(is_key);
    let one = |step: &Step| {
        let place = [at.as_slice(), std::slice::from_ref(step)].concat();
        let octets = step.keys.first().and_then(|it| of_binary(it)).unwrap_or_default();
        Verifier::from_spki(&octets).map_err(|error| wrong(forest, &place, &error))
    };
    steps.map(one).collect()
}

fn wrong(forest: &Forest, at: &[Step], error: &dyn std::fmt::Display) -> RpcError {
    RpcError::new(Layer::Application, Tag::InvalidValue, error.to_string()).at(path(forest, at))
}

/// The `error-message` of a `must` of the module.
const RESERVED: &str = "user cannot be a role: the names of public keys begin with it";
/// After so long the clock is looked at again.
const LONGEST: Duration = Duration::from_secs(60);

/// Where a configuration has its keys.
fn source<'c>(forest: &Forest, config: &'c Config) -> Option<&'c Branch> {
    config.root().within(&Step::to(root(forest)?))
}

pub(super) fn root(forest: &Forest) -> Option<NodeId> {
    forest.child_of(None, KEYS.name, "keys")
}

fn child(forest: &Forest, parent: NodeId, name: &str) -> Option<NodeId> {
    forest.child(Some(parent), name)
}

#[cfg(test)]
mod tests {
    use trunkline_datastore::{check, read};
    use trunkline_netconf::document::{Document, limits};
    use trunkline_yang::own::ALL;

    use super::*;

    fn table(forest: &Forest, content: &str) -> Result<Table, RpcError> {
        let text = format!("<config><keys xmlns='{}'>{content}</keys></config>", KEYS.namespace);
        let config = read(forest, Document::read(text.as_bytes(), limits(100_000)).unwrap().root()).unwrap();
        check(forest, &config).unwrap();
        Table::of(forest, &config)
    }

    fn at(text: &str) -> Time {
        text.parse().unwrap()
    }

    #[test]
    fn keys_are_found_until_they_expire() {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let key = |first: &str| format!("{first}:{}", ["00"; 15].join(":"));
        let epoch = |number: u32, first: &str, more: &str| {
            format!(
                "<epoch><number>{number}</number><authentication-key>{}</authentication-key>\
                 <encryption-key>{}</encryption-key>{more}</epoch>",
                key(first),
                key("ff")
            )
        };
        let table = table(
            &forest,
            &format!(
                "<role><name>operator</name>{}{}</role>",
                epoch(1, "01", "<expires>2026-11-28T08:00:00Z</expires>"),
                epoch(2, "02", "")
            ),
        )
        .unwrap();
        let before = at("2026-11-28T07:59:59.999Z");
        let find = |name: &str, now: Time| table.find(&name.parse().unwrap(), now).len();
        assert_eq!((find("operator/1/ann", before), find("operator/2/ann", before)), (1, 1));
        let after = at("2026-11-28T08:00:00Z");
        assert_eq!((find("operator/1/ann", after), find("operator/2/ann", after)), (0, 1));
        let has = |name: &str, now: Time| table.has(&name.parse().unwrap(), now);
        assert!(
            has("operator/1/ann", before) && !has("operator/1/ann", after) && has("operator/2/ann", after)
        );
        assert_eq!((table.rest(before), table.rest(after)), (Some(Duration::from_millis(2)), None));
        assert_eq!(table.rest(at("2026-11-28T07:00:00Z")), Some(LONGEST + Duration::from_millis(1)));
        for unknown in ["operator/3/ann", "other/2/ann", "user/ann"] {
            assert_eq!(find(unknown, before), 0, "{unknown}");
        }
        assert!(!table.is_empty() && Table::default().is_empty());
    }

    #[test]
    fn what_is_not_a_key_or_a_role_is_refused_where_it_is() {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        for (content, place, tag) in [
            (
                "<role><name>user</name></role>",
                "/tlk:keys/tlk:role[tlk:name='user']",
                (Tag::OperationFailed, Some("must-violation")),
            ),
            (
                "<user><name>ann</name><public-key>AAAA</public-key></user>",
                "tlk:public-key[.='AAAA']",
                (Tag::InvalidValue, None),
            ),
        ] {
            let error = table(&forest, content).err().unwrap();
            assert_eq!((error.tag, error.app_tag.as_deref()), tag);
            assert!(format!("{error:?}").contains(place), "{error:?}");
        }
    }
}
