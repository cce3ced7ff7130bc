"""The tables and figures of marinov2006."""

from collections import Counter

import estimate
from estimate import Figure, combine, line
from run import at_manager, mean, median, name

PAPERS = {
    "v2c/UDP": "SNMPv2c/UDP",
    "v2c/TCP": "SNMPv2c/TCP",
    "v3/USM authPriv MD5+AES/UDP": "SNMPv3/USM/UDP",
    "v3/USM authPriv MD5+AES/TCP": "SNMPv3/USM/TCP",
    "v2c/SSH": "SNMPv2c/SSH",
}
HEADER = 14


def label(protocol):
    return PAPERS.get(protocol, protocol)


def frames(session):
    """Octets of Ethernet frames at the manager's end."""
    octets, packets = at_manager("ip_octets")(session), at_manager("packets")(session)
    return octets and octets + HEADER * packets


def expected(run):
    sheets = {}
    for make in [table_2, section_4, figure_3, break_even, figure_4, table_3, figure_5, figure_6]:
        sheets[f"marinov2006/{make.__name__.replace('_', '-')}"] = make(run)
    return sheets


def table_2(run):
    rows, table = {}, "marinov2006/table-2"
    for protocol in run.protocols(table):
        fast, slow, counted = (run.pick(table, what, protocol) for what in ["fast", "slow", "counted"])
        traffic = [median(counted, frames), median(counted, at_manager("packets"))]
        rows[label(protocol)] = [mean(fast), mean(slow)] + traffic
        rows[f"{label(protocol)}, median"] = [median(fast), median(slow), None, None]
    return rows


def section_4(run):
    rows, table = {}, "marinov2006/section-4"
    sizes = run.sizes(table)
    for what in ["as shipped", "Nagle on", "window updates each time", "both"]:
        figures = []
        for size in sizes[:1] + sizes[-1:]:
            figures.append(mean(run.pick(table, what, "v2c/SSH", size)))
            figures.append(median(run.pick(table, f"{what}, counted", "v2c/SSH", size), at_manager("packets")))
        rows[what] = figures
    return rows


def by_size(run, table, what, protocol, figure=mean):
    return [figure(run.pick(table, what, protocol, size)) for size in run.sizes(table)]


def figure_3(run):
    table = "marinov2006/figure-3"
    kinds = [(protocol, what) for protocol in run.protocols(table) for what in ["fast", "slow"]]
    return {f"{label(it)}, {what} agent": by_size(run, table, what, it) for it, what in kinds}


def break_even(run):
    """Where the lines through the medians of the walks' times cross; nowhere if the session saves nothing."""
    rows, table = {}, "marinov2006/figure-3"
    through = lambda what, it: line(list(zip(run.sizes(table), by_size(run, table, what, it, median))))

    def crossing(what, protocol, against):
        (slope, start, _), (other_slope, other_start, _) = through(what, protocol), through(what, against)
        if slope is None or other_slope is None or other_slope.value <= slope.value:
            return None
        above = combine(lambda a, b, c, d: (a - b) / (c - d), start, other_start, other_slope, slope)
        found = Figure(max(above.value, 0.0), None, True)
        # The interval's rule is the report's: where resampled lines do not cross it has no end.
        found.free = True
        return found

    for protocol in run.protocols(table):
        if "USM" in protocol or protocol in ["v2c/UDP", "v2c/TCP"]:
            continue
        for against in [it for it in run.protocols(table) if "USM" in it]:
            row = [crossing(what, protocol, against) for what in ["fast", "slow"]]
            rows[f"{label(protocol)} beside {label(against)}"] = row
    return rows


def figure_4(run):
    table = "marinov2006/figure-4"
    kinds = {(it["name"], it["what"]) for it in run.sessions if it["table"] == table}
    return {f"{label(protocol)}, {what}": by_size(run, table, what, protocol) for protocol, what in kinds}


def table_3(run):
    """The 20 octets from a multiple of ten on that hold most frames: the first among equals."""
    rows, table = {}, "marinov2006/table-3"
    for protocol in run.protocols(table):
        session = run.pick(table, "counted", protocol)[0]
        sizes = Counter(dict(map(tuple, session["frames"])))
        inside = lambda start: sum(count for size, count in sizes.items() if start <= size <= start + 20)
        start = max(range(0, max(sizes) + 1, 10), key=inside)
        assert sum(sizes.values()) == at_manager("packets")(session)
        assert sum(size * count for size, count in sizes.items()) == frames(session)
        rows[label(protocol)] = [start, start + 20, inside(start), sum(sizes.values())]
    return rows


def figure_5(run):
    table = "marinov2006/figure-5"
    figure = lambda sessions: median(sessions, frames)
    return {label(it): by_size(run, table, "counted", it, figure) for it in run.protocols(table)}


def figure_6(run):
    return slopes(run.memory, "marinov2006/figure-6", [("virtual", "virtual_size"), ("resident", "resident")])


def slopes(records, table, quantities):
    """Memory by open sessions in KB, and the slope of a line through the readings with any."""
    rows = {}
    records = [it for it in records if it["table"] == table]
    counts = sorted({it["sessions"] for it in records})
    for protocol in {it["name"] for it in records}:
        for title, key in quantities:
            read = {it["sessions"]: it[key] / 1024 for it in reversed(records) if it["name"] == protocol}
            points = [(count, Figure(octets)) for count, octets in sorted(read.items()) if count > 0]
            rows[f"{protocol}, {title}"] = [read.get(count) for count in counts] + [line(points)[0]]
    return rows
