//! Attributes that get another value: which ones may, and how their MBean notifies of it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use trunkline_jmx::model::{Detail, Notification, Value as Java};
use trunkline_smi::module::if_mib;
use trunkline_smi::{Oid, Value};
use trunkline_yang::own::ALL;

use crate::notification::{ATTRIBUTE_CHANGE, Object};
use crate::{Attribute, Bean, Catalog};

/// An attribute that has another value.
#[derive(Clone, Copy, Debug)]
pub struct AttributeChange<'c> {
    /// The instance.
    pub instance: &'c Oid,
    /// Its value before, if that is known and it had one.
    pub old: Option<&'c Value>,
    /// The value that it has.
    pub new: Option<&'c Value>,
    /// Why, in a word; `None`: it was configured.
    pub message: Option<&'c str>,
    /// The number of the notification in the series of this agent.
    pub sequence: i64,
    /// When it happened, in milliseconds since 1970.
    pub time: i64,
}

/// A notification that tells of the new value of a column.
pub(crate) struct Change {
    /// Which.
    pub notification: &'static [u32],
    /// The table of the column.
    pub table: &'static str,
    /// The column.
    pub column: &'static str,
}

/// Those that there are.
pub(crate) const CHANGES: [Change; 2] = [
    Change { notification: if_mib::LINK_DOWN.oid, table: "ifTable", column: "ifOperStatus" },
    Change { notification: if_mib::LINK_UP.oid, table: "ifTable", column: "ifOperStatus" },
];

impl AttributeChange<'_> {
    /// As a notification of the MBean that has the attribute; `None`: there is none.
    #[must_use]
    pub fn notification(&self, catalog: &Catalog) -> Option<Notification> {
        let (source, attribute) = catalog.place_of(self.instance)?;
        let object = |value: Option<&Value>| value.map(|value| Object::of(self.instance, value));
        let (old, new) = (object(self.old), object(self.new));
        let class = new.as_ref().or(old.as_ref()).map(|object| object.java.class_name().to_owned());
        let value = |object: Option<Object>| object.map_or(Java::Null, |object| object.value);
        let message = self.message.map_or_else(|| format!("{attribute} is configured"), str::to_owned);
        Some(Notification {
            kind: ATTRIBUTE_CHANGE.to_owned(),
            source: Java::Name(source),
            sequence: self.sequence,
            time: self.time,
            message: Some(message),
            user_data: Java::Null,
            detail: Detail::AttributeChange {
                name: Some(attribute.to_owned()),
                class,
                old: value(old),
                new: value(new),
            },
        })
    }
}

impl Attribute {
    /// Whether managers may change it, over whatever protocol: its object may be set, or is configured over NETCONF.
    fn is_changeable(&self, of: Option<&'static trunkline_smi::schema::Table>) -> bool {
        self.access.is_writable() || self.oid(of).is_some_and(|oid| CONFIGURED.contains(&&*oid))
    }
}

impl Bean<'_> {
    /// Whether managers may change something of it.
    pub(crate) fn is_changeable(&self) -> bool {
        match self {
            Bean::Group(group) => group.attributes.iter().any(|attribute| attribute.is_changeable(None)),
            Bean::Row(row, _) => row.attributes.iter().any(|it| it.is_changeable(Some(row.table))),
            Bean::Delegate | Bean::Notifications | Bean::Table(_) => false,
        }
    }

    /// The instances of it that managers may change.
    #[must_use]
    pub fn changeable(&self) -> Vec<Oid> {
        let (attributes, table, index) = match self {
            Bean::Group(group) => (&group.attributes, None, &[0][..]),
            Bean::Row(row, index) => (&row.attributes, Some(row.table), &index[..]),
            Bean::Delegate | Bean::Notifications | Bean::Table(_) => return Vec::new(),
        };
        let changeable = attributes.iter().filter(|attribute| attribute.is_changeable(table));
        let instance = |attribute: &Attribute| Oid::new(&[&attribute.oid(table)?, index].concat()).ok();
        changeable.filter_map(instance).collect()
    }
}

/// The objects that are leaves of the configuration over NETCONF.
static CONFIGURED: LazyLock<BTreeSet<&'static [u32]>> =
    LazyLock::new(|| ALL.iter().flat_map(|module| module.objects()).collect());
