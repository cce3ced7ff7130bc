"""The tables of du2001."""

from estimate import combine, line
from run import mean, median, phase, total

# How the samples name them: (d) and (b) of the paper by one program and handshake, what the agent ships, the baseline.
TLS_D, TLS_B, TODAY, UDP = "v1/TLS 1.2 AES-GCM", "v1/TLS NULL-SHA", "v1/TLS", "v1/UDP"
BOTH = [("", mean), (", median", median)]
WALK = 34


def expected(run):
    tables = [table_1, table_2, model, table_3, table_4, table_5, table_6, claims]
    return {f"du2001/{table.__name__.replace('_', '-')}": table(run) for table in tables}


def minus(a, b):
    return combine(lambda a, b: a - b, a, b)


def over(a, b):
    return combine(lambda a, b: a / b, a, b)


def percent(a, b):
    return combine(lambda a, b: a / b * 100, a, b)


def table_1(run):
    rows = {}
    for label, what, divisor in [("Snmpget", "get", 1), ("Snmpwalk", "walk", 1), ("Snmpwalk/msg", "walk", WALK)]:
        of = lambda statistic, it: statistic(run.pick("du2001/table-1", what, it), lambda it: total(it) / divisor)
        for suffix, statistic in BOTH:
            b, d = of(statistic, TLS_B), of(statistic, TLS_D)
            rows[label + suffix] = [None, b, None, None, None, d, minus(d, b), None]
        rows[f"{label}, nearest to a and c"] = [of(mean, TLS_B), None, None, of(mean, TLS_D)]
        rows[f"{label}, TLS 1.3 as shipped"] = [None] * 5 + [of(mean, TODAY)]
    return rows


def set_up(session):
    """Up to the first answer, without what a later message takes: the rest of the exchange, spread over the others."""
    first, exchange, later = session.get("first_ns"), session["exchange_ns"], session["messages"] - 1
    if first is None or later < 1:
        return None
    return (session["open_ns"] + first - (exchange - first) / later) / 1e6


def table_2(run):
    rows = {}
    sizes = run.sizes("du2001/table-2")
    each = lambda session: total(session) / session["messages"]

    def row(protocol, statistic=mean, figure=total):
        return [statistic(run.pick("du2001/table-2", "get", protocol, size), figure) for size in sizes]

    for name, protocol in [("Secure TLS", TLS_D), ("Secure TLS 1.3", TODAY), ("TLS", TLS_B), ("UDP", UDP)]:
        for suffix, statistic in BOTH:
            rows[f"{name} session time{suffix} (ms)"] = row(protocol, statistic)
        rows[f"{name} mean time per message (ms)"] = row(protocol, figure=each)
        rows[f"{name} setup time (ms)"] = row(protocol, figure=set_up)
        rows[f"{name} handshake, as the client sees it (ms)"] = row(protocol, figure=phase("open"))
        rows[f"Ratio: {name} time to UDP time"] = [over(*pair) for pair in zip(row(protocol), row(UDP))]
    return rows


def model(run):
    """A session over TLS takes S + M (P1 - P2) longer: least squares over M."""
    rows = {}
    pick = lambda protocol, size: mean(run.pick("du2001/table-2", "get", protocol, size))
    for name, protocol in [("Secure TLS", TLS_D), ("Secure TLS 1.3", TODAY), ("TLS", TLS_B)]:
        longer = [(size, minus(pick(protocol, size), pick(UDP, size))) for size in run.sizes("du2001/table-2")]
        slope, intercept, fit = line(longer)
        rows[name] = [intercept, slope, fit]
    return rows


def table_3(run):
    rows = {}
    for what, label in [("light", "Light traffic (/5 min)"), ("heavy", "Heavy traffic (/s)")]:
        tls, udp = (run.pick("du2001/table-3", what, it) for it in [TLS_B, UDP])
        for suffix, statistic in BOTH:
            rows[label + suffix] = [statistic(tls), statistic(tls, phase("open")), statistic(udp)]
    return rows


def table_4(run):
    rows = {}
    of_tls = [phase(it) for it in ["open", "prepare", "exchange", "close", "release"]]
    of_udp = [None, phase("prepare", "open"), phase("exchange"), None, phase("close", "release")]
    for label, protocol, phases in [("TLS/TCP", TLS_D, of_tls), ("TLS 1.3/TCP", TODAY, of_tls), ("UDP", UDP, of_udp)]:
        sessions = run.pick("du2001/table-4", "walk", protocol)
        for suffix, statistic in BOTH:
            rows[label + suffix] = [figure and statistic(sessions, figure) for figure in phases]
    return rows


def table_5(run):
    tls, udp = (run.pick("du2001/table-4", "walk", it) for it in [TLS_D, UDP])
    each = lambda at: lambda session: session["each_ns"][at] / 1e6 if at < len(session["each_ns"]) else None
    return {f"message {at + 1}": [mean(tls, each(at)), mean(udp, each(at))] for at in range(WALK)}


# How USM's keys come about: what the label adds, the algorithms, whether the password is hashed in each session.
KEYS = [
    ("", " MD5+DES", True),
    (", keys made before", " MD5+DES", False),
    (", SHA-256 and AES-128, keys made before", "", False),
]


def usm(transport, suite):
    """Its three levels; without security there are no algorithms."""
    marks = ["", suite and " MD5", suite]
    levels = ["noAuthNoPriv", "authNoPriv", "authPriv"]
    return [f"v3/USM {level}{mark}/{transport}" for level, mark in zip(levels, marks)]


def command(session):
    """With what a command does before and after its session."""
    return total(session) + (session["prepare_ns"] + session["release_ns"]) / 1e6


def session_of(run, what, protocol, hashed=False, statistic=mean, figure=total):
    figure = command if hashed else figure
    hashed = hashed and "noAuthNoPriv" not in protocol
    return statistic(run.pick("du2001/table-6", f"{what}, password hashed" if hashed else what, protocol), figure)


def table_6(run):
    rows = {}
    tls, tls_v3 = [None, TLS_B, TLS_D], [None, "v3/TSM/TLS NULL-SHA", "v3/TSM/TLS 1.2 AES-GCM"]

    def figures(protocols, what, hashed=False, statistic=mean, figure=total):
        a, b, d = (it and session_of(run, what, it, hashed, statistic, figure) for it in protocols)
        return [a, b, minus(b, a), d, minus(d, b), minus(d, a)]

    for what in ["get", "walk"]:
        lines = {
            "v1/UDP": ([UDP, None, None], False),
            "v1/TCP": (["v1/TCP", None, None], False),
            "v1/TLS/TCP": (tls, False),
            "v1/TLS/TCP, TLS 1.3 as shipped": ([None, None, TODAY], False),
            "v3/TLS/TCP (no USM)": (tls_v3, False),
            "v3/TLS/TCP (no USM), TLS 1.3 as shipped": ([None, None, "v3/TSM/TLS"], False),
        }
        for transport in ["UDP", "TCP"]:
            lines |= {f"v3/{transport} (USM){adds}": (usm(transport, suite), hashed) for adds, suite, hashed in KEYS}
        for label, (protocols, hashed) in lines.items():
            for suffix, statistic in BOTH:
                rows[f"Snmp{what}-{label}{suffix} (ms)"] = figures(protocols, what, hashed, statistic)
        for transport in ["UDP", "TCP"]:
            for name, below in [("v1-TLS-TCP", tls), ("v3-TLS-TCP", tls_v3)]:
                for adds, suite, hashed in KEYS:
                    lower = figures(below, what, figure=command if hashed else total)
                    upper = figures(usm(transport, suite), what, hashed)
                    ratios = [percent(upper[at], lower[at]) for at in [0, 1, 3]]
                    label = f"Ratio: v3-{transport} / {name}{adds}, snmp{what} (%)"
                    rows[label] = ratios[:2] + [None, ratios[2]]
    return rows


def claims(run):
    """The figures of the paper's claims, by their texts."""
    found = {}
    pick = lambda protocol, size: run.pick("du2001/table-2", "get", protocol, size)
    share = lambda size: over(median(pick(TODAY, size), set_up), median(pick(TODAY, size)))
    for size in [5, 100, 2000]:
        ratio = over(median(pick(TODAY, size)), median(pick(UDP, size)))
        found[f"a session of {size} messages takes longer over TLS 1.3 than over UDP"] = ratio
    text = "the set-up's share of a session over TLS 1.3 is larger with 5 messages than with 2000"
    found[text] = over(share(5), share(2000))
    if len(sizes := run.sizes("du2001/table-2")) > 1:
        few, many = sizes[0], sizes[-1]
        message = lambda it: combine(
            lambda short, long: (long - short) / (many - few), median(pick(it, few)), median(pick(it, many))
        )
        set_ups = median(pick(TODAY, few), set_up)
        found["the set-up of TLS 1.3 takes as long as so many messages over UDP"] = over(set_ups, message(UDP))
        longer = combine(lambda tls, udp: (tls / udp - 1) * 100, message(TODAY), message(UDP))
        found["a message takes longer over TLS 1.3 than over UDP, set-up aside"] = longer
    for what in ["get", "walk"]:
        b, d = (median(run.pick("du2001/table-1", what, it), phase("exchange")) for it in [TLS_B, TLS_D])
        text = f"AES-GCM instead of HMAC-SHA-1 alone makes the messages of a {what} take longer"
        found[text] = percent(minus(d, b), b)
        for how, hashed in [("the password hashed each time", True), ("keys made before", False)]:
            upper = session_of(run, what, usm("UDP", " MD5+DES")[2], hashed, median)
            lower = session_of(run, what, TODAY, False, median, command if hashed else total)
            text = f"a {what} takes longer with USM (MD5 and DES), {how}, than over TLS 1.3"
            found[text] = over(upper, lower)
    later = lambda it: sum(it["each_ns"][1:]) / (len(it["each_ns"]) - 1)
    for name, protocol in [("TLS 1.2", TLS_D), ("TLS 1.3", TODAY), ("UDP", UDP)]:
        walks = run.pick("du2001/table-4", "walk", protocol)
        first = over(median(walks, lambda it: it["each_ns"][0]), median(walks, later))
        found[f"the first message of a walk over {name} takes longer than the others"] = first
    return found
