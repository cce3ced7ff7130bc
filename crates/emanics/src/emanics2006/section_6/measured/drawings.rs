//! The drawings of what was measured.

use trunkline_distributions::{Continuous, Edf, Sample, Weibull, plot};
use trunkline_labkit::group::GroupRecord;
use trunkline_labkit::report::figure::{Axis, Band, Figure, Line, Panel, Point, Scale, Stroke, Style};
use trunkline_labkit::report::palette::{self, Colour};

use super::limits::a_second;
use super::one_agent::collections_of;
use super::{agents, ms};
use crate::emanics2006::section_6::line::{Collector, LINES, Line as Asked, OF_ONE};

/// The style of a series.
fn style(series: &str) -> Style {
    let mut lines = LINES.iter().chain(&OF_ONE);
    palette::series(match lines.find(|line| line.to_string() == series) {
        Some(Asked::Ours(protocol)) => return palette::protocol(*protocol),
        Some(Asked::Jvm(Collector::Usual)) => 1,
        Some(Asked::Jvm(Collector::Serial)) => 5,
        Some(Asked::Jvm(Collector::Z)) => 4,
        Some(Asked::Jmx) => 3,
        None => 0,
    })
}

fn axis(title: &str, scale: Scale) -> Axis {
    Axis { title: title.into(), scale }
}

/// Without what a logarithm has no place for.
fn positive(points: impl Iterator<Item = Point>) -> Vec<Point> {
    points.filter(|it| it.x > 0.0 && it.y > 0.0).collect()
}

/// Few of many.
fn few(points: Vec<Point>) -> Vec<Point> {
    let count = points.len();
    let every = count.div_ceil(MOST_POINTS).max(1);
    points
        .into_iter()
        .enumerate()
        .filter(|(at, _)| at.is_multiple_of(every) || at + 1 == count)
        .map(|it| it.1)
        .collect()
}

/// One agent's delays, the first request at time 0.
fn time_line(name: &str, style: Style, one: &[[u64; 3]]) -> Option<Line> {
    let first = one.first()?[0];
    let point = |[due, waited, took]: &[u64; 3]| {
        Point::at(due.saturating_sub(first) as f64 / 1e9, ms(*waited) + ms(*took))
    };
    let points: Vec<Point> = one.iter().map(point).filter(|it| it.y > 0.0).collect();
    Some(Line::new(name, style, highest(&points)))
}

/// Few of many, the highest of each few that are beside each other: spikes stay.
fn highest(points: &[Point]) -> Vec<Point> {
    let of = |some: &[Point]| some.iter().copied().max_by(|one, other| one.y.total_cmp(&other.y));
    points.chunks(points.len().div_ceil(MOST_POINTS).max(1)).filter_map(of).collect()
}

/// Figure 6.1.
pub(super) fn by_time(groups: &[&GroupRecord]) -> Option<(Figure, String)> {
    let line = |group: &&&GroupRecord| time_line(&group.series, style(&group.series), &group.one);
    let of_jvm = |group: &&&GroupRecord| group.collections.is_some();
    let others: Vec<Line> = groups.iter().filter(|it| !of_jvm(it)).filter_map(|it| line(&it)).collect();
    let alone = |group: &&GroupRecord| {
        let (title, lines) = (group.series.clone(), vec![line(&group)?]);
        Some(Panel { title, bands: bands(group), lines, ..Panel::default() })
    };
    let all = Panel { lines: others, ..Panel::default() };
    let panels = groups.iter().filter(of_jvm).filter_map(alone);
    let panels: Vec<Panel> = [all].into_iter().filter(|all| !all.lines.is_empty()).chain(panels).collect();
    if panels.is_empty() {
        return None;
    }
    let figure = Figure {
        title: "delays of one agent by time".into(),
        x: axis("time (s)", Scale::Linear),
        y: axis("delay (ms)", Scale::Log),
        panels,
    };
    let caption = "Each request by when it was due; the delay from then, on a logarithmic axis. Bands are garbage collections by the JVM's own log. Figure 6.1 shows spikes each minute.";
    Some((figure, caption.into()))
}

/// The garbage collections during a group's requests, from the least delay to the greatest.
fn bands(group: &GroupRecord) -> Vec<Band> {
    let Some(first) = group.one.first().map(|one| one[0]) else { return vec![] };
    let all = super::delays(&group.one);
    let positive = || all.iter().copied().filter(|it| *it > 0.0);
    let (Some(low), Some(high)) = (positive().reduce(f64::min), positive().reduce(f64::max)) else {
        return vec![];
    };
    let band = |[from, to, _]: [u64; 3]| {
        let at = |ns: u64| (ns.saturating_sub(first) as f64 / 1e9, low, high);
        Band { name: "a collection".into(), colour: Colour::Paper, points: vec![at(from), at(to)] }
    };
    collections_of(group).unwrap_or_default().into_iter().map(band).collect()
}

/// Figure 6.2.
pub(super) fn some_agents(name: &str, groups: [&GroupRecord; 2]) -> (Figure, String) {
    let panel = |group: &GroupRecord| {
        let all = [&group.one].into_iter().chain(&group.others).enumerate();
        let line = |(at, one): (usize, &Vec<[u64; 3]>)| {
            time_line(&format!("agent {}", at + 1), palette::series(at), one)
        };
        Panel { title: agents(group.agents), lines: all.filter_map(line).collect(), ..Panel::default() }
    };
    let figure = Figure {
        title: format!("delays of some agents by time: {name}"),
        x: axis("time (s)", Scale::Linear),
        y: axis("delay (ms)", Scale::Log),
        panels: groups.map(panel).into(),
    };
    (figure, format!("{name}: four agents of the smallest and of the largest group."))
}

/// Figure 6.5.
pub(super) fn means(name: &str, groups: &[&GroupRecord]) -> Option<(Figure, String)> {
    let line = |(at, group): (usize, &&GroupRecord)| {
        let edf = Edf::of(&super::sample(&group.means)?);
        let points = few(positive(edf.steps().map(|(x, share)| Point::at(x, share))));
        Some(Line::new(agents(group.agents), palette::series(at), points))
    };
    let lines: Vec<Line> = groups.iter().enumerate().filter_map(line).collect();
    if lines.is_empty() {
        return None;
    }
    let figure = Figure {
        title: format!("distribution functions of the mean delays of agents: {name}"),
        x: axis("mean delay (ms)", Scale::Log),
        y: axis("share of agents", Scale::Linear),
        panels: vec![Panel { lines, ..Panel::default() }],
    };
    Some((
        figure,
        format!("{name}: the share of agents whose mean delay is at most that, by the size of the group."),
    ))
}

/// Figure 6.3: both axes are logarithmic.
pub(super) fn distributions(edfs: &[(&str, Edf)]) -> Option<(Figure, String)> {
    let panel = |title: &str, share: &dyn Fn(f64) -> f64| {
        let line = |(name, edf): &(&str, Edf)| {
            let points = edf.steps().map(|(x, y)| Point::at(x, share(y)));
            Line::new(*name, style(name), few(positive(points)))
        };
        Panel { title: title.into(), lines: edfs.iter().map(line).collect(), ..Panel::default() }
    };
    let figure = Figure {
        title: "empirical distribution functions of single delays in the largest group".into(),
        x: axis("delay (ms)", Scale::Log),
        y: axis("share of requests", Scale::Log),
        panels: vec![
            panel("F: at most so late", &|share| share),
            panel("1 - F: later", &|share| 1.0 - share),
        ],
    };
    let caption = "The share of requests whose answer came within a delay, and of those whose did not; both axes are logarithmic.";
    (!edfs.is_empty()).then(|| (figure, caption.into()))
}

/// Weibull plots with the lines of their fits.
pub(super) fn weibull(title: &str, fitted: &[(String, Sample, Weibull)]) -> Option<(Figure, String)> {
    let panel = |(name, sample, weibull): &(String, Sample, Weibull)| {
        let points = plot::thinned(sample, MOST_POINTS).into_iter().map(|(x, y)| Point::at(x.exp(), y.exp()));
        let observed: Vec<f64> = sample.observed().iter().copied().filter(|x| *x > 0.0).collect();
        let ends = [observed.first(), observed.last()].into_iter().flatten();
        let line = ends.map(|&x| Point::at(x, -weibull.ln_beyond(x)));
        let lines = vec![
            Line::new("delays", palette::series(0).points(), points),
            Line::new("Weibull, maximum likelihood", palette::series(1).with(Stroke::Solid), positive(line)),
        ];
        Panel { title: name.clone(), lines, ..Panel::default() }
    };
    let figure = Figure {
        title: title.into(),
        x: axis("delay (ms)", Scale::Log),
        y: axis("-ln(1 - p)", Scale::Log),
        panels: fitted.iter().map(panel).collect(),
    };
    let caption = "Delays of a Weibull distribution lie along the line, whose slope is the shape; p of the i-th of n is (i - 0.5) / n.";
    (!fitted.is_empty()).then(|| (figure, caption.into()))
}

/// Lines of a figure for each group of a series.
fn by_series(groups: &[&GroupRecord], figure: impl Fn(&GroupRecord) -> Option<(f64, f64)>) -> Vec<Line> {
    let mut names: Vec<&str> = Vec::new();
    for group in groups {
        if !names.contains(&group.series.as_str()) {
            names.push(&group.series);
        }
    }
    let line = |name: &&str| {
        let points = groups.iter().filter(|it| it.series == *name).filter_map(|it| figure(it));
        let mut points = positive(points.map(|(x, y)| Point::at(x, y)));
        points.sort_by(|one, other| one.x.total_cmp(&other.x));
        Line::new(*name, style(name), points)
    };
    names.iter().map(line).filter(|line| !line.points.is_empty()).collect()
}

/// Group delays by the size of the group.
pub(super) fn group_delays(groups: &[&GroupRecord]) -> Option<(Figure, String)> {
    let panel = |title: &str, bound: Option<u32>| {
        let some: Vec<&GroupRecord> = groups.iter().copied().filter(|it| it.bound == bound).collect();
        let mean = |group: &GroupRecord| {
            let rounds = &group.rounds[0];
            let sum: f64 = rounds.iter().map(|&ns| ms(ns)).sum();
            (!rounds.is_empty()).then(|| (f64::from(group.agents), sum / rounds.len() as f64))
        };
        // Of one size there are points alone; the table has them.
        let lines = by_series(&some, mean).into_iter().filter(|line| line.points.len() > 1);
        Panel { title: title.into(), lines: lines.collect(), ..Panel::default() }
    };
    let panels: Vec<Panel> =
        [panel("parallel", None), panel("at most 10 outstanding", Some(10)), panel("serial", Some(1))]
            .into_iter()
            .filter(|panel| !panel.lines.is_empty())
            .collect();
    if panels.is_empty() {
        return None;
    }
    let figure = Figure {
        title: "group delays by the size of the group".into(),
        x: axis("agents", Scale::Log),
        y: axis("mean group delay (ms)", Scale::Log),
        panels,
    };
    Some((figure, "The mean over the rounds, where there is more than one size.".into()))
}

/// The distribution of notifications' delays.
pub(super) fn one_way(groups: &[&GroupRecord]) -> Option<(Figure, String)> {
    let line = |(at, group): (usize, &&GroupRecord)| {
        let edf = Edf::of(&super::sample(&group.some)?);
        let points = few(positive(edf.steps().map(|(x, share)| Point::at(x, share))));
        Some(Line::new(agents(group.agents), palette::series(at), points))
    };
    let lines: Vec<Line> = groups.iter().enumerate().filter_map(line).collect();
    let figure = Figure {
        title: "distribution functions of the delays of notifications".into(),
        x: axis("delay (ms)", Scale::Log),
        y: axis("share of notifications", Scale::Linear),
        panels: vec![Panel { lines, ..Panel::default() }],
    };
    let caption = "The share of notifications that have arrived within a delay, from when they were due.";
    (!figure.panels[0].lines.is_empty()).then(|| (figure, caption.into()))
}

/// The 99th percentile of delays by requests a second.
pub(super) fn saturation(groups: &[&GroupRecord]) -> Option<(Figure, String)> {
    let late = |group: &GroupRecord| Some((a_second(group), ms(group.quantiles[1])));
    let lines = by_series(groups, late);
    if lines.is_empty() {
        return None;
    }
    let figure = Figure {
        title: "the 99th percentile of the delay by requests a second".into(),
        x: axis("requests a second", Scale::Log),
        y: axis("delay (ms)", Scale::Log),
        panels: vec![Panel { lines, ..Panel::default() }],
    };
    let caption =
        "Of the answered requests, from when they were due. Points of one rate may be of different groups.";
    Some((figure, caption.into()))
}

/// Points of a line.
const MOST_POINTS: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_points_have_the_spikes_of_many() {
        let many: Vec<Point> =
            (0..100_000).map(|at| Point::at(f64::from(at), if at == 77_777 { 50.0 } else { 1.0 })).collect();
        let some = highest(&many);
        assert!(some.len() <= MOST_POINTS && some.iter().any(|it| it.x == 77_777.0 && it.y == 50.0));
        assert_eq!((highest(&many[..7]).len(), highest(&[]).len()), (7, 0));
    }
}
