//! The proxy forwarder (RFC 3413 section 3.5): requests of a context that another agent answers for.

use std::ops::Range;

use trunkline_snmp::engine::Request;
use trunkline_snmp::wire::{Bound, ErrorStatus, Pdu, PduKind, PduRef, ResponseWriter};
use trunkline_tree::Access;

use super::command_responder::{Ending, counted, finish};
use super::dispatcher::WrongBindings;
use super::{Door, Settings};
use trunkline_regions::ContextProxy;

/// RFC 3413 section 3.5.1.1: forwards the request to another agent, and returns the answer.
pub(super) async fn forward(
    door: &Door,
    settings: &Settings,
    proxy: &ContextProxy,
    access: &Access,
    request: &Request<'_>,
    buffer: &mut Vec<u8>,
) -> Result<Option<Range<usize>>, WrongBindings> {
    let writer = ResponseWriter::new(buffer, settings.limit(request), request.reply());
    let may =
        request.level <= proxy.level && (proxy.forwarder.is_guarding() || may_forward(access, &request.pdu));
    let response = match request.pdu.to_pdu() {
        Ok(pdu) if may => proxy.forward(pdu, request.version, access).await,
        Ok(_) => {
            let ending = Ending::Error { status: ErrorStatus::AuthorizationError, index: 0 };
            return Ok(finish(door.counters(), &request.pdu, writer, ending, 0));
        }
        Err(_) => return Err(door.wrong_bindings()),
    };
    let Some(response) = response else {
        let ending = Ending::Error { status: ErrorStatus::GenErr, index: 0 };
        return Ok(finish(door.counters(), &request.pdu, writer, ending, 0));
    };
    Ok(write_forwarded(door, &request.pdu, writer, &response))
}

/// Whether the principal's view includes the requested names. The other agent's next instances are not known in
/// advance: for these the view must include everything below the names.
fn may_forward(access: &Access, request: &PduRef<'_>) -> bool {
    let allowed = |name: &[u32]| match request.kind {
        PduKind::Set => access.may_write(name),
        _ => access.may_read_name(name),
    };
    request.bindings().all(|binding| binding.is_ok_and(|binding| allowed(&binding.name.to_oid())))
}

fn write_forwarded(
    door: &Door,
    request: &PduRef<'_>,
    mut writer: ResponseWriter<'_>,
    response: &Pdu,
) -> Option<Range<usize>> {
    if let Some(status) = ErrorStatus::from_code(response.error_status).filter(|_| response.error_status != 0)
    {
        let index = u32::try_from(response.error_index).unwrap_or(0);
        return finish(door.counters(), request, writer, Ending::Error { status, index }, 0);
    }
    for binding in &response.bindings {
        let fits = match &binding.value {
            Bound::Value(value) => writer.value_at(&binding.name, value.as_value_ref()),
            Bound::Exception(exception) => writer.exception(&binding.name, *exception),
            Bound::Unspecified => writer.unspecified(&binding.name),
        };
        if !fits && (request.kind != PduKind::GetBulk || writer.position() == 0) {
            let ending = Ending::Error { status: ErrorStatus::TooBig, index: 0 };
            return finish(door.counters(), request, writer, ending, 0);
        }
        if !fits {
            break;
        }
    }
    counted(door.counters(), writer.finish())
}
