//! What a request for a whole table takes of memory while it is answered, by the counting allocator of
//! `trunklined-lab`: nothing that grows with the rows but the output buffer itself.

use serde_json::json;
use trunkline_soap::encoding::Encoding;

use crate::load::Connection;
use crate::report::{Bar, Report};
use crate::{Measured, Options, place};

/// Interfaces.
const ROWS: [u32; 4] = [10, 100, 500, 5000];
/// KB of 1024 octets besides the output buffer.
const BAR: f64 = 64.0;
/// The output buffer starts with this many octets, and grows by doubling.
const FIRST: u64 = 4096;
/// Requests that are looked at, one after the other.
const REQUESTS: u32 = 20;

pub fn measure(options: &Options, report: &mut Report) -> Measured {
    let mut beside = Vec::new();
    for rows in ROWS {
        let stage = place::stage(options, rows, &[place::COUNTING], report)?;
        let agent = stage.agent(place::COUNTING).ok_or("there is no laboratory's agent")?;
        let address = place::http(&stage, place::COUNTING)?;
        for (encoding, accept) in
            [(Encoding::Typed, None), (Encoding::Lean, None), (Encoding::Lean, Some("deflate"))]
        {
            let request = place::whole_table(encoding, accept)?;
            let plain = place::whole_table(encoding, None)?;
            let mut connection = Connection::open(address)?;
            // The snapshot is there, and what the connection keeps.
            let output = connection.ask(&plain)?.body().len() as u64;
            connection.ask(&request)?;
            connection.ask(&request)?;
            let before = agent.counted()?;
            for _ in 0..REQUESTS {
                connection.ask(&request)?;
            }
            let after = agent.counted()?;
            let most = after.peak_octets.saturating_sub(before.live_octets);
            let allocated = (after.allocated_octets - before.allocated_octets) / u64::from(REQUESTS);
            let more = most.saturating_sub(output.next_power_of_two().max(FIRST)) as f64 / 1024.0;
            let how = if accept.is_some() { "compressed " } else { "" };
            report.note(format!(
                "memory of a request for {} interfaces, {how}{}: {:.1} KB at most for an answer of {:.1} KB; {:.1} KB \
                 allocated in all",
                stage.interfaces,
                encoding.name(),
                most as f64 / 1024.0,
                output as f64 / 1024.0,
                allocated as f64 / 1024.0,
            ));
            beside.push(json!({
                "interfaces": stage.interfaces, "encoding": encoding.name(), "compressed": accept.is_some(),
                "answer": output, "most": most, "allocated": allocated, "beside the buffer, KB": more,
            }));
            if accept.is_none() {
                let title = format!(
                    "KB of memory beside the output buffer, {} interfaces, {}",
                    rows,
                    encoding.name()
                );
                report.count(title, "", Bar::AtMost(BAR), more);
            }
        }
    }
    report.keep("memory of a table request", json!(beside));
    Ok(())
}
