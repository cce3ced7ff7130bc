//! A server of NETCONF over TLS that answers as a test says, whatever the standards say.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::oneshot;
use trunkline_client::transport::dial::Stream;
use trunkline_client::transport::tcp::{TcpLimits, TcpServer};
use trunkline_client::transport::tls::{Identity, TlsGreeter, TlsServer, TlsServerConfig, Trust};
use trunkline_client::transport::{Guest, SessionInfo, StreamService, Visit};
use trunkline_pki::Directory;

use crate::support::{pki, texts, trunkline};

const BASE: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";
const END: &[u8] = b"]]>]]>";

/// What is in the reply to an operation; `None`: nothing is sent.
type Answer = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The server, ended when dropped.
pub struct Scripted {
    folder: TempDir,
    address: SocketAddr,
    script: Arc<Script>,
    ends: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct Script {
    hello: String,
    answer: Answer,
    heard: Mutex<Vec<String>>,
}

impl Scripted {
    /// One that announces these capabilities beside `:base:1.0`, short ones (`candidate:1.0`) or whole URIs.
    pub fn new(
        capabilities: &[&str],
        answer: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        let folder = pki(&["ann"]);
        let pki = Directory::at(folder.path());
        let files = pki.agent_files();
        let identity = Arc::new(Identity::from_files(&files.certificate, &files.key).unwrap());
        let trust = Trust::builder().authorities_file(&pki.authority_certificate()).unwrap().build();
        let tls = Arc::new(TlsServer::new(&TlsServerConfig::new(identity, Arc::new(trust))).unwrap());
        let uris = ["urn:ietf:params:netconf:base:1.0"].into_iter().chain(capabilities.iter().copied());
        let element = |uri: &str| {
            let is_whole = uri.starts_with("urn:");
            let prefix = if is_whole { "" } else { "urn:ietf:params:netconf:capability:" };
            format!("<capability>{prefix}{}</capability>", uri.replace('&', "&amp;"))
        };
        let uris: String = uris.map(element).collect();
        let hello = format!(
            "<hello xmlns=\"{BASE}\"><capabilities>{uris}</capabilities><session-id>7</session-id></hello>"
        );
        let script = Arc::new(Script { hello, answer: Box::new(answer), heard: Mutex::default() });
        let server = TcpServer::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = server.local_addr();
        let (ends, ended) = oneshot::channel();
        let greeter = TlsGreeter::new(tls, script.clone());
        let serve = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                tokio::select! {
                    _ = server.serve(greeter, TcpLimits::default()) => {}
                    _ = ended => {}
                }
            });
        };
        let thread = Some(std::thread::spawn(serve));
        Scripted { folder, address, script, ends: Some(ends), thread }
    }

    /// The URL of the server, without a path.
    pub fn url(&self) -> String {
        format!("netconf+tls://localhost:{}", self.address.port())
    }

    /// The folder of `trunkline pki`.
    pub fn pki(&self) -> String {
        self.folder().display().to_string()
    }

    /// The same.
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    /// A command, without its standard streams: `words`, the URL, `more`.
    pub fn command(&self, words: &[&str], more: &[&str]) -> std::process::Command {
        let pki = self.pki();
        trunkline(&[words, &["--pki", &pki, &self.url()], more].concat())
    }

    /// What it printed; the exit status must be `status`.
    #[track_caller]
    pub fn run(&self, words: &[&str], more: &[&str], status: i32) -> (String, String) {
        let output = self.command(words, more).output().unwrap();
        let (out, err) = texts(&output);
        assert_eq!(output.status.code(), Some(status), "{words:?} {more:?}\n{out}\n{err}");
        (out, err)
    }

    /// The operations since the last call.
    pub fn heard(&self) -> Vec<String> {
        std::mem::take(&mut *self.script.heard.lock().unwrap())
    }

    /// Whether an operation with this text has come.
    pub fn has_heard(&self, text: &str) -> bool {
        self.script.heard.lock().unwrap().iter().any(|it| it.contains(text))
    }

    /// A file with this content.
    pub fn file(&self, name: &str, content: &str) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.display().to_string()
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        drop(self.ends.take());
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl StreamService for Script {
    fn serve(self: Arc<Self>, stream: Box<dyn Stream>, _: SessionInfo, visit: Visit) -> Guest {
        visit.accept();
        Box::pin(async move { drop(self.converse(stream).await) })
    }
}

impl Script {
    async fn converse(&self, mut stream: Box<dyn Stream>) -> std::io::Result<()> {
        stream.write_all(&[self.hello.as_bytes(), END].concat()).await?;
        stream.flush().await?;
        let mut input = Vec::new();
        // The client's hello.
        message(&mut stream, &mut input).await?;
        loop {
            let rpc = message(&mut stream, &mut input).await?;
            let (head, rest) = rpc.split_once('>').unwrap();
            let operation = rest.rsplit_once("</rpc>").unwrap().0;
            let number = head.split("message-id=\"").nth(1).unwrap().split('"').next().unwrap();
            self.heard.lock().unwrap().push(operation.to_owned());
            let is_end = operation == "<close-session/>";
            let answer = if is_end { Some("<ok/>".to_owned()) } else { (self.answer)(operation) };
            let Some(inner) = answer else { continue };
            let reply = format!("<rpc-reply xmlns=\"{BASE}\" message-id=\"{number}\">{inner}</rpc-reply>");
            stream.write_all(&[reply.as_bytes(), END].concat()).await?;
            stream.flush().await?;
            if is_end {
                return stream.shutdown().await;
            }
        }
    }
}

async fn message(stream: &mut Box<dyn Stream>, input: &mut Vec<u8>) -> std::io::Result<String> {
    loop {
        if let Some(at) = input.windows(END.len()).position(|it| it == END) {
            let rest = input.split_off(at + END.len());
            input.truncate(at);
            return Ok(String::from_utf8(std::mem::replace(input, rest)).unwrap());
        }
        if stream.read_buf(input).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
}
