//! The experiment of Pras et al.: the first n instances of ifTable by Get, GetNext and GetBulk, over UDP and TCP, from
//! every subject.
//!
//! Rounds alternate: in each round every cell comes up once, in an order drawn anew, and within a cell the subjects take turns in
//! changing order, so that whatever else the machine does hits all alike. A cell's turn is a block of ten requests, one
//! after the other, with the meters read before and after.

mod bench;

use std::collections::HashSet;
use std::time::Instant;

use fastrand::Rng;
use trunkline_client::Response;
use trunkline_smi::Oid;
use trunkline_smi::module::if_mib::IF_TABLE;
use trunkline_snmp::wire::Bound;

use crate::kit::error::Error;
use crate::kit::if_table::Link;
use crate::kit::octets::LastMessages;
use crate::kit::subject::Subject;
use crate::options::{LEAST_ROUNDS, Plan};
use crate::run::Desk;
use crate::samples::{
    BlockRecord, Cell, EndRecord, MemoryMoment, Operation, Record, RequestRecord, TcpDelta, Transport,
};
use crate::warning::Warning;
use bench::Bench;

/// Runs the whole experiment; its samples are on the desk.
pub async fn measure(plan: &Plan, subjects: &[Subject], desk: &mut Desk) -> Result<(), Error> {
    let start = Instant::now();
    desk.progress.set_message("setting up");
    let mut benches = Vec::new();
    for subject in subjects {
        benches.extend(Bench::set_up(subject, desk).await?);
    }
    doubt_differences(&benches, desk)?;
    doubt_sizes(plan, &benches, desk)?;
    let mut experiment = Experiment { plan, benches, left_out: HashSet::new() };
    desk.progress.set_message("octets");
    experiment.measure_octets(desk).await?;
    let rounds = experiment.measure_rounds(desk).await?;
    if desk.is_interrupted() {
        // Without its last record the run counts as cut off.
        return Ok(());
    }
    for bench in &experiment.benches {
        bench.write_memory(MemoryMoment::AfterLoad, desk)?;
    }
    desk.write(&Record::End(EndRecord { rounds, seconds: start.elapsed().as_secs_f64() }))?;
    desk.samples.flush()
}

struct Experiment<'a> {
    plan: &'a Plan,
    benches: Vec<Bench>,
    /// Cells that failed once are not asked again.
    left_out: HashSet<Cell>,
}

/// What the subjects are asked in turn.
#[derive(Debug, Clone, Copy)]
struct Question {
    operation: Operation,
    transport: Transport,
    objects: u32,
}

impl Experiment<'_> {
    /// Figure 7: the octets of one interaction for many object counts.
    async fn measure_octets(&mut self, desk: &mut Desk) -> Result<(), Error> {
        for bench in &self.benches {
            let Some(link) = bench.links.first() else { continue };
            let seen = LastMessages::new();
            link.session.observe(seen.clone());
            for operation in Operation::ALL {
                for &objects in &self.plan.sweep {
                    let question = Question { operation, transport: link.transport, objects };
                    let (Some(instances), false) = (question.instances(bench, link), desk.is_interrupted())
                    else {
                        continue;
                    };
                    let cell = question.cell(bench);
                    let answer = link.ask(operation, instances).await;
                    match answer.map_err(|error| error.to_string()).and_then(|it| check(&it, instances)) {
                        Ok(()) => {
                            if let Some(record) = seen.record(cell) {
                                desk.write(&Record::Octets(record))?;
                            }
                        }
                        // The subject cannot; larger counts it cannot either.
                        Err(reason) => {
                            desk.doubt(Warning::RequestFailed { cell, reason })?;
                            break;
                        }
                    }
                }
            }
        }
        desk.samples.flush()
    }

    /// Warm-up and rounds; gives how many rounds were measured.
    async fn measure_rounds(&mut self, desk: &mut Desk) -> Result<u32, Error> {
        let mut questions = self.questions();
        let turns = questions.len() as u64 * u64::from(self.plan.rounds + 1);
        desk.progress.set_length(turns);
        desk.progress.set_position(0);
        let mut random = Rng::with_seed(self.plan.seed);
        let start = Instant::now();
        for round in 0..=self.plan.rounds {
            desk.progress.set_message(if round == 0 {
                "warming up".into()
            } else {
                format!("round {round}")
            });
            random.shuffle(&mut questions);
            for (turn, question) in questions.iter().enumerate() {
                for place in 0..self.benches.len() {
                    let next = (place + turn + round as usize) % self.benches.len();
                    self.take_turn(*question, next, round, desk).await?;
                    if desk.is_interrupted() {
                        desk.samples.flush()?;
                        return Ok(round.saturating_sub(1));
                    }
                }
                desk.progress.inc(1);
            }
            desk.samples.flush()?;
            let budget = self.plan.budget.filter(|budget| start.elapsed() > *budget);
            if let (Some(budget), true) = (budget, round >= LEAST_ROUNDS && round < self.plan.rounds) {
                let planned = self.plan.rounds;
                desk.doubt(Warning::StoppedEarly { rounds: round, planned, budget: budget.as_secs_f64() })?;
                return Ok(round);
            }
        }
        Ok(self.plan.rounds)
    }

    fn questions(&self) -> Vec<Question> {
        let mut questions = Vec::new();
        for operation in Operation::ALL {
            for transport in Transport::PLAIN {
                let counts = self.plan.objects.iter();
                questions.extend(counts.map(|&objects| Question { operation, transport, objects }));
            }
        }
        questions
    }

    /// One block of requests to one subject: round 0 is one request to warm up.
    async fn take_turn(
        &mut self,
        question: Question,
        bench: usize,
        round: u32,
        desk: &mut Desk,
    ) -> Result<(), Error> {
        let bench = &self.benches[bench];
        let Some(link) = bench.links.iter().find(|link| link.transport == question.transport) else {
            return Ok(());
        };
        let Some(instances) = question.instances(bench, link) else { return Ok(()) };
        let cell = question.cell(bench);
        if self.left_out.contains(&cell) {
            return Ok(());
        }
        let requests = if round == 0 { 1 } else { self.plan.requests_per_block };
        let block = Block { cell, round, requests };
        match block.run(bench, link, instances).await {
            Ok(records) => records.iter().try_for_each(|record| desk.write(record)),
            Err(reason) => {
                desk.doubt(Warning::RequestFailed { cell: block.cell.clone(), reason })?;
                self.left_out.insert(block.cell);
                Ok(())
            }
        }
    }
}

impl Question {
    fn cell(self, bench: &Bench) -> Cell {
        let Question { operation, transport, objects } = self;
        Cell { subject: bench.name.clone(), transport, operation, objects }
    }

    /// The instances to fetch; `None` when the subject has too few or cannot be asked this way.
    fn instances<'a>(&self, bench: &'a Bench, link: &Link) -> Option<&'a [Oid]> {
        if self.operation == Operation::GetBulk && !link.has_bulk {
            return None;
        }
        bench.instances.get(..self.objects as usize)
    }
}

struct Block {
    cell: Cell,
    round: u32,
    requests: u32,
}

impl Block {
    /// Sends the block's requests; gives the records, or why the cell cannot be measured.
    async fn run(&self, bench: &Bench, link: &Link, instances: &[Oid]) -> Result<Vec<Record>, String> {
        let mut responses = Vec::with_capacity(self.requests as usize);
        let tcp_before = count_segments(link);
        let cpu_before = bench.cpu();
        for _ in 0..self.requests {
            responses
                .push(link.ask(self.cell.operation, instances).await.map_err(|error| error.to_string())?);
        }
        let cpu_ns = bench.cpu().zip(cpu_before).map(|(after, before)| after.saturating_sub(before));
        let tcp = count_segments(link).zip(tcp_before).map(|(after, before)| after.since(&before));
        // Nothing below is inside the measured time.
        let mut records = Vec::with_capacity(responses.len() + 1);
        for (request, response) in (1..).zip(&responses) {
            check(response, instances)?;
            records.push(Record::Request(self.request_record(link, request, response)));
        }
        if self.round > 0 {
            records.push(Record::Block(self.block_record(cpu_ns, tcp)));
        }
        Ok(records)
    }

    fn request_record(&self, link: &Link, request: u32, response: &Response) -> RequestRecord {
        let (sent, received) = (response.request_octets, response.response_octets);
        let ip = link.datagram(sent) + link.datagram(received);
        let over_udp = link.transport == Transport::Udp;
        RequestRecord {
            cell: self.cell.clone(),
            round: self.round,
            request,
            sent: sent as u64,
            received: received as u64,
            ip_packets: over_udp.then_some(ip.packets),
            ip_octets: over_udp.then_some(ip.octets),
            delay_ns: u64::try_from(response.delay.as_nanos()).unwrap_or(u64::MAX),
            bindings: response.bindings.len() as u32,
            attempts: response.attempts,
        }
    }

    fn block_record(&self, cpu_ns: Option<u64>, tcp: Option<TcpDelta>) -> BlockRecord {
        BlockRecord { cell: self.cell.clone(), round: self.round, requests: self.requests, cpu_ns, tcp }
    }
}

fn count_segments(link: &Link) -> Option<crate::kit::meter::tcp::TcpCount> {
    let Some(Ok(meter)) = &link.tcp else { return None };
    meter.read().ok()
}

/// Whether a response brought these instances and nothing else.
fn check(response: &Response, instances: &[Oid]) -> Result<(), String> {
    if !response.is_ok() {
        let name = response.status().map_or("an unknown error", |status| status.name());
        return Err(format!("the agent answered {name} at binding {}", response.error_index));
    }
    let found = response.bindings.len();
    if found != instances.len() {
        return Err(format!("the answer brought {found} objects"));
    }
    let right = |(binding, instance): (&trunkline_snmp::wire::VarBind, &Oid)| {
        binding.name == *instance && matches!(binding.value, Bound::Value(_))
    };
    match response.bindings.iter().zip(instances).position(|pair| !right(pair)) {
        Some(place) => Err(format!("binding {} is not {}", place + 1, instances[place])),
        None => Ok(()),
    }
}

/// Says so when a subject's first instances are others than the first subject's.
fn doubt_differences(benches: &[Bench], desk: &mut Desk) -> Result<(), Error> {
    let Some((first, others)) = benches.split_first() else { return Ok(()) };
    // Below the entry, a column and a row tell an instance.
    let short = |name: &Oid| Oid::EMPTY.child(&name[IF_TABLE.oid.len().min(name.len())..]).to_string();
    for other in others {
        let pairs = first.instances.iter().zip(&other.instances);
        if let Some((at, (one, two))) = (1u32..).zip(pairs).find(|(_, (one, two))| one != two) {
            let subjects = (first.name.clone(), other.name.clone());
            let found = (short(one), short(two));
            desk.doubt(Warning::InstancesDiffer { subjects, at, found })?;
        }
    }
    Ok(())
}

/// Says which columns a subject's table is too small for.
fn doubt_sizes(plan: &Plan, benches: &[Bench], desk: &mut Desk) -> Result<(), Error> {
    for bench in benches {
        let instances = bench.instances.len() as u32;
        for &objects in plan.objects.iter().filter(|&&objects| objects > instances) {
            desk.doubt(Warning::TooFewInstances { subject: bench.name.clone(), objects, instances })?;
        }
    }
    Ok(())
}
