//! Receivers of notifications: `[[snmp.target]]`.

use std::collections::BTreeSet;
use std::time::Duration;

use trunkline_tree::View;

use super::peer::{
    Credentials, PeerAddress, PeerRole, RawCredentials, check_address, check_credentials, check_portable,
};
use super::secure::{TlsServer, check_server};
use super::security::{check_context, word};
use super::user::UserPlan;
use super::value::{self, Checked};
use super::view::check_subtrees;
use crate::{Place, raw};

/// A receiver of notifications (RFC 3413 section 4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetPlan {
    /// The name: 1 to 32 octets.
    pub name: String,
    /// Its address.
    pub address: PeerAddress,
    /// The identity that TLS and DTLS require of the receiver; `None`: a certificate for the host in the address.
    pub server: Option<TlsServer>,
    /// The credentials for it.
    pub credentials: Credentials,
    /// Whether it confirms.
    pub kind: NotificationKind,
    /// The time limit for a confirmation.
    pub timeout: Duration,
    /// How often an inform is sent again.
    pub retries: u32,
    /// Which notifications, by their names and by the objects in them (RFC 3413 section 6).
    pub filter: View,
    /// The context that is named in the message.
    pub context: String,
}

/// Whether a notification is confirmed (RFC 3416 sections 4.2.6 and 4.2.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NotificationKind {
    /// Sent once.
    Trap,
    /// Sent until it is confirmed.
    Inform,
}

const KINDS: &[(&str, NotificationKind)] =
    &[("trap", NotificationKind::Trap), ("inform", NotificationKind::Inform)];

pub(super) fn check_targets(
    list: Vec<raw::Target>,
    users: &[UserPlan],
    place: Place<'_>,
) -> Checked<Vec<TargetPlan>> {
    let mut seen = BTreeSet::new();
    value::all(list.into_iter().map(|raw| check_target(raw, users, &mut seen, place)))
}

fn check_target(
    raw: raw::Target,
    users: &[UserPlan],
    seen: &mut BTreeSet<String>,
    place: Place<'_>,
) -> Checked<TargetPlan> {
    let name = value::name(&raw.name, 32, seen, place)?;
    let kind_span = raw.kind.as_ref().map_or(raw.name.span(), |kind| kind.span());
    let user_span = raw.user.as_ref().map_or(raw.name.span(), |user| user.span());
    let address = check_address(&raw.address, PeerRole::Receiver, place)?;
    let server = check_server(raw.fingerprint, raw.server_name, address.transport, place)?;
    let credentials = RawCredentials {
        owner: raw.name.span(),
        version: raw.version,
        community: raw.community,
        user: raw.user,
        principal: raw.principal,
        level: raw.level,
        transport: address.transport,
    };
    let credentials = check_credentials(credentials, users, place)?;
    let kind = raw.kind.map(|kind| word("kind", KINDS, &kind, place)).transpose()?;
    let kind = kind.unwrap_or(NotificationKind::Trap);
    if kind == NotificationKind::Inform {
        if matches!(credentials, Credentials::V1 { .. }) {
            return Err(place.wrong(kind_span, "version \"v1\" has traps only, no informs".into()));
        }
        check_portable(&credentials, users, user_span, place)?;
    }
    let retries = raw.retries.map(|retries| value::number(&retries, 0, 255, place)).transpose()?;
    Ok(TargetPlan {
        name,
        address,
        server,
        credentials,
        kind,
        timeout: value::time(raw.timeout, Duration::from_millis(1500), place)?,
        retries: retries.unwrap_or(3) as u32,
        filter: raw.filter.map_or_else(|| Ok(View::everything()), |rules| check_subtrees(rules, place))?,
        context: check_context(raw.context, place)?,
    })
}
