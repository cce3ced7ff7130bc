//! Section 6 of the deliverable: delays of groups of agents. What is printed is fitted again, and predicted from its own
//! parameters; the rest is measured, with SNMP, SOAP and NETCONF beside the deliverable's JMX.
//!
//! ```text
//! measure, search (which groups) -> manager (asks them) -> raw (every delay on the disk, what tables need) -> measured (tables, figures)
//! ```
//!
//! | sheet | D7.1 | from |
//! | --- | --- | --- |
//! | `figure-6.7`, `families` | 6.4 | table II of Pras et al. (2005), the delays that section 6.4 fits |
//! | `table-6.2`, `larger-groups` | 6.2, 6.3 | the scales and shapes of table 6.2 |
//! | `monitoring-error`, all others | 6.1 to 6.3 | groups of agents, measured |

mod claims;
mod drawings;
mod jmx;
mod line;
mod manager;
mod measure;
mod measured;
mod notify;
pub mod paper;
mod raw;
mod search;
mod sheets;

pub(super) use claims::{claims, today};
pub(super) use line::MOST_SESSIONS;
pub(super) use measure::{bounded, groups, notifications, one_agent, saturation};
pub(super) use measured::{
    collections, figure_6_1, figure_6_2, figure_6_3, figure_6_4, figure_6_5, figure_6_6, group_delay,
    largest, notification, saturation as saturated, table_6_1,
};
pub(super) use sheets::{cross_validation, quality};

/// The tables that are computed from what is printed alone.
pub(super) const PRINTED: [&str; 1] = ["figure-6.7"];
/// The tables of groups in parallel rounds.
pub(super) const OF_GROUPS: &[&str] = GROUPS.split_at(8).0;
/// The tables of groups; those in parallel rounds come first.
pub(super) const GROUPS: [&str; 10] = [
    "table-6.1",
    "figure-6.2",
    "figure-6.3",
    "figure-6.4",
    "figure-6.5",
    "figure-6.6",
    "table-6.2",
    "group-delay",
    "notification",
    "saturation",
];
/// The seed of what is drawn for intervals and probabilities.
const SEED: u64 = 2006;
