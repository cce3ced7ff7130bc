//! Why a message gets no answer, or a Report: one place that names the reasons,
//! and one that counts them.

use super::{TsmFailure, UsmFailure};
use crate::wire::{MsgFlags, PduKind, Version};
use crate::{Counters, DecodeError};

/// Why a message is dropped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DropReason {
    /// snmpInASNParseErrs: it is not a message.
    #[error(transparent)]
    Malformed(DecodeError),
    /// snmpInASNParseErrs: the version has no such PDU (Net-SNMP answers a GetBulk in v1; RFC 1157 does not).
    #[error("SNMP {version} has no {kind}")]
    NotInVersion {
        /// The message's version.
        version: Version,
        /// Its PDU.
        kind: PduKind,
    },
    /// snmpInBadVersions.
    #[error("unsupported message version {found}")]
    BadVersion {
        /// The number on the wire.
        found: i32,
    },
    /// snmpInBadCommunityNames.
    #[error("unknown community")]
    UnknownCommunity,
    /// snmpUnknownPDUHandlers: a PDU that no application here handles.
    #[error("{kind} is not accepted here")]
    NotHandled {
        /// Its PDU.
        kind: PduKind,
    },
    /// snmpInBadVersions: over a secure session, where the community authenticates less than the session does,
    /// and [`Engine::set_community_over_transport`](super::Engine::set_community_over_transport) has not allowed
    /// it.
    #[error("SNMP {version} is not accepted over a secure session")]
    CommunityOverTransport {
        /// The message's version.
        version: Version,
    },
    /// snmpUnknownSecurityModels.
    #[error("unsupported security model {found}, expected 3 (User-based) or 4 (Transport)")]
    UnknownSecurityModel {
        /// msgSecurityModel.
        found: i32,
    },
    /// snmpInvalidMsgs: privacy without authentication.
    #[error("msgFlags {:#04x}: privacy without authentication", found.octet())]
    InvalidFlags {
        /// msgFlags.
        found: MsgFlags,
    },
    /// From the User-based Security Model.
    #[error(transparent)]
    Usm(UsmFailure),
    /// From the Transport Security Model.
    #[error(transparent)]
    Tsm(TsmFailure),
    /// Nothing is counted: a request or inform for another engine (RFC 3412 section 7.2 step 13a).
    #[error("{kind} for another authoritative engine")]
    NotAuthoritative {
        /// Its PDU.
        kind: PduKind,
    },
}

impl DropReason {
    /// Whether the octets are not an SNMP message at all: a stream that contains them cannot be followed any more
    /// (RFC 3430 section 2.1).
    pub const fn is_unreadable(&self) -> bool {
        matches!(self, DropReason::Malformed(_))
    }

    /// Counts it; returns the number for a Report.
    pub(super) fn count(&self, counters: &Counters) -> u32 {
        let counter = match self {
            DropReason::Malformed(_) | DropReason::NotInVersion { .. } => &counters.in_asn_parse_errs,
            DropReason::BadVersion { .. } | DropReason::CommunityOverTransport { .. } => {
                &counters.in_bad_versions
            }
            DropReason::UnknownCommunity => &counters.in_bad_community_names,
            DropReason::NotHandled { kind } => {
                if matches!(kind, PduKind::TrapV1 | PduKind::TrapV2) {
                    counters.in_traps.add(1);
                }
                &counters.unknown_pdu_handlers
            }
            DropReason::UnknownSecurityModel { .. } => &counters.unknown_security_models,
            DropReason::InvalidFlags { .. } => &counters.invalid_msgs,
            DropReason::NotAuthoritative { .. } => return 0,
            DropReason::Usm(failure) => match failure {
                UsmFailure::Malformed(_) | UsmFailure::Encrypted => &counters.in_asn_parse_errs,
                UsmFailure::UnknownEngineId => &counters.unknown_engine_ids,
                UsmFailure::UnknownUserName => &counters.unknown_user_names,
                UsmFailure::UnsupportedLevel(_) => &counters.unsupported_sec_levels,
                UsmFailure::WrongDigest(_) => &counters.wrong_digests,
                UsmFailure::NotInTimeWindow(_) => &counters.not_in_time_windows,
                UsmFailure::NotInSendersTimeWindow(_) => return 0,
                UsmFailure::Undecryptable(_) | UsmFailure::DecryptedToNoise(_) | UsmFailure::NotEncrypted => {
                    &counters.decryption_errors
                }
            },
            DropReason::Tsm(failure) => match failure {
                TsmFailure::Parameters { .. } | TsmFailure::Encrypted => &counters.in_asn_parse_errs,
                TsmFailure::NoSession => &counters.tsm_invalid_caches,
                TsmFailure::InadequateLevel(_) => &counters.tsm_inadequate_security_levels,
            },
        };
        counter.count()
    }

    /// The contents of its Report (RFC 3412 section 7.1 step 3): the object whose counter was incremented.
    /// `None`: no Report.
    pub(super) const fn report_object(&self) -> Option<&'static [u32]> {
        match self {
            DropReason::NotHandled { .. } => Some(&UNKNOWN_PDU_HANDLERS),
            DropReason::Usm(failure) => match failure {
                UsmFailure::UnsupportedLevel(_) => Some(&UNSUPPORTED_SEC_LEVELS),
                UsmFailure::NotInTimeWindow(_) => Some(&NOT_IN_TIME_WINDOWS),
                UsmFailure::UnknownUserName => Some(&UNKNOWN_USER_NAMES),
                UsmFailure::UnknownEngineId => Some(&UNKNOWN_ENGINE_IDS),
                UsmFailure::WrongDigest(_) => Some(&WRONG_DIGESTS),
                UsmFailure::Undecryptable(_) | UsmFailure::DecryptedToNoise(_) | UsmFailure::NotEncrypted => {
                    Some(&DECRYPTION_ERRORS)
                }
                UsmFailure::Malformed(_) | UsmFailure::Encrypted | UsmFailure::NotInSendersTimeWindow(_) => {
                    None
                }
            },
            DropReason::Tsm(TsmFailure::InadequateLevel(_)) => Some(&INADEQUATE_SECURITY_LEVELS),
            _ => None,
        }
    }
}

/// snmpUnknownPDUHandlers.0 (RFC 3412).
pub(super) const UNKNOWN_PDU_HANDLERS: [u32; 11] = [1, 3, 6, 1, 6, 3, 11, 2, 1, 3, 0];
/// usmStatsUnsupportedSecLevels.0 (RFC 3414), as the next five.
const UNSUPPORTED_SEC_LEVELS: [u32; 11] = [1, 3, 6, 1, 6, 3, 15, 1, 1, 1, 0];
const NOT_IN_TIME_WINDOWS: [u32; 11] = [1, 3, 6, 1, 6, 3, 15, 1, 1, 2, 0];
const UNKNOWN_USER_NAMES: [u32; 11] = [1, 3, 6, 1, 6, 3, 15, 1, 1, 3, 0];
const UNKNOWN_ENGINE_IDS: [u32; 11] = [1, 3, 6, 1, 6, 3, 15, 1, 1, 4, 0];
const WRONG_DIGESTS: [u32; 11] = [1, 3, 6, 1, 6, 3, 15, 1, 1, 5, 0];
const DECRYPTION_ERRORS: [u32; 11] = [1, 3, 6, 1, 6, 3, 15, 1, 1, 6, 0];
/// snmpTsmInadequateSecurityLevels.0 (RFC 5591): the one counter of its four that goes with an OID.
const INADEQUATE_SECURITY_LEVELS: [u32; 11] = [1, 3, 6, 1, 2, 1, 190, 1, 1, 2, 0];
