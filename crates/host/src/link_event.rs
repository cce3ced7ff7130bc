//! What happened to an interface.

/// What happened to an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkEvent {
    /// ifIndex.
    pub index: u32,
    /// ifName.
    pub name: String,
    /// What it was before; `None` for an interface that came.
    pub before: Option<LinkStatus>,
    /// What it is now; `None` for an interface that went.
    pub after: Option<LinkStatus>,
}

/// The two states of an interface that RFC 2863's linkUp and linkDown carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkStatus {
    /// ifAdminStatus: up(1), down(2).
    pub admin: i32,
    /// ifOperStatus: up(1) to lowerLayerDown(7).
    pub oper: i32,
}
