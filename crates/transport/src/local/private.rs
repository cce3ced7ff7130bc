//! A Unix socket between processes of one user: in a folder that only the user may enter, and the kernel says that the other end is the same user.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixStream};

use crate::stream::Stream;

/// A listening socket. It and its folder are removed on drop.
#[derive(Debug)]
pub struct PrivateSocket {
    folder: PathBuf,
    path: PathBuf,
    listener: UnixListener,
}

impl PrivateSocket {
    /// Makes a folder in this one, which others may write to, and the socket in it. Must be called on a tokio runtime.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn bind(within: &Path) -> io::Result<Self> {
        let process = std::process::id();
        let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
        for number in 0..MOST_FOLDERS {
            let folder = within.join(format!("trunkline-{process}-{number}"));
            // It fails if anything is there, also a link of somebody else.
            match DirBuilder::new().mode(0o700).create(&folder) {
                Ok(()) => {
                    let path = folder.join("socket");
                    let listener =
                        UnixListener::bind(&path).inspect_err(|_| drop(std::fs::remove_dir(&folder)))?;
                    return Ok(PrivateSocket { folder, path, listener });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
                Err(error) => return Err(error),
            }
        }
        Err(taken)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The next connection of the same user; others are closed.
    ///
    /// # Errors
    /// The kernel's error.
    pub async fn accept(&self) -> io::Result<Box<dyn Stream>> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            if is_own(&stream) {
                return Ok(Box::new(stream));
            }
        }
    }
}

impl Drop for PrivateSocket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
        let _ = std::fs::remove_dir(&self.folder);
    }
}

/// Connects to such a socket.
///
/// # Errors
/// The kernel's error; `PermissionDenied` if the process behind it is another user's.
pub async fn connect(path: &Path) -> io::Result<Box<dyn Stream>> {
    let stream = UnixStream::connect(path).await?;
    match is_own(&stream) {
        true => Ok(Box::new(stream)),
        false => Err(io::Error::new(io::ErrorKind::PermissionDenied, "it belongs to another user")),
    }
}

fn is_own(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == rustix::process::geteuid().as_raw())
}

/// Of one process at a time, with those that others may have put in the way.
const MOST_FOLDERS: u32 = 1000;

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn only_its_user_enters_the_folder_and_nothing_is_left() {
        let within = tempfile::tempdir().unwrap();
        let socket = PrivateSocket::bind(within.path()).unwrap();
        let folder = socket.path().parent().unwrap().to_owned();
        assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        // Another one has another folder.
        let other = PrivateSocket::bind(within.path()).unwrap();
        assert_ne!(other.path(), socket.path());
        let (ours, theirs) = tokio::join!(connect(socket.path()), socket.accept());
        let (mut ours, mut theirs) = (ours.unwrap(), theirs.unwrap());
        ours.write_all(b"x").await.unwrap();
        assert_eq!(theirs.read_u8().await.unwrap(), b'x');
        let path = socket.path().to_owned();
        drop((socket, other));
        assert_eq!(std::fs::read_dir(within.path()).unwrap().count(), 0);
        assert_eq!(connect(&path).await.map(drop).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert!(PrivateSocket::bind(&path).is_err());
    }
}
