//! The name of an address, as Net-SNMP's handlers get it in their first line.

use std::net::IpAddr;
use std::time::Duration;

/// How long a look-up may take; the program gets the address then.
const PATIENCE: Duration = Duration::from_secs(2);

/// The name, or `<UNKNOWN>`, which is Net-SNMP's word for an address without one. The look-up blocks a thread, of which
/// there are never more than programs at once.
pub async fn of(address: IpAddr) -> String {
    let looked_up = tokio::task::spawn_blocking(move || dns_lookup::lookup_addr(&address.to_canonical()));
    match tokio::time::timeout(PATIENCE, looked_up).await {
        // The C library returns the address itself if it has no name.
        Ok(Ok(Ok(name))) if name.parse::<IpAddr>().is_err() && is_name(&name) => name,
        Ok(_) => "<UNKNOWN>".to_owned(),
        Err(_) => address.to_canonical().to_string(),
    }
}

/// Whoever answers for the address chooses its name: it must not make further lines.
fn is_name(name: &str) -> bool {
    name.bytes().all(|octet| octet.is_ascii_graphic())
}
