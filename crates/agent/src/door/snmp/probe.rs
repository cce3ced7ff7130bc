//! Where `trunklined-lab` puts its instruments: marks at the borders of the phases
//! of a request. `trunklined` is built with [`NoProbe`], which is nothing.

/// The phases of a request inside the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// In the kernel, taking messages from the socket, and waiting for them.
    Receive,
    /// Octets to a request.
    Decode,
    /// Authentication and access.
    Access,
    /// Finding instances and their values in the tree.
    Retrieve,
    /// Values to octets.
    Encode,
    /// In the kernel, giving answers to the socket.
    Send,
}

/// Called when a phase begins; the previous phase ends then.
pub trait Probe: Default + Send + 'static {
    /// A phase begins.
    fn begin(&mut self, phase: Phase);

    /// A request has been answered, or dropped.
    fn finish(&mut self);
}

/// No instrument.
#[derive(Debug, Default)]
pub struct NoProbe;

impl Probe for NoProbe {
    #[inline(always)]
    fn begin(&mut self, _phase: Phase) {}

    #[inline(always)]
    fn finish(&mut self) {}
}
