//! SNMP-SSH-TM-MIB (RFC 5592): how sessions of SSH fared.

use std::sync::Arc;

use trunkline_smi::module::snmp_ssh_tm_mib as mib;
use trunkline_smi::schema::Scalar;
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SourceError};

use super::counter::{self, ReadCounter};
use super::session_counters::SessionCounters;

/// The group `snmp-sshtm`.
pub static SNMP_SSHTM: Group = Group { name: "snmp-sshtm", scalars: SCALARS, tables: &[] };

const SCALARS: &[&Scalar] = &[
    &mib::SNMP_SSHTM_SESSION_OPENS,
    &mib::SNMP_SSHTM_SESSION_CLOSES,
    &mib::SNMP_SSHTM_SESSION_OPEN_ERRORS,
    &mib::SNMP_SSHTM_SESSION_USER_AUTH_FAILURES,
    &mib::SNMP_SSHTM_SESSION_NO_CHANNELS,
    &mib::SNMP_SSHTM_SESSION_NO_SUBSYSTEMS,
    &mib::SNMP_SSHTM_SESSION_NO_SESSIONS,
    &mib::SNMP_SSHTM_SESSION_INVALID_CACHES,
];

const COUNTERS: &[(&Scalar, ReadCounter<SessionCounters>)] = &[
    (&mib::SNMP_SSHTM_SESSION_OPENS, |sessions| sessions.ssh.opens.get()),
    (&mib::SNMP_SSHTM_SESSION_CLOSES, |sessions| sessions.ssh.closes.get()),
    (&mib::SNMP_SSHTM_SESSION_OPEN_ERRORS, |sessions| sessions.ssh.open_errors.get()),
    (&mib::SNMP_SSHTM_SESSION_USER_AUTH_FAILURES, |sessions| sessions.ssh.user_auth_failures.get()),
    (&mib::SNMP_SSHTM_SESSION_NO_CHANNELS, |sessions| sessions.ssh.no_channels.get()),
    (&mib::SNMP_SSHTM_SESSION_NO_SUBSYSTEMS, |sessions| sessions.ssh.no_subsystems.get()),
    (&mib::SNMP_SSHTM_SESSION_NO_SESSIONS, |sessions| sessions.ssh.no_sessions.get()),
    (&mib::SNMP_SSHTM_SESSION_INVALID_CACHES, |sessions| sessions.ssh.invalid_caches.get()),
];

/// The provider of the group `snmp-sshtm`.
pub struct SshtmGroup {
    counters: Arc<SessionCounters>,
}

impl SshtmGroup {
    /// The group over what is counted.
    pub fn new(counters: Arc<SessionCounters>) -> Self {
        SshtmGroup { counters }
    }
}

impl Provider for SshtmGroup {
    fn group(&self) -> &'static Group {
        &SNMP_SSHTM
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut snapshot = Snapshot::builder(&SNMP_SSHTM);
        for (scalar, read) in COUNTERS {
            snapshot.live(scalar, counter::live(&self.counters, *read));
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

#[cfg(test)]
mod tests {
    use trunkline_smi::Value;
    use trunkline_testkit::battery;

    use super::*;
    use crate::testing::{Bench, int};

    #[test]
    fn each_object_shows_its_own_counter() {
        let counters = Arc::new(SessionCounters::default());
        let group = Arc::new(SshtmGroup::new(counters.clone()));
        battery::check(group.clone());
        let ssh = &counters.ssh;
        let all = [
            &ssh.opens,
            &ssh.closes,
            &ssh.open_errors,
            &ssh.user_auth_failures,
            &ssh.no_channels,
            &ssh.no_subsystems,
            &ssh.no_sessions,
            &ssh.invalid_caches,
        ];
        (1..).zip(all).for_each(|(count, counter)| counter.add(count));
        let bench = Bench::new(group);
        for (count, scalar) in (1..).zip(SNMP_SSHTM.scalars) {
            assert_eq!(bench.get(scalar.name, &[0]), Some(Value::Counter32(count)), "{}", scalar.name);
            assert!(bench.set(&[(scalar.name, &[0], int(0))]).is_err());
        }
    }
}
