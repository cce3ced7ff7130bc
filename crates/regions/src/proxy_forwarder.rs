//! `[[proxy]]` for a context: every request of the context goes to another agent as it came, and its answer back
//! (RFC 3413 section 3.5.1).

use std::sync::Arc;

use trunkline_client::Response;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, ErrorStatus, Pdu, PduKind, VarBind, Version};
use trunkline_tree::Access;

use super::contexts::{ContextProxy, Forwarder, Forwarding};
use super::remote::Remote;

/// Forwards to one agent.
pub struct WholeContext {
    remote: Arc<Remote>,
}

impl WholeContext {
    /// To this agent.
    pub fn new(remote: Arc<Remote>) -> Self {
        WholeContext { remote }
    }

    async fn request(&self, pdu: &Pdu) -> Option<Response> {
        let names: Vec<Oid> = pdu.bindings.iter().map(|binding| binding.name.clone()).collect();
        let number = |number: i32| u32::try_from(number).unwrap_or(0);
        match pdu.kind {
            PduKind::Get => self.remote.get(&names).await,
            // RFC 3584 section 4.1.1: from an SNMPv1 agent one repetition is requested.
            PduKind::GetBulk if self.remote.version() == Version::V1 => self.remote.next_all(&names).await,
            PduKind::GetNext => self.remote.next_all(&names).await,
            PduKind::GetBulk => {
                self.remote.bulk_all(number(pdu.error_status), number(pdu.error_index), &names).await
            }
            PduKind::Set => self.remote.set(&pdu.bindings).await,
            _ => None,
        }
    }
}

impl ContextProxy {
    /// The response to a request of this version; `None` if there is none in time.
    pub async fn forward(&self, mut pdu: Pdu, version: Version, access: &Access) -> Option<Pdu> {
        if version != Version::V1 {
            return self.forwarder.forward(pdu, access).await;
        }
        // RFC 3584 section 4.1.2.3: for an SNMPv1 manager a Counter64 is skipped, and an exception is an error.
        for _ in 0..MOST_PASSED_OVER {
            let response = self.forwarder.forward(pdu.clone(), access).await?;
            let unknown = |binding: &VarBind| matches!(binding.value, Bound::Value(Value::Counter64(_)));
            if pdu.kind == PduKind::GetNext
                && response.error_status == 0
                && response.bindings.iter().any(unknown)
            {
                for (asked, found) in pdu.bindings.iter_mut().zip(response.bindings) {
                    if unknown(&found) {
                        asked.name = found.name;
                    }
                }
                continue;
            }
            let missing =
                |binding: &VarBind| matches!(binding.value, Bound::Exception(_)) || unknown(binding);
            let Some(at) = response.bindings.iter().position(missing).filter(|_| response.error_status == 0)
            else {
                return Some(response);
            };
            let error_index = i32::try_from(at + 1).unwrap_or(i32::MAX);
            return Some(Pdu { error_status: ErrorStatus::NoSuchName.code(), error_index, ..response });
        }
        None
    }
}

impl Forwarder for WholeContext {
    /// The session gives the request its own request-id, and the answer gets the client's back.
    fn forward<'a>(&'a self, pdu: Pdu, _: &'a Access) -> Forwarding<'a> {
        Box::pin(async move {
            let response = self.request(&pdu).await?;
            Some(Pdu {
                kind: PduKind::Response,
                request_id: pdu.request_id,
                error_status: response.error_status,
                error_index: response.error_index,
                bindings: response.bindings,
            })
        })
    }
}

/// The most Counter64s that one GetNext of SNMPv1 skips.
const MOST_PASSED_OVER: usize = 1000;
