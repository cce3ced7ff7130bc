//! The command `sim`: options to a plan, what is printed, and an orderly end.

use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use crate::configuration::{DEFAULT_PORT, DEFAULT_SEED, Plan, RawFaults, RawGroup};
use crate::counts::Count;
use crate::error::SimError;
use crate::faults::{self, FaultShare};
use crate::fleet::{Fleet, Group, Port, Prefix};
use crate::metrics::{Metrics, Reading};
use crate::ports::PortOptions;
use crate::seed::Seed;
use crate::serve::{Running, ServeOptions};
use crate::synthetic::Interfaces;

/// Simulate a fleet of SNMP agents, each with an address of its own.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  trunkline sim --agents 1000 --prefix 127.1.0.0/16
  trunkline sim --agents 100000 --prefix 127.2.0.0/15 --silent 1% --slow 5%:200ms --metrics 127.0.0.1:9161
  trunkline sim --agents 700 --jmx 700 --netconf 700 --netconf-ssh 700
  trunkline sim --recording switch.snmprec --vary-name --agents 48
  trunkline sim --config fleet.toml --list")]
pub struct SimArguments {
    /// A file with groups of agents, in place of the other options.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["agents", "prefix", "seed", "port", "threads", "interfaces",
        "recording", "community", "silent", "slow", "lossy", "wrong", "rebooting", "metrics", "jmx",
        "jmx_port", "netconf", "netconf_port", "netconf_ssh", "netconf_ssh_port"])]
    config: Option<PathBuf>,
    /// How many agents.
    #[arg(long, short = 'n', value_name = "COUNT", default_value_t = 1000)]
    agents: u32,
    /// Where the agents are, from its first address on; several are filled one after the other.
    #[arg(long, value_name = "PREFIX", default_values = ["127.1.0.0/16"])]
    prefix: Vec<Prefix>,
    /// The UDP port of every agent; 0 chooses one.
    #[arg(long, default_value_t = DEFAULT_PORT)]
    port: u16,
    /// Threads that answer.
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=256))]
    threads: usize,
    /// What all values are drawn from.
    #[arg(long, default_value_t = DEFAULT_SEED)]
    seed: u64,
    /// How many interfaces an agent has, at least and at most.
    #[arg(long, value_name = "LEAST-MOST", value_parser = interfaces, conflicts_with = "recording")]
    interfaces: Option<[u32; 2]>,
    /// What the agents answer, as `trunkline walk --record` or snmpsim's snmprec has written it.
    #[arg(long, value_name = "FILE")]
    recording: Option<PathBuf>,
    /// Append the agent's number to the sysName of the recording.
    #[arg(long, requires = "recording")]
    vary_name: bool,
    /// A community that the agents answer.
    #[arg(long, short = 'c', value_name = "COMMUNITY", default_values = ["public"])]
    community: Vec<String>,
    /// How many of the agents answer JMX too, from the first on.
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    jmx: u32,
    /// The TCP port of JMX; 0 chooses one.
    #[arg(long, value_name = "PORT", default_value_t = PortOptions::default().jmx, requires = "jmx")]
    jmx_port: u16,
    /// How many of the agents answer NETCONF over plain TCP too, from the first on.
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    netconf: u32,
    /// The TCP port of NETCONF; 0 chooses one.
    #[arg(long, value_name = "PORT", default_value_t = PortOptions::default().netconf, requires = "netconf")]
    netconf_port: u16,
    /// How many of the agents answer NETCONF over SSH too, from the first on.
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    netconf_ssh: u32,
    /// The TCP port of NETCONF over SSH; 0 chooses one.
    #[arg(long, value_name = "PORT", default_value_t = PortOptions::default().netconf_ssh, requires = "netconf_ssh")]
    netconf_ssh_port: u16,
    /// Where to serve metrics for Prometheus.
    #[arg(long, value_name = "ADDRESS:PORT")]
    metrics: Option<SocketAddr>,
    /// End after this time.
    #[arg(long, value_name = "TIME", value_parser = faults::duration)]
    duration: Option<Duration>,
    /// List the agents with their faults, and end.
    #[arg(long)]
    list: bool,
    /// Write JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    faults: FaultOptions,
}

/// Agents that do not behave.
#[derive(Args, Debug)]
#[command(next_help_heading = "Faults")]
struct FaultOptions {
    /// Agents that never answer.
    #[arg(long, value_name = "SHARE", value_parser = FaultShare::silent)]
    silent: Vec<FaultShare>,
    /// Agents that answer late.
    #[arg(long, value_name = "SHARE:DELAY", value_parser = FaultShare::slow)]
    slow: Vec<FaultShare>,
    /// Agents that lose a share of the requests.
    #[arg(long, value_name = "SHARE:LOSS", value_parser = FaultShare::lossy)]
    lossy: Vec<FaultShare>,
    /// Agents that answer wrongly: request-id, source, truncated, repeated, endless or type; without a name, any.
    #[arg(long, value_name = "SHARE[:LIE]", value_parser = FaultShare::wrong)]
    wrong: Vec<FaultShare>,
    /// Agents that restart, and are silent for a tenth of the time if DOWN is left out.
    #[arg(long, value_name = "SHARE:EVERY[:DOWN]", value_parser = FaultShare::rebooting)]
    rebooting: Vec<FaultShare>,
}

fn interfaces(text: &str) -> Result<[u32; 2], String> {
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    match (least.parse(), most.parse()) {
        (Ok(least), Ok(most)) if least <= most && most <= Interfaces::MOST => Ok([least, most]),
        (Ok(least), Ok(most)) if least <= most => {
            Err(format!("an agent has at most {} interfaces", Interfaces::MOST))
        }
        _ => Err("expected one number, or two with the lesser first, such as 4-48".into()),
    }
}

impl SimArguments {
    /// Runs the fleet until it is interrupted. Where it listens and what it did is written to `out`.
    ///
    /// # Errors
    /// The fleet is impossible, or a socket cannot be opened.
    pub fn run(self, out: &mut impl Write) -> Result<(), SimError> {
        let (json, list, duration) = (self.json, self.list, self.duration);
        let plan = self.plan()?;
        let written = |source| SimError::System { doing: "write the output", source };
        if list {
            return print_agents(&plan.fleet, json, out).map_err(written);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|source| SimError::System { doing: "start the runtime", source })?;
        let Plan { fleet, mut serve, metrics } = plan;
        serve.responder.entropy = entropy();
        let running = Arc::new(Running::start(Arc::new(fleet), &serve)?);
        let reading = runtime.block_on(async {
            let metrics = metrics.map(Metrics::bind).transpose()?;
            let address = metrics.as_ref().map(Metrics::local_addr);
            print_begin(&running, address, json, out).map_err(written)?;
            let serving = async {
                match metrics {
                    Some(metrics) => metrics.serve(Arc::clone(&running)).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                ended = serving => ended?,
                ended = until_the_end(duration) => ended?,
            }
            Ok::<_, SimError>(Reading::of(&running))
        })?;
        print_end(&reading, running.elapsed(), json, out).map_err(written)
    }

    fn plan(self) -> Result<Plan, SimError> {
        if let Some(path) = &self.config {
            return Plan::read(path);
        }
        let seed = Seed::new(self.seed);
        let mut left = [self.agents, self.jmx, self.netconf, self.netconf_ssh];
        let mut groups = Vec::new();
        let last = self.prefix.len().saturating_sub(1);
        for (at, prefix) in self.prefix.iter().enumerate() {
            // The last one has what is left, so that too many are refused in its name.
            let mut take = |which: usize, most: u32| {
                let taken = if at == last { left[which] } else { left[which].min(most) };
                left[which] -= taken;
                taken
            };
            let agents = take(0, prefix.size());
            let [jmx, netconf, netconf_ssh] = [1, 2, 3].map(|which| take(which, agents));
            if agents == 0 && at > 0 {
                break;
            }
            let FaultOptions { silent, slow, lossy, wrong, rebooting } = &self.faults;
            let [silent, slow, lossy, wrong, rebooting] =
                [silent, slow, lossy, wrong, rebooting].map(Clone::clone);
            let raw = RawGroup {
                name: prefix.to_string(),
                prefix: *prefix,
                agents: Some(agents),
                interfaces: self.interfaces,
                recording: self.recording.clone(),
                vary_name: self.vary_name,
                communities: Some(self.community.clone()),
                user: Vec::new(),
                faults: RawFaults { silent, slow, lossy, wrong, rebooting },
                jmx,
                netconf,
                netconf_ssh,
                netconf_tls: 0,
            };
            groups.push(raw.checked(seed, Path::new(""))?);
        }
        let ports = PortOptions {
            jmx: self.jmx_port,
            netconf: self.netconf_port,
            netconf_ssh: self.netconf_ssh_port,
            ..PortOptions::default()
        };
        let serve = ServeOptions { port: self.port, threads: self.threads, ports, ..ServeOptions::default() };
        Ok(Plan { fleet: Fleet::new(seed, groups)?, serve, metrics: self.metrics })
    }
}

/// Where salts begin: no two runs begin at the same one.
fn entropy() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Seed::new(now.as_nanos() as u64).draw(u64::from(std::process::id()))
}

async fn until_the_end(duration: Option<Duration>) -> Result<(), SimError> {
    let refused = |source| SimError::System { doing: "listen for signals", source };
    let mut interrupted = signal(SignalKind::interrupt()).map_err(refused)?;
    let mut terminated = signal(SignalKind::terminate()).map_err(refused)?;
    let over = async {
        match duration {
            Some(duration) => tokio::time::sleep(duration).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = interrupted.recv() => {}
        _ = terminated.recv() => {}
        () = over => {}
    }
    Ok(())
}

fn print_agents(fleet: &Fleet, json: bool, out: &mut impl Write) -> std::io::Result<()> {
    for (address, agent) in fleet.agents() {
        let fault = agent.fault();
        if json {
            let fault = fault.map(|fault| fault.to_string());
            let line = json!({ "address": address, "agent": agent.number, "group": agent.group.name, "fault": fault });
            writeln!(out, "{line}")?;
        } else {
            let fault = fault.map_or_else(|| "-".to_owned(), |fault| fault.to_string());
            let group = trunkline_smi::visible(&agent.group.name);
            writeln!(out, "{address}\t{group}\t{fault}")?;
        }
    }
    Ok(())
}

fn print_begin(
    running: &Running,
    metrics: Option<SocketAddr>,
    json: bool,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let (port, agents) = (running.port(), running.fleet().len());
    let groups = running.fleet().groups();
    if json {
        let of = |group: &Group| {
            json!({
                "name": group.name, "prefix": group.prefix.to_string(), "agents": group.agents, "jmx": group.jmx,
                "netconf": group.netconf, "netconf_ssh": group.netconf_ssh, "netconf_tls": group.netconf_tls,
            })
        };
        let groups: Vec<_> = groups.iter().map(of).collect();
        let [jmx, netconf, ssh, tls] = Port::ALL.map(|kind| running.port_of(kind));
        let line = json!({
            "event": "listening", "port": port, "agents": agents, "groups": groups, "metrics": metrics, "jmx_port": jmx,
            "netconf_port": netconf, "netconf_ssh_port": ssh, "netconf_tls_port": tls, "ssh_host_key": running.host_key(),
        });
        writeln!(out, "{line}")?;
    } else {
        for group in groups {
            let name = trunkline_smi::visible(&group.name);
            writeln!(out, "{name}: {} agents at {}, UDP port {port}", group.agents, group.prefix)?;
            for kind in Port::ALL.into_iter().filter(|kind| group.with(*kind) > 0) {
                let Some(port) = running.port_of(kind) else { continue };
                let first = SocketAddr::new(group.prefix.first(), port);
                let (what, url) = match kind {
                    Port::Jmx => ("JMX", format!("service:jmx:rmi:///jndi/rmi://{first}/jmxrmi")),
                    Port::Netconf => ("NETCONF", format!("netconf+tcp://{first}")),
                    Port::NetconfSsh => ("NETCONF over SSH", format!("netconf://{first}")),
                    Port::NetconfTls => ("NETCONF over TLS", format!("netconf+tls://{first}")),
                };
                writeln!(out, "{name}: {} of them answer {what}, TCP port {port}: {url}", group.with(kind))?;
            }
        }
        if let Some(key) = running.host_key() {
            writeln!(out, "host key of SSH: {key}")?;
        }
        if let Some(address) = metrics {
            writeln!(out, "metrics: http://{address}/metrics")?;
        }
    }
    out.flush()
}

fn print_end(reading: &Reading, elapsed: Duration, json: bool, out: &mut impl Write) -> std::io::Result<()> {
    let count = |count| reading.counts.get(count);
    let (requests, answers) = (count(Count::Requests), count(Count::Answers));
    let (seconds, cpu) = (elapsed.as_secs_f64(), reading.cpu_seconds);
    let drops = reading.receive_drops;
    if json {
        let line = json!({
            "event": "ended", "seconds": seconds, "requests": requests, "answers": answers,
            "receive_drops": drops, "cpu_seconds": cpu, "jmx_calls": count(Count::JmxCalls),
            "netconf_requests": count(Count::NetconfRequests), "netconf_ssh_requests": count(Count::NetconfSshRequests),
            "netconf_tls_requests": count(Count::NetconfTlsRequests),
        });
        return writeln!(out, "{line}");
    }
    for (what, port) in [
        ("calls of JMX", Port::Jmx),
        ("requests of NETCONF", Port::Netconf),
        ("requests of NETCONF over SSH", Port::NetconfSsh),
        ("requests of NETCONF over TLS", Port::NetconfTls),
    ] {
        let [connections, calls] = Count::of_port(port);
        if count(connections) > 0 {
            writeln!(out, "{} {what} in {} connections", count(calls), count(connections))?;
        }
    }
    let each = match requests {
        0 => String::new(),
        _ => format!(", {:.2} us for each request", cpu * 1e6 / requests as f64),
    };
    writeln!(
        out,
        "{requests} requests and {answers} answers in {seconds:.1} s; {cpu:.2} s of processor time{each}; {drops} datagrams \
         lost in full receive buffers"
    )
}
