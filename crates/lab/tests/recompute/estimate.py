"""Figures with what they would have been in other runs: an expanded percentile bootstrap over repetitions, written from
the literature (Efron and Tibshirani 1993, section 13.3; Hesterberg 2015, section 5.2), not from the laboratory's code,
with another generator."""

import numpy as np
from scipy import stats

# Four times the laboratory's, so that our own noise is half of its.
DRAWS = 8000
# The laboratory's level, and its number of draws, whose noise the tolerance allows for.
LEVEL, THEIR_DRAWS = 0.95, 2000
# Below six repetitions a figure has no interval.
LEAST = 6
# How many standard deviations of their draws' noise an end may be off. Some thousand ends are checked in a run.
SIGMAS = 5.0
# An end that is this share of half the width from ours is right in any case.
SHARE = 0.1

_places = {}


def places(count):
    """The repetitions in each draw. Figures with as many repetitions see the same draws, as in a paired test."""
    if count not in _places:
        generator = np.random.default_rng(count)
        _places[count] = generator.integers(0, count, size=(DRAWS, count))
    return _places[count]


class Figure:
    """A value; its draws, if there are enough repetitions; whether it depends on samples at all; and on how many."""

    def __init__(self, value, draws=None, varies=False, count=None):
        self.value, self.draws, self.varies, self.count = float(value), draws, varies, count

    def tail(self):
        """The share of draws beyond each end: Student's tails, and the variance that a resampled run lacks."""
        edge = stats.t.ppf((1 + LEVEL) / 2, self.count - 1)
        return float(stats.norm.sf(edge * np.sqrt(self.count / (self.count - 1))))

    def interval(self):
        if self.draws is None or np.isnan(self.draws).any():
            return None
        tail = self.tail()
        # Some draws may be infinite, such as lines that do not cross, but not the ends.
        with np.errstate(invalid="ignore"):
            low, high = np.quantile(self.draws, [tail, 1 - tail])
        return (float(low), float(high)) if np.isfinite([low, high]).all() else None

    def map(self, function):
        return combine(function, self)

    def __add__(self, other):
        return combine(lambda a, b: a + b, self, other)

    def __sub__(self, other):
        return combine(lambda a, b: a - b, self, other)

    def __mul__(self, other):
        return combine(lambda a, b: a * b, self, other)

    def __truediv__(self, other):
        return combine(lambda a, b: a / b, self, other)


def combine(function, *parts):
    """A figure computed from others, draw by draw. `None` if one of them is missing."""
    if any(part is None for part in parts):
        return None
    parts = [part if isinstance(part, Figure) else Figure(part) for part in parts]
    with np.errstate(all="ignore"):
        value = function(*[np.float64(part.value) for part in parts])
        varies, count = any(part.varies for part in parts), least(parts)
        if not varies or any(part.varies and part.draws is None for part in parts):
            return Figure(value, None, varies, count)
        draws = [part.value if part.draws is None else part.draws for part in parts]
        return Figure(value, np.broadcast_to(function(*draws), (DRAWS,)), True, count)


def least(parts):
    """The number of repetitions of what is computed from these: that of the one with the fewest."""
    return min((part.count for part in parts if part.count is not None), default=None)


def of(samples, statistic):
    """A statistic (over the last axis) of samples, one or one list for each repetition. `None` without samples."""
    if not len(samples):
        return None
    lengths = {np.size(sample) for sample in samples}
    count = len(samples)
    flat = np.concatenate([np.atleast_1d(np.asarray(sample, float)) for sample in samples])
    value = statistic(flat)
    if count < LEAST:
        return Figure(value, None, True, count)
    if len(lengths) == 1:
        table = np.asarray(samples, float).reshape(count, -1)
        draws = statistic(table[places(count)].reshape(DRAWS, -1))
    else:
        groups = [np.atleast_1d(np.asarray(sample, float)) for sample in samples]
        draws = np.array([statistic(np.concatenate([groups[at] for at in row])) for row in places(count)])
    return Figure(value, draws, True, count)


def mean(samples):
    return of(samples, lambda it: np.mean(it, axis=-1))


def median(samples):
    return of(samples, lambda it: np.median(it, axis=-1))


def quantile(samples, share):
    """Hyndman and Fan's definition 7, which is numpy's default."""
    return of(samples, lambda it: np.quantile(it, share, axis=-1))


def deviation(samples):
    """With divisor n - 1."""
    return of(samples, lambda it: np.std(it, axis=-1, ddof=1)) if np.size(samples) > 1 else None


def line(points):
    """Slope, intercept and r squared of a line through points by least squares, of which y are figures."""
    points = [(x, y) for x, y in points if y is not None]
    xs = np.array([x for x, _ in points], float)
    if len(set(xs)) < 2:
        return None, None, None
    found = stats.linregress(xs, [y.value for _, y in points])
    values = [found.slope, found.intercept, found.rvalue**2]
    count = least([y for _, y in points])
    if any(y.varies and y.draws is None for _, y in points):
        return tuple(Figure(value, None, True, count) for value in values)
    if not any(y.varies for _, y in points):
        return tuple(Figure(value) for value in values)
    ys = np.array([np.broadcast_to(y.value if y.draws is None else y.draws, (DRAWS,)) for _, y in points])
    (slope, intercept), residual, *_ = np.polyfit(xs, ys, 1, full=True)
    whole = ((ys - ys.mean(axis=0)) ** 2).sum(axis=0)
    left = ((ys - intercept - np.outer(xs, slope)) ** 2).sum(axis=0)
    with np.errstate(all="ignore"):
        r_squared = np.where(whole > 0, 1 - left / whole, 1.0)
    return tuple(Figure(value, draws, True, count) for value, draws in zip(values, [slope, intercept, r_squared]))


def slope(points):
    """The slope of a line through readings, each of which is a repetition of its own. `None` with fewer than two."""
    if len({x for x, _ in points}) < 2:
        return None
    xs, ys = (np.array(column, float) for column in zip(*points))
    found = Figure(stats.linregress(xs, ys).slope, None, True, len(points))
    if len(points) >= LEAST:
        chosen = places(len(points))
        x, y = xs[chosen], ys[chosen]
        spread = ((x - x.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        shared = ((x - x.mean(axis=1, keepdims=True)) * y).sum(axis=1)
        # A resampled run may have the same reading throughout, and no slope.
        found.draws = shared[spread > 0] / spread[spread > 0]
    return found


def tail_bounds(tail):
    """The least and greatest share of draws that may lie beyond an end by the noise of the draws alone: the arcsine of
    a share's root spreads alike for all shares, where the spread of a small share grows with it."""
    noise = SIGMAS / 2 * np.sqrt(1 / THEIR_DRAWS + 1 / DRAWS)
    at = np.arcsin(np.sqrt(tail))
    return np.sin(max(at - noise, 0)) ** 2, np.sin(min(at + noise, np.pi / 2)) ** 2


def is_below(figure, bound, sure):
    """Whether the samples show that a figure is below a bound: `sure`, or as far as the draws' noise may have it."""
    if not figure.varies:
        return figure.value < bound
    if figure.draws is None:
        return False
    fewest, most = tail_bounds(figure.tail())
    return np.mean(figure.draws >= bound) < (max(fewest, 1 / DRAWS) if sure else most)


def crossing(ours, theirs):
    """Where one line (slope, intercept) falls below another; 0 if it begins below, `None` unless it is resolved that
    it falls less steeply. Where nearly as many draws as the level allows say otherwise, either is right."""
    if ours[0] is None or theirs[0] is None:
        return None
    saved = combine(lambda a, b: a - b, theirs[0], ours[0])
    if saved.varies and saved.draws is None:
        return None
    if not saved.varies:
        fewest, most, against = 0.5, 0.5, float(saved.value <= 0)
    else:
        (fewest, most), against = tail_bounds(saved.tail()), np.mean(saved.draws <= 0)
    if saved.value <= 0 or against > most:
        return None
    after = lambda more, saved: np.where(saved > 0, np.maximum(more / saved, 0), np.inf)
    found = combine(after, combine(lambda a, b: a - b, ours[1], theirs[1]), saved)
    found.may_be_missing = against > fewest
    return found


def disagreement(figure, interval):
    """What is wrong with the ends of an interval; `None` if nothing is.

    An end is right if as many of our draws lie beyond it as should, within the noise of theirs; draws that are equal to
    it may count on either side, since medians of few samples take few values."""
    ours = figure.interval()
    if ours is None:
        return f"there should be none, found {interval}"
    fewest, most = tail_bounds(figure.tail())
    half = (ours[1] - ours[0]) / 2
    scale = 1e-9 * max(abs(ours[0]), abs(ours[1]), 1e-300)
    for end, mine, draws in [(interval[0], ours[0], figure.draws), (-interval[1], -ours[1], -figure.draws)]:
        below, up_to = np.mean(draws < end - scale), np.mean(draws <= end + scale)
        is_near = abs(end - mine) <= max(SHARE * half, scale)
        if not is_near and (below > most or up_to < fewest):
            return f"expected about {list(ours)}, found {interval}"
    return None
