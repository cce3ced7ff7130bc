//! ifAdminStatus and ifOperStatus from the kernel's flags and operational state.

use trunkline_source::netlink::link::{IFF_LOWER_UP, IFF_UP, Link};

/// ifOperStatus: the kernel's RFC 2863 state; if the driver does not report one (loopback), an interface with a
/// carrier is up. (IFF_RUNNING does not help: it is set for every such interface.)
pub(crate) fn oper_status(link: &Link<'_>) -> i32 {
    let is_up = link.flags & IFF_UP != 0;
    match link.oper_state {
        IF_OPER_NOTPRESENT => 6,
        _ if !is_up => 2,
        IF_OPER_UP => 1,
        IF_OPER_DORMANT => 5,
        IF_OPER_TESTING => 3,
        IF_OPER_LOWERLAYERDOWN => 7,
        IF_OPER_UNKNOWN if link.flags & IFF_LOWER_UP != 0 => 1,
        _ => 2,
    }
}

/// ifAdminStatus: up(1), down(2).
pub(crate) fn admin_status(link: &Link<'_>) -> i32 {
    if link.flags & IFF_UP != 0 { 1 } else { 2 }
}

const IF_OPER_UNKNOWN: u8 = 0;
const IF_OPER_NOTPRESENT: u8 = 1;
const IF_OPER_LOWERLAYERDOWN: u8 = 3;
const IF_OPER_TESTING: u8 = 4;
const IF_OPER_DORMANT: u8 = 5;
const IF_OPER_UP: u8 = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_smi::module::if_mib::IF_TABLE;

    #[test]
    fn states_have_the_names_of_rfc_2863() {
        let check = |flags, oper_state, expected: &str| {
            let link = Link { flags, oper_state, ..Link::default() };
            let name = IF_TABLE.column(8).and_then(|column| column.syntax.name_of(oper_status(&link)));
            assert_eq!(name, Some(expected), "flags {flags:#x} state {oper_state}");
        };
        let running = IFF_UP | IFF_LOWER_UP;
        check(running, IF_OPER_UP, "up");
        check(running, IF_OPER_UNKNOWN, "up");
        check(IFF_UP, IF_OPER_UNKNOWN, "down");
        check(IFF_UP, 2, "down");
        check(IFF_UP, IF_OPER_DORMANT, "dormant");
        check(IFF_UP, IF_OPER_LOWERLAYERDOWN, "lowerLayerDown");
        check(IFF_UP, IF_OPER_TESTING, "testing");
        check(0, IF_OPER_LOWERLAYERDOWN, "down");
        check(0, IF_OPER_NOTPRESENT, "notPresent");
    }
}
