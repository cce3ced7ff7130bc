//! Listeners of HTTP and HTTPS. What proves who we are is made once for all of them; a reload changes it in place.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use trunkline_transport::Transport;
use trunkline_transport::http::{HttpCounters, HttpServer, PROTOCOLS};
use trunkline_transport::tls::{ClientCertificates, TlsServer, TlsServerConfig};

use super::ListenError;
use crate::config::Plan;
use crate::door::http::Front;
use crate::secure::{Certificates, SecureError};

/// What all listeners of HTTP share.
pub(super) struct HttpServers {
    front: Arc<Front>,
    runtime: Handle,
    tls: Option<Arc<TlsServer>>,
}

/// A socket that is being served. Dropping it closes it.
pub(super) struct HttpListener {
    address: SocketAddr,
    counters: Arc<HttpCounters>,
    task: JoinHandle<()>,
}

impl HttpListener {
    /// The bound address with its real port.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it saw, as names and numbers.
    pub(super) fn counts(&self) -> Vec<(&'static str, u64)> {
        self.counters.read().named()
    }
}

impl Drop for HttpListener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl HttpServers {
    pub(super) fn new(front: Arc<Front>, runtime: Handle) -> Self {
        Self { front, runtime, tls: None }
    }

    /// Takes other certificates; where they cannot be taken the old ones stay.
    pub(super) fn configure(&self, plan: &Plan) -> Result<(), ListenError> {
        let Some(server) = &self.tls else { return Ok(()) };
        Ok(server.reconfigure(&config(plan)?).map_err(SecureError::from)?)
    }

    /// Opens a socket.
    pub(super) fn open(
        &mut self,
        transport: Transport,
        address: SocketAddr,
        plan: &Plan,
    ) -> Result<HttpListener, ListenError> {
        let tls = match transport {
            Transport::Https => Some(self.tls(plan)?),
            _ => None,
        };
        let server = HttpServer::bind(address)?;
        let (address, counters) = (server.local_addr(), server.counters());
        let (front, limits) = (self.front.clone(), plan.http.limits);
        let task = self.runtime.spawn(async move {
            if let Err(error) = server.serve(front, limits, tls).await {
                tracing::error!(transport = transport.name(), %error, "a listener has ended");
            }
        });
        Ok(HttpListener { address, counters, task })
    }

    fn tls(&mut self, plan: &Plan) -> Result<Arc<TlsServer>, ListenError> {
        if let Some(server) = &self.tls {
            return Ok(server.clone());
        }
        let server = Arc::new(TlsServer::new(&config(plan)?).map_err(SecureError::from)?);
        Ok(self.tls.insert(server).clone())
    }
}

/// Who shows no certificate may still have a password, a token or a community.
fn config(plan: &Plan) -> Result<TlsServerConfig, SecureError> {
    let tls = plan.http.tls.as_ref().unwrap_or(&plan.snmp.tls);
    let config = Certificates::of(tls)?.server(tls);
    Ok(TlsServerConfig { clients: ClientCertificates::Optional, protocols: PROTOCOLS, ..config })
}
