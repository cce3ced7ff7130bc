//! Host and port.

use trunkline_transport::{Authority, AuthorityError, is_ipv6};

use super::TargetError;

/// `HOST`, `HOST:PORT`, `[IPv6]`, `[IPv6]:PORT` or a bare IPv6 address; `usual` is the default port.
pub(super) fn split(text: &str, usual: Option<u16>) -> Result<(String, u16), TargetError> {
    let Authority { host, port } = match is_ipv6(text) {
        true => Authority { host: text, port: None },
        false => Authority::parse(text).map_err(|error| match error {
            AuthorityError::NoHost => TargetError::NoHost { text: text.into() },
            AuthorityError::Brackets { text } => TargetError::Brackets { address: text },
            AuthorityError::Port { port } => TargetError::Port { port },
            error => TargetError::Authority(error),
        })?,
    };
    let port = port.or(usual).filter(|port| *port != 0);
    Ok((host.into(), port.ok_or_else(|| TargetError::Port { port: "0".into() })?))
}
