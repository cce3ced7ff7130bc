"""Section 2 of emanics2006: four ways to manage a population."""

from collections import defaultdict

import estimate
from estimate import combine

TABLE = "emanics2006/section-2"
GETS, TABLES, MANAGERS, DELEGATED = WAYS = [
    "(a) central, a Get per statistic",
    "(b) central, a table per device",
    "(c) three mid-level managers",
    "(d) delegated monitors, a tenth polled",
]
IDLE = "nobody asks"
# The period that octets and packets are stated for, seconds.
STATED = 300
# PIONIER's devices and statistics, and all of them.
PIONIER, ALL = (40, 1138), (135, 3710)


def expected(run):
    if TABLE not in run.trial["tables"]:
        return {}
    mean = lambda series, quantity, at=0: estimate.mean(run.read(TABLE, series, at, quantity))
    by = lambda figure, divisor: figure and figure.map(lambda it: it / divisor)
    parts = run.places(TABLE, "delay_ns")
    # All ways have the same period; one that could not be measured has no figures.
    measured = [way for way in WAYS if mean(way, "elapsed_ns")]
    idle = cpu(mean, by, IDLE, measured[0], "agent_cpu_ns") if measured else None
    return {
        TABLE: {way: row(run, mean, by, way) for way in measured} | {IDLE: [None] * 5 + [idle]},
        "emanics2006/station": {
            "statistics, of all networks": station(mean, by, *ALL),
            "statistics, of PIONIER alone": station(mean, by, *PIONIER),
        },
        "emanics2006/round-octets": {way: [mean(way, "ip_octets", at) for at in parts] for way in WAYS},
        "emanics2006/round-time": {way: [by(mean(way, "delay_ns", at), 1e6) for at in parts] for way in WAYS},
        "emanics2006/crossings": {way: crossings(mean, by, way) for way in WAYS},
    }


def seconds(mean, way):
    """The period of a way."""
    return mean(way, "elapsed_ns").value / 1e9


def cpu(mean, by, series, way, quantity):
    """Per cent of a processor."""
    return by(mean(series, quantity), seconds(mean, way) * 1e9 / 100)


def row(run, mean, by, way):
    sent = lambda quantity: mean(way, quantity)
    return [
        by(sent("ip_octets"), seconds(mean, way)),
        by(sent("packets"), seconds(mean, way)),
        by(sent("ip_octets"), STATED * 125),
        by(sent("packets"), STATED),
        cpu(mean, by, way, way, "work_ns"),
        cpu(mean, by, way, way, "agent_cpu_ns"),
        cpu(mean, by, f"{way}: the managers", way, "agent_cpu_ns"),
        by(mean(way, "age_ns"), 1e9),
        reaction(run, way),
    ]


def reaction(run, way):
    """The mean over crossings of the mean over devices."""
    of = defaultdict(list)
    for it in run.readings:
        if (it["table"], it["series"], it["quantity"]) == (TABLE, way, "reaction_ns"):
            of[it["repetition"]].append(it["figure"] / 1e9)
    return estimate.mean([sum(all_of) / len(all_of) for _, all_of in sorted(of.items())])


def station(mean, by, nodes, statistics):
    octets = mean(GETS, "ip_octets", nodes)
    return [by(octets, STATED * 125), by(octets, statistics)]


def crossings(mean, by, way):
    """Two crossings in some rounds, whose share of quiet ones is not theirs."""
    with_crossings = f"{way}: rounds with crossings"
    lasted, period = mean(with_crossings, "elapsed_ns"), mean(way, "elapsed_ns")

    def beyond(quantity):
        quiet, all_of = mean(way, quantity), mean(with_crossings, quantity)
        if not (quiet and all_of and lasted):
            return None
        rounds = lasted.value / period.value
        return combine(lambda a, q: (a - rounds * q) / 2, all_of, quiet)

    set_up = lambda quantity: mean(f"{way}: setting up", quantity)
    sent = [beyond(it) for it in ["ip_octets", "packets"]]
    return sent + [set_up("ip_octets"), set_up("packets"), by(set_up("elapsed_ns"), 1e9)]


def claims(run):
    if TABLE not in run.trial["tables"]:
        return {}
    mean = lambda series, quantity, at=0: estimate.mean(run.read(TABLE, series, at, quantity))
    over = lambda a, b: a and b and combine(lambda a, b: a / b, a, b)
    parts = run.places(TABLE, "delay_ns")
    if not parts:
        return {}
    least, most = parts[0], parts[-1]
    rows = {}
    for way in [GETS, TABLES]:
        grows = over(mean(way, "ip_octets", most), mean(way, "ip_octets", least))
        rows[f"{way}: the more devices, from {least} to {most}, the more octets has a round"] = grows
    for way in [MANAGERS, DELEGATED]:
        fewer = over(mean(way, "ip_octets", most), mean(TABLES, "ip_octets", most))
        rows[f"{way} sends fewer octets to the NOC and from it than {TABLES}"] = fewer
    faster = "operations on aggregated data are faster than on all"
    rows[f"{faster}: {MANAGERS} has its answers in a shorter time than {TABLES}"] = over(
        mean(MANAGERS, "delay_ns", most), mean(TABLES, "delay_ns", most)
    )
    costs = "what is delegated takes processor time of the devices: of all together, of one processor, beyond what they use while nobody asks"
    delegated, idle = mean(DELEGATED, "agent_cpu_ns"), mean(IDLE, "agent_cpu_ns")
    if delegated and idle and mean(DELEGATED, "elapsed_ns"):
        period = mean(DELEGATED, "elapsed_ns").value
        rows[costs] = combine(lambda a, b: (a - b) / period * 100, delegated, idle)
    return rows
