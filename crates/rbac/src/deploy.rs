//! What devices lack, sent to them: a session of NETCONF with each, several at once.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::time::Instant;
use trunkline_client::NetconfTarget;
use trunkline_xmlsec::Time;

use crate::serve::{Served, serve};
use crate::{Content, Error, Held, Name, Of};

/// A device to serve.
pub struct Device {
    /// Its name.
    pub name: Name,
    /// Where it is, as it was written.
    pub address: String,
    /// Where it is, with our credentials; or why that is not known.
    pub target: Result<NetconfTarget, String>,
}

/// How.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many devices are served at the same time.
    pub parallel: usize,
    /// How long a device may be silent.
    pub timeout: Duration,
    /// Whether everything is sent, also what was acknowledged: for a device that has lost it.
    pub whole: bool,
}

/// What became of a device.
#[derive(Debug)]
pub struct Outcome {
    /// The device.
    pub name: Name,
    /// What happened.
    pub ended: Ended,
    /// What else is worth knowing: sessions that were ended, a clock that is wrong.
    pub notes: Vec<String>,
}

/// How it went with a device.
pub type Ended = Result<Option<Deployment>, String>;

/// What a device took to acknowledge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deployment {
    /// From the beginning of the deployment to its acknowledgement.
    pub after: Duration,
    /// Octets of the edit and of its reply, as they are framed.
    pub octets: usize,
}

/// Figures of a deployment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Devices that have acknowledged now.
    pub acknowledged: usize,
    /// Devices that had everything.
    pub current: usize,
    /// Devices that still lack something.
    pub pending: usize,
    /// From the beginning to the last acknowledgement.
    pub after: Duration,
    /// Edits and replies.
    pub messages: usize,
    /// Their octets, as they are framed.
    pub octets: usize,
}

/// Serves the devices: `report` is called with each that ended, when it has ended and its acknowledgement is on the disk.
///
/// # Errors
/// An acknowledgement cannot be read or written.
pub async fn deploy(
    held: &Held,
    content: &Content<'_>,
    devices: Vec<Device>,
    options: Options,
    began: Instant,
    mut report: impl FnMut(&Outcome),
) -> Result<Totals, Error> {
    let mut totals = Totals::default();
    let mut left = Vec::new();
    for device in devices {
        let mut has = held.directory().acknowledged(&device.name)?;
        if options.whole {
            // A device that is not reached now is behind until it is.
            has = has.forgotten(content.wanted());
            held.acknowledge(&device.name, &has)?;
        }
        if content.behind(&has) == 0 {
            totals.current += 1;
            report(&Outcome { name: device.name, ended: Ok(None), notes: Vec::new() });
        } else {
            left.push((device, has));
        }
    }
    let mut left = left.into_iter();
    let mut running = FuturesUnordered::new();
    loop {
        while running.len() < options.parallel {
            let Some((Device { name, address, target }, has)) = left.next() else { break };
            // If we are killed, it may have what it is sent.
            let mut may_have = has.clone();
            may_have.sent.extend(content.parts(&has).into_iter().filter_map(|part| match part.of {
                Of::Role(name) => Some(name),
                Of::User(_) => None,
            }));
            if may_have != has {
                held.acknowledge(&name, &may_have)?;
            }
            running.push(async move {
                let served = match target {
                    Ok(target) => serve((&address, &target), content, has, options.timeout).await,
                    Err(words) => Served { has, refusals: vec![words], ..Served::default() },
                };
                (name, served, began.elapsed())
            });
        }
        let Some((name, served, after)) = running.next().await else { break };
        let Served { has, messages, octets, refusals, mut notes, clock } = served;
        held.acknowledge(&name, &has)?;
        totals.messages += messages;
        totals.octets += octets;
        notes.extend(clock.and_then(|clock| apart(clock, content.moment().after(after))));
        let ended = if refusals.is_empty() {
            totals.acknowledged += 1;
            totals.after = totals.after.max(after);
            Ok(Some(Deployment { after, octets }))
        } else {
            totals.pending += 1;
            Err(refusals.join("; "))
        };
        report(&Outcome { name, ended, notes });
    }
    Ok(totals)
}

/// What to say of a device whose clock is not ours, on which a grace ends then.
fn apart(clock: Time, ours: Time) -> Option<String> {
    let apart = clock.apart(ours);
    let (word, result) = if clock < ours { ("behind", "later") } else { ("ahead of", "earlier") };
    let seconds = apart.as_secs();
    (apart > CLOCKS_APART).then(|| {
        format!("its clock is {seconds} s {word} the authority's: the grace ends {seconds} s {result} there")
    })
}

/// Clocks that are less apart are the same: devices give seconds, and replies take time.
const CLOCKS_APART: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authority::tests::at;

    #[test]
    fn clocks_that_differ_are_reported() {
        assert_eq!(apart(at(100), at(105)), None);
        assert_eq!(apart(at(105), at(100)), None);
        let words = "its clock is 600 s behind the authority's: the grace ends 600 s later there";
        assert_eq!(apart(at(0), at(600)).as_deref(), Some(words));
        let words = "its clock is 30 s ahead of the authority's: the grace ends 30 s earlier there";
        assert_eq!(apart(at(30), at(0)).as_deref(), Some(words));
    }
}
