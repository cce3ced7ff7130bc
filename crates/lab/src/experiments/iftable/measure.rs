//! The rounds. They alternate: in each round every cell is measured once, in a new random order, and within a cell
//! the subjects take turns in changing order, so that other load of the machine affects all alike. A cell's turn
//! is a block of ten consecutive requests, with the meters read before and after.

use std::collections::HashSet;
use std::time::Instant;

use fastrand::Rng;
use trunkline_client::Answer;
use trunkline_smi::Oid;
use trunkline_smi::module::if_mib::IF_TABLE;
use trunkline_snmp::wire::Bound;

use trunkline_labkit::block::{BlockRecord, Cell, Operation, RequestRecord};
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::duration::Left;
use trunkline_labkit::error::Error;
use trunkline_labkit::if_table::Link;
use trunkline_labkit::ledger::Ledger;
use trunkline_labkit::octets::Octets;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::subject::Subject;
use trunkline_labkit::transport::{self, Transport};
use trunkline_labkit::trial::Entry;

use super::bench::{Bench, Moment};
use super::{DELAY, LEAST_ROUNDS, OCTETS, REQUESTS_PER_BLOCK, Wanted};

/// Measures everything; if the user interrupts, without the final record.
pub(super) async fn measure(wanted: &Wanted, subjects: &[Subject], ledger: &mut Ledger) -> Result<(), Error> {
    ledger.progress.set_message("setting up");
    let mut benches = Vec::new();
    for subject in subjects {
        benches.extend(Bench::set_up(subject, ledger).await?);
    }
    doubt_differences(&benches, ledger)?;
    doubt_sizes(wanted, &benches, ledger)?;
    let mut rounds = Rounds { wanted, benches, left_out: HashSet::new() };
    ledger.progress.set_message("octets");
    rounds.measure_octets(ledger).await?;
    rounds.measure(ledger).await?;
    if !ledger.is_interrupted() {
        for bench in &rounds.benches {
            bench.write_memory(Moment::AfterLoad, ledger)?;
        }
    }
    ledger.writer.flush()
}

struct Rounds<'a> {
    wanted: &'a Wanted,
    benches: Vec<Bench>,
    /// Cells that failed once are not tried again.
    left_out: HashSet<Cell>,
}

/// The request that the subjects get in turn.
#[derive(Debug, Clone, Copy)]
struct Question {
    operation: Operation,
    transport: Transport,
    objects: u32,
}

impl Rounds<'_> {
    /// Figure 7: the octets per interaction for many object counts.
    async fn measure_octets(&mut self, ledger: &mut Ledger) -> Result<(), Error> {
        for bench in &self.benches {
            let Some(link) = bench.links.first() else { continue };
            let seen = link.watch();
            for operation in Operation::ALL {
                for &objects in &self.wanted.sweep {
                    let question = Question { operation, transport: link.transport, objects };
                    let (Some(instances), false) = (question.instances(bench, link), ledger.is_interrupted())
                    else {
                        continue;
                    };
                    let answer = link.ask(operation, instances).await;
                    let checked =
                        answer.map_err(|error| error.to_string()).and_then(|it| check(it, instances));
                    match checked {
                        Ok(answer) => {
                            write_octets(bench, operation, objects, link.octets(&answer, &seen), ledger)?;
                        }
                        // The subject cannot; nor can it handle larger counts.
                        Err(reason) => {
                            doubt_failure(OCTETS, &question.cell(bench), reason, ledger)?;
                            break;
                        }
                    }
                }
            }
        }
        ledger.writer.flush()
    }

    /// Warm-up and rounds.
    async fn measure(&mut self, ledger: &mut Ledger) -> Result<(), Error> {
        let mut questions = self.questions();
        let planned = self.wanted.rounds;
        ledger.expect(questions.len() as u64 * (u64::from(planned) + 1));
        let mut random = Rng::with_seed(self.wanted.seed);
        let (start, left) = (Instant::now(), Left::of(u64::from(planned) + 1));
        for round in 0..=planned {
            ledger.progress.set_message(match round {
                0 => "warming up".into(),
                _ => format!("round {round}"),
            });
            if self.wanted.budget.is_none() {
                left.announce(ledger, round.into());
            }
            random.shuffle(&mut questions);
            for (turn, question) in questions.iter().enumerate() {
                for place in 0..self.benches.len() {
                    let next = (place + turn + round as usize) % self.benches.len();
                    self.take_turn(*question, next, round, ledger).await?;
                    if ledger.is_interrupted() {
                        return ledger.writer.flush();
                    }
                }
                ledger.progress.inc(1);
            }
            ledger.writer.flush()?;
            let budget = self.wanted.budget.filter(|budget| start.elapsed() > *budget);
            if let (Some(budget), true) = (budget, round >= LEAST_ROUNDS && round < planned) {
                let how = format!(
                    "{round} of {planned} rounds were measured: the budget of {:.0} s was spent (--repeat N has no budget)",
                    budget.as_secs_f64()
                );
                return ledger.doubt(Doubt::Shortened { table: DELAY.into(), how });
            }
        }
        Ok(())
    }

    /// Whether a subject is asked over this transport.
    fn has(&self, transport: Transport) -> bool {
        self.benches.iter().flat_map(|bench| &bench.links).any(|link| link.transport == transport)
    }

    fn questions(&self) -> Vec<Question> {
        let mut questions = Vec::new();
        for operation in Operation::ALL {
            for transport in transport::ALL.into_iter().filter(|it| self.has(*it)) {
                let counts = self.wanted.objects.iter();
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
        ledger: &mut Ledger,
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
        match block(&cell, round, bench, link, instances).await {
            Ok(record) => ledger.write(&Entry::Block(record)),
            Err(reason) => {
                doubt_failure(DELAY, &cell, reason, ledger)?;
                self.left_out.insert(cell);
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

    /// The instances to fetch; `None` if the subject has too few or cannot be queried this way.
    fn instances<'a>(&self, bench: &'a Bench, link: &Link) -> Option<&'a [Oid]> {
        if self.operation == Operation::GetBulk && !link.has_bulk {
            return None;
        }
        bench.instances.get(..self.objects as usize)
    }
}

/// Sends a block's requests; returns its record, or why the cell cannot be measured.
async fn block(
    cell: &Cell,
    round: u32,
    bench: &Bench,
    link: &Link,
    instances: &[Oid],
) -> Result<BlockRecord, String> {
    let requests = if round == 0 { 1 } else { REQUESTS_PER_BLOCK };
    let mut answers = Vec::with_capacity(requests as usize);
    let tcp_before = count_segments(link);
    let cpu_before = bench.cpu();
    for _ in 0..requests {
        answers.push(link.ask(cell.operation, instances).await.map_err(|error| error.to_string())?);
    }
    let cpu_ns = bench.cpu().zip(cpu_before).map(|(after, before)| after.saturating_sub(before));
    let tcp = count_segments(link).zip(tcp_before).map(|(after, before)| after.since(&before));
    // Nothing below is within the measured time.
    let mut records = Vec::with_capacity(answers.len());
    for answer in answers {
        records.push(request_record(link, &check(answer, instances)?));
    }
    Ok(BlockRecord { table: DELAY.into(), cell: cell.clone(), round, requests: records, cpu_ns, tcp })
}

fn request_record(link: &Link, answer: &Answer) -> RequestRecord {
    let cost = answer.cost;
    let (sent, received) = (cost.request_octets, cost.response_octets);
    let ip = link.datagram(sent) + link.datagram(received);
    let over_udp = link.transport == Transport::Udp;
    RequestRecord {
        sent: sent as u64,
        received: received as u64,
        ip_packets: over_udp.then_some(ip.packets),
        ip_octets: over_udp.then_some(ip.octets),
        delay_ns: u64::try_from(cost.delay.as_nanos()).unwrap_or(u64::MAX),
        bindings: answer.bindings.len() as u32,
        attempts: cost.attempts,
    }
}

fn count_segments(link: &Link) -> Option<trunkline_labkit::meter::tcp::TcpCount> {
    let Some(Ok(meter)) = &link.tcp else { return None };
    meter.read().ok()
}

fn write_octets(
    bench: &Bench,
    operation: Operation,
    objects: u32,
    octets: Octets,
    ledger: &mut Ledger,
) -> Result<(), Error> {
    let series = format!("{}, {operation}", bench.name);
    for (quantity, figure) in [
        (Quantity::RequestOctets, Some(octets.sent)),
        (Quantity::ResponseOctets, Some(octets.received)),
        (Quantity::ExactRequestOctets, octets.exact.map(|it| it.0)),
        (Quantity::ExactResponseOctets, octets.exact.map(|it| it.1)),
        (Quantity::ValueOctets, Some(octets.value_octets)),
        (Quantity::LongestValue, Some(octets.longest_value)),
    ] {
        if let Some(figure) = figure {
            ledger.reading(OCTETS, &series, objects, quantity, 1, figure as f64)?;
        }
    }
    Ok(())
}

fn doubt_failure(table: &str, cell: &Cell, reason: String, ledger: &mut Ledger) -> Result<(), Error> {
    ledger.doubt(Doubt::LeftOut { table: table.into(), what: cell.to_string(), reason })
}

/// The answer, if it contains exactly these instances.
fn check(answer: Answer, instances: &[Oid]) -> Result<Answer, String> {
    let found = answer.bindings.len();
    if found != instances.len() {
        return Err(format!("the answer brought {found} objects"));
    }
    let right = |(binding, instance): (&trunkline_snmp::wire::VarBind, &Oid)| {
        binding.name == *instance && matches!(binding.value, Bound::Value(_))
    };
    match answer.bindings.iter().zip(instances).position(|pair| !right(pair)) {
        Some(place) => Err(format!("binding {} is not {}", place + 1, instances[place])),
        None => Ok(answer),
    }
}

/// Records a doubt if a subject's first instances differ from the first subject's.
fn doubt_differences(benches: &[Bench], ledger: &mut Ledger) -> Result<(), Error> {
    let Some((first, others)) = benches.split_first() else { return Ok(()) };
    // Below the entry, column and row identify an instance.
    let short = |name: &Oid| Oid::EMPTY.child(&name[IF_TABLE.oid.len().min(name.len())..]).to_string();
    for other in others {
        let pairs = first.instances.iter().zip(&other.instances);
        if let Some((at, (one, two))) = (1u32..).zip(pairs).find(|(_, (one, two))| one != two) {
            let text = format!(
                "{} and {} serve different instances, first at place {at}: {} and {}; they answer nearly the same question, not \
                 the same",
                first.name,
                other.name,
                short(one),
                short(two)
            );
            ledger.doubt(Doubt::Condition { table: DELAY.into(), text })?;
        }
    }
    Ok(())
}

/// Records which columns a subject's table is too small for.
fn doubt_sizes(wanted: &Wanted, benches: &[Bench], ledger: &mut Ledger) -> Result<(), Error> {
    for bench in benches {
        let instances = bench.instances.len() as u32;
        for &objects in wanted.objects.iter().filter(|&&objects| objects > instances) {
            let what = format!("the column of {objects} objects of {}", bench.name);
            let reason = format!("its ifTable has {instances} instances");
            ledger.doubt(Doubt::LeftOut { table: DELAY.into(), what, reason })?;
        }
    }
    Ok(())
}
