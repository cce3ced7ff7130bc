//! The message processing models of SNMPv1 and SNMPv2c (RFC 3584 section 4).

use crate::engine::request::Reply;
use crate::engine::security::{Principal, process_incoming_msg};
use crate::engine::{CommunityEntry, DropReason, Engine, Request, TransportState, TrapV1Received};
use crate::wire::{MessageRef, PduKind, TrapV1Message, Version};

/// prepareDataElements: the sender of the message, and whether its version has such a PDU.
pub(in crate::engine) fn prepare_data_elements<'m>(
    engine: &'m Engine,
    message: &MessageRef<'m>,
    over: Option<&'m TransportState>,
    communities: impl FnOnce(&[u8]) -> Option<CommunityEntry<'m>>,
) -> Result<Request<'m>, DropReason> {
    // RFC 1157 section 4.1 step 3 comes before step 4: the community before the PDU.
    let (version, community) = (message.version, message.community);
    let Principal { entry, security_model, level } =
        process_incoming_msg(engine, version, community, over, communities)?;
    let kind = message.pdu.kind;
    if !kind.is_in(version) {
        return Err(DropReason::NotInVersion { version, kind });
    }
    let local = engine.id().as_bytes();
    let context_engine_id = entry.context_engine_id.unwrap_or(local);
    Ok(Request {
        version,
        security_model,
        level,
        context_engine_id,
        context_name: entry.context_name,
        pdu: message.pdu,
        max_size: engine.max_size(),
        is_local: entry.context_engine_id.is_none_or(|context| engine.is_local_context(context)),
        compression: None,
        reply: Reply::Community { community, security_name: entry.security_name },
    })
}

/// The same for a message of SNMPv1 with its own kind of trap, which is read whole.
pub(in crate::engine) fn prepare_trap_v1<'m>(
    engine: &Engine,
    octets: &[u8],
    over: Option<&'m TransportState>,
    communities: impl FnOnce(&[u8]) -> Option<CommunityEntry<'m>>,
) -> Result<TrapV1Received<'m>, DropReason> {
    let kind = PduKind::TrapV1;
    if !engine.handlers.takes(kind) {
        // An agent accepts no traps, whatever they contain.
        return Err(DropReason::NotHandled { kind });
    }
    let TrapV1Message { community, trap } = TrapV1Message::decode(octets).map_err(DropReason::Malformed)?;
    let Principal { entry, security_model, level } =
        process_incoming_msg(engine, Version::V1, &community, over, communities)?;
    Ok(TrapV1Received { entry, security_model, level, trap })
}
