//! What an originator needs from the protocol besides messages: a notification in SNMPv2's terms, and its
//! translation to SNMPv1's Trap-PDU and back (RFC 3584 section 3).

use trunkline_smi::{Oid, Value};

use crate::wire::{Bound, ENTERPRISE_SPECIFIC, Pdu, PduKind, TrapV1, VarBind};

/// sysUpTime.0 (RFC 3418): the first binding of a notification.
pub const SYS_UP_TIME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 3, 0];
/// snmpTrapOID.0 (RFC 3418): the second binding of a notification.
pub const SNMP_TRAP_OID: [u32; 11] = [1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0];
/// snmpTrapEnterprise.0 (RFC 3418).
pub const SNMP_TRAP_ENTERPRISE: [u32; 11] = [1, 3, 6, 1, 6, 3, 1, 1, 4, 3, 0];
/// snmpTraps (RFC 3418): the standard notifications are below it, 1 coldStart to 6 egpNeighborLoss.
pub const SNMP_TRAPS: [u32; 9] = [1, 3, 6, 1, 6, 3, 1, 1, 5];
/// snmpTrapAddress.0 (RFC 3584 section 3.1): agent-addr of a trap that was translated.
pub const SNMP_TRAP_ADDRESS: [u32; 10] = [1, 3, 6, 1, 6, 3, 18, 1, 3, 0];
/// snmpTrapCommunity.0 (RFC 3584 section 3.1): the community of a trap that was translated.
pub const SNMP_TRAP_COMMUNITY: [u32; 10] = [1, 3, 6, 1, 6, 3, 18, 1, 4, 0];

/// A notification by its SNMPv2 parameters (RFC 3584 section 3): what every version can say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// sysUpTime: hundredths of a second since the sender's (re)start.
    pub uptime: u32,
    /// snmpTrapOID: what happened.
    pub trap_oid: Oid,
    /// The bindings after sysUpTime.0 and snmpTrapOID.0.
    pub bindings: Vec<VarBind>,
}

/// Why a list of bindings is not a notification (RFC 3416 section 4.2.6).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotificationError {
    /// The first binding is not sysUpTime.0 with a TimeTicks.
    #[error("the first binding of a notification must be sysUpTime.0 with TimeTicks, found {}", found_words(.found))]
    UpTime {
        /// The first name.
        found: Option<Oid>,
    },
    /// The second binding is not snmpTrapOID.0 with an object identifier.
    #[error("the second binding of a notification must be snmpTrapOID.0 with an OBJECT IDENTIFIER, found {}", found_words(.found))]
    TrapOid {
        /// The second name.
        found: Option<Oid>,
    },
}

/// Why a notification cannot be translated to another version (RFC 3584 section 3).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TranslationError {
    /// A value that SNMPv1 has no type for: Counter64 or an exception.
    #[error("SNMPv1 has no type for the value of {name} ({found})")]
    NotInVersion1 {
        /// The binding.
        name: Oid,
        /// The type of its value, or the exception.
        found: &'static str,
    },
    /// generic-trap is not 0 to 6.
    #[error("unknown generic-trap {found}, expected 0 to 6")]
    Generic {
        /// The number.
        found: i32,
    },
    /// snmpTrapOID or the enterprise has too few or too many sub-identifiers.
    #[error("{found} cannot be translated because of its length")]
    Length {
        /// The identifier.
        found: Oid,
    },
}

impl Notification {
    /// The notification in the bindings of an SNMPv2-Trap or an InformRequest (RFC 3416 section 4.2.6).
    ///
    /// # Errors
    /// [`NotificationError`] when the first two bindings are not those that must be.
    pub fn from_bindings(bindings: Vec<VarBind>) -> Result<Self, NotificationError> {
        let name = |at: usize| bindings.get(at).map(|binding| binding.name.clone());
        let uptime = match bindings.first() {
            Some(VarBind { name, value: Bound::Value(Value::TimeTicks(uptime)) })
                if **name == SYS_UP_TIME =>
            {
                *uptime
            }
            _ => return Err(NotificationError::UpTime { found: name(0) }),
        };
        let trap_oid = match bindings.get(1) {
            Some(VarBind { name, value: Bound::Value(Value::ObjectIdentifier(oid)) })
                if **name == SNMP_TRAP_OID =>
            {
                oid.clone()
            }
            _ => return Err(NotificationError::TrapOid { found: name(1) }),
        };
        Ok(Notification { uptime, trap_oid, bindings: bindings.into_iter().skip(2).collect() })
    }

    /// The bindings as an SNMPv2-Trap or an InformRequest has them: sysUpTime.0, snmpTrapOID.0, the others.
    pub fn to_bindings(&self) -> Vec<VarBind> {
        let mut all = Vec::with_capacity(self.bindings.len() + 2);
        all.push(VarBind::new(Oid::from(SYS_UP_TIME), Value::TimeTicks(self.uptime)));
        all.push(VarBind::new(Oid::from(SNMP_TRAP_OID), Value::ObjectIdentifier(self.trap_oid.clone())));
        all.extend(self.bindings.iter().cloned());
        all
    }

    /// The PDU: `kind` is [`PduKind::TrapV2`] or [`PduKind::Inform`].
    pub fn to_pdu(&self, kind: PduKind, request_id: i32) -> Pdu {
        Pdu::new(kind, request_id, self.to_bindings())
    }

    /// Translates a trap of SNMPv1 (RFC 3584 section 3.1 steps 1 to 3).
    ///
    /// # Errors
    /// [`TranslationError::Generic`], [`TranslationError::Length`].
    pub fn from_trap_v1(trap: &TrapV1) -> Result<Self, TranslationError> {
        let trap_oid = match trap.generic {
            // Step 2: enterprise, 0, specific-trap. Devices whose numbers have the 32nd bit send negative ones, which
            // RFC 3584 does not mention: a sub-identifier has the same bits, as in Net-SNMP.
            ENTERPRISE_SPECIFIC => {
                let specific = trap.specific.cast_unsigned();
                let sub_ids = [&trap.enterprise[..], &[0, specific]].concat();
                Oid::new(&sub_ids).map_err(|_| TranslationError::Length { found: trap.enterprise.clone() })?
            }
            // Step 3: the standard traps are numbered from 1.
            generic @ 0..ENTERPRISE_SPECIFIC => Oid::from(SNMP_TRAPS).child(&[generic as u32 + 1]),
            found => return Err(TranslationError::Generic { found }),
        };
        Ok(Notification { uptime: trap.time_stamp, trap_oid, bindings: trap.bindings.clone() })
    }

    /// As [`from_trap_v1`](Self::from_trap_v1), for a proxy forwarder: the other fields of the trap are appended
    /// to the bindings, unless they already exist (RFC 3584 section 3.1 step 4).
    ///
    /// # Errors
    /// As [`from_trap_v1`](Self::from_trap_v1).
    pub fn forwarded_from_trap_v1(trap: &TrapV1, community: &[u8]) -> Result<Self, TranslationError> {
        let mut notification = Self::from_trap_v1(trap)?;
        let more = [
            (Oid::from(SNMP_TRAP_ADDRESS), Value::IpAddress(trap.agent_addr)),
            (Oid::from(SNMP_TRAP_COMMUNITY), Value::OctetString(community.to_vec())),
            (Oid::from(SNMP_TRAP_ENTERPRISE), Value::ObjectIdentifier(trap.enterprise.clone())),
        ];
        for (name, value) in more {
            if notification.bindings.iter().all(|binding| binding.name != name) {
                notification.bindings.push(VarBind::new(name, value));
            }
        }
        Ok(notification)
    }

    /// Translates it to a trap of SNMPv1 (RFC 3584 section 3.2). `agent_addr` is the sender's IPv4 address,
    /// 0.0.0.0 if it has none; snmpTrapAddress.0 among the bindings takes precedence.
    ///
    /// # Errors
    /// [`TranslationError`]: it must then not be sent as SNMPv1.
    pub fn to_trap_v1(&self, agent_addr: [u8; 4]) -> Result<TrapV1, TranslationError> {
        for VarBind { name, value } in &self.bindings {
            let found = match value {
                Bound::Value(Value::Counter64(_)) => "Counter64",
                Bound::Exception(exception) => exception.name(),
                _ => continue,
            };
            return Err(TranslationError::NotInVersion1 { name: name.clone(), found });
        }
        let (enterprise, generic, specific) = self.what_happened()?;
        let address = self.extra(&SNMP_TRAP_ADDRESS).and_then(|value| match value {
            Value::IpAddress(address) => Some(*address),
            _ => None,
        });
        Ok(TrapV1 {
            enterprise,
            agent_addr: address.unwrap_or(agent_addr),
            generic,
            specific,
            time_stamp: self.uptime,
            bindings: self.bindings.clone(),
        })
    }

    /// enterprise, generic-trap and specific-trap (RFC 3584 section 3.2 steps 1, 3 and 4).
    fn what_happened(&self) -> Result<(Oid, i32, i32), TranslationError> {
        if let Some(&[number @ 1..=6]) = self.trap_oid.strip_prefix(&SNMP_TRAPS) {
            let enterprise = match self.extra(&SNMP_TRAP_ENTERPRISE) {
                Some(Value::ObjectIdentifier(enterprise)) => enterprise.clone(),
                _ => Oid::from(SNMP_TRAPS),
            };
            return Ok((enterprise, number as i32 - 1, 0));
        }
        let length = || TranslationError::Length { found: self.trap_oid.clone() };
        let (&last, above) = self.trap_oid.split_last().ok_or_else(length)?;
        let specific = last.cast_signed();
        let enterprise = above.strip_suffix(&[0]).unwrap_or(above);
        if enterprise.len() < 2 {
            return Err(length());
        }
        Ok((Oid::new(enterprise).map_err(|_| length())?, ENTERPRISE_SPECIFIC, specific))
    }

    /// The value of one of the bindings.
    fn extra(&self, name: &[u32]) -> Option<&Value> {
        self.bindings.iter().find_map(|binding| match &binding.value {
            Bound::Value(value) if *binding.name == *name => Some(value),
            _ => None,
        })
    }
}

fn found_words(found: &Option<Oid>) -> String {
    found.as_ref().map_or_else(|| "none".to_owned(), |name| format!("{name}, or another type"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Exception;

    fn trap(generic: i32, specific: i32) -> TrapV1 {
        TrapV1 {
            enterprise: Oid::from([1, 3, 6, 1, 4, 1, 8072]),
            agent_addr: [192, 0, 2, 1],
            generic,
            specific,
            time_stamp: 4711,
            bindings: vec![VarBind::new(Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, 1, 2]), Value::Integer(2))],
        }
    }

    #[test]
    fn traps_of_version_1_in_the_form_of_version_2() {
        for (generic, specific, expected) in [
            (0, 0, "1.3.6.1.6.3.1.1.5.1"),
            (2, 99, "1.3.6.1.6.3.1.1.5.3"),
            (5, 0, "1.3.6.1.6.3.1.1.5.6"),
            (6, 0, "1.3.6.1.4.1.8072.0.0"),
            (6, i32::MAX, "1.3.6.1.4.1.8072.0.2147483647"),
            (6, -5, "1.3.6.1.4.1.8072.0.4294967291"),
        ] {
            let notification = Notification::from_trap_v1(&trap(generic, specific)).unwrap();
            assert_eq!(notification.trap_oid.to_string(), expected);
            assert_eq!((notification.uptime, &notification.bindings), (4711, &trap(0, 0).bindings));
        }
        let error = |generic, specific| Notification::from_trap_v1(&trap(generic, specific)).unwrap_err();
        assert_eq!(error(7, 0), TranslationError::Generic { found: 7 });
        assert_eq!(error(-1, 0), TranslationError::Generic { found: -1 });
        let long = Oid::new(&[1; 127]).unwrap();
        let trap = TrapV1 { enterprise: long.clone(), ..trap(6, 1) };
        assert_eq!(Notification::from_trap_v1(&trap), Err(TranslationError::Length { found: long }));
    }

    #[test]
    fn a_forwarded_trap_contains_its_origin() {
        let forwarded = Notification::forwarded_from_trap_v1(&trap(6, 1), b"c").unwrap();
        let names: Vec<String> = forwarded.bindings.iter().map(|b| b.name.to_string()).collect();
        assert_eq!(names[1..], ["1.3.6.1.6.3.18.1.3.0", "1.3.6.1.6.3.18.1.4.0", "1.3.6.1.6.3.1.1.4.3.0"]);
        // After another translation: nothing is added twice, and the first value is kept.
        let back = forwarded.to_trap_v1([10, 0, 0, 1]).unwrap();
        assert_eq!((back.agent_addr, back.specific), ([192, 0, 2, 1], 1));
        let again = Notification::forwarded_from_trap_v1(&back, b"other").unwrap();
        assert_eq!(again, forwarded);
    }

    #[test]
    fn notifications_in_the_form_of_version_1() {
        let notification = |oid: &str, bindings: Vec<VarBind>| Notification {
            uptime: 1,
            trap_oid: oid.parse().unwrap(),
            bindings,
        };
        for (oid, enterprise, generic, specific) in [
            ("1.3.6.1.6.3.1.1.5.1", "1.3.6.1.6.3.1.1.5", 0, 0),
            ("1.3.6.1.6.3.1.1.5.6", "1.3.6.1.6.3.1.1.5", 5, 0),
            ("1.3.6.1.6.3.1.1.5.7", "1.3.6.1.6.3.1.1.5", 6, 7),
            ("1.3.6.1.4.1.8072.4.0.2", "1.3.6.1.4.1.8072.4", 6, 2),
            ("1.3.6.1.4.1.8072.4.3", "1.3.6.1.4.1.8072.4", 6, 3),
            ("1.3.6.1.4.1.8072.4.0.4294967295", "1.3.6.1.4.1.8072.4", 6, -1),
        ] {
            let trap = notification(oid, vec![]).to_trap_v1([127, 0, 0, 1]).unwrap();
            let found = (trap.enterprise.to_string(), trap.generic, trap.specific, trap.agent_addr);
            assert_eq!(found, (enterprise.to_owned(), generic, specific, [127, 0, 0, 1]), "{oid}");
        }
        let enterprise = Oid::from([1, 3, 6, 1, 4, 1, 9]);
        let whose =
            VarBind::new(Oid::from(SNMP_TRAP_ENTERPRISE), Value::ObjectIdentifier(enterprise.clone()));
        let trap = notification("1.3.6.1.6.3.1.1.5.3", vec![whose]).to_trap_v1([0; 4]).unwrap();
        assert_eq!((trap.enterprise, trap.generic), (enterprise, 2));

        let name = Oid::from([1, 3, 6, 1, 9]);
        let bindings = vec![VarBind::new(name.clone(), Value::Counter64(1))];
        let refused = notification("1.3.6.1.6.3.1.1.5.3", bindings).to_trap_v1([0; 4]);
        assert_eq!(refused, Err(TranslationError::NotInVersion1 { name: name.clone(), found: "Counter64" }));
        let gone = VarBind { name: name.clone(), value: Bound::Exception(Exception::NoSuchObject) };
        let refused = notification("1.3.6.1.6.3.1.1.5.3", vec![gone]).to_trap_v1([0; 4]);
        assert_eq!(refused, Err(TranslationError::NotInVersion1 { name, found: "noSuchObject" }));
        let found = Oid::from([1, 3]);
        assert_eq!(notification("1.3", vec![]).to_trap_v1([0; 4]), Err(TranslationError::Length { found }));
    }

    #[test]
    fn the_first_two_bindings_make_a_notification() {
        let notification =
            Notification { uptime: 5, trap_oid: Oid::from([1, 3, 6, 1]), bindings: trap(0, 0).bindings };
        let pdu = notification.to_pdu(PduKind::Inform, 9);
        assert_eq!(Notification::from_bindings(pdu.bindings.clone()), Ok(notification));
        let first = NotificationError::UpTime { found: Some(Oid::from(SNMP_TRAP_OID)) };
        assert_eq!(Notification::from_bindings(pdu.bindings[1..].to_vec()), Err(first));
        let second = NotificationError::TrapOid { found: None };
        assert_eq!(Notification::from_bindings(pdu.bindings[..1].to_vec()), Err(second));
        assert_eq!(Notification::from_bindings(vec![]), Err(NotificationError::UpTime { found: None }));
    }
}
