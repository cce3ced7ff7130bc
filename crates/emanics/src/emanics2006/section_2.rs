//! Section 2 of the deliverable: one network operations centre (NOC) for a whole network, and what it saves to have managers in the middle or to delegate. The
//! deliverable has words and a population; the experiment is ours.
//!
//! ```text
//! settings -> population, schedule: what each way asks -> measure: the ways in turn -> scene: the place, its agents and the noc
//! samples  -> arrivals: age, reaction -> sheets, claims
//! ```

mod arrivals;
mod claims;
mod measure;
mod noc;
mod place;
mod population;
mod rows;
mod scene;
mod schedule;
mod settings;
mod sheets;

pub(super) use claims::{claims, today};
pub(super) use measure::measure;
pub(super) use settings::{LEAST_SAMPLING, PERIOD};
pub(super) use sheets::sheets;

/// How many nodes each of the three networks has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Nodes(pub [u32; 3]);

impl std::str::FromStr for Nodes {
    type Err = String;

    fn from_str(text: &str) -> Result<Nodes, String> {
        let numbers: Vec<&str> = text.split(',').collect();
        let number = |text: &str| text.trim().parse().ok().filter(|it| (1..=MOST_NODES).contains(it));
        let numbers: Option<Vec<u32>> = numbers.into_iter().map(number).collect();
        let numbers = numbers.and_then(|it| <[u32; 3]>::try_from(it).ok());
        numbers
            .map(Nodes)
            .ok_or_else(|| format!("three numbers from 1 to {MOST_NODES} are expected, as in 40,68,27"))
    }
}

/// The table.
pub(super) const TABLE: &str = "emanics2006/section-2";
/// Each device is a process of some MB.
const MOST_NODES: u32 = 300;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_three_numbers() {
        assert_eq!("4,6, 3".parse(), Ok(Nodes([4, 6, 3])));
        for text in ["", "1,2", "1,2,3,4", "0,1,1", "1,1,301", "a,b,c"] {
            assert!(text.parse::<Nodes>().unwrap_err().contains("40,68,27"), "{text}");
        }
    }
}
