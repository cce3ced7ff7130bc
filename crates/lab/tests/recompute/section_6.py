"""Section 6 of the EMANICS deliverable: what is computed from print alone. The data are typed from the papers, the formulas
from the descriptions of the sheets; distributions are scipy's."""

import numpy as np
from scipy import special, stats

from estimate import Figure

# Pras et al. (2005), table II, the SNMP agents (ms): 1, 22 and 66 objects.
ONE = [0.4, 0.4, 0.5, 0.5, 0.5, 0.7, 0.8, 0.9, 0.9, 1.1, 1.2, 1.3, 1.5, 1.6, 1.7, 2.7, 2.7, 3.5, 3.7, 4.1, 11.1, 11.3, 87.7]
MANY = [1.6, 1.9, 1.6, 1.7, 1.8, 2.2, 1.8, 1.6, 6.6, 1.8, 2.9, 2.7, 14.0, 5.0, 4.2, 44.5, 47.0, 17.2, 24.3, 76.7, 83.7, 238.7, 1822.2]
MORE = [3.9, 5.0, 4.2, 4.4, 4.8, 5.7, 2.9, 3.9, 18.5, 3.4, 6.7, 5.4, 40.1, 15.1, 9.6, 127.6, 140.4, 77.9, 100.8, 243.0, 727.6]
COLUMNS = {"1 object": ONE, "22 objects": MANY, "66 objects": MORE}
# D7.1, table 6.2: agents, shape, scale (ms).
TABLE_6_2 = {
    70: (17.11, 1.07), 140: (5.52, 5.02), 210: (4.54, 59.16), 280: (1.81, 77.54), 350: (2.28, 610.36),
    420: (1.93, 1468.88), 490: (2.06, 2519.79), 560: (1.79, 4902.03), 630: (1.75, 7437.27), 700: (1.63, 12349.0),
}
TOLERABLE = 1000.0
DRAWS, THEIR_DRAWS = 4000, 999
FAMILIES = ["Weibull", "lognormal", "gamma", "exponential", "normal", "Pareto"]


def expected(run):
    return {
        "emanics2006/figure-6.7": {label: figure_6_7(np.array(delays)) for label, delays in COLUMNS.items()},
        "emanics2006/families": {family: families(family) for family in FAMILIES},
        "emanics2006/table-6.2": {f"{size} agents": table_6_2(*it) for size, it in TABLE_6_2.items()},
        "emanics2006/larger-groups": larger_groups(),
    }


def claims():
    aic = {family: criterion(family, np.array(ONE)) for family in ["Weibull", "lognormal"]}
    behind = Figure(aic["lognormal"] - aic["Weibull"])
    behind.free = True
    return {
        "delays of 23 SNMP agents have a heavier tail than exponential ones: a shape": figure_6_7(np.array(ONE))[1],
        "lognormal delays would be less likely than Weibull ones: AIC, the difference": behind,
    }


class Pivotal(Figure):
    """A parameter whose interval leaves 2.5 % beyond each end, of draws that are made elsewhere."""

    def tail(self):
        return 0.025


class About:
    """A share of drawn samples: close, within four and a half deviations of both simulations."""

    def __init__(self, share):
        self.value, self.choices = share, self

    def __contains__(self, found):
        variance = max(self.value * (1 - self.value), 0.001) * (1 / DRAWS + 1 / THEIR_DRAWS)
        return found is not None and abs(found - self.value) <= 4.5 * np.sqrt(variance) + 1 / THEIR_DRAWS

    def __len__(self):
        return 2


def figure_6_7(x):
    scale, shape = fit("Weibull", x[None])
    scale, shape = scale[0], shape[0]
    # For any Weibull sample of this size b^ / b and b^ ln(a^ / a) are distributed as for the one with a = b = 1.
    scales, shapes = fit("Weibull", np.random.default_rng(1).weibull(1, (2 * DRAWS, len(x))))
    of_scale = Pivotal(scale, scale * np.exp(-shapes * np.log(scales) / shape), True, len(x))
    of_shape = Pivotal(shape, shape / shapes, True, len(x))
    distance, squared = statistics("Weibull", x[None])
    by_chance = chances("Weibull", x)
    return [of_scale, of_shape, distance[0], by_chance[0], squared[0], by_chance[1]]


def families(family):
    columns = [np.array(delays) for delays in COLUMNS.values()]
    # Of Pareto's least value F is 0: Anderson's and Darling's statistic is not defined.
    squared = lambda x: None if family == "Pareto" else chances(family, x)[1]
    return [it for x in columns for it in (criterion(family, x), squared(x))]


def criterion(family, x):
    parameters = fit(family, x[None])
    frozen = distribution(family, [it[0] for it in parameters])
    return 2 * len(parameters) - 2 * frozen.logpdf(x).sum()


_chances = {}


def chances(family, x):
    """The shares of samples of the fitted distribution whose statistics are as large, each with its own fit."""
    key = family, len(x), x.sum()
    if key not in _chances:
        frozen = distribution(family, [it[0] for it in fit(family, x[None])])
        drawn = frozen.rvs(size=(DRAWS, len(x)), random_state=np.random.default_rng(7))
        found, theirs = statistics(family, x[None]), statistics(family, drawn)
        _chances[key] = [About((np.sum(all_of >= own[0]) + 1) / (DRAWS + 1)) for own, all_of in zip(found, theirs)]
    return _chances[key]


def fit(family, x):
    """Maximum likelihood for each row."""
    if family == "normal":
        return x.mean(axis=1), x.std(axis=1)
    if family == "lognormal":
        return fit("normal", np.log(x))
    if family == "exponential":
        return (x.mean(axis=1),)
    if family == "Pareto":
        least = x.min(axis=1)
        return least, 1 / np.log(x / least[:, None]).mean(axis=1)
    if family == "gamma":
        apart = np.log(x.mean(axis=1)) - np.log(x).mean(axis=1)
        shape = (3 - apart + np.sqrt((apart - 3) ** 2 + 24 * apart)) / (12 * apart)
        for _ in range(60):
            left = np.log(shape) - special.digamma(shape) - apart
            shape = 1 / (1 / shape + left / (shape**2 * (1 / shape - special.polygamma(1, shape))))
        return x.mean(axis=1) / shape, shape
    # Weibull: the root of sum(x^b ln x) / sum(x^b) - 1/b - mean(ln x), by halving.
    logs = np.log(x / x.max(axis=1, keepdims=True))
    low, high = np.full(len(x), 1e-3), np.full(len(x), 1e3)
    for _ in range(100):
        middle = np.sqrt(low * high)
        powers = np.exp(middle[:, None] * logs)
        left = (powers * logs).sum(axis=1) / powers.sum(axis=1) - 1 / middle - logs.mean(axis=1)
        low, high = np.where(left < 0, middle, low), np.where(left < 0, high, middle)
    shape = np.sqrt(low * high)
    scale = x.max(axis=1) * np.exp(shape[:, None] * logs).mean(axis=1) ** (1 / shape)
    return scale, shape


def distribution(family, parameters):
    column = [np.asarray(it)[..., None] if np.ndim(it) else it for it in parameters]
    if family == "normal":
        return stats.norm(*column)
    if family == "lognormal":
        return stats.lognorm(column[1], scale=np.exp(column[0]))
    if family == "exponential":
        return stats.expon(scale=column[0])
    if family == "Pareto":
        return stats.pareto(column[1], scale=column[0])
    kind = stats.gamma if family == "gamma" else stats.weibull_min
    return kind(column[1], scale=column[0])


def statistics(family, x):
    """Kolmogorov and Smirnov's distance, and Anderson and Darling's A squared, of each row from its own fit."""
    x = np.sort(x, axis=1)
    frozen, count = distribution(family, fit(family, x)), x.shape[1]
    at = np.arange(1, count + 1)
    within = frozen.cdf(x)
    distance = np.maximum((at / count - within).max(axis=1), (within - (at - 1) / count).max(axis=1))
    # A value at the very edge of a distribution counts as the least number.
    least = np.finfo(float).tiny
    logs = np.log(np.maximum(within, least)) + np.maximum(frozen.logsf(x[:, ::-1]), np.log(least))
    return distance, -count - ((2 * at - 1) * logs).sum(axis=1) / count


def table_6_2(shape, scale):
    frozen = stats.weibull_min(shape, scale=scale)
    return [None, frozen.sf(TOLERABLE), None, None, frozen.mean(), frozen.median()]


def larger_groups():
    sizes = np.log(list(TABLE_6_2))
    shapes, scales = np.log(np.array(list(TABLE_6_2.values()))).T
    line = lambda values: np.polyval(np.polyfit(sizes[:5], values[:5], 1), sizes[5:])
    rows = {}
    for size, scale, shape in zip(list(TABLE_6_2)[5:], np.exp(line(scales)), np.exp(line(shapes))):
        own = table_6_2(*TABLE_6_2[size])[1]
        rows[f"{size} agents"] = [stats.weibull_min(shape, scale=scale).sf(TOLERABLE), own, scale, shape]
    return rows
