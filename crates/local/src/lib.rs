//! Plain streams between processes that trust each other: a Unix socket, whose rights say who may connect, or TCP. There is
//! no handshake, and what is sent is up to the protocol (AgentX, RFC 2741 section 8).

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};

/// Where a plain stream is accepted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// A Unix socket at this path.
    Unix(PathBuf),
    /// TCP at this address.
    Tcp(SocketAddr),
}

impl fmt::Display for Endpoint {
    /// As a URL: `unix:/var/agentx/master`, `tcp:127.0.0.1:705`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Unix(path) => write!(f, "unix:{}", path.display()),
            Endpoint::Tcp(address) => write!(f, "tcp:{address}"),
        }
    }
}

/// Who may connect to a Unix socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketRights {
    /// The socket's mode, as in `0o660`.
    pub mode: u32,
    /// The user that owns it; `None` for our own.
    pub user: Option<u32>,
    /// The group that owns it; `None` for our own.
    pub group: Option<u32>,
}

impl SocketRights {
    /// Gives a socket these rights.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn apply(&self, path: &Path) -> io::Result<()> {
        if self.user.is_some() || self.group.is_some() {
            chown(path, self.user, self.group)?;
        }
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(self.mode & 0o777))
    }
}

/// Why there is no socket.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LocalError {
    /// Another process listens there.
    #[error("another process already listens on {}", path.display())]
    Taken {
        /// The socket's path.
        path: PathBuf,
    },
    /// The path exists and is not a socket; it is left alone.
    #[error("{} is there and is not a socket", path.display())]
    NoSocket {
        /// The path.
        path: PathBuf,
    },
    /// It cannot be created.
    #[error("cannot listen at {}: {source}", path.display())]
    Bind {
        /// The socket's path.
        path: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
    /// TCP cannot listen there.
    #[error("cannot listen at tcp:{address}: {source}")]
    Tcp {
        /// The address.
        address: SocketAddr,
        /// The kernel's error.
        source: io::Error,
    },
}

/// A listening socket. The one of a path is removed on drop.
#[derive(Debug)]
pub struct PlainListener {
    accepting: Accepting,
    endpoint: Endpoint,
}

#[derive(Debug)]
enum Accepting {
    Unix(UnixListener),
    Tcp(TcpListener),
}

/// Whoever has connected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// For a log.
    pub name: String,
    /// Its address; over a Unix socket, where peers have none, that of the listener.
    pub endpoint: Endpoint,
}

/// A stream to a peer.
#[derive(Debug)]
pub enum PlainStream {
    /// Over a Unix socket.
    Unix(UnixStream),
    /// Over TCP.
    Tcp(TcpStream),
}

impl PlainListener {
    /// Listens. A Unix socket appears at its path with its rights already set; a leftover of an earlier run is replaced.
    /// Must be called on a tokio runtime.
    ///
    /// # Errors
    /// [`LocalError`].
    pub fn bind(endpoint: &Endpoint, rights: &SocketRights) -> Result<Self, LocalError> {
        match endpoint {
            Endpoint::Unix(path) => {
                let failed = |source| LocalError::Bind { path: path.clone(), source };
                let listener = bind_unix(path, rights)?;
                let accepting = Accepting::Unix(UnixListener::from_std(listener).map_err(failed)?);
                Ok(PlainListener { accepting, endpoint: endpoint.clone() })
            }
            Endpoint::Tcp(address) => {
                let failed = |source| LocalError::Tcp { address: *address, source };
                let listener = std::net::TcpListener::bind(address).map_err(failed)?;
                listener.set_nonblocking(true).map_err(failed)?;
                let endpoint = Endpoint::Tcp(listener.local_addr().map_err(failed)?);
                let accepting = Accepting::Tcp(TcpListener::from_std(listener).map_err(failed)?);
                Ok(PlainListener { accepting, endpoint })
            }
        }
    }

    /// Where it listens, with the port that the kernel chose.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The next connection, and who it is.
    ///
    /// # Errors
    /// The kernel's error.
    pub async fn accept(&self) -> io::Result<(PlainStream, Peer)> {
        match &self.accepting {
            Accepting::Unix(listener) => {
                let (stream, _) = listener.accept().await?;
                let peer = stream.peer_cred().ok().and_then(|peer| peer.pid());
                let process = peer.map_or_else(|| "an unknown process".into(), process);
                let name = format!("{process} at {}", self.endpoint);
                Ok((PlainStream::Unix(stream), Peer { name, endpoint: self.endpoint.clone() }))
            }
            Accepting::Tcp(listener) => {
                let (stream, peer) = listener.accept().await?;
                // Requests are small, and each waits for the answer.
                let _ = stream.set_nodelay(true);
                let (name, endpoint) = (format!("{peer} at {}", self.endpoint), Endpoint::Tcp(peer));
                Ok((PlainStream::Tcp(stream), Peer { name, endpoint }))
            }
        }
    }
}

impl Drop for PlainListener {
    fn drop(&mut self) {
        if let Endpoint::Unix(path) = &self.endpoint {
            let _ = std::fs::remove_file(path);
        }
    }
}

impl PlainStream {
    /// Connects.
    ///
    /// # Errors
    /// The kernel's error.
    pub async fn connect(endpoint: &Endpoint) -> io::Result<Self> {
        match endpoint {
            Endpoint::Unix(path) => UnixStream::connect(path).await.map(PlainStream::Unix),
            Endpoint::Tcp(address) => {
                let stream = TcpStream::connect(address).await?;
                let _ = stream.set_nodelay(true);
                Ok(PlainStream::Tcp(stream))
            }
        }
    }

    /// Appends what has come, at least an octet; waits for it. 0: the peer has ended the stream. A caller that is dropped
    /// meanwhile loses nothing.
    ///
    /// # Errors
    /// The kernel's error.
    pub async fn read(&self, into: &mut Vec<u8>) -> io::Result<usize> {
        into.reserve(READ_AT_ONCE);
        loop {
            let read = match self {
                PlainStream::Unix(stream) => {
                    stream.readable().await?;
                    stream.try_read_buf(into)
                }
                PlainStream::Tcp(stream) => {
                    stream.readable().await?;
                    stream.try_read_buf(into)
                }
            };
            match read {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
    }

    /// Writes what the kernel takes at once, which may be nothing.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn write_now(&self, octets: &[u8]) -> io::Result<usize> {
        let written = match self {
            PlainStream::Unix(stream) => stream.try_write(octets),
            PlainStream::Tcp(stream) => stream.try_write(octets),
        };
        match written {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
            written => written,
        }
    }

    /// Waits until the kernel takes more.
    ///
    /// # Errors
    /// The kernel's error.
    pub async fn writable(&self) -> io::Result<()> {
        match self {
            PlainStream::Unix(stream) => stream.writable().await,
            PlainStream::Tcp(stream) => stream.writable().await,
        }
    }
}

/// Its name, if it still runs, and its number.
fn process(pid: i32) -> String {
    let name = std::fs::read(format!("/proc/{pid}/comm")).unwrap_or_default();
    let name = String::from_utf8_lossy(&name);
    let shown: String = name.trim_end().chars().filter(|c| !c.is_control()).collect();
    format!("{shown}[{pid}]")
}

/// A Unix socket at this path, which needs no runtime.
///
/// # Errors
/// [`LocalError`].
pub fn bind_unix(path: &Path, rights: &SocketRights) -> Result<std::os::unix::net::UnixListener, LocalError> {
    vacant(path)?;
    bound(path, rights).map_err(|source| LocalError::Bind { path: path.to_path_buf(), source })
}

/// A socket without a listener may be replaced.
fn vacant(path: &Path) -> Result<(), LocalError> {
    let path_buf = || path.to_path_buf();
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(LocalError::Bind { path: path_buf(), source }),
        Ok(found) if !found.file_type().is_socket() => Err(LocalError::NoSocket { path: path_buf() }),
        Ok(_) if std::os::unix::net::UnixStream::connect(path).is_ok() => {
            Err(LocalError::Taken { path: path_buf() })
        }
        Ok(_) => Ok(()),
    }
}

fn bound(path: &Path, rights: &SocketRights) -> io::Result<std::os::unix::net::UnixListener> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}", std::process::id()));
    let beside = PathBuf::from(beside);
    let _ = std::fs::remove_file(&beside);
    let listener = std::os::unix::net::UnixListener::bind(&beside)?;
    let place = || {
        listener.set_nonblocking(true)?;
        rights.apply(&beside)?;
        std::fs::rename(&beside, path)
    };
    if let Err(error) = place() {
        let _ = std::fs::remove_file(&beside);
        return Err(error);
    }
    Ok(listener)
}

const READ_AT_ONCE: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: SocketRights = SocketRights { mode: 0o600, user: None, group: None };

    async fn talk(endpoint: &Endpoint) {
        let listener = PlainListener::bind(endpoint, &OURS).unwrap();
        let (ours, theirs) = tokio::join!(PlainStream::connect(listener.endpoint()), listener.accept());
        let (ours, (theirs, Peer { name, .. })) = (ours.unwrap(), theirs.unwrap());
        assert!(name.ends_with(&format!("at {}", listener.endpoint())), "{name}");
        // More than the kernel takes at once.
        let sent: Vec<u8> = (0..3_000_000_u32).map(|at| at as u8).collect();
        let (mut done, mut received) = (0, Vec::new());
        while received.len() < sent.len() {
            tokio::select! {
                writable = ours.writable(), if done < sent.len() => {
                    writable.unwrap();
                    done += ours.write_now(&sent[done..]).unwrap();
                }
                read = theirs.read(&mut received) => assert_ne!(read.unwrap(), 0),
            }
        }
        assert!(received == sent);
        ours.writable().await.unwrap();
        drop(ours);
        assert_eq!(theirs.read(&mut received).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn octets_pass_and_the_end_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        talk(&Endpoint::Unix(path.clone())).await;
        assert!(!path.exists(), "it is removed");
        talk(&Endpoint::Tcp("127.0.0.1:0".parse().unwrap())).await;
    }

    #[tokio::test]
    async fn a_socket_has_its_rights_and_replaces_only_a_leftover() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let endpoint = Endpoint::Unix(path.clone());
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let listener = PlainListener::bind(&endpoint, &SocketRights { mode: 0o640, ..OURS }).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(matches!(PlainListener::bind(&endpoint, &OURS), Err(LocalError::Taken { .. })));
        drop(listener);
        std::fs::write(&path, "kept").unwrap();
        assert!(matches!(PlainListener::bind(&endpoint, &OURS), Err(LocalError::NoSocket { .. })));
        let nowhere = Endpoint::Unix(folder.path().join("none/socket"));
        assert!(matches!(PlainListener::bind(&nowhere, &OURS), Err(LocalError::Bind { .. })));
    }
}
