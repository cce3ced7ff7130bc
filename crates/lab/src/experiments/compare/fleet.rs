//! The link and the devices of a comparison, from the options, as the analysis needs them.

use serde::{Deserialize, Serialize};
use trunkline_smi::module::if_mib::IF_TABLE;

use trunkline_labkit::fetch::Fetch;
use trunkline_labkit::place::link::Rate;
use trunkline_labkit::protocol::Level;

use super::Options;

/// The link and the devices of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fleet {
    /// The link as given.
    pub link: String,
    /// Its rate in one direction, bits per second; `None` for unlimited.
    pub rate: Option<f64>,
    /// Its round-trip time, seconds.
    #[serde(default)]
    pub round_trip: f64,
    /// The share of packets that it loses.
    #[serde(default)]
    pub loss: f64,
    /// How many devices.
    pub devices: u32,
    /// Objects that a round asks each device for.
    pub objects: u32,
    /// The same in words.
    #[serde(default)]
    pub what: String,
    /// Seconds between rounds.
    pub every: f64,
    /// The least security of messages.
    #[serde(default)]
    pub security: Level,
    /// How much of the link polling may use.
    #[serde(default = "half")]
    pub max_share: f64,
    /// Seconds before the manager sends a request again.
    #[serde(default = "one")]
    pub timeout: f64,
    /// How many times it sends a request again.
    #[serde(default = "five")]
    pub retries: u32,
}

impl Fleet {
    /// From the options.
    pub(super) fn of(options: &Options) -> Fleet {
        let rate = match options.link.rate {
            Rate::Unlimited => None,
            Rate::Bits(rate) => Some(rate.get() as f64),
        };
        let fetch = options.fetch();
        let Options { link, devices, every, security, max_share, timeout, retries, .. } = options;
        Fleet {
            link: link.to_string(),
            rate,
            round_trip: link.round_trip().as_secs_f64(),
            loss: link.loss.as_f64(),
            devices: *devices,
            objects: fetch.objects(),
            what: in_words(&fetch),
            every: *every,
            security: *security,
            max_share: *max_share,
            timeout: *timeout,
            retries: *retries,
        }
    }
}

impl Fleet {
    /// How long the manager waits for an answer before it gives up, seconds.
    pub(super) fn patience(&self) -> f64 {
        self.timeout * f64::from(self.retries + 1)
    }

    /// Whether such a link and such devices can be: the samples of a run may have been edited.
    pub(super) fn is_possible(&self) -> bool {
        let positive = |it: f64| it.is_finite() && it > 0.0;
        self.rate.is_none_or(positive)
            && positive(self.every)
            && positive(self.timeout)
            && positive(self.max_share)
            && self.max_share <= 1.0
            && (0.0..1.0).contains(&self.loss)
            && (self.round_trip == 0.0 || positive(self.round_trip))
            && self.devices > 0
    }
}

fn in_words(fetch: &Fetch) -> String {
    match fetch {
        Fetch::First(objects) => format!("the first {objects} ifTable objects"),
        Fetch::Columns { columns, rows } => {
            let name = |column: &u32| IF_TABLE.column(*column).map_or("?", |column| column.name);
            let names: Vec<&str> = columns.iter().map(name).collect();
            format!("{} of {rows} rows", names.join(", "))
        }
    }
}

/// The number of a column of ifTable, from its name or number.
pub(super) fn columns(text: &str) -> Result<u32, String> {
    let found = match text.parse() {
        Ok(number) => IF_TABLE.column(number),
        Err(_) => IF_TABLE.columns.iter().find(|column| column.name.eq_ignore_ascii_case(text)),
    };
    let names = || IF_TABLE.columns.iter().map(|column| column.name).collect::<Vec<_>>().join(", ");
    found
        .map(|column| column.id)
        .ok_or_else(|| format!("expected a column of ifTable ({}), found {text}", names()))
}

/// `30s`, `5m`, `1h` or `500ms`.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let wrong = || format!("expected a time such as 30s, 5m or 1h, found {text}");
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let seconds = number * factor;
    if (0.001..=31_536_000.0).contains(&seconds) {
        return Ok(seconds);
    }
    Err(format!("expected a time from 1ms to 8760h, found {text}"))
}

/// `50%` or `50`, as a share of 1.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let percent: Option<f64> = text.strip_suffix('%').unwrap_or(text).trim().parse().ok();
    percent
        .filter(|it| (0.1..=100.0).contains(it))
        .map(|it| it / 100.0)
        .ok_or_else(|| format!("expected a share of 0.1% to 100%, such as 50%, found {text}"))
}

/// What runs before the option had.
fn half() -> f64 {
    0.5
}

fn one() -> f64 {
    1.0
}

fn five() -> u32 {
    5
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// 500 devices behind 64 kbit/s and 600 ms, 66 objects each minute.
    pub(in super::super) fn fleet(security: Level, devices: u32) -> Fleet {
        Fleet {
            link: "64k,600ms,1%".into(),
            rate: Some(64_000.0),
            round_trip: 0.6,
            loss: 0.01,
            devices,
            objects: 66,
            what: "the first 66 ifTable objects".into(),
            every: 60.0,
            security,
            max_share: 0.5,
            timeout: 1.0,
            retries: 5,
        }
    }

    #[test]
    fn what_no_link_is_is_not_analysed() {
        let fleet = fleet(Level::NoAuthNoPriv, 500);
        assert!(fleet.is_possible());
        for broken in [
            Fleet { rate: Some(0.0), ..fleet.clone() },
            Fleet { every: -1.0, ..fleet.clone() },
            Fleet { loss: 1.0, ..fleet.clone() },
            Fleet { max_share: 2.0, ..fleet.clone() },
            Fleet { devices: 0, ..fleet },
        ] {
            assert!(!broken.is_possible(), "{broken:?}");
        }
    }

    #[test]
    fn shares_and_levels() {
        assert_eq!((share("50%"), share("7.5"), share("100 %")), (Ok(0.5), Ok(0.075), Ok(1.0)));
        for text in ["", "half", "0%", "101%", "-5%", "NaN"] {
            assert!(share(text).is_err(), "{text}");
        }
        assert_eq!("authpriv".parse(), Ok(Level::AuthPriv));
        let error = "secure".parse::<Level>().unwrap_err();
        assert_eq!(error, "expected noAuthNoPriv, authNoPriv or authPriv, found secure");
    }

    #[test]
    fn intervals() {
        assert_eq!((seconds("5m"), seconds("500ms"), seconds("7s")), (Ok(300.0), Ok(0.5), Ok(7.0)));
        for text in ["soon", "5", "0s", "1d", ""] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn columns_have_names_and_numbers() {
        assert_eq!((columns("ifInOctets"), columns("ifoperstatus"), columns("16")), (Ok(10), Ok(8), Ok(16)));
        for text in ["", "sysDescr", "23", "0"] {
            let error = columns(text).unwrap_err();
            assert!(error.contains("ifInOctets") && error.ends_with(text), "{error}");
        }
        let fetch = Fetch::Columns { columns: vec![10, 16], rows: 4 };
        assert_eq!((in_words(&fetch).as_str(), fetch.objects()), ("ifInOctets, ifOutOctets of 4 rows", 8));
    }
}
