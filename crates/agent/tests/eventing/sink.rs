//! A subscriber: an HTTP or HTTPS server that keeps what is posted to it, and answers as the test requires. It
//! has a separate thread: a test may wait for the agent while the agent waits for an answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;
use trunkline_soap::Limits;
use trunkline_soap::eventing::{self, Ended, Notification, Told};
use trunkline_transport::http::{HttpHandler, HttpLimits, HttpRequest, HttpResponse, HttpServer, StatusCode};
use trunkline_transport::tls::TlsServer;

use super::support::PATIENCE;

/// A subscriber.
pub struct Sink {
    scheme: &'static str,
    port: u16,
    posted: mpsc::UnboundedReceiver<Posted>,
    open: watch::Sender<bool>,
    status: Arc<AtomicU16>,
    /// Dropped, it ends the server.
    _running: oneshot::Sender<()>,
}

/// What was posted.
#[derive(Debug)]
pub struct Posted {
    pub path: String,
    pub body: String,
    /// The address of the source that it names.
    pub from: Option<String>,
    pub told: Told,
}

struct Handler {
    posted: mpsc::UnboundedSender<Posted>,
    open: watch::Receiver<bool>,
    status: Arc<AtomicU16>,
}

impl HttpHandler for Handler {
    async fn handle(&self, request: HttpRequest) -> HttpResponse {
        let body = String::from_utf8(request.body.to_vec()).unwrap();
        let eventing::Posted { from, told } = eventing::read_event(&request.body, Limits::MESSAGE).unwrap();
        // As it is now: a test that waits for the message may change it for the next one.
        let status = StatusCode::from_u16(self.status.load(Ordering::Relaxed)).unwrap();
        let _ = self.posted.send(Posted { path: request.path, body, from, told });
        let _ = self.open.clone().wait_for(|open| *open).await;
        HttpResponse::empty(status)
    }
}

impl Sink {
    /// One that answers at once.
    pub fn start() -> Sink {
        Sink::start_with(None)
    }

    /// The same over HTTPS.
    pub fn start_with(tls: Option<Arc<TlsServer>>) -> Sink {
        let scheme = if tls.is_some() { "https" } else { "http" };
        let server = HttpServer::bind(([127, 0, 0, 1], 0).into()).unwrap();
        let port = server.local_addr().port();
        let (posts, posted) = mpsc::unbounded_channel();
        let (open, is_open) = watch::channel(true);
        let status = Arc::new(AtomicU16::new(202));
        let handler = Handler { posted: posts, open: is_open, status: status.clone() };
        let (running, dropped) = oneshot::channel::<()>();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        std::thread::spawn(move || {
            runtime.block_on(async move {
                tokio::select! {
                    _ = server.serve(Arc::new(handler), HttpLimits::default(), tls) => {}
                    _ = dropped => {}
                }
            });
        });
        Sink { scheme, port, posted, open, status, _running: running }
    }

    /// From now on nothing is answered, until [`Sink::release`].
    pub fn hold(&self) {
        self.open.send_replace(false);
    }

    pub fn release(&self) {
        self.open.send_replace(true);
    }

    /// The status of the answers from now on.
    pub fn answer(&self, status: u16) {
        self.status.store(status, Ordering::Relaxed);
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}://localhost:{}{path}", self.scheme, self.port)
    }

    /// The next message.
    pub async fn next(&mut self) -> Posted {
        let posted = timeout(PATIENCE, self.posted.recv()).await;
        posted.expect("a message in time").expect("the server runs")
    }

    /// The next message, a notification.
    pub async fn notification(&mut self) -> Notification {
        match self.next().await.told {
            Told::Notification(notification) => notification,
            Told::End(ended) => panic!("{ended:?}"),
        }
    }

    /// The next message, the end of a subscription.
    pub async fn end(&mut self) -> Ended {
        match self.next().await.told {
            Told::End(ended) => ended,
            Told::Notification(notification) => panic!("{notification:?}"),
        }
    }

    /// All that has come; nothing comes any more when the agent is gone.
    pub fn rest(&mut self) -> Vec<Posted> {
        std::iter::from_fn(|| self.posted.try_recv().ok()).collect()
    }
}
