"""Section 6 of the EMANICS deliverable as measured: from the records of groups to their tables."""

import numpy as np
from scipy import stats

import section_6

GROUPS, ONE, BOUNDED, NOTIFICATION, SATURATION = (
    f"emanics2006/{it}" for it in ["table-6.1", "figure-6.1", "group-delay", "notification", "saturation"]
)
MS = 1e6
# Delays of one agent that suffice for a tail; the share of the core; samples that the report draws; the size of figure 6.6.
ENOUGH, SHARE, DRAWN, SIZE, SPIKE = 400, 0.95, 199, 140, 10


def expected(run):
    return {
        ONE: {it["series"]: one_agent(it) for it in of(run, ONE)},
        "emanics2006/collections": {it["series"]: collections(it) for it in of(run, ONE) if it.get("collections") is not None and it["one"]},
        GROUPS: {f"{agents(it)}: {it['series']}": table_6_1(it) for it in of(run, GROUPS)},
        "emanics2006/figure-6.2": {name: figure_6_2(groups) for name, groups in series(run)},
        "emanics2006/figure-6.3": {label(groups[-1]): core(groups[-1]) for _, groups in series(run)},
        "emanics2006/figure-6.4": {label(groups[-1]): tail(groups[-1]) for _, groups in series(run)},
        "emanics2006/figure-6.5": {label(it): means(it) for it in of(run, GROUPS)},
        "emanics2006/figure-6.6": {label(it): weibull(it) for it in map(nearest, (groups for _, groups in series(run)))},
        "emanics2006/monitoring-error": {label(it): error(it) for it in of(run, GROUPS)},
        BOUNDED: {f"{agents(it)}, {how(it)}: {it['series']}": rounds(it) for it in of(run, GROUPS) + of(run, BOUNDED)},
        NOTIFICATION: {label(it): one_way(it) for it in of(run, NOTIFICATION)},
        SATURATION: {f"{agents(it)}, {a_second(it):.0f} a second{again(it)}: {it['series']}": point(it) for it in of(run, SATURATION)},
        "emanics2006/largest": largest(run),
    }


class About(section_6.About):
    """A share of fewer drawn samples."""

    def __contains__(self, found):
        variance = max(self.value * (1 - self.value), 0.001) * (1 / section_6.DRAWS + 1 / DRAWN)
        return found is not None and abs(found - self.value) <= 4.5 * np.sqrt(variance) + 1 / DRAWN


def of(run, table):
    return [it for it in run.groups if it["table"] == table]


def series(run, table=GROUPS):
    names = dict.fromkeys(it["series"] for it in of(run, table))
    return [(name, sorted((it for it in of(run, table) if it["series"] == name), key=lambda it: it["agents"])) for name in names]


def agents(group):
    return "1 agent" if group["agents"] == 1 else f"{group['agents']} agents"


def label(group):
    return f"{agents(group)}: {group['series']}"


def how(group):
    return {None: "parallel", 1: "serial"}.get(group.get("bound"), f"at most {group.get('bound')} outstanding")


def delays(one):
    return np.array([(waited + took) / MS for _, waited, took in one])


def described(x):
    if not len(x):
        return [None] * 6
    low, middle, high = np.quantile(x, [0.25, 0.5, 0.75])
    return [x.mean(), deviation(x), middle, high - low, x.min(), x.max()]


def deviation(x):
    return x.std(ddof=1) if len(x) > 1 else 0.0


def spikes(group):
    """Each with the requests, as due and answered (ns), that are longer than ten medians within a second from its first."""
    x, found = delays(group["one"]), []
    for (due, waited, took), delay in zip(group["one"], x):
        if delay > SPIKE * np.median(x):
            if not found or due - found[-1][0][0] > 1e9:
                found.append([])
            found[-1].append((due, due + waited + took))
    return found


def one_agent(group):
    x, times = delays(group["one"]), [spike[0][0] / 1e9 for spike in spikes(group)]
    between = (times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else None
    return described(x) + [len(times) if len(x) else None, between]


def collections(group):
    """Garbage collections by the JVM's log, and which requests were under way meanwhile."""
    requests = [(due, due + waited + took) for due, waited, took in group["one"]]
    all_of = [it for it in group["collections"] if it[1] >= requests[0][0] and it[0] <= requests[-1][1]]
    within = lambda it: any(it[0] <= end and it[1] >= begin for begin, end, _ in all_of)
    inside = [(ended - due) / MS for due, ended in requests if within((due, ended))]
    outside = [(ended - due) / MS for due, ended in requests if not within((due, ended))]
    found, part = spikes(group), len(inside) / len(requests)
    hit = sum(any(map(within, spike)) for spike in found)
    return [
        len(all_of),
        (all_of[-1][0] - all_of[0][0]) / 1e9 / (len(all_of) - 1) if len(all_of) > 1 else None,
        max(it[2] for it in all_of) / MS if all_of else None,
        100 * part,
        len(found),
        hit,
        stats.binom.sf(hit - 1, len(found), part) if found else None,
        max(inside, default=None),
        max(outside, default=None),
    ]


def table_6_1(group):
    took = [it[2] / MS for it in group["one"]]
    return described(delays(group["one"])) + [np.mean(took) if took else None]


def figure_6_2(groups):
    def mean(group):
        each = [deviation(delays(one)) for one in group.get("others", []) + [group["one"]] if one]
        return np.mean(each) if each else None

    small, large = mean(groups[0]), mean(groups[-1])
    return [small, large, large / small if small and large is not None else None]


def parts(group):
    """Core and tail of single delays, if all were answered."""
    x = delays(group["one"])
    if len(x) < ENOUGH:
        answered, waited = group["some"]
        if waited:
            return None
        x = np.array(answered) / MS
    if len(x) < 2:
        return None
    x = np.sort(x)
    threshold = np.quantile(x, SHARE)
    return threshold, x[x <= threshold], x[x > threshold]


def chance(family, x):
    return About(section_6.chances(family, x)[0].value)


def core(group):
    if (found := parts(group)) is None or len(found[2]) < 2:
        return []
    threshold, x, _ = found
    distance, _ = section_6.statistics("normal", x[None])
    return [x.mean(), x.std(), distance[0], chance("normal", x), threshold]


def tail(group):
    if (found := parts(group)) is None or len(found[2]) < 2:
        return []
    threshold, _, x = found
    (scale,), (shape,) = section_6.fit("Weibull", x[None])
    (over,), (of_excess,) = section_6.fit("Weibull", (x - threshold)[None])
    distance, _ = section_6.statistics("Weibull", x[None])
    of_excesses, _ = section_6.statistics("Weibull", (x - threshold)[None])
    return [scale, shape, distance[0], chance("Weibull", x), over, of_excess, of_excesses[0]]


def means(group):
    whole, lost = group["means"]
    x = np.array(whole) / MS
    return [*(np.quantile(x, [0.05, 0.5, 0.95]) if len(x) else [None] * 3), x.mean() if len(x) else None, len(lost)]


def nearest(groups):
    return min(groups, key=lambda it: abs(it["agents"] - SIZE))


def fitted(group):
    whole, lost = group["means"]
    return section_6.figure_6_7(np.array(whole) / MS) if len(whole) >= 3 and not lost else None


def weibull(group):
    if (found := fitted(group)) is None:
        return []
    scale, shape, distance, p, squared, _ = found
    return [scale, shape, distance, About(p.value), squared]


def share(group, which):
    some, count = group["late"][which]
    return some / count if count else None


def error(group):
    found, period = fitted(group), group["period_ns"] / MS
    scale, shape = found[:2] if found else (None, None)
    beyond = stats.weibull_min(shape.value, scale=scale.value).sf(period) if found else None
    return [share(group, 1), beyond, scale, shape, share(group, 0), share(group, 2)]


def rounds(group):
    whole, lost = group["rounds"]
    x, sums = np.array(whole) / MS, np.array(group["sums"]) / MS
    some = [x.mean(), np.median(x), x.max()] if len(x) else [None] * 3
    return some + [sums.mean() if len(sums) else None, len(lost)]


def all_of(group):
    return sum(group["ended"][it] for it in ["answered", "late", "lost", "failed", "unsent"])


def one_way(group):
    answered = group["ended"]["answered"]
    took = [it[2] / MS for one in group.get("others", []) + [group["one"]] for it in one]
    quantiles = [it / MS if answered else None for it in group["quantiles"]]
    return quantiles + [np.median(took) if took else None, all_of(group) - answered]


def a_second(group):
    return group["agents"] * 1000 / (group["period_ns"] / MS)


def utilisation(group):
    both = [group["manager_cpu_ns"], group.get("agents_cpu_ns")]
    return [None if it is None else 100 * it / group["elapsed_ns"] for it in both]


def percent(share):
    return None if share is None else 100 * share


def again(group):
    return ", again" if group.get("again") else ""


def point(group):
    answered = group["ended"]["answered"] + group["ended"]["late"]
    late = [percent(share(group, at)) for at in range(3)]
    quantiles = [it / MS if answered else None for it in group["quantiles"][:2]]
    waited = [it[1] / MS for one in group.get("others", []) + [group["one"]] for it in one]
    return [group["period_ns"] / MS] + late + [all_of(group) - answered] + quantiles + [np.median(waited) if waited else None] + utilisation(group)


def largest(run):
    rows = {}
    for name, groups in series(run, SATURATION):
        # What was asked twice counts as it was the second time.
        repeated = {(it["agents"], it["period_ns"]) for it in groups if it.get("again")}
        groups = [it for it in groups if it.get("again") or (it["agents"], it["period_ns"]) not in repeated]
        groups.sort(key=a_second)
        good = [all(some == 0 and count for some, count in it["late"]) for it in groups]
        first = good.index(False) if False in good else len(groups)
        without = [a_second(groups[first - 1]), *utilisation(groups[first - 1])] if first else [None] * 3
        bad = groups[first : first + 1]
        late = [[a_second(it), percent(share(it, 0)), *utilisation(it)] for it in bad] or [[None] * 4]
        rows[name] = without + late[0]
    return rows
