//! `/system-state` (RFC 7317): what the system runs on, and its clocks.

use std::time::{Duration, SystemTime};

use trunkline_tree::{Access, Coverage};

use super::made::Made;
use trunkline_state::date;

/// All of it that may be read: the platform is what sysDescr says, the clock is hrSystemDate.
pub(super) fn make_state(made: &mut Made<'_>, access: &Access) {
    if access.may_read_below(SYS_DESCR) == Coverage::All {
        let uname = rustix::system::uname();
        made.within("platform", |made| {
            for (name, value) in [
                ("os-name", uname.sysname()),
                ("os-release", uname.release()),
                ("os-version", uname.version()),
                ("machine", uname.machine()),
            ] {
                made.leaf(name, &value.to_string_lossy());
            }
        });
    }
    if access.may_read_below(HR_SYSTEM_DATE) == Coverage::All {
        let now = SystemTime::now();
        let up = u64::try_from(rustix::system::sysinfo().uptime).unwrap_or_default();
        made.within("clock", |made| {
            made.leaf("current-datetime", &date(now));
            made.leaf("boot-datetime", &date(now - Duration::from_secs(up)));
        });
    }
}

const SYS_DESCR: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 1];
const HR_SYSTEM_DATE: &[u32] = &[1, 3, 6, 1, 2, 1, 25, 1, 2];
