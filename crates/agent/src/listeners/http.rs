//! Listeners of HTTP and HTTPS. Our identity is set up once for all of them; a reload changes it in place.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use trunkline_transport::http::{HttpCounters, HttpServer, PROTOCOLS};
use trunkline_transport::tls::{ClientCertificates, TlsServer, TlsServerConfig};
use trunkline_transport::{Resources, Transport};

use super::ListenError;
use trunkline_config::Certificates;
use trunkline_config::Plan;
use trunkline_credentials::secure::SecureError;
use trunkline_web::http::Front;

/// What all listeners of HTTP share.
pub(super) struct HttpServers {
    front: Arc<Front>,
    runtime: Handle,
    tls: Option<Arc<TlsServer>>,
    resources: Arc<Resources>,
}

/// A socket that is being served. Dropping it closes it.
pub(super) struct HttpListener {
    counters: Arc<HttpCounters>,
    task: JoinHandle<()>,
}

/// A socket that is bound and not yet served.
pub(super) struct BoundHttp {
    address: SocketAddr,
    counters: Arc<HttpCounters>,
    serving: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl BoundHttp {
    /// The bound address with its real port.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl HttpListener {
    /// Waits for its end, which has been requested.
    pub(super) async fn finish(&mut self) {
        let _ = (&mut self.task).await;
    }

    /// Closes the socket; it is closed when this returns.
    pub(super) async fn close(mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }

    /// Its counters, as names and numbers.
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
    pub(super) fn new(front: Arc<Front>, runtime: Handle, resources: Arc<Resources>) -> Self {
        Self { front, runtime, tls: None, resources }
    }

    /// Applies the certificates of another configuration, which has been checked.
    pub(super) fn configure(&mut self, plan: &Plan) -> Result<(), ListenError> {
        let Some(server) = &self.tls else { return Ok(()) };
        if !plan.http.has_sessions() {
            self.tls = None;
            return Ok(());
        }
        Ok(server.reconfigure(&config(plan)?).map_err(SecureError::from)?)
    }

    /// Binds a socket; it is served when it is started.
    pub(super) fn bind(
        &mut self,
        transport: Transport,
        address: SocketAddr,
        plan: &Plan,
    ) -> Result<BoundHttp, ListenError> {
        let tls = match transport {
            Transport::Https => Some(self.tls(plan)?),
            _ => None,
        };
        let server = HttpServer::bind(address)?.sharing(self.resources.clone());
        let (address, counters) = (server.local_addr(), server.counters());
        let (front, limits) = (self.front.clone(), plan.http.limits);
        let serving = Box::pin(async move {
            if let Err(error) = server.serve(front, limits, tls).await {
                tracing::error!(transport = transport.name(), %error, "a listener has ended");
            }
        });
        Ok(BoundHttp { address, counters, serving })
    }

    /// Begins to serve.
    pub(super) fn start(&self, bound: BoundHttp) -> HttpListener {
        let BoundHttp { counters, serving, .. } = bound;
        HttpListener { counters, task: self.runtime.spawn(serving) }
    }

    fn tls(&mut self, plan: &Plan) -> Result<Arc<TlsServer>, ListenError> {
        if let Some(server) = &self.tls {
            return Ok(server.clone());
        }
        let server = Arc::new(TlsServer::new(&config(plan)?).map_err(SecureError::from)?);
        Ok(self.tls.insert(server).clone())
    }
}

/// Whether the certificates of a configuration can be served; nothing changes.
pub(super) fn check(plan: &Plan) -> Result<(), ListenError> {
    if plan.http.has_sessions() {
        TlsServer::new(&config(plan)?).map_err(SecureError::from)?;
    }
    Ok(())
}

/// A client without a certificate may still have a password, a token or a community.
fn config(plan: &Plan) -> Result<TlsServerConfig, SecureError> {
    let tls = plan.http.tls.as_ref().unwrap_or(&plan.snmp.tls);
    let config = Certificates::of(tls)?.server(tls);
    Ok(TlsServerConfig { clients: ClientCertificates::Optional, protocols: PROTOCOLS, ..config })
}
