//! The snmp group of SNMPv2-MIB (RFC 3418), and of RFC 1213 what managers still
//! read: the counters of one engine.

use std::sync::atomic::{AtomicU32, Ordering};

/// A Counter32: wraps at 2^32.
#[derive(Debug, Default)]
pub struct Counter(AtomicU32);

impl Counter {
    /// Adds to it.
    #[inline]
    pub fn add(&self, count: u32) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    /// What it stands at.
    #[inline]
    pub fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// What one engine has counted; several engines in a process count apart.
        #[derive(Debug, Default)]
        pub struct Counters {
            $($(#[$doc])* pub $name: Counter,)*
        }
    };
}

counters! {
    /// snmpInPkts: messages delivered by the transports.
    in_pkts,
    /// snmpOutPkts: messages given to the transports.
    out_pkts,
    /// snmpInBadVersions: messages of a version that is not supported.
    in_bad_versions,
    /// snmpInBadCommunityNames: messages with an unknown community, or from an address it may not come from.
    in_bad_community_names,
    /// snmpInBadCommunityUses: messages whose operation the community may not ask for.
    in_bad_community_uses,
    /// snmpInASNParseErrs: messages that are no SNMP message.
    in_asn_parse_errs,
    /// snmpInTooBigs: PDUs received with error-status tooBig.
    in_too_bigs,
    /// snmpInNoSuchNames: PDUs received with error-status noSuchName.
    in_no_such_names,
    /// snmpInBadValues: PDUs received with error-status badValue.
    in_bad_values,
    /// snmpInReadOnlys: PDUs received with error-status readOnly.
    in_read_onlys,
    /// snmpInGenErrs: PDUs received with error-status genErr.
    in_gen_errs,
    /// snmpInTotalReqVars: instances retrieved for Get, GetNext and GetBulk.
    in_total_req_vars,
    /// snmpInTotalSetVars: instances written by Set.
    in_total_set_vars,
    /// snmpInGetRequests: Get PDUs accepted.
    in_get_requests,
    /// snmpInGetNexts: GetNext PDUs accepted.
    in_get_nexts,
    /// snmpInSetRequests: Set PDUs accepted.
    in_set_requests,
    /// snmpInGetResponses: Response PDUs received.
    in_get_responses,
    /// snmpInTraps: trap PDUs received.
    in_traps,
    /// snmpOutTooBigs: PDUs sent with error-status tooBig.
    out_too_bigs,
    /// snmpOutNoSuchNames: PDUs sent with error-status noSuchName.
    out_no_such_names,
    /// snmpOutBadValues: PDUs sent with error-status badValue.
    out_bad_values,
    /// snmpOutGenErrs: PDUs sent with error-status genErr.
    out_gen_errs,
    /// snmpOutGetRequests: Get PDUs sent.
    out_get_requests,
    /// snmpOutGetNexts: GetNext PDUs sent.
    out_get_nexts,
    /// snmpOutSetRequests: Set PDUs sent.
    out_set_requests,
    /// snmpOutGetResponses: Response PDUs sent.
    out_get_responses,
    /// snmpOutTraps: trap PDUs sent.
    out_traps,
    /// snmpSilentDrops: confirmed requests dropped because not even an empty answer would have fitted.
    silent_drops,
    /// snmpProxyDrops: confirmed requests dropped because a proxy target could not be reached.
    proxy_drops,
}
