//! What a configuration leaves open to the network: communities that may come from any address, on listeners
//! beyond loopback. It is allowed, and reported at startup, after a reload and by `--check`.

use trunkline_transport::{ListenUrl, Transport};

use super::{CommunityPlan, Plan};

/// The warning for communities that anybody who reaches this machine may use.
pub fn open_communities(plan: &Plan) -> Option<String> {
    let is_open = |url: &&ListenUrl| {
        let takes_communities = matches!(url.transport, Transport::Udp | Transport::Tcp);
        takes_communities && url.address.is_none_or(|address| !address.is_loopback())
    };
    let listeners: Vec<String> = plan.snmp.listen.iter().filter(is_open).map(ToString::to_string).collect();
    let communities = plan.snmp.communities.iter().enumerate();
    let open: Vec<String> =
        communities.filter(|(_, community)| community.sources.is_empty()).map(shown).collect();
    if listeners.is_empty() || open.is_empty() {
        return None;
    }
    let count = match open.len() {
        1 => "1 community".to_owned(),
        several => format!("{several} communities"),
    };
    let (open, listeners) = (open.join(", "), listeners.join(" "));
    Some(format!(
        "{count} ({open}) may be used from any address, over {listeners}: set `sources` in [[snmp.community]], \
         use SNMPv3 ([[snmp.user]]), or listen on 127.0.0.1 only"
    ))
}

/// A community is a secret, except for the well-known one; others are identified by their security names.
fn shown((position, community): (usize, &CommunityPlan)) -> String {
    match community.name.as_slice() {
        b"public" => "`public`".to_owned(),
        _ => crate::access::security_name(position).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::parse;

    fn said(config: &str) -> Option<String> {
        open_communities(&parse(Path::new("test.toml"), config).unwrap())
    }

    #[test]
    fn open_access_is_reported_with_advice() {
        let everywhere = "[snmp]\nlisten = [\"udp://0.0.0.0:161\", \"udp://127.0.0.1:162\"]\n";
        let words = said(everywhere).unwrap();
        assert!(
            words.starts_with(
                "1 community (`public`) may be used from any address, over udp://0.0.0.0:161: set"
            )
        );
        let two = "[[snmp.community]]\nname = \"s3cret\"\naccess = \"write\"\n\
                   [[snmp.community]]\nname = \"public\"\naccess = \"read\"\nsources = [\"10.0.0.0/8\"]\n";
        let words = said(&format!("{everywhere}{two}")).unwrap();
        assert!(words.starts_with("1 community (community1) may"), "{words}");
        assert!(
            said(&format!(
                "{everywhere}{}",
                two.replace("name = \"s3cret\"", "sources = [\"::1\"]\nname = \"s\"")
            ))
            .is_none()
        );
        assert!(said("[snmp]\nlisten = [\"udp://127.0.0.1:161\", \"tcp://[::1]:161\"]\n").is_none());
        assert!(said("[snmp]\nlisten = [\"tcp://*:161\"]\n").is_some());
        assert!(said("").is_none());
    }
}
