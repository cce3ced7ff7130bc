//! Notifications, and which of them a listener wants.

use super::{ObjectName, Value};

/// A notification.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// Its type: words with dots.
    pub kind: String,
    /// Where it comes from: mostly a [`Value::Name`].
    pub source: Value,
    /// Its number, in the series of its source.
    pub sequence: i64,
    /// When it happened, in milliseconds since 1970.
    pub time: i64,
    /// What happened.
    pub message: Option<String>,
    /// More about it.
    pub user_data: Value,
    /// What its class adds.
    pub detail: Detail,
}

/// What the classes of notifications add.
#[derive(Clone, Debug, PartialEq)]
pub enum Detail {
    /// `Notification` itself.
    None,
    /// `MBeanServerNotification`: an MBean was registered or unregistered.
    Server {
        /// Its name.
        name: Option<ObjectName>,
    },
    /// `AttributeChangeNotification`
    AttributeChange {
        /// The attribute.
        name: Option<String>,
        /// The class of its values.
        class: Option<String>,
        /// Its value before.
        old: Value,
        /// Its value now.
        new: Value,
    },
    /// `MonitorNotification`
    Monitor(Box<Monitored>),
    /// `JMXConnectionNotification`
    Connection {
        /// Which connection.
        id: Option<String>,
    },
    /// `TimerNotification`
    Timer {
        /// Which of the timer's notifications.
        id: i32,
    },
}

/// What a monitor has seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Monitored {
    /// The MBean.
    pub object: Option<ObjectName>,
    /// The attribute.
    pub attribute: Option<String>,
    /// What was compared.
    pub gauge: Value,
    /// What it was compared with.
    pub trigger: Value,
}

/// A notification for a listener.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetedNotification {
    /// The listener's number.
    pub listener: i32,
    /// What it is sent.
    pub notification: Notification,
}

/// What `fetchNotifications` returns.
#[derive(Clone, Debug, PartialEq)]
pub struct NotificationResult {
    /// The earliest that is still kept.
    pub earliest: i64,
    /// With which the next request is to begin.
    pub next: i64,
    /// Those from the number that was requested.
    pub notifications: Vec<TargetedNotification>,
}

/// A filter that a client has sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    /// `NotificationFilterSupport`: types that begin so.
    Types(Vec<String>),
    /// `AttributeChangeNotificationFilter`: changes of these attributes.
    Attributes(Vec<String>),
}

impl Filter {
    /// About how many octets it takes.
    pub fn octets(&self) -> usize {
        let (Filter::Types(texts) | Filter::Attributes(texts)) = self;
        texts.iter().map(|text| text.len() + size_of::<String>()).sum()
    }

    /// Whether a listener with this filter wants a notification.
    pub fn accepts(&self, notification: &Notification) -> bool {
        match self {
            Filter::Types(prefixes) => {
                prefixes.iter().any(|prefix| notification.kind.starts_with(prefix.as_str()))
            }
            Filter::Attributes(names) => match &notification.detail {
                Detail::AttributeChange { name: Some(name), .. } => {
                    notification.kind == "jmx.attribute.change" && names.contains(name)
                }
                _ => false,
            },
        }
    }
}
