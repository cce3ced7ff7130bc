//! Where section 2 is measured: an emulated link with the NOC at one end, and at the other a process of our agent for each device, all in
//! one namespace, with ports of their own; and the mid-level managers beside them.

use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use trunkline_labkit::chapter::Chapter;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::meter::cpu::LastingMeter;
use trunkline_labkit::place::link::Link;
use trunkline_labkit::stage::{Stage, StageOptions, Stand};
use trunkline_labkit::subject::{COMMUNITY, Equipment, Equipped};
use trunkline_labkit::transport::Transport;

use super::super::Options;
use super::population::{Device, Population};
use super::rows::{self, AGGREGATES, COLUMNS};

/// The place. Dropping it ends the agents and removes the link.
pub(super) struct Place {
    // Agents end before the namespace they run in.
    agents: Vec<Equipped>,
    stage: Stage,
    program: Option<PathBuf>,
}

/// What the managers are configured to do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Duties {
    /// How often they read their members.
    pub every: Duration,
    /// How often they look at what they have computed.
    pub looks: Duration,
    /// Octets a second of an interface that they tell of.
    pub limit: u64,
}

impl Place {
    /// A link without agents yet; the calling thread is then at the NOC's end.
    pub(super) fn open(chapter: &Chapter<'_, Options>, doubts: &mut Vec<Doubt>) -> Result<Place, String> {
        let program = chapter.choice.common.trunklined.clone();
        let options = StageOptions {
            trunklined: program.clone(),
            trunklined_lab: None,
            rows: INTERFACES,
            sessions: 0,
            seed: chapter.choice.common.seed,
            roles: vec![],
            capture: None,
            apart: true,
            more: vec![],
            schemas: vec![],
            brief: vec![],
            users: vec![],
        };
        let stage = Stage::beside(chapter.stage.keyring(), &options, doubts).map_err(|it| it.to_string())?;
        let place = Place { agents: vec![], stage, program };
        match place.stage.stand(Stand::Link) {
            Ok(true) => Ok(place),
            Ok(false) => Err("there is no emulated link".into()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Starts an agent for each device, which sends what its triggers tell to this port of the NOC.
    pub(super) fn populate(&mut self, devices: &[Device], port: u16) -> Result<Option<Doubt>, String> {
        let noc = self.noc()?;
        while self.agents.len() < devices.len() {
            let agent = self.start(target(noc, port))?;
            self.agents.push(agent);
        }
        let debug = self.agents.first().filter(|it| it.is_debug);
        Ok(debug.map(|it| Doubt::DebugBuild { program: it.description.clone() }))
    }

    /// Starts a manager for each network beside the agents.
    pub(super) fn managers(
        &self,
        population: &Population,
        duties: Duties,
        port: u16,
    ) -> Result<Vec<Equipped>, String> {
        let (noc, devices) = (self.noc()?, population.devices());
        let start = |(at, group): (usize, &super::population::Group)| {
            let of = devices.iter().filter(|it| it.group == at);
            let members = of.filter_map(|it| Some((it.number, self.port(it.number)?)));
            let text = self::group(group.name, duties, members);
            self.start(target(noc, port) + &text)
        };
        population.groups.iter().enumerate().map(start).collect()
    }

    fn start(&self, more: String) -> Result<Equipped, String> {
        let equipment = Equipment {
            address: IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            transports: vec![Transport::Udp],
            more,
            ..Equipment::plain(self.program.as_deref())
        };
        self.stage.start_beside(move || equipment.start()).map_err(|error| error.to_string())
    }

    /// The link, which was there when the place was made.
    pub(super) fn link(&self) -> Result<&Link, String> {
        self.stage.link().ok_or_else(|| "there is no emulated link".into())
    }

    /// The NOC's address.
    pub(super) fn noc(&self) -> Result<Ipv4Addr, String> {
        self.link().map(|link| link.manager().address())
    }

    /// The agents' address.
    pub(super) fn far(&self) -> Result<Ipv4Addr, String> {
        self.link().map(|link| link.agent().address())
    }

    /// The port of a device.
    pub(super) fn port(&self, device: u32) -> Option<u16> {
        self.agents.get(device as usize)?.port(Transport::Udp)
    }

    /// Meters of the agents' processor time.
    pub(super) fn meters(&self) -> Vec<LastingMeter> {
        meters(&self.agents)
    }
}

/// Meters of processes' processor time.
pub(super) fn meters(of: &[Equipped]) -> Vec<LastingMeter> {
    of.iter().filter_map(|agent| LastingMeter::new(agent.pid()).ok()).collect()
}

/// The community of Sets, and where notifications of triggers go.
fn target(noc: Ipv4Addr, port: u16) -> String {
    let rising = trunkline_smi::display_oid(rows::RISING);
    format!(
        "[[snmp.community]]\nname = \"{WRITERS}\"\naccess = \"write\"\n\
         [[snmp.target]]\nname = \"noc\"\naddress = \"udp://{noc}:{port}\"\ncommunity = \"{COMMUNITY}\"\nfilter = [\"{rising}\"]\n"
    )
}

/// The group of a network, and the trigger that watches its busiest interface.
fn group(name: &str, duties: Duties, members: impl Iterator<Item = (u32, u16)>) -> String {
    let seconds = duties.every.as_secs();
    let columns = COLUMNS.map(|column| format!("\"{}\"", trunkline_smi::display_oid(column))).join(", ");
    let mut text = format!("[[group]]\nname = \"{name}\"\ninterval = \"{seconds}s\"\ntables = [{columns}]\n");
    for (device, port) in members {
        let _ = write!(
            text,
            "[[group.member]]\nname = \"d{device}\"\naddress = \"udp://127.0.0.1:{port}\"\ncommunity = \"{COMMUNITY}\"\n"
        );
    }
    let [received, sent, busiest] = AGGREGATES;
    for (aggregate, column, function) in [(received, 0, "sum"), (sent, 1, "sum"), (busiest, 1, "max")] {
        let object = trunkline_smi::display_oid(COLUMNS[column]);
        let _ = write!(
            text,
            "[[group.aggregate]]\nname = \"{aggregate}\"\nobject = \"{object}\"\nfunction = \"{function}\"\nrate = true\n"
        );
    }
    let (object, limit, looks) = (rows::aggregate(name, busiest), duties.limit, duties.looks.as_secs());
    let _ = write!(
        text,
        "[[trigger]]\nname = \"{name}\"\nobject = \"{object}\"\nevery = \"{looks}s\"\n\
         threshold = {{ rising = {limit}, falling = {}, startup = \"rising\" }}\n",
        limit / 2
    );
    text
}

/// The community of the NOC's Sets.
pub(super) const WRITERS: &str = "noc";
/// Interfaces of the agents' place, which all agents show: enough for the statistics of each device.
const INTERFACES: u32 = 24;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manager_has_the_members_of_its_network_and_watches_the_busiest() {
        let second = Duration::from_secs(1);
        let duties = Duties { every: second * 2, looks: second, limit: 1000 };
        let text = group("LAN", duties, [(7, 4001), (8, 4002)].into_iter());
        assert!(text.starts_with("[[group]]\nname = \"LAN\"\ninterval = \"2s\"\n"), "{text}");
        assert!(text.contains("name = \"d8\"\naddress = \"udp://127.0.0.1:4002\""), "{text}");
        assert_eq!(text.matches("[[group.aggregate]]").count(), 3);
        assert!(text.contains("object = \"1.3.6.1.3.9161.4.3.1.4.3.76.65.78.7.98.117.115.105.101.115.116\""));
        assert!(text.contains("every = \"1s\"\nthreshold = {"), "{text}");
        assert!(text.contains("rising = 1000, falling = 500"), "{text}");
    }
}
