//! The agent itself and the system group: `[agent]`, `[system]`.

use serde_spanned::Spanned;
use trunkline_snmp::usm::EngineId;
use trunkline_transport::DEFAULT_WAITING;

use super::value::{self, Checked};
use crate::{Place, log_filter, raw};

/// The system group as configured; a value here wins over one that was set and kept,
/// and makes the object read-only, as in Net-SNMP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemPlan {
    /// sysContact.
    pub contact: Option<String>,
    /// sysName.
    pub name: Option<String>,
    /// sysLocation.
    pub location: Option<String>,
    /// sysDescr.
    pub description: Option<String>,
    /// sysServices.
    pub services: Option<u8>,
}

/// Which rights the programs of the configuration have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramPrivileges {
    /// Those that the agent has kept, and never more: `no_new_privs` is set.
    Restricted,
    /// As with Net-SNMP's agent: root's if the agent runs as root, and what setuid programs such as sudo give.
    Unrestricted,
}

pub(super) fn check_privileges(
    value: Option<&Spanned<String>>,
    place: Place<'_>,
) -> Checked<ProgramPrivileges> {
    match value.map(|value| value.get_ref().as_str()) {
        None | Some("restricted") => Ok(ProgramPrivileges::Restricted),
        Some("unrestricted") => Ok(ProgramPrivileges::Unrestricted),
        Some(other) => {
            let message = format!("{other:?} is neither \"restricted\" nor \"unrestricted\"");
            Err(place.wrong(value.map(Spanned::span).unwrap_or_default(), message))
        }
    }
}

pub(super) fn check_log(log: Spanned<String>, place: Place<'_>) -> Checked<String> {
    let span = log.span();
    let text = log.into_inner();
    match log_filter(&text) {
        Ok(_) => Ok(text),
        Err(error) => Err(place.wrong(span, error.to_string())),
    }
}

/// An engine's identifier (RFC 3411 section 5, SnmpEngineID).
pub(super) fn check_engine_id(text: &Spanned<String>, place: Place<'_>) -> Checked<EngineId> {
    let octets = value::hexadecimal(text.get_ref()).ok_or_else(|| {
        let message = "expected hexadecimal octets such as \"0x80001f8804...\"";
        place.wrong(text.span(), message.into())
    })?;
    EngineId::new(&octets).map_err(|error| place.wrong(text.span(), error.to_string()))
}

/// At least some answers of the longest kind.
pub(super) fn check_waiting_output(value: Option<Spanned<i64>>, place: Place<'_>) -> Checked<usize> {
    value.map_or(Ok(DEFAULT_WAITING), |value| value::number(&value, 1 << 20, 1 << 32, place))
}

pub(super) fn check_system(raw: raw::System, place: Place<'_>) -> Checked<SystemPlan> {
    let text = |key: &str, value: Option<Spanned<String>>| match value {
        Some(value) if value.get_ref().len() > 255 => Err(place.wrong(
            value.span(),
            format!("{key} has {} octets, expected at most 255", value.get_ref().len()),
        )),
        value => Ok(value.map(Spanned::into_inner)),
    };
    let services = raw.services.map(|services| value::number(&services, 0, 127, place)).transpose()?;
    Ok(SystemPlan {
        contact: text("contact", raw.contact)?,
        name: text("name", raw.name)?,
        location: text("location", raw.location)?,
        description: text("description", raw.description)?,
        services: services.map(|services| services as u8),
    })
}
