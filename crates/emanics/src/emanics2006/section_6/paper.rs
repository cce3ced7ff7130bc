//! EMANICS deliverable D7.1, section 6 ("JMX performance evaluation"): its figures, as printed. Its drawings 6.1 to 6.7 are lost; their
//! captions and the text have the numbers below.
//!
//! **Errata.**
//! - The section's second heading has the number 4.3; the text calls it "section 6.3".
//! - "Table 2" means table 6.2, "figure 7" figure 6.7.
//! - Of the two unnamed lists of parameters of table 6.2, the first is the shape, the second the scale: the other way round no prediction
//!   follows from them.
//! - Table 6.2 predicts 0.04, 0.95 and 0.98 for groups of 350, 560 and 630; its parameters give 0.046, 0.944 and 0.971. All others agree, rounded.
//! - Mean and deviation "increase" with the group, but the mean of 490 agents is below that of 420.
//! - The shape "decreases", but rises from 280 to 350 and from 420 to 490.
//! - A group delay is defined as the maximum of a parallel round, or the sum of a serial one; what is fitted are means of agents.

use trunkline_distributions::Weibull;

/// Sizes of groups, agents.
pub const GROUPS: [u32; 10] = [70, 140, 210, 280, 350, 420, 490, 560, 630, 700];
/// Table 6.1: delays of one agent of a group, ms: the mean.
pub const MEAN: [f64; 10] = [1.02, 4.45, 68.47, 105.08, 392.73, 675.24, 561.55, 1787.82, 1916.86, 2394.55];
/// Table 6.1: the standard deviation, ms.
pub const STD: [f64; 10] =
    [0.20, 46.34, 432.37, 983.41, 2250.64, 3689.65, 4254.14, 8179.39, 8764.2, 12_073.7];
/// Table 6.1: the maximum, ms.
pub const MAX: [f64; 10] =
    [4.0, 973.0, 3614.0, 9960.0, 20_269.0, 33_365.0, 39_816.0, 50_395.0, 60_646.0, 78_994.0];
/// Table 6.1: the median of every group, ms; so is the minimum.
pub const MEDIAN: f64 = 1.0;
/// Table 6.1: the interquartile range of every group, ms.
pub const IQR: f64 = 0.0;
/// Table 6.2: the share of agents whose mean delay was above the tolerable one.
pub const ERROR_MEASURED: [f64; 10] = [0.0, 0.0, 0.0, 0.0, 0.05, 0.51, 0.91, 0.99, 0.99, 0.99];
/// Table 6.2: the same as predicted.
pub const ERROR_PREDICTED: [f64; 10] = [0.0, 0.0, 0.0, 0.0, 0.04, 0.62, 0.86, 0.95, 0.98, 0.98];
/// Table 6.2: the fitted distributions, scale in ms. That of 140 is also in figure 6.6.
pub const FITTED: [Weibull; 10] = [
    fitted(17.11, 1.07),
    fitted(5.52, 5.02),
    fitted(4.54, 59.16),
    fitted(1.81, 77.54),
    fitted(2.28, 610.36),
    fitted(1.93, 1468.88),
    fitted(2.06, 2519.79),
    fitted(1.79, 4902.03),
    fitted(1.75, 7437.27),
    fitted(1.63, 12_349.0),
];
/// The tolerable delay, which is the period, ms.
pub const TOLERABLE_MS: f64 = 1000.0;
/// Figure 6.7: the distribution of the delays of one object, scale in ms.
pub const SNMP_AGENTS: Weibull = fitted(0.62, 3.46);
/// The data of figure 6.7, and of the other columns beside it: Pras et al. (2005), table II, the SNMP agents that answered, ms.
pub const DELAYS: [(u32, &[f64]); 3] = [
    (
        1,
        &[
            0.4, 0.4, 0.5, 0.5, 0.5, 0.7, 0.8, 0.9, 0.9, 1.1, 1.2, 1.3, 1.5, 1.6, 1.7, 2.7, 2.7, 3.5, 3.7,
            4.1, 11.1, 11.3, 87.7,
        ],
    ),
    (
        22,
        &[
            1.6, 1.9, 1.6, 1.7, 1.8, 2.2, 1.8, 1.6, 6.6, 1.8, 2.9, 2.7, 14.0, 5.0, 4.2, 44.5, 47.0, 17.2,
            24.3, 76.7, 83.7, 238.7, 1822.2,
        ],
    ),
    (
        66,
        &[
            3.9, 5.0, 4.2, 4.4, 4.8, 5.7, 2.9, 3.9, 18.5, 3.4, 6.7, 5.4, 40.1, 15.1, 9.6, 127.6, 140.4, 77.9,
            100.8, 243.0, 727.6,
        ],
    ),
];

const fn fitted(shape: f64, scale: f64) -> Weibull {
    Weibull { scale, shape }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_distributions::Continuous;

    #[test]
    fn the_errata_are_in_the_figures() {
        let predicted = |at: usize| FITTED[at].beyond(TOLERABLE_MS);
        let off: Vec<u32> = (0..10)
            .filter(|&at| (predicted(at) - ERROR_PREDICTED[at]).abs() > 0.0051)
            .map(|at| GROUPS[at])
            .collect();
        assert_eq!(off, [350, 560, 630]);
        assert!((0..10).all(|at| (predicted(at) - ERROR_PREDICTED[at]).abs() < 0.011));
        let falls = |row: &[f64; 10]| {
            (1..10).filter(|&at| row[at] < row[at - 1]).map(|at| GROUPS[at]).collect::<Vec<_>>()
        };
        assert_eq!(falls(&MEAN), [490]);
        assert!(falls(&STD).is_empty() && falls(&MAX).is_empty());
        let rises: Vec<u32> =
            (1..10).filter(|&at| FITTED[at].shape > FITTED[at - 1].shape).map(|at| GROUPS[at]).collect();
        assert_eq!(rises, [350, 490]);
        // With scale and shape the other way round.
        let exchanged = Weibull { scale: FITTED[4].shape, shape: FITTED[4].scale };
        assert!((exchanged.beyond(TOLERABLE_MS) - ERROR_PREDICTED[4]).abs() > 0.03);
    }

    #[test]
    fn the_group_of_figure_6_6_is_that_of_140_and_all_columns_have_their_agents() {
        assert_eq!((FITTED[1].scale, FITTED[1].shape), (5.02, 5.52));
        assert_eq!(DELAYS.map(|(objects, delays)| (objects, delays.len())), [(1, 23), (22, 23), (66, 21)]);
        assert!((MEDIAN, IQR) == (1.0, 0.0) && ERROR_MEASURED.windows(2).all(|pair| pair[0] <= pair[1]));
    }
}
