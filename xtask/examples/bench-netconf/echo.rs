//! The limit: a server of the same SSH stack, whose subsystem answers each message with constant octets.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Builder;
use trunkline_transport::dial::Stream;
use trunkline_transport::ssh::{
    HostKeys, PasswordHash, SshGreeter, SshServer, SshServerOptions, SshUser, SshUsers,
};
use trunkline_transport::tcp::{TcpLimits, TcpServer};
use trunkline_transport::{Guest, SessionInfo, StreamService, Subsystems, Visit};

use crate::Measured;
use crate::servers::{PASSWORD, USER};
use crate::session::Scan;

/// Serves until the process is ended; says on standard output where, and with which key.
pub fn run(octets: usize) -> Measured {
    let keys = HostKeys::in_memory()?;
    let fingerprint = keys.fingerprints().join(" ");
    let password = Some(PasswordHash::make(&PASSWORD.into())?);
    let users: SshUsers =
        [SshUser { name: USER.to_owned(), authorized_keys: None, password }].into_iter().collect();
    let server = Arc::new(SshServer::new(keys, users, SshServerOptions::default()));
    let echo = Echo { answer: answer(octets) };
    let greeter = SshGreeter::new(server, Subsystems::of("netconf", Arc::new(echo)));
    let listener = TcpServer::bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
    println!("{} {fingerprint}", listener.local_addr());
    let runtime = Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(listener.serve(greeter, TcpLimits::default()))?)
}

/// So many octets with the end of a message.
fn answer(octets: usize) -> Vec<u8> {
    let end = b"]]>]]>";
    let mut answer = vec![b'x'; octets.saturating_sub(end.len())];
    answer.extend_from_slice(end);
    answer
}

struct Echo {
    answer: Vec<u8>,
}

impl StreamService for Echo {
    fn serve(self: Arc<Self>, stream: Box<dyn Stream>, _: SessionInfo, visit: Visit) -> Guest {
        Box::pin(async move {
            visit.speaks();
            // An error is the end of the session.
            let _ = self.answers(stream).await;
        })
    }
}

impl Echo {
    async fn answers(&self, mut stream: Box<dyn Stream>) -> std::io::Result<()> {
        stream.write_all(b"<hello/>]]>]]>").await?;
        stream.flush().await?;
        let (mut scan, mut buffer) = (Scan::default(), vec![0; 1 << 16]);
        // The client's hello has no answer.
        let mut is_open = false;
        loop {
            let read = stream.read(&mut buffer).await?;
            if read == 0 {
                return Ok(());
            }
            let ends = scan.ends(&buffer[..read]);
            let requests = if is_open { ends } else { ends.saturating_sub(1) };
            is_open |= ends > 0;
            // Answers to what came together leave together.
            match requests {
                1 => stream.write_all(&self.answer).await?,
                _ => stream.write_all(&self.answer.repeat(requests)).await?,
            }
            stream.flush().await?;
        }
    }
}
