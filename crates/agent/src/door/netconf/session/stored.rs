//! Messages without a session of their own, which somebody relays in a session: the relay needs no rights, and what a message asks has those of its
//! key's user and role. The reply is for the key's user too; the relay carries it back (docs/wire/protected.md).

use std::time::SystemTime;

use trunkline_commit::NotAccepted;
use trunkline_commit::register::Member;
use trunkline_netconf::BASE;
use trunkline_netconf::rpc::Rpc;
use trunkline_tree::policy::{OwnedActing, OwnedPrincipal, Principal, SecurityModel};
use trunkline_wrapping::{
    NotOpened, StoredMessage, Wrapping, carried, needs_session, not_accepted, open_stored, refused,
};
use trunkline_xmlsec::{DeviceName, ReplayError, Time, is_protected};

use super::{End, Place, Session};

/// What is the relay's while a message of somebody else is carried out.
pub(super) struct Relay {
    place: Place,
    principal: OwnedPrincipal,
    proved: Option<OwnedActing>,
}

impl Session {
    /// As which device it accepts messages without a session.
    pub(super) fn device(&self) -> Option<DeviceName> {
        self.opening.nonce.and_then(|_| self.door.device())
    }

    /// Whether a message was dealt with here: one without a session, or of a relay that may send nothing else.
    pub(super) async fn carried(&mut self, message: &[u8]) -> Result<bool, End> {
        if self.wrapping.guard.is_none()
            && is_protected(message)
            && let Some(device) = self.device()
        {
            let carried = Box::pin(self.carry(&device, message)).await;
            self.back();
            return carried.map(|()| true);
        }
        if self.opening.has_principal {
            return Ok(false);
        }
        match Rpc::read(message, self.limits.max_message) {
            Ok(rpc) if rpc.operation().is(BASE, "close-session") => {
                let mut octets = Vec::new();
                rpc.ok(&mut octets);
                self.answer(&octets).await?;
                Err(End::Closed)
            }
            _ => {
                self.refuse_message(&refused()).await?;
                Err(End::NoProof)
            }
        }
    }

    /// The session is the relay's again.
    pub(super) fn back(&mut self) {
        if let Some(relay) = self.relay.take() {
            let Relay { place, principal, proved } = *relay;
            (self.place, self.principal, self.proved) = (place, principal, proved);
        }
        if self.wrapping.guard.is_none() {
            self.wrapping.sealing = None;
        }
    }

    async fn carry(&mut self, device: &DeviceName, message: &[u8]) -> Result<(), End> {
        let (most, door) = (self.limits.max_message, self.door.clone());
        let keys = door.datastores.keyring().table();
        let opened = match open_stored(door.core.phases(), &keys, device, message, most) {
            Ok(opened) => opened,
            Err(why) => return self.not_opened(why).await,
        };
        let StoredMessage { content, header, name, sealing, acting, level } = opened;
        let carried = carried(&name, acting.as_ref(), header.number, (self.place.id, self.opening.peer));
        let (number, compression) = (header.clone(), header.compression);
        let now = Time::from(SystemTime::now());
        match door.datastores.stored().accept(device.clone(), name.clone(), number, now).await {
            Ok(()) => door.audit.carried(&carried),
            Err(NotAccepted::Replay(why @ (ReplayError::Device | ReplayError::Direction(_)))) => {
                return self.not_opened(why.into()).await;
            }
            Err(why) => {
                door.audit.not_carried(&carried, &why);
                // Only the key's user learns why.
                self.wrapping.sealing = Some(sealing);
                return self.refuse_message(&not_accepted(&why)).await;
            }
        }
        self.wrapping.sealing = Some(sealing);
        let user = name.user().as_str();
        let principal = Principal::new(SecurityModel::TSM, user.as_bytes(), level).into_owned();
        self.act_as(user.to_owned(), principal, acting);
        let content = match Wrapping::inflated(door.shared(), content, compression, most) {
            Ok(content) => content,
            Err(error) => return self.refuse_message(&error).await,
        };
        self.carry_out_stored(&content).await
    }

    /// It is not authentic, or not for us.
    async fn not_opened(&mut self, why: NotOpened) -> Result<(), End> {
        self.refuse_message(&refused()).await?;
        Err(End::NotOpened(why))
    }

    /// Until [`Session::back`] the session is that of a message's user: what the relay holds helps it nothing, and the other way round.
    fn act_as(&mut self, user: String, principal: OwnedPrincipal, acting: Option<OwnedActing>) {
        let had_rights = self.door.has_rights(principal.as_principal());
        let member = Member::new(self.place.member.transport, user, self.place.member.host);
        let place = self.place.register.open(member.of(principal.clone(), had_rights));
        let place = std::mem::replace(&mut self.place, place);
        let principal = std::mem::replace(&mut self.principal, principal);
        let proved = std::mem::replace(&mut self.proved, acting);
        self.relay = Some(Box::new(Relay { place, principal, proved }));
    }

    async fn carry_out_stored(&mut self, content: &[u8]) -> Result<(), End> {
        let read = Rpc::read(content, self.limits.max_message).and_then(|rpc| self.valid(rpc, content));
        match read {
            Ok(rpc) => {
                self.count(|counts| &counts.rpcs);
                let refused = self.act_for(&rpc).or_else(|| needs_session(&rpc));
                self.obey(&rpc, refused).await?;
            }
            Err(not_rpc) => self.answer(&not_rpc.reply()).await?,
        }
        Ok(())
    }
}
