//! Which values of indexes subagents have allocated, so that two of them never add rows with the same index
//! (RFC 2741 sections 7.1.4.2 and 7.1.4.3).

mod pool;

use std::collections::BTreeMap;

use trunkline_smi::{Bound, Oid, Value, VarBind};

use crate::wire::{ErrorCode, IndexRequest};
use pool::Pool;

/// How much subagents may ask a master to remember.
#[derive(Clone, Copy, Debug)]
pub struct IndexLimits {
    /// Index objects, in all contexts.
    pub objects: usize,
    /// Values that are allocated, or remembered as having been, of all objects.
    pub values: usize,
}

impl Default for IndexLimits {
    fn default() -> Self {
        IndexLimits { objects: 1024, values: 65_536 }
    }
}

/// Why a request failed: the error, and which variable binding is at fault, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexFault {
    /// res.error
    pub error: ErrorCode,
    /// res.index
    pub index: u16,
}

/// The values that are allocated, by context and index object.
#[derive(Debug)]
pub struct Indexes {
    limits: IndexLimits,
    pools: BTreeMap<(Vec<u8>, Oid), Pool>,
}

impl Indexes {
    /// None are allocated.
    #[must_use]
    pub fn new(limits: IndexLimits) -> Self {
        Indexes { limits, pools: BTreeMap::new() }
    }

    /// Allocates all values of a request for a session, or none. The bindings are returned with the values that were
    /// allocated.
    ///
    /// NEW_INDEX gives numbers that nobody has ever had, ANY_INDEX such as nobody has now; both are for integers, since
    /// only of them the next one is known.
    pub fn allocate(
        &mut self,
        session: u32,
        context: &[u8],
        request: &IndexRequest,
    ) -> Result<Vec<VarBind>, IndexFault> {
        let mut done: Vec<VarBind> = Vec::new();
        for (place, binding) in request.bindings.iter().enumerate() {
            match self.allocate_one(session, context, request, binding) {
                Ok(value) => done.push(VarBind::new(binding.name.clone(), value)),
                Err(error) => {
                    self.take_back(session, context, &done);
                    return Err(fault(error, place));
                }
            }
        }
        Ok(done)
    }

    fn allocate_one(
        &mut self,
        session: u32,
        context: &[u8],
        request: &IndexRequest,
        binding: &VarBind,
    ) -> Result<Value, ErrorCode> {
        let wanted = index_value(&binding.value)?;
        let key = (context.to_vec(), binding.name.clone());
        if !self.has_room(&key) {
            // What ended sessions have had is forgotten before somebody is refused.
            self.pools.retain(|_, pool| !pool.is_unused());
            if !self.has_room(&key) {
                return Err(ErrorCode::IndexNoneAvailable);
            }
        }
        let is_new = !self.pools.contains_key(&key);
        let pool = self.pools.entry(key.clone()).or_insert_with(|| Pool::new(wanted.kind()));
        let allocated = match (request.new_index, request.any_index) {
            (true, _) => pool.allocate_new(session, wanted),
            (false, true) => pool.allocate_any(session, wanted),
            (false, false) => pool.allocate(session, wanted),
        };
        if allocated.is_err() && is_new {
            self.pools.remove(&key);
        }
        allocated
    }

    /// Undoes what a request has allocated until it failed.
    fn take_back(&mut self, session: u32, context: &[u8], done: &[VarBind]) {
        for VarBind { name, value } in done {
            let key = (context.to_vec(), name.clone());
            if let (Some(pool), Some(value)) = (self.pools.get_mut(&key), value.value()) {
                let _ = pool.release(session, value);
            }
        }
    }

    /// Gives all values of a request back, which must be allocated to this session, or none.
    pub fn deallocate(
        &mut self,
        session: u32,
        context: &[u8],
        request: &IndexRequest,
    ) -> Result<(), IndexFault> {
        let mut done: Vec<VarBind> = Vec::new();
        for (place, binding) in request.bindings.iter().enumerate() {
            let key = (context.to_vec(), binding.name.clone());
            let released = index_value(&binding.value).and_then(|value| {
                let pool = self.pools.get_mut(&key).ok_or(ErrorCode::IndexNotAllocated)?;
                pool.release(session, &value)
            });
            if let Err(error) = released {
                for VarBind { name, value } in &done {
                    let pool = self.pools.get_mut(&(context.to_vec(), name.clone()));
                    if let (Some(pool), Some(value)) = (pool, value.value()) {
                        let _ = pool.allocate(session, value.clone());
                    }
                }
                return Err(fault(error, place));
            }
            done.push(binding.clone());
        }
        Ok(())
    }

    /// Gives back everything that a session has.
    pub fn close(&mut self, session: u32) {
        self.pools.values_mut().for_each(|pool| pool.close(session));
    }

    fn has_room(&self, key: &(Vec<u8>, Oid)) -> bool {
        let values: usize = self.pools.values().map(Pool::len).sum();
        values < self.limits.values
            && (self.pools.len() < self.limits.objects || self.pools.contains_key(key))
    }
}

fn fault(error: ErrorCode, place: usize) -> IndexFault {
    IndexFault { error, index: u16::try_from(place + 1).unwrap_or(u16::MAX) }
}

/// Values that can be a part of an index, in as many sub-identifiers as a name can have.
fn index_value(bound: &Bound) -> Result<Value, ErrorCode> {
    match bound {
        Bound::Value(Value::OctetString(octets)) if octets.len() > trunkline_smi::MAX_SUB_IDS => {
            Err(ErrorCode::ProcessingError)
        }
        Bound::Value(
            value @ (Value::Integer(_)
            | Value::Unsigned32(_)
            | Value::OctetString(_)
            | Value::ObjectIdentifier(_)
            | Value::IpAddress(_)),
        ) => Ok(value.clone()),
        _ => Err(ErrorCode::IndexWrongType),
    }
}
