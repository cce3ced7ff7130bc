"""The tables of du2001."""

from estimate import combine, line
from run import mean, median, phase, total

# How the report of one run names them.
TLS_D, TLS_B, UDP = "v1/TLS", "v1/TLS NULL-SHA", "v1/UDP"
WALK = 34


def expected(run):
    tables = [table_1, table_2, model, table_3, table_4, table_5, table_6]
    return {f"du2001/{table.__name__.replace('_', '-')}": table(run) for table in tables}


def minus(a, b):
    return a - b if a and b else None


def over(a, b):
    return a / b if a and b else None


def table_1(run):
    rows = {}
    for label, what, divisor in [("Snmpget", "get", 1), ("Snmpwalk", "walk", 1), ("Snmpwalk/msg", "walk", WALK)]:
        for suffix, statistic in [("", mean), (", median", median)]:
            b, d = (statistic(run.pick("du2001/table-1", what, it)) for it in [TLS_B, TLS_D])
            b, d = (it and it / divisor for it in [b, d])
            rows[label + suffix] = [None, b, None, None, None, d, minus(d, b), None]
            if not suffix:
                rows[f"{label}, nearest to a and c"] = [b, None, None, d, None, None, None, None]
    return rows


def table_2(run):
    rows = {}
    sizes = run.sizes("du2001/table-2")
    row = lambda protocol, figure: [figure(run.pick("du2001/table-2", "get", protocol, size)) for size in sizes]
    for name, protocol in [("Secure TLS", TLS_D), ("TLS", TLS_B), ("UDP", UDP)]:
        whole = row(protocol, mean)
        rows[f"{name} session time (ms)"] = whole
        rows[f"{name} session time, median (ms)"] = row(protocol, median)
        rows[f"{name} mean time per message (ms)"] = [it and it / size for it, size in zip(whole, sizes)]
        if protocol != UDP:
            rows[f"{name} setup time (ms)"] = row(protocol, lambda it: mean(it, phase("open")))
            rows[f"Ratio: {name} time to UDP time"] = [over(a, b) for a, b in zip(whole, row(UDP, mean))]
    return rows


def model(run):
    """A message over TLS takes S/M + (P1 - P2) longer: least squares over 1/M."""
    rows = {}
    for name, protocol in [("Secure TLS", TLS_D), ("TLS", TLS_B)]:
        pick = lambda protocol, size: mean(run.pick("du2001/table-2", "get", protocol, size))
        points = [(1 / size, minus(pick(protocol, size), pick(UDP, size))) for size in run.sizes("du2001/table-2")]
        rows[name] = list(line([(x, y and y * x) for x, y in points]))
    return rows


def table_3(run):
    rows = {}
    for what, label in [("light", "Light traffic (/5 min)"), ("heavy", "Heavy traffic (/s)")]:
        tls, udp = (run.pick("du2001/table-3", what, it) for it in [TLS_B, UDP])
        for suffix, statistic in [("", mean), (", median", median)]:
            rows[label + suffix] = [statistic(tls), statistic(tls, phase("open")), statistic(udp)]
    return rows


def table_4(run):
    rows = {}
    phases = {
        "TLS/TCP": (TLS_D, [phase("open"), phase("prepare"), phase("exchange"), phase("close"), phase("release")]),
        "UDP": (UDP, [None, phase("prepare", "open"), phase("exchange"), None, phase("close", "release")]),
    }
    for label, (protocol, figures) in phases.items():
        sessions = run.pick("du2001/table-4", "walk", protocol)
        for suffix, statistic in [("", mean), (", median", median)]:
            rows[label + suffix] = [figure and statistic(sessions, figure) for figure in figures]
    return rows


def table_5(run):
    tls, udp = (run.pick("du2001/table-4", "walk", it) for it in [TLS_D, UDP])
    each = lambda at: lambda session: session["each_ns"][at] / 1e6 if at < len(session["each_ns"]) else None
    return {f"message {at + 1}": [mean(tls, each(at)), mean(udp, each(at))] for at in range(WALK)}


def table_6(run):
    rows = {}
    usm = lambda transport, suite="": [
        f"v3/USM {level}{mark}/{transport}"
        for level, mark in [("noAuthNoPriv", ""), ("authNoPriv", suite and " MD5"), ("authPriv", suite)]
    ]
    columns = {
        "v1/UDP": [UDP, None, None],
        "v1/TCP": ["v1/TCP", None, None],
        "v1/TLS/TCP": [None, TLS_B, TLS_D],
        "v3/TLS/TCP (no USM)": [None, "v3/TSM/TLS NULL-SHA", "v3/TSM/TLS"],
        "v3/UDP (USM)": usm("UDP"),
        "v3/TCP (USM)": usm("TCP"),
    }

    def figures(protocols, what, statistic=mean):
        a, b, d = (it and statistic(run.pick("du2001/table-6", what, it)) for it in protocols)
        return [a, b, minus(b, a), d, minus(d, b), minus(d, a)]

    for what in ["get", "walk"]:
        means = {}
        for label, protocols in columns.items():
            means[label] = figures(protocols, what)
            rows[f"Snmp{what}-{label} (ms)"] = means[label]
            rows[f"Snmp{what}-{label}, median (ms)"] = figures(protocols, what, median)
        for ours, upper in [("v3-UDP", "v3/UDP (USM)"), ("v3-TCP", "v3/TCP (USM)")]:
            for theirs, lower in [("v1-TLS-TCP", "v1/TLS/TCP"), ("v3-TLS-TCP", "v3/TLS/TCP (no USM)")]:
                percent = lambda at: combine(lambda a, b: a / b * 100, means[upper][at], means[lower][at])
                rows[f"Ratio: {ours} / {theirs}, snmp{what} (%)"] = [percent(0), percent(1), None, percent(3), None, None]
        for transport in ["UDP", "TCP"]:
            label = f"Snmp{what}-v3/{transport} (USM) with MD5 and DES"
            old = usm(transport, " MD5+DES")
            rows[f"{label} (ms)"] = figures(old, what)
            if what == "get":
                rows[f"{label}, password hashed (ms)"] = figures([None] + old[1:], "get, password hashed")
    return rows
