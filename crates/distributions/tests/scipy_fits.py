"""Computes with scipy what the room `distributions` found, and prints each disagreement."""

import json
import sys

import numpy
from scipy import stats

# By family: scipy's distribution, and its parameters from ours.
FAMILIES = {
    "Weibull": (stats.weibull_min, lambda scale, shape: {"c": shape, "loc": 0, "scale": scale}),
    "lognormal": (stats.lognorm, lambda mu, sigma: {"s": sigma, "loc": 0, "scale": numpy.exp(mu)}),
    "gamma": (stats.gamma, lambda scale, shape: {"a": shape, "loc": 0, "scale": scale}),
    "exponential": (stats.expon, lambda mean: {"loc": 0, "scale": mean}),
    "normal": (stats.norm, lambda mean, sd: {"loc": mean, "scale": sd}),
    "Pareto": (stats.pareto, lambda least, index: {"b": index, "loc": 0, "scale": least}),
}


def own_fit(name, values):
    """Ours, as scipy finds them."""
    if name == "normal":
        return list(stats.norm.fit(values))
    if name == "exponential":
        return [stats.expon.fit(values, floc=0)[1]]
    if name == "lognormal":
        sigma, _, scale = stats.lognorm.fit(values, floc=0)
        return [numpy.log(scale), sigma]
    if name == "Pareto":
        index, _, least = stats.pareto.fit(values, floc=0)
        return [least, index]
    family = FAMILIES[name][0]
    # From a start of its own, and with a tighter end than scipy's default.
    tight = lambda function, start, args=(), disp=0: optimum(function, start, args)
    shape, _, scale = family.fit(values, floc=0, optimizer=tight)
    return [scale, shape]


def optimum(function, start, args):
    from scipy.optimize import minimize

    found = minimize(lambda x: function(x, *args), start, method="Nelder-Mead",
                     options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 20000, "maxfev": 20000})
    return found.x


def anderson_darling(frozen, values):
    x = numpy.sort(values)
    n = len(x)
    i = numpy.arange(1, n + 1)
    return -n - numpy.sum((2 * i - 1) * (frozen.logcdf(x) + frozen.logsf(x[::-1]))) / n


def check(case):
    values = numpy.array(case["values"])
    q1, q3 = numpy.quantile(values, [0.25, 0.75])
    expected = [values.mean(), values.std(ddof=1), numpy.median(values), q3 - q1, numpy.quantile(values, 0.99)]
    yield "summary", case["summary"], expected, 1e-9
    edf = stats.ecdf(values).cdf
    yield "EDF", [y for _, y in case["edf"]], [edf.evaluate(x) for x, _ in case["edf"]], 1e-12
    for fit in case["fits"]:
        name = fit["family"]
        family, parameters = FAMILIES[name]
        yield f"{name} parameters", fit["parameters"], own_fit(name, values), 2e-5
        frozen = family(**parameters(*fit["parameters"]))
        # With the same parameters everything else agrees to many digits.
        yield f"{name} ln L", [fit["ln_likelihood"]], [frozen.logpdf(values).sum()], 1e-9
        count = len(fit["parameters"])
        yield f"{name} AIC", [fit["aic"]], [2 * count - 2 * frozen.logpdf(values).sum()], 1e-9
        yield f"{name} K-S", [fit["ks"]], [stats.kstest(values, frozen.cdf).statistic], 1e-8
        # Pareto's F is 0 at its least value, and its logarithm infinite.
        if name == "Pareto":
            assert fit["ad"] is None
        else:
            yield f"{name} A-D", [fit["ad"]], [anderson_darling(frozen, values)], 1e-7
        if numpy.isfinite(frozen.mean()):
            yield f"{name} mean", [fit["mean"]], [frozen.mean()], 1e-9
        yield f"{name} quantile", [fit["quantile"]], [frozen.ppf(0.9)], 1e-8
        far, found = fit["ln_beyond"]
        if numpy.isfinite(frozen.logsf(far)):
            yield f"{name} ln(1 - F)", [found], [frozen.logsf(far)], 1e-7
        if fit["p"] and name in ("Weibull", "lognormal", "normal", "exponential"):
            for which, ours in zip(("ks", "ad"), fit["p"]):
                theirs = probability(family, name, values, which)
                # Two shares of 1,999 and of 400 draws: four deviations.
                middle = (ours + theirs) / 2
                room = 4 * numpy.sqrt(max(middle * (1 - middle), 0.002) * (1 / 1999 + 1 / 400))
                if abs(ours - theirs) > room:
                    yield f"{name} p of {which}", [ours], [theirs], 0


def probability(family, name, values, which):
    known = {} if name == "normal" else {"loc": 0}
    result = stats.goodness_of_fit(family, values, known_params=known, statistic=which, n_mc_samples=400,
                                   rng=numpy.random.default_rng(1))
    return result.pvalue


def main():
    numpy.seterr(over="ignore")
    for number, case in enumerate(json.load(sys.stdin)):
        for what, ours, expected, room in check(case):
            for one, other in zip(ours, expected, strict=True):
                if not abs(one - other) <= room * max(abs(one), abs(other), 1e-12):
                    print(f"sample {number}, {what}: {one}, scipy has {other}")


main()
