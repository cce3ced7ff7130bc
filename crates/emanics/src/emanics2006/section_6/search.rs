//! Which group is asked next, on the way to the largest rate at which nothing is late: up a ladder until something is, and then
//! between the last two. A late answer among hundreds may be the machine's: then the same is asked once more.

use super::manager::Became;

/// A group, and how often each of its agents is asked in a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rung {
    /// Agents.
    pub agents: u32,
    /// Requests to each, in a period.
    pub times: u32,
    /// Whether it was asked before.
    pub again: bool,
}

/// What differs from rung to rung.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Varied {
    /// The agents, each of which is asked once in a period.
    Agents,
    /// How often each of so many agents is asked.
    Times(u32),
}

/// A search.
#[derive(Debug, Clone)]
pub(super) struct Search {
    varied: Varied,
    /// Agents or times, the fewest first.
    ladder: &'static [u32],
    first: usize,
    /// What was asked, and whether nothing was late.
    known: Vec<(u32, bool)>,
    /// What is to be asked once more.
    doubted: Option<u32>,
    /// How many groups may still be asked.
    left: u32,
}

impl Search {
    /// Of so many groups at most, from this rung of the ladder on; what is below is asked only if the first fails.
    pub(super) fn new(varied: Varied, ladder: &'static [u32], first: usize, most: u32) -> Search {
        Search { varied, ladder, first, known: vec![], doubted: None, left: most }
    }

    /// The most groups that it asks.
    pub(super) fn most(&self) -> u32 {
        self.left
    }

    /// The largest group that it may ask.
    pub(super) fn most_agents(&self) -> u32 {
        match self.varied {
            Varied::Agents => self.ladder.last().copied().unwrap_or(0),
            Varied::Times(agents) => agents,
        }
    }

    /// What to ask next.
    pub(super) fn next(&self) -> Option<Rung> {
        let (value, again) = match self.doubted {
            Some(value) => (value, true),
            None => (self.value()?, false),
        };
        (self.left > 0).then_some(match self.varied {
            Varied::Agents => Rung { agents: value, times: 1, again },
            Varied::Times(agents) => Rung { agents, times: value, again },
        })
    }

    /// What became of what [`Search::next`] has said.
    pub(super) fn tell(&mut self, rung: Rung, became: Became) {
        self.left = self.left.saturating_sub(1);
        let value = if self.varied == Varied::Agents { rung.agents } else { rung.times };
        self.doubted = None;
        if !became.is_good && !rung.again && became.late <= DOUBTFUL {
            self.doubted = Some(value);
        } else {
            self.known.push((value, became.is_good));
        }
    }

    fn value(&self) -> Option<u32> {
        let bad = self.known.iter().filter(|(_, is_good)| !is_good).map(|(value, _)| *value).min();
        let good =
            self.known.iter().filter(|(value, is_good)| *is_good && bad.is_none_or(|bad| *value < bad));
        let good = good.map(|(value, _)| *value).max();
        match (good, bad) {
            (None, None) => self.ladder.get(self.first).copied(),
            (Some(good), None) => self.ladder.iter().copied().find(|it| *it > good),
            (None, Some(bad)) => self.ladder.iter().rev().copied().find(|it| *it < bad),
            (Some(good), Some(bad)) => self.between(good, bad),
        }
    }

    /// The geometric mean, if the two are far enough from each other; of agents with two digits.
    fn between(&self, good: u32, bad: u32) -> Option<u32> {
        let middle = (f64::from(good) * f64::from(bad)).sqrt();
        let unit = if self.varied == Varied::Agents {
            10_f64.powf(middle.log10().floor() - 1.0).max(1.0)
        } else {
            1.0
        };
        let middle = ((middle / unit).round() * unit) as u32;
        (f64::from(bad) > NEAR * f64::from(good) && good < middle && middle < bad).then_some(middle)
    }
}

/// So much more than what is good, and something is late: near enough.
const NEAR: f64 = 1.2;
/// The largest share of late answers that may be the machine's.
const DOUBTFUL: f64 = 0.01;

#[cfg(test)]
mod tests {
    use super::*;

    const LADDER: &[u32] = &[700, 7_000, 70_000, 100_000, 200_000, 400_000];

    /// What is asked of agents that carry so many, with a late answer that is nobody's fault at some of them.
    fn asked(mut search: Search, carries: u32, hiccups: &[u32]) -> Vec<u32> {
        let mut asked = Vec::new();
        while let Some(rung) = search.next() {
            let value = rung.agents * rung.times;
            let is_hiccup = hiccups.contains(&value) && !rung.again;
            let late = if value > carries { 0.5 } else { 0.0001 };
            search.tell(rung, Became { is_good: value <= carries && !is_hiccup, late });
            asked.push(value);
        }
        asked
    }

    #[test]
    fn it_goes_up_and_then_between() {
        let search = |first, most| Search::new(Varied::Agents, LADDER, first, most);
        let up = [7_000, 70_000, 100_000, 200_000, 140_000];
        assert_eq!(asked(search(1, 5), 150_000, &[]), up);
        assert_eq!(asked(search(1, 9), 150_000, &[]), [&up[..], &[170_000, 150_000]].concat());
        // Everything is carried; nothing is.
        assert_eq!(asked(search(4, 9), u32::MAX, &[]), [200_000, 400_000]);
        assert_eq!(asked(search(1, 9), 0, &[]), [7_000, 700]);
        assert_eq!(search(0, 3).most_agents(), 400_000);
    }

    #[test]
    fn a_doubtful_one_is_asked_once_more() {
        let search = Search::new(Varied::Agents, LADDER, 1, 9);
        let found = asked(search.clone(), 100_000, &[7_000]);
        assert_eq!(found, [7_000, 7_000, 70_000, 100_000, 200_000, 140_000, 120_000]);
        // A rate at which few are late, both times.
        let mut search = search;
        let rung = search.next().unwrap();
        let few = Became { is_good: false, late: 0.002 };
        search.tell(rung, few);
        let again = search.next().unwrap();
        assert_eq!(again, Rung { again: true, ..rung });
        search.tell(again, few);
        assert_eq!((search.next().unwrap().agents, search.most()), (700, 7));
    }

    #[test]
    fn sessions_are_asked_more_often() {
        let search = Search::new(Varied::Times(700), &[1, 10, 30, 100], 1, 4);
        assert_eq!(search.most_agents(), 700);
        assert_eq!(asked(search.clone(), 15_000, &[]), [7_000, 21_000, 11_900, 16_100]);
        assert_eq!(asked(search.clone(), 800, &[]), [7_000, 700, 2_100, 1_400]);
        assert_eq!(asked(search, u32::MAX, &[]), [7_000, 21_000, 70_000]);
    }
}
