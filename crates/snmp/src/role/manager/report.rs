//! The contents of a Report: which counter of the other engine was incremented, and so why it refused our
//! message.

use std::fmt;

use trunkline_smi::{Oid, Value};

use crate::wire::{Bound, PduRef};

/// What the other engine reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportKind {
    /// usmStatsUnsupportedSecLevels: the user does not have the keys for the level.
    UnsupportedSecLevels,
    /// usmStatsNotInTimeWindows: our notion of the engine's clock is wrong.
    NotInTimeWindows,
    /// usmStatsUnknownUserNames.
    UnknownUserNames,
    /// usmStatsUnknownEngineIDs: the engine has another ID; also the answer to a discovery.
    UnknownEngineIds,
    /// usmStatsWrongDigests: the authentication keys differ.
    WrongDigests,
    /// usmStatsDecryptionErrors: the privacy keys differ.
    DecryptionErrors,
    /// snmpUnknownSecurityModels.
    UnknownSecurityModels,
    /// snmpInvalidMsgs.
    InvalidMsgs,
    /// snmpUnknownPDUHandlers: the other engine does not serve the contextEngineID.
    UnknownPduHandlers,
    /// snmpUnavailableContexts.
    UnavailableContexts,
    /// snmpUnknownContexts.
    UnknownContexts,
    /// snmpTsmInadequateSecurityLevels: the session does not provide the level.
    InadequateSecurityLevels,
    /// Another counter.
    Other(Oid),
}

/// Where the counters are: usmStats, snmpMPDStats, snmpTargetMIB's objects, snmpTsmStats; all with instance 0.
const USM_STATS: [u32; 9] = [1, 3, 6, 1, 6, 3, 15, 1, 1];
const MPD_STATS: [u32; 9] = [1, 3, 6, 1, 6, 3, 11, 2, 1];
const TARGET_OBJECTS: [u32; 8] = [1, 3, 6, 1, 6, 3, 12, 1];
const TSM_STATS: [u32; 9] = [1, 3, 6, 1, 2, 1, 190, 1, 1];

impl ReportKind {
    /// The kind by the name of the counter's instance.
    #[must_use]
    pub fn from_name(name: &[u32]) -> Self {
        let below = |group: &[u32]| name.strip_prefix(group).and_then(|rest| rest.strip_suffix(&[0]));
        match (below(&USM_STATS), below(&MPD_STATS), below(&TARGET_OBJECTS)) {
            (Some([1]), ..) => ReportKind::UnsupportedSecLevels,
            (Some([2]), ..) => ReportKind::NotInTimeWindows,
            (Some([3]), ..) => ReportKind::UnknownUserNames,
            (Some([4]), ..) => ReportKind::UnknownEngineIds,
            (Some([5]), ..) => ReportKind::WrongDigests,
            (Some([6]), ..) => ReportKind::DecryptionErrors,
            (_, Some([1]), _) => ReportKind::UnknownSecurityModels,
            (_, Some([2]), _) => ReportKind::InvalidMsgs,
            (_, Some([3]), _) => ReportKind::UnknownPduHandlers,
            (_, _, Some([4])) => ReportKind::UnavailableContexts,
            (_, _, Some([5])) => ReportKind::UnknownContexts,
            _ if below(&TSM_STATS) == Some(&[2]) => ReportKind::InadequateSecurityLevels,
            _ => ReportKind::Other(Oid::new(name).unwrap_or_default()),
        }
    }

    /// The standard's name of the counter, or its numbers.
    #[must_use]
    pub fn name(&self) -> String {
        let name = match self {
            ReportKind::UnsupportedSecLevels => "usmStatsUnsupportedSecLevels",
            ReportKind::NotInTimeWindows => "usmStatsNotInTimeWindows",
            ReportKind::UnknownUserNames => "usmStatsUnknownUserNames",
            ReportKind::UnknownEngineIds => "usmStatsUnknownEngineIDs",
            ReportKind::WrongDigests => "usmStatsWrongDigests",
            ReportKind::DecryptionErrors => "usmStatsDecryptionErrors",
            ReportKind::UnknownSecurityModels => "snmpUnknownSecurityModels",
            ReportKind::InvalidMsgs => "snmpInvalidMsgs",
            ReportKind::UnknownPduHandlers => "snmpUnknownPDUHandlers",
            ReportKind::UnavailableContexts => "snmpUnavailableContexts",
            ReportKind::UnknownContexts => "snmpUnknownContexts",
            ReportKind::InadequateSecurityLevels => "snmpTsmInadequateSecurityLevels",
            ReportKind::Other(name) => return name.to_string(),
        };
        name.to_owned()
    }
}

impl fmt::Display for ReportKind {
    /// What it means for the sender of the request.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ReportKind::UnsupportedSecLevels => "the agent has no keys of this user for this security level",
            ReportKind::NotInTimeWindows => "the message is outside the agent's time window",
            ReportKind::UnknownUserNames => "the agent does not know this user",
            ReportKind::UnknownEngineIds => "the agent has another engine ID",
            ReportKind::WrongDigests => {
                "wrong digest: the authentication password or protocol differs from the agent's"
            }
            ReportKind::DecryptionErrors => {
                "decryption error: the privacy password or protocol differs from the agent's"
            }
            ReportKind::UnknownSecurityModels => "the agent does not support this security model",
            ReportKind::InvalidMsgs => "the agent considers the message invalid",
            ReportKind::UnknownPduHandlers => "the agent does not serve this context engine ID",
            ReportKind::UnavailableContexts => "the context is currently unavailable",
            ReportKind::UnknownContexts => "the agent does not know this context",
            ReportKind::InadequateSecurityLevels => "the session does not provide this security level",
            ReportKind::Other(name) => return write!(f, "the agent reports {name}"),
        })
    }
}

/// A Report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Which counter went up.
    pub kind: ReportKind,
    /// Its value, if it has one.
    pub count: Option<u32>,
}

impl Report {
    /// The contents of a Report-PDU; `None` if it has no readable first binding.
    pub(super) fn read(pdu: &PduRef<'_>) -> Option<Self> {
        let first = pdu.bindings().next()?.ok()?;
        let count = match first.value.to_bound() {
            Bound::Value(Value::Counter32(count)) => Some(count),
            _ => None,
        };
        Some(Report { kind: ReportKind::from_name(&first.name.to_oid()), count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_counter_has_its_kind() {
        let kind = |name: &str| ReportKind::from_name(&name.parse::<Oid>().unwrap()).name();
        for (name, expected) in [
            ("1.3.6.1.6.3.15.1.1.1.0", "usmStatsUnsupportedSecLevels"),
            ("1.3.6.1.6.3.15.1.1.2.0", "usmStatsNotInTimeWindows"),
            ("1.3.6.1.6.3.15.1.1.3.0", "usmStatsUnknownUserNames"),
            ("1.3.6.1.6.3.15.1.1.4.0", "usmStatsUnknownEngineIDs"),
            ("1.3.6.1.6.3.15.1.1.5.0", "usmStatsWrongDigests"),
            ("1.3.6.1.6.3.15.1.1.6.0", "usmStatsDecryptionErrors"),
            ("1.3.6.1.6.3.11.2.1.1.0", "snmpUnknownSecurityModels"),
            ("1.3.6.1.6.3.11.2.1.2.0", "snmpInvalidMsgs"),
            ("1.3.6.1.6.3.11.2.1.3.0", "snmpUnknownPDUHandlers"),
            ("1.3.6.1.6.3.12.1.4.0", "snmpUnavailableContexts"),
            ("1.3.6.1.6.3.12.1.5.0", "snmpUnknownContexts"),
            ("1.3.6.1.2.1.190.1.1.2.0", "snmpTsmInadequateSecurityLevels"),
            ("1.3.6.1.2.1.190.1.1.1.0", "1.3.6.1.2.1.190.1.1.1.0"),
            ("1.3.6.1.6.3.15.1.1.4", "1.3.6.1.6.3.15.1.1.4"),
            ("1.3.6.1.6.3.15.1.1.7.0", "1.3.6.1.6.3.15.1.1.7.0"),
        ] {
            assert_eq!(kind(name), expected);
        }
    }
}
