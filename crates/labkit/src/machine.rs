//! The machine of a run, as the report describes it: a figure without its machine means little.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// The machine of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's model, from `/proc/cpuinfo`.
    pub cpu: String,
    /// Processors online.
    pub processors: u32,
    /// Memory, octets.
    pub memory: u64,
    /// System, release and architecture, as in `uname`.
    pub kernel: String,
    /// The distribution, from `/etc/os-release`.
    pub distribution: String,
    /// The load average over the last minute when the run began.
    pub load: f64,
}

impl Machine {
    /// The machine in a line.
    pub fn line(&self) -> String {
        let memory = format!("{:.1} GiB", self.memory as f64 / f64::from(1u32 << 30));
        let processors = format!("{} x {}", self.processors, self.cpu);
        let parts = [processors, memory, self.kernel.clone(), self.distribution.clone()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// This machine. What cannot be read is left empty or 0.
    pub fn here() -> Machine {
        let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let uname = rustix::system::uname();
        let kernel = [uname.sysname(), uname.release(), uname.machine()].map(|part| part.to_string_lossy());
        Machine {
            cpu: field(&text("/proc/cpuinfo"), "model name").unwrap_or_default(),
            processors: std::thread::available_parallelism().map_or(0, |count| count.get() as u32),
            memory: kilobytes(&text("/proc/meminfo"), "MemTotal").unwrap_or(0),
            kernel: kernel.join(" "),
            distribution: pretty_name(&text("/etc/os-release")).unwrap_or_default(),
            load: text("/proc/loadavg").split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0),
        }
    }
}

/// The value of the first line `NAME : VALUE`.
fn field(text: &str, name: &str) -> Option<String> {
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let mut values = lines.filter(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned());
    values.next()
}

/// The octets of the first line `NAME: VALUE kB`, as in the files of `/proc`.
pub fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let value = field(text, name)?;
    let number: u64 = value.strip_suffix("kB")?.trim().parse().ok()?;
    number.checked_mul(1024)
}

fn pretty_name(text: &str) -> Option<String> {
    let value = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim_matches('"').to_owned())
}

/// Now, UTC, in RFC 3339 format, to the second.
pub fn now_utc() -> String {
    rfc3339(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs())
}

/// Seconds since 1970 as RFC 3339 UTC. Years are counted from March, so that the leap day is the last of a year.
fn rfc3339(seconds: u64) -> String {
    let (mut days, second) = (seconds / 86_400 + 719_468, seconds % 86_400); // days since 0000-03-01
    let era = days / 146_097;
    days %= 146_097;
    let year = (days - days / 1_460 + days / 36_524 - days / 146_096) / 365;
    let day_of_year = days - (365 * year + year / 4 - year / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_known_to_date_1() {
        // `date -u -d @N +%FT%TZ`
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(seconds), text);
        }
    }

    #[test]
    fn fields_of_proc() {
        let text = "processor\t: 0\nmodel name\t: Some CPU: fast\nMemTotal:       24604 kB\n";
        assert_eq!(field(text, "model name").as_deref(), Some("Some CPU: fast"));
        assert_eq!(kilobytes(text, "MemTotal"), Some(24_604 * 1024));
        assert_eq!(kilobytes(text, "MemFree"), None);
        assert_eq!(pretty_name("ID=debian\nPRETTY_NAME=\"Debian 12\"\n").as_deref(), Some("Debian 12"));
    }

    #[test]
    fn this_machine_has_a_processor() {
        let machine = Machine::here();
        assert!(machine.processors >= 1 && machine.memory > 0 && machine.kernel.starts_with("Linux"));
    }
}
