//! Notifications and filters.

use super::{Decoder, Reference, int, long, reference};
use crate::error::Error;
use crate::model::{
    Detail, Filter, Monitored, Notification, NotificationResult, TargetedNotification, Value,
};
use crate::stream::Object;
use crate::stream::classes::{java, management};

impl<'g> Decoder<'g> {
    /// A notification, or null.
    pub fn notification(&mut self, reference: Reference) -> Result<Option<Notification>, Error> {
        self.object_of(reference, &management::NOTIFICATION, Self::notification_object)
    }

    pub(super) fn notification_object(&mut self, object: &'g Object) -> Result<Notification, Error> {
        let sequence = long(object, "sequenceNumber")?;
        let time = long(object, "timeStamp")?;
        let message = self.string(reference(object, "message")?)?;
        let source = self.value(reference(object, "source")?)?;
        let kind = self.text(reference(object, "type")?, "the type of a notification")?;
        let user_data = self.value(reference(object, "userData")?)?;
        let detail = self.detail(object)?;
        Ok(Notification { kind, source, sequence, time, message, user_data, detail })
    }

    fn detail(&mut self, object: &'g Object) -> Result<Detail, Error> {
        let class = object.class;
        Ok(if class.is(&management::MBEAN_SERVER_NOTIFICATION) {
            Detail::Server { name: self.name(reference(object, "objectName")?)? }
        } else if class.is(&management::ATTRIBUTE_CHANGE_NOTIFICATION) {
            Detail::AttributeChange {
                name: self.string(reference(object, "attributeName")?)?,
                class: self.string(reference(object, "attributeType")?)?,
                new: self.value(reference(object, "newValue")?)?,
                old: self.value(reference(object, "oldValue")?)?,
            }
        } else if class.is(&management::MONITOR_NOTIFICATION) {
            Detail::Monitor(Box::new(Monitored {
                gauge: self.value(reference(object, "derivedGauge")?)?,
                attribute: self.string(reference(object, "observedAttribute")?)?,
                object: self.name(reference(object, "observedObject")?)?,
                trigger: self.value(reference(object, "trigger")?)?,
            }))
        } else if class.is(&management::JMX_CONNECTION_NOTIFICATION) {
            Detail::Connection { id: self.string(reference(object, "connectionId")?)? }
        } else if class.is(&management::TIMER_NOTIFICATION) {
            match self.value(reference(object, "notificationID")?)? {
                Value::Integer(id) => Detail::Timer { id },
                _ => return Err(Error::Value { what: "the number of a timer's notification" }),
            }
        } else {
            Detail::None
        })
    }

    /// What `fetchNotifications` returns.
    pub fn notification_result(&mut self, reference: Reference) -> Result<NotificationResult, Error> {
        let result = self.object_of(reference, &management::NOTIFICATION_RESULT, |decoder, object| {
            let list = super::reference(object, "targetedNotifications")?;
            let notifications =
                decoder.items(list, &management::TARGETED_NOTIFICATION_ARRAY, Self::targeted_notification)?;
            Ok(NotificationResult {
                earliest: long(object, "earliestSequenceNumber")?,
                next: long(object, "nextSequenceNumber")?,
                notifications: notifications.unwrap_or_default(),
            })
        })?;
        result.ok_or(Error::Value { what: "null in place of a NotificationResult" })
    }

    fn targeted_notification(&mut self, reference: Reference) -> Result<TargetedNotification, Error> {
        let targeted = self.object_of(reference, &management::TARGETED_NOTIFICATION, |decoder, object| {
            let listener = decoder.integer(super::reference(object, "id")?)?;
            let notification = decoder.notification(super::reference(object, "notif")?)?;
            let notification =
                notification.ok_or(Error::Value { what: "null in place of a notification" })?;
            Ok(TargetedNotification { listener, notification })
        })?;
        targeted.ok_or(Error::Value { what: "null in place of a notification" })
    }

    /// `java.lang.Integer`, not null.
    pub fn integer(&mut self, reference: Reference) -> Result<i32, Error> {
        let number = self.object_of(reference, &java::INTEGER, |_, object| int(object, "value"))?;
        number.ok_or(Error::Value { what: "null in place of a number" })
    }

    /// The filter that an object is, if it is one.
    pub(super) fn filter_object(&mut self, object: &'g Object) -> Result<Option<Filter>, Error> {
        let class = object.class;
        let (field, make): (_, fn(Vec<String>) -> Filter) =
            if class.is(&management::NOTIFICATION_FILTER_SUPPORT) {
                ("enabledTypes", Filter::Types)
            } else if class.is(&management::ATTRIBUTE_CHANGE_NOTIFICATION_FILTER) {
                ("enabledAttributes", Filter::Attributes)
            } else {
                return Ok(None);
            };
        let elements = self.elements_of(reference(object, field)?)?.unwrap_or_default();
        let texts = elements.into_iter().map(|element| self.text(element, "null in a filter"));
        texts.collect::<Result<_, _>>().map(|texts| Some(make(texts)))
    }
}
