//! Notifications as they come, by `fetchNotifications`: the server waits until there are some.

use std::collections::VecDeque;
use std::time::Duration;

use trunkline_jmx::model::{
    Filter, MarshalledObject, Notification, NotificationResult, ObjectName, TargetedNotification, Value,
};
use trunkline_jmx::remote::{Reply, Request};

use crate::error::Error;
use crate::operations::unexpected;
use crate::session::JmxSession;

/// Listeners of one session, and what they have not been given yet.
pub struct Subscription<'s> {
    session: &'s JmxSession,
    /// The MBeans, with the numbers of their listeners.
    listeners: Vec<(ObjectName, i32)>,
    next: i64,
    arrived: VecDeque<TargetedNotification>,
}

/// What a subscription hears.
#[derive(Clone, Debug)]
pub enum Heard {
    /// A notification of this MBean.
    Notification(ObjectName, Box<Notification>),
    /// So many were overwritten at the server before they were fetched; not all need have been for us.
    Lost(i64),
    /// One has values that are not read.
    Unreadable(Error),
}

impl JmxSession {
    /// Listens to MBeans; without types to all their notifications, else to those whose types begin so.
    ///
    /// # Errors
    /// An MBean does not exist or sends none, and as all methods.
    pub async fn subscribe(&self, names: &[ObjectName], types: &[String]) -> Result<Subscription<'_>, Error> {
        // First where the server's buffer ends: what happens after the listeners are there is not missed.
        let start = self.fetch(-1, 0, Duration::ZERO).await?;
        let filter =
            (!types.is_empty()).then(|| MarshalledObject::new(&Value::Filter(Filter::Types(types.to_vec()))));
        let request =
            Request::AddNotificationListeners { names: names.to_vec(), filters: vec![filter; names.len()] };
        let numbers = match self.write(&request).await? {
            Reply::Listeners(numbers) if numbers.len() == names.len() => numbers,
            _ => return Err(unexpected(&request)),
        };
        let listeners = names.iter().cloned().zip(numbers).collect();
        let (next, arrived) = (start.next, VecDeque::new());
        Ok(Subscription { session: self, listeners, next, arrived })
    }

    async fn fetch(&self, sequence: i64, most: i32, wait: Duration) -> Result<NotificationResult, Error> {
        let timeout = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
        let request = Request::FetchNotifications { sequence, most, timeout };
        match self.wait(&request, wait).await? {
            Reply::Notifications(result) => Ok(result),
            _ => Err(unexpected(&request)),
        }
    }
}

impl Subscription<'_> {
    /// The next one, however long it takes. Nothing is lost if it is not awaited to its end.
    ///
    /// # Errors
    /// The session has failed.
    pub async fn next(&mut self) -> Result<Heard, Error> {
        loop {
            while let Some(TargetedNotification { listener, notification }) = self.arrived.pop_front() {
                if let Some((name, _)) = self.listeners.iter().find(|(_, number)| *number == listener) {
                    return Ok(Heard::Notification(name.clone(), Box::new(notification)));
                }
            }
            match self.session.fetch(self.next, AT_ONCE, WAIT).await {
                Ok(result) => {
                    if let Some(lost) = self.take(result)? {
                        return Ok(Heard::Lost(lost));
                    }
                }
                Err(fault) if fault.is_unreadable() => {
                    if let Some(heard) = self.step_over().await? {
                        return Ok(heard);
                    }
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    /// Takes what was fetched; returns how many were lost, if some were.
    fn take(&mut self, result: NotificationResult) -> Result<Option<i64>, Error> {
        let lost = result.earliest.saturating_sub(self.next);
        // A number that does not grow would fetch the same for ever.
        if result.next < self.next || (result.next == self.next && !result.notifications.is_empty()) {
            return Err(Error::Unexpected { method: "fetchNotifications" });
        }
        self.next = result.next;
        self.arrived.extend(result.notifications);
        Ok((lost > 0).then_some(lost))
    }

    /// Fetches a single one: if that cannot be read either, it is left out. The server's numbers count notifications of others too, so
    /// that the next one for us is found first, by fetching none, as Java's client does.
    async fn step_over(&mut self) -> Result<Option<Heard>, Error> {
        let before = self.next;
        let none = self.session.fetch(self.next, 0, Duration::ZERO).await?;
        if let Some(lost) = self.take(none)? {
            return Ok(Some(Heard::Lost(lost)));
        }
        match self.session.fetch(self.next, 1, Duration::ZERO).await {
            Ok(result) => {
                let lost = self.take(result)?;
                // Neither read nor left out: that would be fetched for ever.
                if self.next == before {
                    return Err(Error::Unexpected { method: "fetchNotifications" });
                }
                Ok(lost.map(Heard::Lost))
            }
            Err(fault) if fault.is_unreadable() => {
                self.next = self.next.saturating_add(1);
                Ok(Some(Heard::Unreadable(fault)))
            }
            Err(fault) => Err(fault),
        }
    }

    /// Removes the listeners.
    ///
    /// # Errors
    /// The session has failed.
    pub async fn end(self) -> Result<(), Error> {
        for (name, number) in self.listeners {
            let request = Request::RemoveNotificationListeners { name, listeners: vec![number] };
            match self.session.write(&request).await {
                Ok(_) => {}
                // The MBean is gone, and its listeners with it.
                Err(fault) if fault.exception().is_some() => {}
                Err(fault) => return Err(fault),
            }
        }
        Ok(())
    }
}

/// So many are fetched at once.
const AT_ONCE: i32 = 1_000;
/// For so long the server waits if there are none, as Java's client has it.
const WAIT: Duration = Duration::from_secs(60);
