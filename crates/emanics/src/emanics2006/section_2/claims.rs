//! What section 2 says of central and distributed management, by the checklist's numbers, and what this run finds.

use trunkline_labkit::claims::{Claim, Now, Relation};
use trunkline_labkit::picked::{minus, over};
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::trial::Trials;

use super::measure::IDLE;
use super::schedule::Way;
use super::sheets::{beside, mean, parts, reaction};

/// All of them.
pub(in super::super) fn claims(trials: &Trials) -> Vec<Claim> {
    let sizes = parts(trials);
    let ends = sizes.first().zip(sizes.last()).filter(|(least, most)| least < most);
    let grows = |way: Way| {
        let (least, most) = ends?;
        let of = |nodes: u32| mean(trials, way.name(), nodes, Quantity::IpOctets);
        over(of(*most).as_ref(), of(*least).as_ref())
    };
    let from_to = ends.map_or_else(String::new, |(least, most)| format!(", from {least} to {most}"));
    let polled = |way: Way| {
        let text = format!("{}: the more devices{from_to}, the more octets has a round", way.name());
        Claim::new(text, "x", Relation::Above(1.0)).numbered("R2", "section-2").found(grows(way).as_ref())
    };
    let fewer = |one: Way, other: Way| {
        let text = format!("{} sends fewer octets to the NOC and from it than {}", one.name(), other.name());
        Claim::new(text, "x", Relation::Below(1.0))
            .numbered("R3", "section-2")
            .found(beside(trials, one, other, Quantity::IpOctets).as_ref())
    };
    let [delegated, idle] = [Way::Delegated.name(), IDLE].map(|it| mean(trials, it, 0, Quantity::AgentCpuNs));
    let share = minus(delegated.as_ref(), idle.as_ref());
    let period = mean(trials, Way::Delegated.name(), 0, Quantity::ElapsedNs).map(|it| it.value());
    let share = share.zip(period).map(|(it, period)| it.map(|used| used / period * 100.0));
    let costs = "what is delegated takes processor time of the devices: of all together, of one processor, beyond what they use while nobody asks";
    let faster = format!(
        "operations on aggregated data are faster than on all: {} has its answers in a shorter time than {}",
        Way::Managers.name(),
        Way::Tables.name()
    );
    vec![
        polled(Way::Gets),
        polled(Way::Tables),
        Claim::new(costs, "%", Relation::Above(0.0)).numbered("R3", "section-2").found(share.as_ref()),
        fewer(Way::Managers, Way::Tables),
        fewer(Way::Delegated, Way::Tables),
        Claim::new(faster, "x", Relation::Below(1.0))
            .numbered("R8", "section-2")
            .found(beside(trials, Way::Managers, Way::Tables, Quantity::DelayNs).as_ref()),
    ]
}

/// What this run says of it.
pub(in super::super) fn today(trials: &Trials) -> Option<String> {
    let known = |way: Way| Some(format!("{} s in {}", Now::from(&reaction(trials, way)?), way.name()));
    let known: Vec<String> = Way::ALL.into_iter().filter_map(known).collect();
    (!known.is_empty()).then(|| format!("the NOC knows of a crossing after {}", known.join(", ")))
}
