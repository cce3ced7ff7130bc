//! What a simulator says of itself, in the text format of Prometheus (version 0.0.4), at `/metrics`.

use std::fmt::Write;
use std::net::SocketAddr;
use std::sync::Arc;

use rustix::time::{ClockId, clock_gettime};
use trunkline_transport::http::{
    HttpHandler, HttpLimits, HttpRequest, HttpResponse, HttpServer, Method, StatusCode,
};

use crate::counts::{Count, Counts};
use crate::error::SimError;
use crate::fleet::Port;
use crate::serve::Running;

/// What is written at one moment.
#[derive(Debug)]
pub struct Reading {
    /// Agents of the fleet.
    pub agents: u32,
    /// What was counted.
    pub counts: Counts,
    /// Datagrams that the kernel dropped.
    pub receive_drops: u64,
    /// Answers that the kernel did not take.
    pub send_errors: u64,
    /// Processor time of the process, in seconds.
    pub cpu_seconds: f64,
}

impl Reading {
    /// Reads everything now.
    #[must_use]
    pub fn of(running: &Running) -> Self {
        let cpu = clock_gettime(ClockId::ProcessCPUTime);
        Self {
            agents: running.fleet().len(),
            counts: running.counts(),
            receive_drops: running.receive_drops(),
            send_errors: running.send_errors(),
            cpu_seconds: cpu.tv_sec as f64 + cpu.tv_nsec as f64 / 1e9,
        }
    }

    /// As Prometheus reads it.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.of_datagrams(&mut text);
        self.of_connections(&mut text);
        family(
            &mut text,
            ("process_cpu_seconds_total", "counter"),
            "Processor time of the process, user and system.",
            &[("", self.cpu_seconds)],
        );
        text
    }

    fn count(&self, count: Count) -> f64 {
        self.counts.get(count) as f64
    }

    fn of_datagrams(&self, text: &mut String) {
        let count = |count| self.count(count);
        family(
            text,
            ("trunkline_sim_agents", "gauge"),
            "Agents that are simulated.",
            &[("", f64::from(self.agents))],
        );
        family(
            text,
            ("trunkline_sim_requests_total", "counter"),
            "Datagrams that arrived for an agent.",
            &[("", count(Count::Requests))],
        );
        family(
            text,
            ("trunkline_sim_answers_total", "counter"),
            "Answers that were made.",
            &[("", count(Count::Answers))],
        );
        family(
            text,
            ("trunkline_sim_dropped_total", "counter"),
            "Requests without an answer, and Reports, by reason.",
            &[
                ("{reason=\"unknown_address\"}", count(Count::UnknownAddress)),
                ("{reason=\"malformed\"}", count(Count::Malformed)),
                ("{reason=\"unknown_community\"}", count(Count::UnknownCommunity)),
                ("{reason=\"refused_v3\"}", count(Count::RefusedV3)),
                ("{reason=\"refused_login\"}", count(Count::RefusedLogins)),
                ("{reason=\"receive_buffer\"}", self.receive_drops as f64),
                ("{reason=\"send_error\"}", self.send_errors as f64),
            ],
        );
        family(
            text,
            ("trunkline_sim_faults_total", "counter"),
            "Requests that a fault changed, by kind.",
            &[
                ("{fault=\"silent\"}", count(Count::Silent)),
                ("{fault=\"slow\"}", count(Count::Slow)),
                ("{fault=\"slow_dropped\"}", count(Count::SlowDropped)),
                ("{fault=\"lossy\"}", count(Count::Lossy)),
                ("{fault=\"wrong\"}", count(Count::Wrong)),
                ("{fault=\"rebooting\"}", count(Count::Rebooting)),
            ],
        );
        family(
            text,
            ("trunkline_sim_engines_total", "counter"),
            "Engines of SNMPv3 that were made.",
            &[("", count(Count::Engines))],
        );
    }

    fn of_connections(&self, text: &mut String) {
        let labels = Port::ALL.map(|port| format!("{{protocol=\"{}\"}}", port.name()));
        let by_protocol = |which: usize| -> Vec<(&str, f64)> {
            let counts = Port::ALL.map(|port| self.count(Count::of_port(port)[which]));
            labels.iter().map(String::as_str).zip(counts).collect()
        };
        family(
            text,
            ("trunkline_sim_connections_total", "counter"),
            "TCP connections to agents, by protocol.",
            &by_protocol(0),
        );
        family(
            text,
            ("trunkline_sim_calls_total", "counter"),
            "Requests in them, by protocol.",
            &by_protocol(1),
        );
    }
}

/// Writes a family of samples: its name and kind, and each sample by its labels.
fn family(text: &mut String, (name, kind): (&str, &str), help: &str, samples: &[(&str, f64)]) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    for (labels, value) in samples {
        let _ = writeln!(text, "{name}{labels} {value}");
    }
}

/// A server of these figures.
pub struct Metrics {
    server: HttpServer,
}

impl Metrics {
    /// Opens its socket.
    ///
    /// # Errors
    /// The address is taken or not allowed.
    pub fn bind(address: SocketAddr) -> Result<Self, SimError> {
        Ok(Self { server: HttpServer::bind(address)? })
    }

    /// Where it listens.
    #[must_use]
    pub const fn local_addr(&self) -> SocketAddr {
        self.server.local_addr()
    }

    /// Answers until it is dropped.
    ///
    /// # Errors
    /// The runtime cannot use the socket.
    pub async fn serve(self, running: Arc<Running>) -> Result<(), SimError> {
        Ok(self.server.serve(Arc::new(Page { running }), HttpLimits::default(), None).await?)
    }
}

struct Page {
    running: Arc<Running>,
}

impl HttpHandler for Page {
    async fn handle(&self, request: HttpRequest) -> HttpResponse {
        match (&request.method, &*request.path) {
            (&Method::GET | &Method::HEAD, "/metrics") => {
                let text = Reading::of(&self.running).text();
                HttpResponse::new(StatusCode::OK, "text/plain; version=0.0.4", text.into_bytes())
            }
            (_, "/metrics") => HttpResponse::text(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD"),
            _ => HttpResponse::text(StatusCode::NOT_FOUND, "the metrics are at /metrics"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_count_is_in_the_text() {
        let counts = Counts::default();
        for (at, count) in Count::ALL.into_iter().enumerate() {
            (0..=at + 40).for_each(|_| counts.add(count));
        }
        let reading = Reading { agents: 7, counts, receive_drops: 99, send_errors: 98, cpu_seconds: 1.5 };
        let text = reading.text();
        for (at, count) in Count::ALL.into_iter().enumerate() {
            assert!(text.contains(&format!(" {}\n", at + 41)), "{count:?}: {text}");
        }
        assert!(
            text.contains("trunkline_sim_agents 7\n") && text.contains("process_cpu_seconds_total 1.5\n")
        );
        assert!(text.contains("{reason=\"receive_buffer\"} 99\n"));
        let families = text.lines().filter(|line| line.starts_with("# TYPE")).count();
        assert_eq!(families, text.lines().filter(|line| line.starts_with("# HELP")).count());
        assert!(text.lines().all(|line| line.starts_with('#')
            || line.rsplit_once(' ').is_some_and(|it| it.1.parse::<f64>().is_ok())));
    }
}
