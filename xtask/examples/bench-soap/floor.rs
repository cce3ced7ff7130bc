//! What the kernel allows: a server that reads a request, counts its octets, and sends a constant answer. Each
//! connection has a separate thread, which does nothing but two system calls per request.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The server; it ends when this is dropped.
pub struct Floor {
    pub address: SocketAddr,
    is_over: Arc<AtomicBool>,
}

impl Floor {
    /// With these octets as the answer to every `request` octets.
    pub fn start(request: usize, answer: Vec<u8>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let (over, answer) = (Arc::clone(&is_over), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if over.load(Relaxed) {
                    break;
                }
                let answer = Arc::clone(&answer);
                // It ends with its connection.
                std::thread::spawn(move || serve(stream, request, &answer));
            }
        });
        Ok(Floor { address, is_over })
    }
}

impl Drop for Floor {
    fn drop(&mut self) {
        self.is_over.store(true, Relaxed);
        // A thread that waits for a connection sees that it is over.
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(mut stream: TcpStream, request: usize, answer: &[u8]) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = vec![0; request.max(1 << 16)];
    let mut have = 0;
    loop {
        match stream.read(&mut buffer)? {
            0 => return Ok(()),
            read => have += read,
        }
        while have >= request {
            have -= request;
            stream.write_all(answer)?;
        }
    }
}
