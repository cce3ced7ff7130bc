//! Notifications and filters.

use super::Encoder;
use crate::model::{Detail, Filter, Notification, NotificationResult, TargetedNotification, Value};
use crate::stream::Class;
use crate::stream::classes::{java, management};

impl Encoder<'_, '_> {
    /// A notification.
    pub fn notification(&mut self, notification: &Notification) {
        self.writer.object(class(&notification.detail));
        self.writer.long(notification.sequence);
        self.writer.long(notification.time);
        self.writer.optional_string(notification.message.as_deref());
        self.value(&notification.source);
        self.writer.string(&notification.kind);
        self.value(&notification.user_data);
        self.writer.end();
        match &notification.detail {
            Detail::None => {}
            Detail::Server { name } => self.optional_name(name.as_ref()),
            Detail::AttributeChange { name, class, old, new } => {
                self.writer.optional_string(name.as_deref());
                self.writer.optional_string(class.as_deref());
                self.value(new);
                self.value(old);
            }
            Detail::Monitor(monitored) => {
                self.value(&monitored.gauge);
                self.writer.optional_string(monitored.attribute.as_deref());
                self.optional_name(monitored.object.as_ref());
                self.value(&monitored.trigger);
            }
            Detail::Connection { id } => self.writer.optional_string(id.as_deref()),
            Detail::Timer { id } => self.value(&Value::Integer(*id)),
        }
    }

    /// What `fetchNotifications` returns.
    pub fn notification_result(&mut self, result: &NotificationResult) {
        self.writer.object(&management::NOTIFICATION_RESULT);
        self.writer.long(result.earliest);
        self.writer.long(result.next);
        self.items(
            &management::TARGETED_NOTIFICATION_ARRAY,
            &result.notifications,
            Self::targeted_notification,
        );
    }

    fn targeted_notification(&mut self, targeted: &TargetedNotification) {
        self.writer.object(&management::TARGETED_NOTIFICATION);
        self.value(&Value::Integer(targeted.listener));
        self.notification(&targeted.notification);
    }

    /// A filter.
    pub fn filter(&mut self, filter: &Filter) {
        match filter {
            Filter::Types(prefixes) => {
                self.writer.object(&management::NOTIFICATION_FILTER_SUPPORT);
                self.vector(prefixes);
            }
            Filter::Attributes(names) => {
                self.writer.object(&management::ATTRIBUTE_CHANGE_NOTIFICATION_FILTER);
                self.vector(names);
            }
        }
    }

    /// `Vector` of texts, with room for ten at least, as it begins.
    fn vector(&mut self, texts: &[String]) {
        let mut capacity = 10;
        while capacity < texts.len() {
            capacity *= 2;
        }
        self.writer.object(&java::VECTOR);
        self.writer.int(0);
        self.writer.int(texts.len() as i32);
        self.writer.array(&java::OBJECT_ARRAY, capacity);
        for index in 0..capacity {
            self.writer.optional_string(texts.get(index).map(String::as_str));
        }
        self.writer.end();
    }
}

fn class(detail: &Detail) -> &'static Class {
    match detail {
        Detail::None => &management::NOTIFICATION,
        Detail::Server { .. } => &management::MBEAN_SERVER_NOTIFICATION,
        Detail::AttributeChange { .. } => &management::ATTRIBUTE_CHANGE_NOTIFICATION,
        Detail::Monitor(_) => &management::MONITOR_NOTIFICATION,
        Detail::Connection { .. } => &management::JMX_CONNECTION_NOTIFICATION,
        Detail::Timer { .. } => &management::TIMER_NOTIFICATION,
    }
}
