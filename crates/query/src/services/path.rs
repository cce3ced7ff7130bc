//! Path selection: where to start, the levels of what is selected, and the relations to follow.

use std::fmt;

use super::Name;

/// How many steps a pattern may have, including those inside fringes.
pub const MAX_STEPS: usize = 64;

/// `{start, minimum level, maximum level, pattern}` (D7.1, expressions (1) to (5)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathSelection {
    /// The service at the head of the sub-tree that is searched.
    pub start: Name,
    /// The least level of a selected service; `None`: any.
    pub min: Option<u32>,
    /// The greatest level of a selected service; `None`: any.
    pub max: Option<u32>,
    /// The relations that lead to a selected service.
    pub pattern: Pattern,
}

/// Relations to follow one after the other; empty: none, so that the whole sub-tree is selected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// In the order in which they are followed.
    pub steps: Vec<Step>,
}

/// One step of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// `r1`: on to the services to which this relation leads.
    Follow(Name),
    /// `(r1.r2)!`: to stay, where the pattern cannot be followed to its end: fringe services.
    Fringe(Pattern),
}

impl PathSelection {
    /// The whole sub-tree of a service.
    pub fn whole(start: &str) -> Self {
        PathSelection { start: Name::new(start), min: None, max: None, pattern: Pattern::default() }
    }
}

impl Pattern {
    /// All steps, including those inside fringes.
    pub fn count(&self) -> usize {
        let step = |step: &Step| match step {
            Step::Follow(_) => 1,
            Step::Fringe(pattern) => 1 + pattern.count(),
        };
        self.steps.iter().map(step).sum()
    }
}

impl fmt::Display for PathSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = |level: Option<u32>| level.map_or_else(|| " ".to_owned(), |level| format!(" {level}"));
        write!(f, "{{{},{},{},", self.start, level(self.min), level(self.max))?;
        if self.pattern.steps.is_empty() {
            return f.write_str(" }");
        }
        write!(f, " {}}}", self.pattern)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.steps.iter().enumerate() {
            if position > 0 {
                f.write_str(".")?;
            }
            match step {
                Step::Follow(relation) => write!(f, "{relation}")?,
                Step::Fringe(pattern) => write!(f, "({pattern})!")?,
            }
        }
        Ok(())
    }
}
