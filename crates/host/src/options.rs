//! What the providers of this machine share.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::links::Links;
use crate::programs::Programs;
use trunkline_source::SourceRoot;

/// Where and since when the machine is looked at.
#[derive(Clone, Debug)]
pub struct HostOptions {
    /// The machine, or a recording of one.
    pub root: SourceRoot,
    /// When sysUpTime was 0: time stamps count from here.
    pub started: Instant,
    /// What is remembered of interfaces; providers and [`LinkWatch`](crate::LinkWatch) share it.
    pub links: Links,
    /// The part of the configuration about programs and limits.
    pub programs: Programs,
    /// Whether linkUp and linkDown are sent: ifLinkUpDownTrapEnable of every interface.
    pub tells_of_links: Arc<AtomicBool>,
}

impl HostOptions {
    /// The machine as seen from `root`.
    pub fn new(root: SourceRoot, started: Instant) -> Self {
        HostOptions {
            links: Links::new(root.clone(), started),
            root,
            started,
            programs: Programs::default(),
            tells_of_links: Arc::new(AtomicBool::new(true)),
        }
    }

    /// This machine.
    pub fn host(started: Instant) -> Self {
        HostOptions::new(SourceRoot::host(), started)
    }
}
