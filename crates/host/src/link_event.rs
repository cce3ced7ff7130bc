//! What happened to an interface.

/// What happened to an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkEvent {
    /// ifIndex.
    pub index: u32,
    /// ifName.
    pub name: String,
    /// Its previous state; `None` for a new interface.
    pub before: Option<LinkStatus>,
    /// Its present state; `None` for an interface that is gone.
    pub after: Option<LinkStatus>,
    /// Whether there was no interface of this name before: it is new, or had another name.
    pub appeared: bool,
}

/// The two states of an interface that RFC 2863's linkUp and linkDown carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkStatus {
    /// ifAdminStatus: up(1), down(2).
    pub admin: i32,
    /// ifOperStatus: up(1) to lowerLayerDown(7).
    pub oper: i32,
}
