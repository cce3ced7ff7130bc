"""The tables and figures of pras2005."""

import numpy as np

import estimate
from estimate import Figure, combine, line

WALKED, MESSAGES, SERVICES = "pras2005/figure-4", "pras2005/figure-7", "pras2005/figure-11"
CODING, RETRIEVAL, MEMORY, DELAY = (f"pras2005/{it}" for it in ["figure-13", "figure-14", "table-1", "table-2"])
# A length or size has a row from this share on, per cent.
LEAST_SHARE = 0.5
# The objects of the paper's ifEntry.
ENTRY = 18
FRESHNESS = ["per-object", "per-request", "max-age"]


def expected(run):
    makes = [figure_4, figure_5, figure_6, figure_7, figure_11, messages, granularity, figure_12]
    makes += [ip_level, crossings, figure_13, figure_14, table_1, table_2]
    return {f"pras2005/{make.__name__.replace('_', '-')}": make(run) for make in makes}


def shares(run, quantity, unit):
    """Distributions: all readings of an agent are one hundred per cent."""
    agents = run.series(WALKED, quantity)
    counts = {agent: {at: sum(run.read(WALKED, agent, at, quantity)) for at in run.places(WALKED, quantity)} for agent in agents}
    share = lambda agent, chosen: 100 * sum(counts[agent][at] for at in chosen) / sum(counts[agent].values())
    row = lambda chosen: [share(agent, chosen) for agent in agents]
    places = run.places(WALKED, quantity)
    common = [at for at in places if max(row([at])) >= LEAST_SHARE]
    rows = {f"{at} {unit}{'' if at == 1 else 's'}": row([at]) for at in common}
    rows["all others"] = row([at for at in places if at not in common])
    mean = lambda of: sum(at * count for at, count in of.items()) / sum(of.values())
    return rows, row, [mean(counts[agent]) for agent in agents]


def figure_4(run):
    rows, _, means = shares(run, "names_of_length", "sub-identifier")
    return rows | {"mean length (sub-identifiers)": means}


def figure_5(run):
    rows, row, means = shares(run, "values_of_size", "octet")
    sizes = [at for at in run.places(WALKED, "values_of_size") if 1 <= at <= 6]
    return rows | {"1 to 6 octets": row(sizes), "mean size (octets)": means}


def element(contents):
    """A tag, BER's definite length, and contents."""
    length = 1 if contents < 128 else 1 + (contents.bit_length() + 7) // 8
    return 1 + length + contents


def message(count, value):
    """Octets of a message: names of 11 sub-identifiers (ten octets), integers of one octet, the community `public`."""
    bindings = count * element(element(10) + element(value))
    pdu = 3 * element(1) + element(bindings)
    return element(element(1) + element(6) + element(pdu))


def figure_6(run):
    objects = run.places(MESSAGES, "request_octets")
    rows = {}
    for value, unit in [(1, "1 octet"), (6, "6 octets")]:
        get = [message(n, 0) + message(n, value) for n in objects]
        bulk = [message(1, 0) + message(n, value) for n in objects]
        rows |= {f"Get, (13), values of {unit}": get, f"GetBulk, (14), values of {unit}": bulk}
    rows["GetBulk, (12) as printed, values of 1 octet"] = rows["GetBulk, (14), values of 1 octet"]
    return rows


def both(run, table, series, objects):
    """Request and response at application level."""
    halves = lambda at: [run.middle(table, series, at, f"{it}_octets") for it in ["request", "response"]]
    return [combine(lambda a, b: a + b, *halves(at)) for at in objects]


def figure_7(run):
    objects = run.places(MESSAGES, "request_octets")
    return {it: both(run, MESSAGES, it, objects) for it in run.series(MESSAGES, "request_octets")}


class Services:
    """Rows by series, for each number of objects."""

    def __init__(self, run):
        self.run = run
        self.objects = run.places(SERVICES, "request_octets")
        self.series = run.series(SERVICES, "request_octets")
        self.forms = [it for it in self.series if it.startswith("WS") and not it.endswith("zlib")]

    def row(self, series):
        return both(self.run, SERVICES, series, self.objects)

    def at_ip(self, series):
        return [self.run.middle(SERVICES, series, at, "ip_octets") for at in self.objects]


def each(function, *rows):
    return [combine(function, *column) for column in zip(*rows)]


def over(upper, lower):
    return each(lambda a, b: a / b, upper, lower)


def figure_11(run):
    services = Services(run)
    plain = services.forms + ["SNMP Get", "SNMP GetBulk"]
    rows = {it: services.row(it) for it in plain}
    for form in services.forms:
        rows |= {f"{form} / {it}": over(rows[form], rows[it]) for it in plain[-2:]}
    return rows


def messages(run):
    services = Services(run)
    whole = [run.middle(SERVICES, it, 0, "whole_request_octets") for it in services.forms]
    lines = []
    for form in services.forms:
        places = run.places(SERVICES, "entry_octets")
        lines.append(line([(at, run.middle(SERVICES, form, at, "entry_octets")) for at in places]))
    return {"request": whole, "response without rows": [it[1] for it in lines], "one ifEntry": [it[0] for it in lines]}


def granularity(run):
    at = max(run.places(SERVICES, "interactions"), default=0)
    rows = {}
    for series in run.series(SERVICES, "interactions"):
        kinds = ["interactions", "grain_request_octets", "grain_response_octets", "grain_packed_octets"]
        figures = [run.middle(SERVICES, series, at, kind) for kind in kinds]
        rows[series] = figures + [combine(lambda a, b: (a + b) / (at * ENTRY), *figures[1:3])]
    return rows


def figure_12(run):
    services = Services(run)
    rows = {it: services.row(it) for it in services.series}
    for form in services.forms:
        rows[f"{form}, factor of zlib"] = over(rows[form], rows[f"{form}, zlib"])
    for operation in ["SNMP Get", "SNMP GetBulk"]:
        for how in ["OPC", "ODC", "zlib"]:
            packed = f"{operation}, {how}"
            percent = each(lambda a, b: a / b * 100, rows[packed], rows[operation])
            rows[f"{packed}, of {operation} (%)"] = percent
    return rows


def ip_level(run):
    services = Services(run)
    more = lambda series: each(lambda a, b: a - b, services.at_ip(series), services.row(series))
    idle = run.middle(SERVICES, "TCP connection", 0, "idle_ip_octets")
    rows = {it: more(it) for it in ["SNMP Get", "SNMP GetBulk"]}
    rows["TCP, to set up and release"] = [idle] * len(services.objects)
    for form in services.forms:
        for series in [form, f"{form}, zlib"]:
            rows[f"{series}, the exchange"] = each(lambda a, b: a - b, more(series), [idle] * len(services.objects))
        heads = [run.middle(SERVICES, form, at, "header_octets") for at in services.objects]
        rows[f"{form}, of these HTTP's heads"] = heads
    return rows


def crossing(objects, one, other):
    """From where on `one` takes less: the last root of the difference, straight between measured points."""
    points = [(at, a.value - b.value) for at, a, b in zip(objects, one, other) if a and b]
    if not points or points[-1][1] >= 0:
        return None
    at, difference = map(np.array, zip(*points))
    if (difference < 0).all():
        return at[0]
    last = np.flatnonzero(difference >= 0)[-1]
    # Rising from below to above zero, as interpolation wants its argument.
    found = Figure(np.interp(0, [difference[last + 1], difference[last]], [at[last + 1], at[last]]), None, True)
    found.free = True
    return found


def crossings(run):
    services = Services(run)
    rows = {}
    for form in services.forms:
        for web in [form, f"{form}, zlib"]:
            for snmp in ["SNMP Get", "SNMP GetBulk"]:
                pairs = [(row(web), row(snmp)) for row in [services.row, services.at_ip]]
                rows[f"{web}, beside {snmp}"] = [crossing(services.objects, *pair) for pair in pairs]
    return rows


def times(run, table, series, objects, quantity):
    """Medians in milliseconds."""
    found = [run.middle(table, series, at, quantity) for at in objects]
    return [it and it / 1e6 for it in found]


def figure_13(run):
    objects = run.places(CODING, "coding_ns")
    row = lambda series, quantity="coding_ns": times(run, CODING, series, objects, quantity)
    rows = {it: row(it) for it in run.series(CODING, "coding_ns")}
    for series in run.series(CODING, "compression_ns"):
        packing = row(series, "compression_ns")
        rows[f"{series}, zlib of the response"] = packing
        if series.startswith("XML"):
            rows[f"{series}, zlib / coding"] = over(packing, rows[series])
            rows[f"{series} / BER, GetBulk"] = over(rows[series], rows["BER, GetBulk"])
    return rows


def figure_14(run):
    objects = run.places(RETRIEVAL, "retrieval_ns")
    row = lambda series, quantity: times(run, RETRIEVAL, f"trunklined, {series}", objects, quantity)
    finding, least = row("max-age", "retrieval_ns"), row("max-age", "cpu_ns")
    rows = {"retrieval, max-age": finding}
    for policy in FRESHNESS[:2]:
        above = lambda found, whole, least: found + (whole - least + abs(whole - least)) / 2
        rows[f"retrieval, {policy}"] = each(above, finding, row(policy, "cpu_ns"), least)
    rows |= {f"delay, {policy}": row(policy, "delay_ns") for policy in FRESHNESS}
    for series in run.series(RETRIEVAL, "cpu_ns"):
        rows[f"{series}: whole request"] = times(run, RETRIEVAL, series, objects, "cpu_ns")
    for series in run.series(CODING, "coding_ns"):
        rows[f"{series.removesuffix(', GetBulk')} coding"] = times(run, CODING, series, objects, "coding_ns")
    return rows


def table_1(run):
    def of(series, at, quantity):
        found = run.middle(MEMORY, series, at, quantity)
        return found and found / 1000

    def row(program, dynamic):
        static = [of(program, 0, it) for it in ["text", "instructions", "static"]]
        return static + [of(dynamic, at, "dynamic") for at in [1, 270]]

    rows = {"SNMP: trunklined": row("trunklined", "trunklined"), "SNMP: snmpd": row("snmpd", "snmpd")}
    rows |= {"WS: gSOAP": row("gSOAP", "gSOAP"), "WS: trunklined": row("trunklined", "WS")}
    for series in run.series(MEMORY, "dynamic"):
        if series.startswith("WS "):
            rows[f"{series}: trunklined"] = row("trunklined", series)
        if series.endswith(", zlib"):
            plain = series.removesuffix(", zlib")
            more = [combine(lambda a, b: a - b, *(of(it, at, "dynamic") for it in [series, plain])) for at in [1, 270]]
            rows[f"{series}: what compression adds"] = [None] * 3 + more
    return rows


def least_of_ten(samples):
    """The paper's figure, of every whole ten the least; of fewer than ten the least of them."""
    tens = [samples[at : at + 10] for at in range(0, len(samples), 10)]
    whole = [it for it in tens if len(it) == 10] or tens
    return np.median([min(it) for it in whole]) if samples else None


def table_2(run):
    rows = {}
    for series in run.series(DELAY, "delay_ns"):
        web = series.startswith(("WS", "gSOAP"))
        beside = ("WS-Comp" if series.endswith("zlib") else "WS") if web else "SNMP-1"
        samples = [run.read(DELAY, series, at, "delay_ns") for at in [1, 22, 66, 270]]
        least = [least_of_ten(it) for it in samples]
        rows[f"{series} (paper: {beside})"] = [it and it / 1e6 for it in least]
        middle = [estimate.median(it) for it in samples]
        rows[f"{series} (paper: {beside}), median"] = [it and it / 1e6 for it in middle]
    return rows
