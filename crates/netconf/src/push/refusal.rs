//! Why a subscription is refused or does not go on: the identities of RFC 8639 and RFC 8641, and their errors (RFC 8640 section 7).

use std::borrow::Cow;

use trunkline_xml::Writer;

use crate::document::Element;
use crate::error::{Info, Layer, RpcError, Tag};
use crate::{PUSH, SUBSCRIBED};

/// An identity.
#[allow(missing_docs, reason = "they are the RFCs' identities, by their names")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    EncodingUnsupported,
    FilterUnavailable,
    FilterUnsupported,
    InsufficientResources,
    NoSuchSubscription,
    ReplayUnsupported,
    StreamUnavailable,
    SuspensionTimeout,
    UnsupportableVolume,
    CantExclude,
    DatastoreNotSubscribable,
    NoSuchSubscriptionResync,
    OnChangeUnsupported,
    OnChangeSyncUnsupported,
    PeriodUnsupported,
    UpdateTooBig,
    SyncTooBig,
    UnchangingSelection,
}

impl Reason {
    /// All of them.
    pub const ALL: [Reason; 18] = [
        Reason::EncodingUnsupported,
        Reason::FilterUnavailable,
        Reason::FilterUnsupported,
        Reason::InsufficientResources,
        Reason::NoSuchSubscription,
        Reason::ReplayUnsupported,
        Reason::StreamUnavailable,
        Reason::SuspensionTimeout,
        Reason::UnsupportableVolume,
        Reason::CantExclude,
        Reason::DatastoreNotSubscribable,
        Reason::NoSuchSubscriptionResync,
        Reason::OnChangeUnsupported,
        Reason::OnChangeSyncUnsupported,
        Reason::PeriodUnsupported,
        Reason::UpdateTooBig,
        Reason::SyncTooBig,
        Reason::UnchangingSelection,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Reason::EncodingUnsupported => "encoding-unsupported",
            Reason::FilterUnavailable => "filter-unavailable",
            Reason::FilterUnsupported => "filter-unsupported",
            Reason::InsufficientResources => "insufficient-resources",
            Reason::NoSuchSubscription => "no-such-subscription",
            Reason::ReplayUnsupported => "replay-unsupported",
            Reason::StreamUnavailable => "stream-unavailable",
            Reason::SuspensionTimeout => "suspension-timeout",
            Reason::UnsupportableVolume => "unsupportable-volume",
            Reason::CantExclude => "cant-exclude",
            Reason::DatastoreNotSubscribable => "datastore-not-subscribable",
            Reason::NoSuchSubscriptionResync => "no-such-subscription-resync",
            Reason::OnChangeUnsupported => "on-change-unsupported",
            Reason::OnChangeSyncUnsupported => "on-change-sync-unsupported",
            Reason::PeriodUnsupported => "period-unsupported",
            Reason::UpdateTooBig => "update-too-big",
            Reason::SyncTooBig => "sync-too-big",
            Reason::UnchangingSelection => "unchanging-selection",
        }
    }

    /// Its module: the prefix, the namespace and the name.
    #[must_use]
    pub const fn module(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Reason::EncodingUnsupported
            | Reason::FilterUnavailable
            | Reason::FilterUnsupported
            | Reason::InsufficientResources
            | Reason::NoSuchSubscription
            | Reason::ReplayUnsupported
            | Reason::StreamUnavailable
            | Reason::SuspensionTimeout
            | Reason::UnsupportableVolume => ("sn", SUBSCRIBED, "ietf-subscribed-notifications"),
            _ => ("yp", PUSH, "ietf-yang-push"),
        }
    }

    /// The `error-tag` of a request that is refused for it (RFC 8640 section 7).
    #[must_use]
    pub const fn tag(self) -> Tag {
        match self {
            Reason::InsufficientResources => Tag::ResourceDenied,
            Reason::UpdateTooBig | Reason::SyncTooBig => Tag::TooBig,
            Reason::ReplayUnsupported
            | Reason::CantExclude
            | Reason::OnChangeUnsupported
            | Reason::OnChangeSyncUnsupported => Tag::OperationNotSupported,
            Reason::UnchangingSelection => Tag::OperationFailed,
            _ => Tag::InvalidValue,
        }
    }

    /// Writes it as the value of an element.
    pub fn write(self, writer: &mut Writer<'_>) {
        let (prefix, namespace, _) = self.module();
        writer.start("reason").attribute(&format!("xmlns:{prefix}"), namespace);
        writer.text(&format!("{prefix}:{}", self.name())).end("reason");
    }

    /// Reads the value of an element.
    #[must_use]
    pub fn read(element: Element<'_>) -> Option<Reason> {
        let (prefix, name) = element.value().split_once(':').unwrap_or(("", element.value()));
        let namespace = element.resolve(prefix)?;
        Reason::ALL.into_iter().find(|it| it.name() == name && it.module().1 == namespace)
    }
}

/// Which request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum During {
    /// `establish-subscription`.
    Establish,
    /// `modify-subscription`.
    Modify,
    /// `delete-subscription` or `kill-subscription`.
    Delete,
    /// `resync-subscription`.
    Resync,
}

impl During {
    /// The container in `error-info`, and its namespace.
    const fn container(self, is_of_datastore: bool) -> (&'static str, &'static str) {
        match (self, is_of_datastore) {
            (During::Establish, false) => ("establish-subscription-stream-error-info", SUBSCRIBED),
            (During::Establish, true) => ("establish-subscription-datastore-error-info", PUSH),
            (During::Modify, false) => ("modify-subscription-stream-error-info", SUBSCRIBED),
            (During::Modify, true) => ("modify-subscription-datastore-error-info", PUSH),
            (During::Delete, _) => ("delete-subscription-error-info", SUBSCRIBED),
            (During::Resync, _) => ("resync-subscription-error", PUSH),
        }
    }

    const ALL: [During; 4] = [During::Establish, During::Modify, During::Delete, During::Resync];
}

/// Why a request is refused, and what would go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The identity.
    pub reason: Reason,
    message: String,
    hints: Vec<(Hint, String)>,
}

/// What a client could request instead.
#[allow(missing_docs, reason = "they are the RFCs' leaves, by their names")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// Hundredths of a second.
    PeriodHint,
    FilterFailureHint,
    ObjectCountEstimate,
    ObjectCountLimit,
    KilobytesEstimate,
    KilobytesLimit,
}

impl Hint {
    /// In the order of the module.
    pub const ALL: [Hint; 6] = [
        Hint::PeriodHint,
        Hint::FilterFailureHint,
        Hint::ObjectCountEstimate,
        Hint::ObjectCountLimit,
        Hint::KilobytesEstimate,
        Hint::KilobytesLimit,
    ];

    const fn name(self) -> &'static str {
        match self {
            Hint::PeriodHint => "period-hint",
            Hint::FilterFailureHint => "filter-failure-hint",
            Hint::ObjectCountEstimate => "object-count-estimate",
            Hint::ObjectCountLimit => "object-count-limit",
            Hint::KilobytesEstimate => "kilobytes-estimate",
            Hint::KilobytesLimit => "kilobytes-limit",
        }
    }
}

impl Refusal {
    /// For a reason, with what a person should know.
    #[must_use]
    pub fn new(reason: Reason, message: impl Into<String>) -> Refusal {
        Refusal { reason, message: message.into(), hints: Vec::new() }
    }

    /// The same with a hint.
    #[must_use]
    pub fn hint(mut self, hint: Hint, value: impl ToString) -> Refusal {
        self.hints.push((hint, value.to_string()));
        self
    }

    /// A filter that cannot be used, for the reason that an error has.
    #[must_use]
    pub fn of_filter(error: &RpcError) -> Refusal {
        let message = error.message.clone().unwrap_or_else(|| error.to_string());
        // Filters for events have one hint, and it is this.
        Refusal::new(Reason::FilterUnsupported, message.clone()).hint(Hint::FilterFailureHint, message)
    }

    /// The error of a request. `is_of_datastore`: whether it is about data, and not about events.
    #[must_use]
    pub fn during(self, during: During, is_of_datastore: bool) -> RpcError {
        let Refusal { reason, message, hints } = self;
        let app_tag = format!("{}:{}", reason.module().2, reason.name());
        let info = SubscriptionInfo { during, is_of_datastore, reason: Some(reason), hints };
        let mut error = RpcError::new(Layer::Application, reason.tag(), message);
        error.app_tag = Some(Cow::Owned(app_tag));
        error.with(Info::Subscription(Box::new(info)))
    }
}

/// What `error-info` has of a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionInfo {
    during: During,
    is_of_datastore: bool,
    /// Why, if it is known.
    pub reason: Option<Reason>,
    /// What would go.
    pub hints: Vec<(Hint, String)>,
}

impl SubscriptionInfo {
    pub(crate) fn write(&self, writer: &mut Writer<'_>) {
        let (name, namespace) = self.during.container(self.is_of_datastore);
        writer.start(name).attribute("xmlns", namespace);
        if let Some(reason) = self.reason {
            reason.write(writer);
        }
        for (hint, value) in &self.hints {
            writer.leaf(hint.name(), value);
        }
        writer.end(name);
    }

    pub(crate) fn read(element: Element<'_>) -> Option<SubscriptionInfo> {
        let all = During::ALL.into_iter().flat_map(|during| [false, true].map(|it| (during, it)));
        let is_it = |(during, is_of_datastore): &(During, bool)| {
            let (name, namespace) = during.container(*is_of_datastore);
            element.is(namespace, name)
        };
        let (during, is_of_datastore) = all.into_iter().find(is_it)?;
        let reason = element.child(element.namespace(), "reason").and_then(Reason::read);
        let hint = |child: Element<'_>| {
            let hint = Hint::ALL.into_iter().find(|it| it.name() == child.name())?;
            Some((hint, child.value().to_owned()))
        };
        let hints = element.children().filter_map(hint).collect();
        Some(SubscriptionInfo { during, is_of_datastore, reason, hints })
    }

    /// The value of a hint.
    #[must_use]
    pub fn hint(&self, hint: Hint) -> Option<&str> {
        self.hints.iter().find(|(it, _)| *it == hint).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BASE;
    use crate::document::{Document, limits};

    #[test]
    fn refusals_are_read_as_written() {
        for reason in Reason::ALL {
            for (during, is_of_datastore) in [
                (During::Establish, false),
                (During::Establish, true),
                (During::Modify, false),
                (During::Modify, true),
                (During::Delete, false),
                (During::Resync, false),
            ] {
                let refusal = Refusal::new(reason, "a < b")
                    .hint(Hint::PeriodHint, 100)
                    .hint(Hint::FilterFailureHint, "no \"such\" & thing");
                let error = refusal.during(during, is_of_datastore);
                let mut text = format!("<r xmlns='{BASE}'>").into_bytes();
                error.write("", &mut text);
                text.extend_from_slice(b"</r>");
                let document = Document::read(&text, limits(10_000)).unwrap();
                let read = RpcError::read(document.root().child(BASE, "rpc-error").unwrap());
                assert_eq!(read, error);
                let Some(Info::Subscription(info)) = read.info.first() else { panic!("{read:?}") };
                assert_eq!((info.reason, info.hint(Hint::PeriodHint)), (Some(reason), Some("100")));
            }
        }
    }

    #[test]
    fn a_refusal_has_the_form_of_rfc_8640() {
        let error = Refusal::new(Reason::PeriodUnsupported, "too short").hint(Hint::PeriodHint, 100);
        let mut text = Vec::new();
        error.during(During::Establish, true).write("", &mut text);
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "<rpc-error><error-type>application</error-type><error-tag>invalid-value</error-tag>\
             <error-severity>error</error-severity><error-app-tag>ietf-yang-push:period-unsupported</error-app-tag>\
             <error-message xml:lang=\"en\">too short</error-message><error-info>\
             <establish-subscription-datastore-error-info xmlns=\"urn:ietf:params:xml:ns:yang:ietf-yang-push\">\
             <reason xmlns:yp=\"urn:ietf:params:xml:ns:yang:ietf-yang-push\">yp:period-unsupported</reason>\
             <period-hint>100</period-hint></establish-subscription-datastore-error-info></error-info></rpc-error>"
        );
    }
}
