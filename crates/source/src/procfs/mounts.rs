//! /proc/mounts: the mounted file systems.

use super::{lines, words};

/// One mount, with the escapes of the file undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// The device, or a name chosen by the file system: `/dev/sda1`, `server:/export`, `tmpfs`.
    pub device: Vec<u8>,
    /// Its mount point.
    pub path: Vec<u8>,
    /// The type of file system, such as `ext4`.
    pub kind: Vec<u8>,
    /// Whether it is mounted read-only.
    pub read_only: bool,
}

impl Mount {
    /// Where the file lies.
    pub const FILE: &'static str = "proc/mounts";

    /// Reads the lines of the file, in the order of mounting.
    pub fn parse(text: &[u8]) -> impl Iterator<Item = Mount> {
        lines(text).filter_map(|line| {
            let mut words = words(line);
            let (device, path, kind, options) = (words.next()?, words.next()?, words.next()?, words.next()?);
            Some(Mount {
                device: unescape(device),
                path: unescape(path),
                kind: unescape(kind),
                read_only: options.split(|octet| *octet == b',').any(|option| option == b"ro"),
            })
        })
    }

    /// Whether the kernel generates its contents: it has no storage, or (autofs) querying its size would mount
    /// something.
    pub fn is_pseudo(&self) -> bool {
        PSEUDO.iter().any(|kind| kind.as_bytes() == self.kind)
    }

    /// Whether another machine holds its data.
    pub fn is_remote(&self) -> bool {
        let is_listed = REMOTE.iter().any(|kind| kind.as_bytes() == self.kind);
        is_listed || self.kind.starts_with(b"fuse.") && self.device.contains(&b':')
    }

    /// Whether another machine, or a program, must answer before its size is known: such a
    /// request may never return.
    pub fn may_hang(&self) -> bool {
        self.is_remote() || self.kind.starts_with(b"fuse")
    }
}

/// The kernel writes blank, tab, newline and backslash as a backslash and three octal digits.
pub(super) fn unescape(word: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some((first, after)) = rest.split_first() {
        let octal = (*first == b'\\').then(|| after.get(..3).and_then(octal)).flatten();
        match octal {
            Some(octet) => {
                plain.push(octet);
                rest = &after[3..];
            }
            None => {
                plain.push(*first);
                rest = after;
            }
        }
    }
    plain
}

fn octal(digits: &[u8]) -> Option<u8> {
    let value = digits.iter().try_fold(0u32, |sum, digit| {
        matches!(digit, b'0'..=b'7').then(|| sum * 8 + u32::from(digit - b'0'))
    })?;
    u8::try_from(value).ok()
}

const PSEUDO: &[&str] = &[
    "autofs",
    "binder",
    "binfmt_misc",
    "bpf",
    "cgroup",
    "cgroup2",
    "configfs",
    "cpuset",
    "debugfs",
    "devpts",
    "devtmpfs",
    "efivarfs",
    "fuse.gvfsd-fuse",
    "fuse.lxcfs",
    "fuse.portal",
    "fusectl",
    "hugetlbfs",
    "mqueue",
    "nfsd",
    "nsfs",
    "proc",
    "pstore",
    "ramfs",
    "resctrl",
    "rootfs",
    "rpc_pipefs",
    "securityfs",
    "selinuxfs",
    "smackfs",
    "sysfs",
    "tracefs",
    "usbfs",
];

const REMOTE: &[&str] = &[
    "9p",
    "afs",
    "beegfs",
    "ceph",
    "cifs",
    "coda",
    "glusterfs",
    "gpfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "ocfs2",
    "orangefs",
    "smb3",
    "smbfs",
    "virtiofs",
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &[u8] = b"/dev/sda1 / ext4 rw,relatime 0 0\nhost:/a\\040b /mnt/a\\134b nfs4 ro,vers=4 0 0\nsshfs /s fuse.sshfs rw 0 0\nproc /proc proc rw 0 0\nhalf /x\n";

    #[test]
    fn escapes_are_undone() {
        let mounts: Vec<Mount> = Mount::parse(TEXT).collect();
        assert_eq!(mounts.len(), 4);
        assert_eq!(mounts[1].device, b"host:/a b");
        assert_eq!(mounts[1].path, b"/mnt/a\\b");
        assert!(mounts[1].read_only && !mounts[0].read_only);
        let flags = |mount: &Mount| (mount.is_remote(), mount.may_hang(), mount.is_pseudo());
        assert_eq!(
            mounts.iter().map(flags).collect::<Vec<_>>(),
            [(false, false, false), (true, true, false), (false, true, false), (false, false, true)]
        );
        let far = Mount { device: b"user@host:/srv".to_vec(), ..mounts[2].clone() };
        assert!(far.is_remote());
        assert_eq!(unescape(b"a\\9\\04\\777\\040"), b"a\\9\\04\\777 ");
    }

    proptest! {
        #[test]
        fn truncated_and_mutated_texts_never_panic(cut in 0..TEXT.len(), at in 0..TEXT.len(), octet: u8) {
            let mut text = TEXT[..cut].to_vec();
            if let Some(place) = text.get_mut(at) {
                *place = octet;
            }
            let _ = Mount::parse(&text).filter(|mount| mount.is_remote()).count();
        }
    }
}
