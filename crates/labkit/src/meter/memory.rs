//! The resident memory of another process, split as the paper's table I splits it: instructions and data.

use std::fs;
use std::io;

use crate::machine::kilobytes;

/// Resident memory, octets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Memory {
    /// Resident, shared pages counted in full.
    pub rss: u64,
    /// Resident, shared pages counted proportionally.
    pub pss: u64,
    /// Resident executable pages.
    pub instructions: u64,
    /// Resident writable (and not executable) pages.
    pub data: u64,
    /// Other resident pages.
    pub constants: u64,
}

/// Reads a process's memory; fails if our rights do not suffice.
pub fn read(pid: u32) -> io::Result<Memory> {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    let maps = fs::read_to_string(format!("/proc/{pid}/smaps"))?;
    let total = |name| {
        kilobytes(&rollup, name)
            .ok_or_else(|| io::Error::other(format!("smaps_rollup of {pid} has no {name}")))
    };
    let mut memory = by_permission(&maps);
    (memory.rss, memory.pss) = (total("Rss")?, total("Pss")?);
    Ok(memory)
}

/// The resident and the virtual size of a process, octets: as in `pmap` and `ps`, at little cost.
pub fn sizes(pid: u32) -> io::Result<(u64, u64)> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let size = |name| {
        kilobytes(&status, name).ok_or_else(|| io::Error::other(format!("status of {pid} has no {name}")))
    };
    Ok((size("VmRSS")?, size("VmSize")?))
}

/// How many sockets a process has open.
pub fn sockets(pid: u32) -> io::Result<usize> {
    let is_socket = |link: &std::path::Path| link.to_string_lossy().starts_with("socket:");
    let open = fs::read_dir(format!("/proc/{pid}/fd"))?.filter_map(Result::ok);
    // What was closed since is not there to be read.
    Ok(open.filter_map(|entry| fs::read_link(entry.path()).ok()).filter(|link| is_socket(link)).count())
}

/// Adds up `Rss` of each mapping by the permissions of its pages.
fn by_permission(smaps: &str) -> Memory {
    let mut memory = Memory::default();
    let mut permissions = "";
    for line in smaps.lines() {
        let mut words = line.split_ascii_whitespace();
        match (words.next(), words.next()) {
            (Some("Rss:"), Some(kilo)) => {
                let octets = kilo.parse::<u64>().unwrap_or(0) * 1024;
                if permissions.contains('x') {
                    memory.instructions += octets;
                } else if permissions.contains('w') {
                    memory.data += octets;
                } else {
                    memory.constants += octets;
                }
            }
            // A mapping's own line starts with its addresses, all other lines with a name and a colon.
            (Some(first), Some(second)) if !first.ends_with(':') => permissions = second,
            _ => {}
        }
    }
    memory
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn mappings_by_permission() {
        let smaps = "\
55d0-55d4 r--p 00000000 fe:00 1 /usr/bin/x
Size:                 16 kB
Rss:                  12 kB
Pss:                   6 kB
55d4-55e0 r-xp 00004000 fe:00 1 /usr/bin/x
Rss:                  40 kB
VmFlags: rd ex mr mw me
55e0-55f0 rw-p 00000000 00:00 0 [heap]
Rss:                 100 kB
";
        let expected =
            Memory { instructions: 40 << 10, data: 100 << 10, constants: 12 << 10, ..Memory::default() };
        assert_eq!(by_permission(smaps), expected);
    }

    #[test]
    fn the_parts_make_the_whole() {
        // The two files are read one after another, so the process must have started and do nothing meanwhile.
        let mut idle =
            Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("cat starts");
        idle.stdin.as_mut().unwrap().write_all(b"ready\n").unwrap();
        let mut ready = [0; 6];
        idle.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
        let memory = read(idle.id()).unwrap();
        drop(idle.stdin.take());
        idle.wait().unwrap();
        let parts = memory.instructions + memory.data + memory.constants;
        assert!(parts.abs_diff(memory.rss) < memory.rss / 4, "{memory:?}");
        assert!(memory.pss <= memory.rss && memory.instructions > 0 && memory.data > 0);
    }
    #[test]
    fn sockets_are_counted_and_pipes_are_not() {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let mut child = Command::new("cat")
            .stdin(std::os::fd::OwnedFd::from(theirs))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let counted = sockets(child.id());
        drop(ours);
        child.wait().unwrap();
        assert_eq!(counted.unwrap(), 1);
        assert!(sockets(u32::MAX).is_err());
    }
}
