//! Listeners, and the notifications that they are sent when their client fetches them: those that they want and its principal may
//! see.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use trunkline_beans::{DOMAIN, Emitted};
use trunkline_jmx::model::{
    Exception, Filter, MarshalledObject, Notification, NotificationResult, ObjectName, TargetedNotification,
    Value,
};
use trunkline_jmx::remote::Reply;
use trunkline_jmx::stream::classes::exceptions;
use trunkline_smi::Oid;
use trunkline_tree::policy::ViewType;

use crate::ask::Ask;
use crate::connection::{Connection, Listener};
use crate::door::Connector;
use crate::log::{Cause, MOST_KEPT};
use crate::refusal;

impl Connector {
    /// `addNotificationListeners`: all of them or none.
    pub(crate) async fn listen(
        &self,
        ask: &Ask<'_>,
        names: Vec<ObjectName>,
        filters: Vec<Option<MarshalledObject>>,
    ) -> Result<Reply, Exception> {
        let mut new = Vec::with_capacity(names.len());
        for (name, filter) in names.into_iter().zip(filters) {
            if !ask.bean(&name).await?.notifies() {
                let words = format!(
                    "{} sends no notifications: trunkline:type=notifications does, and MBeans with attributes that can be set",
                    name.to_text()
                );
                return Err(refusal::illegal(&words));
            }
            let filter: Option<Filter> = match ask.unmarshalled(filter)? {
                Value::Null => None,
                Value::Filter(filter) => Some(filter),
                other => return Err(refusal::wrong_class(&other, "javax.management.NotificationFilter")),
            };
            // Sources of notifications have their domain.
            new.push((name.or_domain(DOMAIN), filter));
        }
        let numbers = ask.connection.listen(new);
        numbers
            .map(Reply::Listeners)
            .ok_or_else(|| refusal::io("there are too many listeners, or their filters are too large"))
    }

    /// `removeNotificationListeners`.
    pub(crate) fn unlisten(
        &self,
        connection: &Connection,
        name: &ObjectName,
        listeners: &[i32],
    ) -> Result<Reply, Exception> {
        let source = name.clone().or_domain(DOMAIN);
        match listeners.iter().filter(|id| !connection.unlisten(&source, **id)).count() {
            0 => Ok(Reply::Void),
            _ => Err(Exception::new(&exceptions::LISTENER_NOT_FOUND_EXCEPTION, name.to_text())),
        }
    }

    /// `fetchNotifications`: what there is, or else what comes until the time is over.
    pub(crate) async fn fetch(
        &self,
        connection: &Connection,
        sequence: i64,
        most: i32,
        timeout: i64,
    ) -> Result<Reply, Exception> {
        let (Ok(most), Ok(timeout)) = (usize::try_from(most), u64::try_from(timeout)) else {
            return Err(refusal::illegal("a negative number of notifications or time"));
        };
        let most = most.min(MOST_KEPT);
        let until = Instant::now() + Duration::from_millis(timeout).min(LONGEST_WAIT);
        let mut news = self.log.news();
        let mut sequence = if sequence < 0 { self.log.next() } else { sequence };
        loop {
            news.mark_unchanged();
            let result = self.found(connection, sequence, most);
            if !result.notifications.is_empty() || most == 0 || Instant::now() >= until {
                return Ok(Reply::Notifications(result));
            }
            sequence = result.next;
            tokio::select! {
                _ = news.changed() => {}
                () = sleep_until(until) => {}
                () = connection.over() => return Ok(Reply::Notifications(result)),
                () = self.core.closing().closed() => return Ok(Reply::Notifications(result)),
            }
        }
    }

    /// What of the log its listeners want.
    fn found(&self, connection: &Connection, sequence: i64, most: usize) -> NotificationResult {
        let (earliest, told, mut next) = self.log.from(sequence);
        let listeners = connection.listeners();
        let mut notifications = Vec::new();
        let may_read = self.readable(connection);
        for told in told {
            let is_for = |it: &&Emitted| it.about.as_ref().is_none_or(&may_read);
            let by = |emitted: &Emitted| {
                let wanting = listeners.iter().filter(|listener| listener.wants(&emitted.notification));
                let targeted = wanting.map(|listener| TargetedNotification {
                    listener: listener.id,
                    notification: emitted.notification.clone(),
                });
                targeted.collect::<Vec<_>>()
            };
            let wanted: Vec<TargetedNotification> =
                told.notifications.iter().filter(is_for).flat_map(by).collect();
            if wanted.is_empty() || !told.cause.as_ref().is_none_or(|it| self.may_see(connection, it)) {
                continue;
            }
            let room = most.saturating_sub(notifications.len());
            if wanted.len() > room && !notifications.is_empty() {
                // The rest is fetched next time.
                next = told.sequence;
                break;
            }
            notifications.extend(wanted.into_iter().take(room));
        }
        NotificationResult { earliest, next: next.max(earliest), notifications }
    }

    /// Whether the policy lets the client be notified of it.
    fn may_see(&self, connection: &Connection, cause: &Cause) -> bool {
        let settings = self.core.settings();
        let principal = connection.principal.as_principal();
        let objects = cause.objects.iter().map(|name| &name[..]);
        settings.guard().check_notification(&principal, cause.context.as_bytes(), &cause.oid, objects).is_ok()
    }

    /// Which instances the policy lets the client read.
    fn readable(&self, connection: &Connection) -> impl Fn(&Oid) -> bool + use<> {
        let settings = self.core.settings();
        let access = self.core.access_of(&settings, &connection.principal, b"", ViewType::Read).ok();
        move |name| access.as_ref().is_some_and(|access| access.may_read_name(name))
    }
}

impl Listener {
    fn wants(&self, notification: &Notification) -> bool {
        matches!(&notification.source, Value::Name(source) if *source == self.name)
            && self.filter.as_ref().is_none_or(|filter| filter.accepts(notification))
    }
}

/// The longest that a call waits for one.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
