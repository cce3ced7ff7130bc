"""The tables and figures of marinov2006."""

from collections import Counter

import estimate
from estimate import Figure, combine, crossing, line
from run import at_manager, mean, median

PAPERS = {
    "v2c/UDP": "SNMPv2c/UDP",
    "v2c/TCP": "SNMPv2c/TCP",
    "v3/USM authPriv MD5+AES/UDP": "SNMPv3/USM/UDP",
    "v3/USM authPriv MD5+AES/TCP": "SNMPv3/USM/TCP",
    "v2c/SSH": "SNMPv2c/SSH",
}
USERS = "v3/USM authPriv MD5+AES/UDP"
BOTH = [("", mean), (", median", median)]
# Where the ranges of the paper's table 3 begin.
STARTS = {"SNMPv2c/UDP": 80, "SNMPv2c/TCP": 110, "SNMPv3/USM/UDP": 170, "SNMPv3/USM/TCP": 200, "SNMPv2c/SSH": 150}
HEADER = 14


def label(protocol):
    return PAPERS.get(protocol, protocol)


def octets(session):
    """Octets of Ethernet frames at the manager's end."""
    octets, packets = at_manager("ip_octets")(session), at_manager("packets")(session)
    return octets and octets + HEADER * packets


packets = at_manager("packets")


def expected(run):
    sheets = {}
    makes = [table_2, section_4, figure_3, break_even, figure_4, table_3, figure_5, overhead, break_even_octets, figure_6, claims]
    for make in makes:
        sheets[f"marinov2006/{make.__name__.replace('_', '-')}"] = make(run)
    return sheets


def table_2(run):
    rows, table = {}, "marinov2006/table-2"
    for protocol in run.protocols(table):
        fast, slow, counted = (run.pick(table, what, protocol) for what in ["fast", "slow", "counted"])
        for suffix, of in BOTH:
            rows[label(protocol) + suffix] = [of(fast), of(slow), of(counted, octets), of(counted, packets)]
    return rows


def section_4(run):
    rows, table = {}, "marinov2006/section-4"
    sizes = run.sizes(table)
    for what in ["as shipped", "Nagle on", "window updates each time", "both"]:
        figures = []
        for size in sizes[:1] + sizes[-1:]:
            figures.append(mean(run.pick(table, what, "v2c/SSH", size)))
            figures.append(median(run.pick(table, f"{what}, counted", "v2c/SSH", size), packets))
        rows[what] = figures
    return rows


def by_size(run, table, what, protocol, figure=mean):
    return [figure(run.pick(table, what, protocol, size)) for size in run.sizes(table)]


def walks(run, table, name, figure=None):
    """Means and medians by the length of the walks, of every kind of session."""
    rows = {}
    for protocol, what in {(it["name"], it["what"]) for it in run.sessions if it["table"] == table}:
        for suffix, statistic in BOTH:
            of = (lambda it: statistic(it, figure)) if figure else statistic
            rows[name(label(protocol), what) + suffix] = by_size(run, table, what, protocol, of)
    return rows


def figure_3(run):
    return walks(run, "marinov2006/figure-3", lambda protocol, what: f"{protocol}, {what} agent")


def figure_4(run):
    return walks(run, "marinov2006/figure-4", lambda protocol, what: f"{protocol}, {what}")


def figure_5(run):
    return walks(run, "marinov2006/figure-5", lambda protocol, _: protocol, octets)


def times_line(run, what, protocol):
    """Through the medians of the walks' times."""
    table = "marinov2006/figure-3"
    return line(list(zip(run.sizes(table), by_size(run, table, what, protocol, median))))


def octets_line(run, protocol):
    """Through the means of the walks' octets."""
    table = "marinov2006/figure-5"
    means = by_size(run, table, "counted", protocol, lambda it: mean(it, octets))
    return line(list(zip(run.sizes(table), means)))


def in_session(protocol):
    return protocol.endswith(("/SSH", "/TLS", "/DTLS"))


def break_even(run):
    """Where the lines cross; nowhere if the session saves nothing."""
    rows, protocols = {}, run.protocols("marinov2006/figure-3")
    for protocol in filter(in_session, protocols):
        for against in [it for it in protocols if "USM" in it]:
            pair = lambda what: (times_line(run, what, it) for it in [protocol, against])
            rows[f"{label(protocol)} compared with {label(against)}"] = [crossing(*pair(what)) for what in ["fast", "slow"]]
    return rows


def overhead(run):
    """From the slopes of the octets; an interaction has two packets."""
    rows, protocols = {}, run.protocols("marinov2006/figure-5")
    for protocol in protocols:
        plain = "v2c/UDP" if protocol.endswith(("/UDP", "/DTLS")) else "v2c/TCP"
        ours, theirs = (octets_line(run, it)[0] for it in [protocol, plain])
        rows[label(protocol)] = [ours, theirs, combine(lambda a, b: (a - b) / 2, ours, theirs)]
    return rows


def break_even_octets(run):
    rows, protocols = {}, run.protocols("marinov2006/figure-5")
    for protocol in filter(in_session, protocols):
        for against in [it for it in protocols if "USM" in it]:
            ours, theirs = octets_line(run, protocol), octets_line(run, against)
            more = combine(lambda a, b: a - b, ours[1], theirs[1])
            saved = combine(lambda a, b: a - b, theirs[0], ours[0])
            rows[f"{label(protocol)} compared with {label(against)}"] = [more, saved, crossing(ours, theirs)]
    return rows


def table_3(run):
    """The 20 octets from a multiple of ten on that hold most frames: the first among equals, or the paper's range if it
    holds as many to one per cent."""
    rows, table = {}, "marinov2006/table-3"
    for protocol in run.protocols(table):
        session = run.pick(table, "counted", protocol)[0]
        sizes = Counter(dict(map(tuple, session["frames"])))
        inside = lambda start: sum(count for size, count in sizes.items() if start <= size <= start + 20)
        start = max(range(0, max(sizes) + 1, 10), key=inside)
        papers = STARTS.get(label(protocol))
        if papers is not None and inside(papers) + inside(start) // 100 >= inside(start):
            start = papers
        assert sum(sizes.values()) == packets(session)
        assert sum(size * count for size, count in sizes.items()) == octets(session)
        rows[label(protocol)] = [start, start + 20, inside(start), sum(sizes.values())]
    return rows


def figure_6(run, table="marinov2006/figure-6"):
    rows = {}
    records = [it for it in run.memory if it["table"] == table]
    counts = sorted({it["sessions"] for it in records})
    for protocol in {it["name"] for it in records}:
        for title, key in [("virtual", "virtual_size"), ("resident", "resident")]:
            read = {it["sessions"]: it[key] / 1024 for it in reversed(records) if it["name"] == protocol}
            row = [read.get(count) for count in counts]
            rows[f"{protocol}, {title}"] = row + [estimate.slope([it for it in sorted(read.items()) if it[0]])]
    return rows


def claims(run):
    """The figures of the paper's claims, by their texts."""
    found, table = {}, "marinov2006/table-2"

    def ratio(what, one, other, *figure):
        medians = [median(run.pick(table, what, it), *figure) for it in [one, other]]
        return combine(lambda a, b: a / b, *medians)

    found["one get takes longer over SSH than with USM"] = ratio("fast", "v2c/SSH", USERS)
    found["one get takes more octets over SSH than with USM"] = ratio("counted", "v2c/SSH", USERS, octets)
    found["one get takes more packets over SSH than with USM"] = ratio("counted", "v2c/SSH", USERS, packets)
    found["one get takes more packets over TCP than over UDP"] = ratio("counted", "v2c/TCP", "v2c/UDP", packets)
    more = overhead(run)
    for name, beside in [("SNMPv3/USM/UDP", "USM adds octets to a packet of SNMPv2c over UDP"), ("SNMPv2c/SSH", "SSH adds octets to a packet of SNMPv2c over TCP")]:
        if name in more:
            found[beside] = more[name][2]
    for ours, how in [("", "1 s"), (", sent again as ours", "50 ms")]:
        last = run.sizes("marinov2006/figure-4")[-1:]
        walk = lambda what, it: mean([one for size in last for one in run.pick("marinov2006/figure-4", what, it, size)])
        slower = combine(lambda a, b: a / b, walk(f"loss 0.5 %{ours}", "v2c/UDP"), walk("loss 0.5 %", "v2c/TCP"))
        found[f"a walk takes longer over UDP than over TCP with 0.5 % of loss, sent again after {how}"] = slower
    memory = figure_6(run).get("v2c/SSH, virtual")
    if memory:
        found["virtual memory of the agent for an open session over SSH"] = memory[-1]
    return found
