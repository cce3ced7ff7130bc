//! The SNMP engine's own objects: SNMP-FRAMEWORK-MIB (RFC 3411), SNMP-MPD-MIB (RFC 3412) and the statistics of
//! the User-based Security Model (RFC 3414).

use std::sync::Arc;
use std::time::Instant;

use trunkline_smi::module::{snmp_framework_mib, snmp_mpd_mib, snmp_user_based_sm_mib};
use trunkline_smi::schema::Scalar;
use trunkline_smi::{Value, ValueRef};
use trunkline_snmp::Counters;
use trunkline_snmp::engine::Engine;
use trunkline_tree::{Group, Live, Loaded, Provider, Snapshot, SourceError};

use super::counter::{self, ReadCounter};

/// The group `snmp-engine`.
pub static SNMP_ENGINE: Group = Group {
    name: "snmp-engine",
    scalars: &[
        &snmp_framework_mib::SNMP_ENGINE_ID,
        &snmp_framework_mib::SNMP_ENGINE_BOOTS,
        &snmp_framework_mib::SNMP_ENGINE_TIME,
        &snmp_framework_mib::SNMP_ENGINE_MAX_MESSAGE_SIZE,
        &snmp_mpd_mib::SNMP_UNKNOWN_SECURITY_MODELS,
        &snmp_mpd_mib::SNMP_INVALID_MSGS,
        &snmp_mpd_mib::SNMP_UNKNOWN_PDU_HANDLERS,
        &snmp_user_based_sm_mib::USM_STATS_UNSUPPORTED_SEC_LEVELS,
        &snmp_user_based_sm_mib::USM_STATS_NOT_IN_TIME_WINDOWS,
        &snmp_user_based_sm_mib::USM_STATS_UNKNOWN_USER_NAMES,
        &snmp_user_based_sm_mib::USM_STATS_UNKNOWN_ENGINE_IDS,
        &snmp_user_based_sm_mib::USM_STATS_WRONG_DIGESTS,
        &snmp_user_based_sm_mib::USM_STATS_DECRYPTION_ERRORS,
    ],
    tables: &[],
};

const COUNTERS: &[(&Scalar, ReadCounter)] = &[
    (&snmp_mpd_mib::SNMP_UNKNOWN_SECURITY_MODELS, |counters| counters.unknown_security_models.get()),
    (&snmp_mpd_mib::SNMP_INVALID_MSGS, |counters| counters.invalid_msgs.get()),
    (&snmp_mpd_mib::SNMP_UNKNOWN_PDU_HANDLERS, |counters| counters.unknown_pdu_handlers.get()),
    (&snmp_user_based_sm_mib::USM_STATS_UNSUPPORTED_SEC_LEVELS, |counters| {
        counters.unsupported_sec_levels.get()
    }),
    (&snmp_user_based_sm_mib::USM_STATS_NOT_IN_TIME_WINDOWS, |counters| counters.not_in_time_windows.get()),
    (&snmp_user_based_sm_mib::USM_STATS_UNKNOWN_USER_NAMES, |counters| counters.unknown_user_names.get()),
    (&snmp_user_based_sm_mib::USM_STATS_UNKNOWN_ENGINE_IDS, |counters| counters.unknown_engine_ids.get()),
    (&snmp_user_based_sm_mib::USM_STATS_WRONG_DIGESTS, |counters| counters.wrong_digests.get()),
    (&snmp_user_based_sm_mib::USM_STATS_DECRYPTION_ERRORS, |counters| counters.decryption_errors.get()),
];

/// The provider of the group `snmp-engine`.
pub struct EngineGroup {
    engine: Arc<Engine>,
    counters: Arc<Counters>,
}

/// snmpEngineBoots and snmpEngineTime advance while a snapshot ages.
#[derive(Clone, Copy)]
enum Clock {
    Boots,
    Time,
}

struct EngineMoment {
    engine: Arc<Engine>,
    which: Clock,
}

impl Live for EngineMoment {
    fn read(&self, now: Instant) -> ValueRef<'_> {
        let moment = self.engine.moment(now);
        let number = match self.which {
            Clock::Boots => moment.boots.get(),
            Clock::Time => moment.time.get(),
        };
        ValueRef::Integer(i32::try_from(number).unwrap_or(i32::MAX))
    }
}

impl EngineGroup {
    /// The group of an engine and of its counters.
    pub fn new(engine: Arc<Engine>, counters: Arc<Counters>) -> Self {
        EngineGroup { engine, counters }
    }

    fn moment(&self, which: Clock) -> Arc<dyn Live> {
        Arc::new(EngineMoment { engine: self.engine.clone(), which })
    }
}

impl Provider for EngineGroup {
    fn group(&self) -> &'static Group {
        &SNMP_ENGINE
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        use snmp_framework_mib as framework;
        let mut snapshot = Snapshot::builder(&SNMP_ENGINE);
        let id = Value::OctetString(self.engine.id().as_bytes().to_vec());
        let max_size = i32::try_from(self.engine.max_size()).unwrap_or(i32::MAX);
        snapshot
            .scalar(&framework::SNMP_ENGINE_ID, id)
            .live(&framework::SNMP_ENGINE_BOOTS, self.moment(Clock::Boots))
            .live(&framework::SNMP_ENGINE_TIME, self.moment(Clock::Time))
            .scalar(&framework::SNMP_ENGINE_MAX_MESSAGE_SIZE, Value::Integer(max_size));
        for (scalar, read) in COUNTERS {
            snapshot.live(scalar, counter::live(&self.counters, *read));
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trunkline_snmp::engine::{EngineOptions, Handlers};
    use trunkline_snmp::usm::{EngineBoots, EngineClock, EngineId};
    use trunkline_testkit::battery;

    use super::*;
    use crate::testing::{Bench, int};

    fn group(boots: u32, started: Instant) -> (Arc<EngineGroup>, Arc<Counters>) {
        let options = EngineOptions {
            id: EngineId::generate(8072, *b"twelveoctets"),
            clock: EngineClock::new(EngineBoots::new(boots).unwrap(), started),
            max_size: 1472,
            handlers: Handlers::RESPONDER,
            remote_engines: 4,
            entropy: 1,
        };
        let counters = Arc::new(Counters::default());
        (Arc::new(EngineGroup::new(Arc::new(Engine::new(options)), counters.clone())), counters)
    }

    #[test]
    fn it_passes_the_battery() {
        battery::check(group(1, Instant::now()).0);
    }

    #[test]
    fn the_engine_reports_its_id_boots_and_time() {
        let (group, counters) = group(7, Instant::now() - Duration::from_secs(100));
        let bench = Bench::new(group);
        let get = |name| bench.get(name, &[0]);
        assert_eq!(get("snmpEngineID"), Some(Value::OctetString(b"\x80\0\x1f\x88\x05twelveoctets".to_vec())));
        assert_eq!(get("snmpEngineBoots"), Some(int(7)));
        assert_eq!(get("snmpEngineMaxMessageSize"), Some(int(1472)));
        let Some(Value::Integer(time)) = get("snmpEngineTime") else { panic!("no time") };
        assert!((100..200).contains(&time), "{time}");
        counters.wrong_digests.add(3);
        assert_eq!(get("usmStatsWrongDigests"), Some(Value::Counter32(3)));
        assert_eq!(get("snmpInvalidMsgs"), Some(Value::Counter32(0)));
        assert!(bench.set(&[("snmpEngineBoots", &[0], int(1))]).is_err());
    }
}
