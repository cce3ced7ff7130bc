//! The counters of an engine: the snmp group of SNMPv2-MIB (RFC 3418) with the earlier objects of RFC 1213, below
//! 1.3.6.1.2.1.11, and those of SNMP-MPD-MIB (RFC 3412), SNMP-USER-BASED-SM-MIB (RFC 3414), SNMP-TSM-MIB (RFC
//! 5591) and SNMP-TARGET-MIB (RFC 3413).
//!
//! A value, not global state: several engines run in one process.

use std::sync::atomic::{AtomicU32, Ordering};

/// A Counter32 that many threads add to. Wraps at 2^32, as the type does.
#[derive(Debug, Default)]
pub struct Counter(AtomicU32);

impl Counter {
    /// Adds; a number of bindings, or 1.
    pub fn add(&self, count: u32) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    /// Adds 1; returns the new value, as a Report carries it.
    pub fn count(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }

    /// The present value.
    pub fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The counters of one engine. Each entry starts with the object's number below 1.3.6.1.2.1.11; `engine` and
/// `role` count as their comments say, the rest is for the message's current owner.
#[derive(Debug, Default)]
pub struct Counters {
    /// 1, snmpInPkts: messages delivered by the transport. Counted by `Engine::receive`.
    pub in_pkts: Counter,
    /// 2, snmpOutPkts: messages passed to the transport.
    pub out_pkts: Counter,
    /// 3, snmpInBadVersions: messages of an unsupported version. Counted by `Engine::receive`.
    pub in_bad_versions: Counter,
    /// 4, snmpInBadCommunityNames: messages with an unknown community. Counted by `Engine::receive`.
    pub in_bad_community_names: Counter,
    /// 5, snmpInBadCommunityUses: operations that the community does not allow.
    pub in_bad_community_uses: Counter,
    /// 6, snmpInASNParseErrs: messages that are not valid BER, or not valid in their version. Counted by
    /// `Engine::receive`, except for errors inside the bindings.
    pub in_asn_parse_errs: Counter,
    /// 8, snmpInTooBigs: Responses received with tooBig. Counted by `Engine::receive`, as the next four.
    pub in_too_bigs: Counter,
    /// 9, snmpInNoSuchNames.
    pub in_no_such_names: Counter,
    /// 10, snmpInBadValues.
    pub in_bad_values: Counter,
    /// 11, snmpInReadOnlys.
    pub in_read_onlys: Counter,
    /// 12, snmpInGenErrs.
    pub in_gen_errs: Counter,
    /// 13, snmpInTotalReqVars: objects retrieved by Get and GetNext.
    pub in_total_req_vars: Counter,
    /// 14, snmpInTotalSetVars: objects altered by Set.
    pub in_total_set_vars: Counter,
    /// 15, snmpInGetRequests. Counted by `Engine::receive`, as the next four.
    pub in_get_requests: Counter,
    /// 16, snmpInGetNexts.
    pub in_get_nexts: Counter,
    /// 17, snmpInSetRequests.
    pub in_set_requests: Counter,
    /// 18, snmpInGetResponses.
    pub in_get_responses: Counter,
    /// 19, snmpInTraps.
    pub in_traps: Counter,
    /// 20, snmpOutTooBigs: Responses sent with tooBig. Counted by `responder::finish_error`, as the next three.
    pub out_too_bigs: Counter,
    /// 21, snmpOutNoSuchNames.
    pub out_no_such_names: Counter,
    /// 22, snmpOutBadValues.
    pub out_bad_values: Counter,
    /// 24, snmpOutGenErrs.
    pub out_gen_errs: Counter,
    /// 25, snmpOutGetRequests.
    pub out_get_requests: Counter,
    /// 26, snmpOutGetNexts.
    pub out_get_nexts: Counter,
    /// 27, snmpOutSetRequests.
    pub out_set_requests: Counter,
    /// 28, snmpOutGetResponses: Responses sent.
    pub out_get_responses: Counter,
    /// 29, snmpOutTraps.
    pub out_traps: Counter,
    /// 31, snmpSilentDrops: requests without an answer because not even an error fits. Counted by
    /// `responder::finish_error`; also to be counted if a writer's `finish` returns `None`.
    pub silent_drops: Counter,
    /// 32, snmpProxyDrops.
    pub proxy_drops: Counter,
    /// snmpUnknownSecurityModels, 1.3.6.1.6.3.11.2.1.1 (RFC 3412): messages of an unsupported security model.
    /// Counted by `Engine::receive`, like the next two and usmStats.
    pub unknown_security_models: Counter,
    /// snmpInvalidMsgs, 1.3.6.1.6.3.11.2.1.2: messages with invalid or inconsistent parts, such as privacy
    /// without authentication.
    pub invalid_msgs: Counter,
    /// snmpUnknownPDUHandlers, 1.3.6.1.6.3.11.2.1.3: messages whose PDU no application here handles; also by
    /// `Engine::report`.
    pub unknown_pdu_handlers: Counter,
    /// usmStatsUnsupportedSecLevels, 1.3.6.1.6.3.15.1.1.1 (RFC 3414).
    pub unsupported_sec_levels: Counter,
    /// usmStatsNotInTimeWindows, 1.3.6.1.6.3.15.1.1.2.
    pub not_in_time_windows: Counter,
    /// usmStatsUnknownUserNames, 1.3.6.1.6.3.15.1.1.3.
    pub unknown_user_names: Counter,
    /// usmStatsUnknownEngineIDs, 1.3.6.1.6.3.15.1.1.4.
    pub unknown_engine_ids: Counter,
    /// usmStatsWrongDigests, 1.3.6.1.6.3.15.1.1.5.
    pub wrong_digests: Counter,
    /// usmStatsDecryptionErrors, 1.3.6.1.6.3.15.1.1.6.
    pub decryption_errors: Counter,
    /// snmpTsmInvalidCaches, 1.3.6.1.2.1.190.1.1.1 (RFC 5591): messages of the Transport Security Model that
    /// arrived outside a secure session.
    pub tsm_invalid_caches: Counter,
    /// snmpTsmInadequateSecurityLevels, 1.3.6.1.2.1.190.1.1.2: messages that request a higher level than their
    /// session has; also counted by `Engine::encode_notification_over`.
    pub tsm_inadequate_security_levels: Counter,
    /// snmpTsmUnknownPrefixes, 1.3.6.1.2.1.190.1.1.3: messages to send over a transport without a prefix. Counted
    /// by `Engine::transport_name`, as the next.
    pub tsm_unknown_prefixes: Counter,
    /// snmpTsmInvalidPrefixes, 1.3.6.1.2.1.190.1.1.4: messages to send to security names without the
    /// transport's prefix.
    pub tsm_invalid_prefixes: Counter,
    /// snmpUnavailableContexts, 1.3.6.1.6.3.12.1.4 (RFC 3413): contexts known but not available now. Counted
    /// by `Engine::report`, as the next.
    pub unavailable_contexts: Counter,
    /// snmpUnknownContexts, 1.3.6.1.6.3.12.1.5: contexts that are not known.
    pub unknown_contexts: Counter,
}
