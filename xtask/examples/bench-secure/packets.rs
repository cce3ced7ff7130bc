//! How many packets 2,354 interactions over SSH take, as table 3 of Marinov 2006 counts them.

use trunkline_lab::conversation::Script;
use trunkline_lab::stage::Stand;
use trunkline_lab::transport::Transport;
use trunkline_smi::Oid;

use crate::conversations::{target, tsm, whole};
use crate::report::{Bar, Report};
use crate::{Bench, Measured};

/// Interactions of the paper's walk.
const INTERACTIONS: u32 = 2354;

/// Counts over a link without delay.
pub fn measure(bench: &Bench<'_>, report: &mut Report) -> Measured {
    let link =
        bench.stage.link().ok_or("an emulated link needs root, or user namespaces with /dev/net/tun")?;
    bench.stage.stand(Stand::Link)?;
    for (transport, bar) in [(Transport::Ssh, Some(2 * INTERACTIONS + 40)), (Transport::Tls, None)] {
        let target = target(bench, tsm(transport), Stand::Link)?;
        let before = link.counts();
        let script = Script::Walk { root: Oid::from([1, 3, 6, 1, 2, 1, 2, 2]), times: INTERACTIONS };
        whole(bench, &target, &script)?;
        let counts = link.counts() - before;
        let packets = counts.to_agent.sent.packets + counts.to_manager.sent.packets;
        match bar {
            Some(bar) => {
                let name = format!("packets of {INTERACTIONS} getnext interactions over {transport}");
                report.count(name, "", Bar::AtMost(f64::from(bar)), packets as f64);
            }
            None => report.note(format!("{packets} packets for the same over {transport}")),
        }
    }
    Ok(())
}
