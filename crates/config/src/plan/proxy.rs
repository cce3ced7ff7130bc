//! Requests that another agent answers: `[[proxy]]`.

use std::collections::BTreeSet;
use std::time::Duration;

use trunkline_smi::Oid;

use super::peer::{
    Credentials, PeerAddress, PeerRole, RawCredentials, check_address, check_credentials, check_portable,
};
use super::secure::{TlsServer, check_server};
use super::security::check_context;
use super::user::UserPlan;
use super::value::{self, Checked};
use crate::{Place, raw};

/// Another agent for a subtree, for a context, or for a subtree within a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxyPlan {
    /// Its address.
    pub address: PeerAddress,
    /// The identity that TLS and DTLS require of the peer; `None`: a certificate for the host in the address.
    pub server: Option<TlsServer>,
    /// The credentials there.
    pub credentials: Credentials,
    /// The subtree that it answers for; `None`: every request of the context.
    pub subtree: Option<Oid>,
    /// The position of that subtree at the other agent; `None`: the same.
    pub remote_subtree: Option<Oid>,
    /// The context of the requests it answers; empty: the default one.
    pub context: String,
    /// The context that it serves; empty: the default one.
    pub remote_context: String,
    /// The time limit for an answer.
    pub timeout: Duration,
    /// How often a request is repeated.
    pub retries: u32,
}

pub(super) fn check_proxies(
    list: Vec<raw::Proxy>,
    users: &[UserPlan],
    place: Place<'_>,
) -> Checked<Vec<ProxyPlan>> {
    let mut seen = BTreeSet::new();
    let proxy = |raw: raw::Proxy| {
        let owner = raw.address.span();
        let proxy = check_proxy(raw, users, place)?;
        if !seen.insert((proxy.context.clone(), proxy.subtree.clone())) {
            let message = "a second proxy for this subtree in this context; expected one".into();
            return Err(place.wrong(owner, message));
        }
        Ok(proxy)
    };
    value::all(list.into_iter().map(proxy))
}

fn check_proxy(raw: raw::Proxy, users: &[UserPlan], place: Place<'_>) -> Checked<ProxyPlan> {
    let owner = raw.address.span();
    let user_span = raw.user.as_ref().map_or(owner.clone(), |user| user.span());
    let address = check_address(&raw.address, PeerRole::Agent, place)?;
    let server = check_server(raw.fingerprint, raw.server_name, address.transport, place)?;
    let credentials = RawCredentials {
        owner: owner.clone(),
        version: raw.version,
        community: raw.community,
        user: raw.user,
        principal: raw.principal,
        level: raw.level,
        transport: address.transport,
    };
    let credentials = check_credentials(credentials, users, place)?;
    check_portable(&credentials, users, user_span, place)?;
    let remote_span = raw.remote_subtree.as_ref().map(|remote| remote.span());
    let subtree = raw.subtree.map(|subtree| value::oid(&subtree, place)).transpose()?;
    let remote_subtree = raw.remote_subtree.map(|remote| value::oid(&remote, place)).transpose()?;
    if let Some(span) = remote_span.filter(|_| subtree.is_none()) {
        return Err(place.wrong(span, "expected subtree together with remote-subtree".into()));
    }
    let context = check_context(raw.context, place)?;
    if subtree.is_none() && context.is_empty() {
        return Err(place.wrong(owner, "expected a subtree, a context or both to answer for".into()));
    }
    let retries = raw.retries.map(|retries| value::number(&retries, 0, 255, place)).transpose()?;
    Ok(ProxyPlan {
        address,
        server,
        credentials,
        subtree,
        remote_subtree,
        context,
        remote_context: check_context(raw.remote_context, place)?,
        timeout: value::time(raw.timeout, Duration::from_secs(1), place)?,
        retries: retries.unwrap_or(1) as u32,
    })
}
