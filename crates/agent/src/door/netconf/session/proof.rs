//! What a protected message proves about its sender, and which role a request claims.

use trunkline_netconf::compression::{Agreed, Algorithm, capability as of_compression};
use trunkline_netconf::error::{Info, Layer, RpcError, Tag};
use trunkline_netconf::hello::{BASE_1_0, BASE_1_1, Hello};
use trunkline_netconf::rpc::{Rpc, without_rpc};
use trunkline_smi::visible;
use trunkline_tree::policy::{OwnedActing, OwnedPrincipal, Principal, SecurityLevel, SecurityModel};
use trunkline_wrapping::{
    Guard, NotOpened, Proved, Received, Unusable, capability, capability_of_stored, refused,
};
use trunkline_xmlsec::Nonce;

use super::{End, Session};

impl Session {
    /// Our hello. Whoever is not known yet learns how to prove who it is, and nothing else.
    pub fn hello(&self, is_known: bool) -> Hello {
        let mut capabilities = match is_known {
            true => self.door.models().capabilities(self.door.has_files()).to_vec(),
            false => {
                let mut least = vec![BASE_1_0.to_owned(), BASE_1_1.to_owned()];
                least.extend(of_compression(&Algorithm::ALL));
                least
            }
        };
        capabilities.extend(self.opening.nonce.as_ref().map(capability));
        capabilities.extend(self.device().as_ref().map(capability_of_stored));
        Hello { capabilities, session_id: Some(self.place.id) }
    }

    /// The hellos of a session whose messages protect themselves: the client's proves who it is.
    pub async fn begin_protected(&mut self, nonce: Nonce) -> Result<(), End> {
        let name = self.opening.is_proved.then(|| String::from_utf8_lossy(&self.principal.name).into_owned());
        let user = name.map(|name| name.parse()).transpose();
        let user = user.map_err(|error| End::NotOpened(NotOpened::Name(error)))?;
        self.wrapping.guard = Some(Box::new(Guard::new(nonce, user)));
        let message = self.message().await?;
        let Some(message) = self.unwrapped(message).await? else {
            return Err(End::NotOpened(NotOpened::NotHello));
        };
        let read = if self.door.validates() { Hello::read_valid } else { Hello::read };
        let theirs = read(&message)?;
        if !self.wrapping.guard.as_mut().is_some_and(|guard| guard.meet(&theirs)) {
            return self.refuse_hello(Tag::MissingElement, NotOpened::NoNonce).await;
        }
        let ours = self.hello(true);
        // Anybody on the path can have changed the first hellos.
        let framing = ours.with_client(&theirs)?;
        if framing != self.wrapping.framing || Agreed::of(&ours, &theirs, framing) != self.wrapping.agreed {
            return self.refuse_hello(Tag::BadElement, NotOpened::OtherTerms).await;
        }
        let mut octets = Vec::new();
        ours.write(&mut octets);
        self.answer(&octets).await?;
        Ok(())
    }

    async fn refuse_hello(&mut self, tag: Tag, why: NotOpened) -> Result<(), End> {
        self.wrapping.sealing = None;
        let error = RpcError::new(Layer::Protocol, tag, why.to_string());
        self.refuse_message(&error.with(Info::BadElement("capability".into()))).await?;
        Err(End::NotOpened(why))
    }

    /// What a message has inside; `None`: it was refused, and the next one may be better.
    pub async fn unwrapped(&mut self, message: Vec<u8>) -> Result<Option<Vec<u8>>, End> {
        match self.wrapping.receive(self.door.shared(), message, self.limits.max_message) {
            Ok(Received { message, proved }) => {
                if let Some(proved) = proved {
                    self.take(proved);
                }
                Ok(Some(message))
            }
            Err(Unusable::Refused(error)) => {
                self.refuse_message(&error).await?;
                Ok(None)
            }
            Err(Unusable::NotOpened(why)) => {
                self.wrapping.sealing = None;
                self.refuse_message(&refused()).await?;
                Err(End::NotOpened(why))
            }
        }
    }

    pub(super) async fn refuse_message(&mut self, error: &RpcError) -> Result<(), End> {
        self.count(|counts| &counts.bad_rpcs);
        self.count(|counts| &counts.errors);
        let mut octets = Vec::new();
        without_rpc(error, None, &mut octets);
        Ok(self.answer(&octets).await?)
    }

    /// What the keys of a message prove.
    fn take(&mut self, proved: Proved) {
        let Proved { user, key, acting, level } = proved;
        if !self.opening.is_proved && self.principal.name != user.as_str().as_bytes() {
            let of_user = Principal::new(SecurityModel::TSM, user.as_str().as_bytes(), level);
            self.prove(of_user.into_owned());
        }
        self.place.member.use_key(key);
        self.principal.level = level;
        self.proved = acting;
    }

    /// The client is now known by its keys.
    fn prove(&mut self, principal: OwnedPrincipal) {
        let had_rights = self.door.has_rights(principal.as_principal());
        let name = String::from_utf8_lossy(&principal.name).into_owned();
        let keys = self.wrapping.sealing.as_ref().and_then(|sealing| sealing.key().shared());
        self.place.prove(name, keys, principal.clone(), had_rights);
        self.principal = principal;
        self.opening.has_principal = true;
        self.talk.accept();
        self.opening.is_in_log = self.door.audit.begun(self.place.id, &self.place.member, self.opening.peer);
    }

    /// On behalf of which role a request is carried out: that of its keys, or that which it names. An error if it names another one than
    /// that of its keys.
    pub fn act_for(&mut self, rpc: &Rpc) -> Option<RpcError> {
        let named = rpc.role().map(|role| OwnedActing { role: role.as_bytes().to_vec(), is_proved: false });
        match (&self.proved, &named) {
            (Some(proved), Some(named)) if proved.role != named.role => {
                let role = String::from_utf8_lossy(&proved.role).into_owned();
                let message = format!("the keys of this message are of the role {:?}", visible(&role));
                return Some(RpcError::new(Layer::Protocol, Tag::AccessDenied, message));
            }
            (Some(proved), _) => self.principal.acting = Some(proved.clone()),
            (None, _) => self.principal.acting = named,
        }
        None
    }
}

/// Nobody, until a message proves who sent it.
pub(super) fn nobody() -> OwnedPrincipal {
    Principal::new(SecurityModel::TSM, b"", SecurityLevel::NoAuthNoPriv).into_owned()
}
