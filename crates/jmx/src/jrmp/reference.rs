//! References to objects of a server, and the stubs around them.

use super::ids::{Endpoint, ObjId};
use crate::error::Error;
use crate::model::{Decoder, Encoder};
use crate::stream::classes::{java, management};
use crate::stream::{Extra, Id, Input, Slot};

/// `UnicastRef`, or `UnicastRef2` if a client is to use TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Where its server listens.
    pub endpoint: Endpoint,
    /// Whether a client makes its sockets with `SslRMIClientSocketFactory`.
    pub tls: bool,
    /// The object.
    pub object: ObjId,
    /// Whether the server waits for an acknowledgement of the return that it is in.
    pub acknowledged: bool,
}

/// Which stub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StubKind {
    /// `RMIServer`
    Server,
    /// `RMIConnection`
    Connection,
}

/// A stub: a reference, and what it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stub {
    /// What it refers to.
    pub kind: StubKind,
    /// Where that is.
    pub reference: Reference,
}

impl Stub {
    /// Writes the stub, with the class that rmic has generated.
    pub fn write(&self, encoder: &mut Encoder<'_, '_>) {
        encoder.writer.object(match self.kind {
            StubKind::Server => &management::RMI_SERVER_IMPL_STUB,
            StubKind::Connection => &management::RMI_CONNECTION_IMPL_STUB,
        });
        self.reference.write(encoder);
    }

    /// Writes the stub as a dynamic proxy.
    pub fn write_proxy(&self, encoder: &mut Encoder<'_, '_>) {
        encoder.writer.proxy(match self.kind {
            StubKind::Server => &["java.rmi.Remote", SERVER],
            StubKind::Connection => &["java.rmi.Remote", CONNECTION],
        });
        encoder.writer.object(&java::REMOTE_OBJECT_INVOCATION_HANDLER);
        self.reference.write(encoder);
    }

    /// Reads a stub of either form.
    ///
    /// # Errors
    /// If it is another object, or its reference is of another kind.
    pub fn read(decoder: &mut Decoder<'_>, id: Option<Id>) -> Result<Self, Error> {
        let (kind, holder) = match decoder.proxy_of(id)? {
            Some(interfaces) => {
                let is = |name: &str| interfaces.iter().any(|interface| interface == name);
                let kind = match (is(SERVER), is(CONNECTION)) {
                    (true, false) => StubKind::Server,
                    (false, true) => StubKind::Connection,
                    _ => return Err(Error::kind("a stub", "another dynamic proxy")),
                };
                match decoder.fields_of(id, &java::PROXY)?.as_deref() {
                    Some([Slot::Reference(Some(handler))]) => (kind, Some(*handler)),
                    _ => return Err(Error::Value { what: "the handler of a dynamic proxy" }),
                }
            }
            None => (StubKind::read(decoder, id)?, id),
        };
        let reference = Reference::read(decoder.extra_of(holder, &java::REMOTE_OBJECT)?)?;
        if let Extras { factory: Some(factory), .. } = reference {
            // Its class is what matters; it has no fields.
            decoder.fields_of(factory, &java::SSL_RMI_CLIENT_SOCKET_FACTORY)?;
        }
        Ok(Stub { kind, reference: reference.reference })
    }
}

impl StubKind {
    fn read(decoder: &mut Decoder<'_>, id: Option<Id>) -> Result<Self, Error> {
        match decoder.class_of(id) {
            Some(class) if class.is(&management::RMI_SERVER_IMPL_STUB) => Ok(StubKind::Server),
            Some(class) if class.is(&management::RMI_CONNECTION_IMPL_STUB) => Ok(StubKind::Connection),
            other => Err(Error::kind("a stub", other.map_or("null", |class| class.name))),
        }
    }
}

/// What was read of a reference.
struct Extras {
    reference: Reference,
    /// The socket factory, if there is one.
    factory: Option<Option<Id>>,
}

impl Reference {
    /// What `RemoteObject` writes: the kind of reference and its own octets.
    fn write(&self, encoder: &mut Encoder<'_, '_>) {
        let writer = &mut *encoder.writer;
        writer.block_text(if self.tls { REFERENCE_2 } else { REFERENCE });
        if self.tls {
            writer.block(&[WITH_FACTORY]);
        }
        writer.block_text(&self.endpoint.host);
        writer.block(&self.endpoint.port.to_be_bytes());
        if self.tls {
            writer.object(&java::SSL_RMI_CLIENT_SOCKET_FACTORY);
        }
        writer.block(&self.object.to_octets());
        writer.block(&[u8::from(self.acknowledged)]);
        writer.end();
    }

    fn read(extra: &[Extra]) -> Result<Extras, Error> {
        let invalid = Error::Value { what: "a reference to an object" };
        let (Some(Extra::Octets(first)), rest) = (extra.first(), extra.get(1..).unwrap_or_default()) else {
            return Err(invalid);
        };
        let mut input = Input::new(first);
        let second = match text(&mut input)?.as_str() {
            REFERENCE => false,
            REFERENCE_2 => true,
            found => return Err(Error::kind("UnicastRef or UnicastRef2", found)),
        };
        let with_factory = second
            && match input.take() {
                Some([PLAIN]) => false,
                Some([WITH_FACTORY]) => true,
                _ => return Err(invalid),
            };
        let host = text(&mut input)?;
        let port = i32::from_be_bytes(input.take().ok_or(Error::Cut)?);
        let factory = match (with_factory, rest) {
            (false, []) => None,
            (true, [Extra::Reference(factory), Extra::Octets(octets)]) if input.rest().is_empty() => {
                input = Input::new(octets);
                Some(*factory)
            }
            _ => return Err(invalid),
        };
        let object = ObjId::from_octets(input.take().ok_or(Error::Cut)?);
        let [acknowledged] = input.take().ok_or(Error::Cut)?;
        if !input.rest().is_empty() {
            return Err(Error::Trailing { octets: input.rest().len() });
        }
        let tls = factory.flatten().is_some();
        let endpoint = Endpoint { host, port };
        Ok(Extras {
            reference: Reference { endpoint, tls, object, acknowledged: acknowledged != 0 },
            factory,
        })
    }
}

fn text(input: &mut Input<'_>) -> Result<String, Error> {
    let length = usize::from(u16::from_be_bytes(input.ahead().ok_or(Error::Cut)?));
    crate::stream::decode_text(input.after(2, length).ok_or(Error::Cut)?)
}

const REFERENCE: &str = "UnicastRef";
const REFERENCE_2: &str = "UnicastRef2";
const PLAIN: u8 = 0;
const WITH_FACTORY: u8 = 1;
const SERVER: &str = "javax.management.remote.rmi.RMIServer";
const CONNECTION: &str = "javax.management.remote.rmi.RMIConnection";
