//! Experiments of the laboratory after the EMANICS deliverable D7.1 (2006), which joins papers of several groups: a folder each,
//! over [`trunkline_labkit`]. The program `trunkline-lab` has them in its list.
//!
//! | section of D7.1 | experiment |
//! | --- | --- |
//! | 2, central and distributed management; 3, NETCONF; 5, selection; 6, distributions of delays | [`emanics2006`] |
//! | 4, SNMP in sessions over SSH | [`marinov2006`] |
//! | NETCONF in the figures of section 4 and of Pras et al. | [`netconf`] |

pub mod emanics2006;
pub mod marinov2006;
pub mod netconf;
