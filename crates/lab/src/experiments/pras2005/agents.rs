//! The agents measured over UDP: ours, Net-SNMP's if it is installed, and remote ones that the user named.

use trunkline_labkit::conversation::Peer;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::error::Error;
use trunkline_labkit::ledger::Ledger;
use trunkline_labkit::protocol::Protocol;
use trunkline_labkit::schedule::ManagerEnd;
use trunkline_labkit::stage::{Role, Secrets, Stage, Stand};
use trunkline_labkit::subject::Subject;
use trunkline_labkit::transport::Transport;

use super::{OURS, Wanted};

/// All of them.
pub(super) struct Agents {
    ours: Peer,
    snmpd: Option<Subject>,
    elsewhere: Vec<Subject>,
    turn: bool,
}

/// An agent that can be measured now.
pub(super) struct Agent<'a> {
    /// Its name among the series.
    pub name: &'a str,
    /// The peer of its sessions.
    pub peer: &'a Peer,
    /// What to try if it does not answer; mostly empty.
    pub advice: &'static str,
    /// Its process, if it is ours to inspect.
    pub pid: Option<u32>,
}

impl Agents {
    /// Starts the local agents. A missing one becomes a doubt.
    pub(super) fn gather(wanted: &Wanted, stage: &Stage, ledger: &mut Ledger) -> Result<Agents, Error> {
        let udp = Protocol::v2c(Transport::Udp);
        let ours = stage.target(udp, Role::Shipped, Stand::Beside, Secrets::Ready, ManagerEnd::default());
        let failed = |reason: String| Error::NoSubject { reasons: reason };
        let program = wanted.snmpd.clone();
        let named = program.is_some();
        let snmpd = match stage.start_beside(move || Subject::snmpd(program.as_deref())) {
            Ok(subject) => Some(subject),
            Err(source) if named => return Err(Error::Start { option: "snmpd", source }),
            Err(error) => {
                let (what, reason) = ("Net-SNMP's figures".into(), error.to_string());
                ledger.doubt(Doubt::AgentLeftOut { what, reason })?;
                None
            }
        };
        let elsewhere = wanted.agents.iter().map(Subject::remote).collect();
        Ok(Agents { ours: ours.map_err(failed)?.into(), snmpd, elsewhere, turn: false })
    }

    pub(super) fn any_elsewhere(&self) -> bool {
        !self.elsewhere.is_empty()
    }

    /// Switches to the remote agents, or moves to the stage and switches to those on it.
    pub(super) fn turn_to(&mut self, elsewhere: bool, stage: &Stage) -> Result<(), Error> {
        self.turn = elsewhere;
        if !elsewhere {
            stage.stand(Stand::Beside)?;
        }
        Ok(())
    }

    /// Whether the remote agents are being measured.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.turn
    }

    /// The agents that can be measured now over UDP.
    pub(super) fn here(&self) -> Vec<Agent<'_>> {
        if self.turn {
            return self.elsewhere.iter().filter_map(Agent::of).collect();
        }
        let ours = Agent { name: OURS, peer: &self.ours, advice: "", pid: None };
        std::iter::once(ours).chain(self.snmpd.iter().filter_map(Agent::of)).collect()
    }
}

impl<'a> Agent<'a> {
    fn of(subject: &'a Subject) -> Option<Agent<'a>> {
        let (_, peer) = subject.targets.first()?;
        Some(Agent { name: &subject.name, peer, advice: subject.advice, pid: subject.pid() })
    }
}
