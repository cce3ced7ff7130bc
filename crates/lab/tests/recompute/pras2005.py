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
    makes = [figure_4, figure_5, figure_6, figure_7, snmpv3, figure_11, messages, granularity, figure_12]
    makes += [ip_level, crossings, figure_13, coding_factors, figure_14, table_1, table_2, first, claims]
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


def snmpv3(run):
    quantities = ["request_header", "response_header", "time_packets", "time_ip_octets"]
    names = run.series(MESSAGES, quantities[0])
    return {it: [run.middle(MESSAGES, it, 1, quantity) for quantity in quantities] for it in names}


class Services:
    """Rows by series, for each number of objects."""

    def __init__(self, run):
        self.run = run
        self.objects = run.places(SERVICES, "request_octets")
        self.series = run.series(SERVICES, "request_octets")
        self.forms = [it for it in self.series if it.startswith("WS") and not it.endswith("zlib")]

    def row(self, series):
        return both(self.run, SERVICES, series, self.objects)

    def of(self, series, quantity):
        return [self.run.middle(SERVICES, series, at, quantity) for at in self.objects]

    def at_ip(self, series):
        return self.of(series, "ip_octets")


def each(function, *rows):
    return [combine(function, *column) for column in zip(*rows)]


def over(upper, lower):
    return each(lambda a, b: a / b, upper, lower)


def figure_11(run):
    services = Services(run)
    plain = services.forms + ["SNMP Get", "SNMP GetBulk"]
    rows = {it: services.row(it) for it in plain + [it for it in services.series if it == "gSOAP"]}
    for form in services.forms:
        rows |= {f"{form} / {it}": over(rows[form], rows[it]) for it in plain[-2:]}
    return rows | {it: services.of(it, "value_octets") for it in run.series(SERVICES, "value_octets")}


def messages(run):
    services = Services(run)
    whole = [run.middle(SERVICES, it, 0, "whole_request_octets") for it in services.forms]
    def lines(quantity):
        at = run.places(SERVICES, quantity)
        return [line([(rows, run.middle(SERVICES, form, rows, quantity)) for rows in at]) for form in services.forms]

    entry = lines("entry_octets")
    found = {"request": whole, "response without rows": [it[1] for it in entry], "one ifEntry": [it[0] for it in entry]}
    parts = {"names": "names", "types": "attributes of type", "type_names": "names of types alone"}
    for part, words in parts.items():
        percent = lambda one, all: one / all * 100
        slopes = zip(lines(f"entry_{part}"), entry)
        found[f"{words}, of one ifEntry (%)"] = [combine(percent, one[0], all[0]) for one, all in slopes]
    return found


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
        rows[f"{form}, zlib level 6"] = services.of(f"{form}, zlib", "library_octets")
        for how in ["zlib", "zlib level 6"]:
            rows[f"{form}, factor of {how}"] = over(rows[form], rows[f"{form}, {how}"])
    if "gSOAP" in rows:
        rows["gSOAP, factor of zlib"] = over(rows["gSOAP"], rows["gSOAP, zlib"])
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
                rows[f"{web}, compared with {snmp}"] = [crossing(services.objects, *pair) for pair in pairs]
                if web.endswith("zlib"):
                    sixth = services.of(web, "library_octets")
                    found = crossing(services.objects, sixth, services.row(snmp))
                    rows[f"{web} level 6, compared with {snmp}"] = [found, None]
    return rows


def times(run, table, series, objects, quantity):
    """Medians in milliseconds."""
    found = [run.middle(table, series, at, quantity) for at in objects]
    return [it and it / 1e6 for it in found]


def coding(run):
    """Rows of coding, and of what compression adds to it, by their names."""
    objects = run.places(CODING, "coding_ns")
    row = lambda series, quantity: times(run, CODING, series, objects, quantity)
    rows = {it: row(it, "coding_ns") for it in run.series(CODING, "coding_ns")}
    rows["BER, GetBulk, zlib"] = row("BER, GetBulk", "compression_ns")
    for form in [it for it in rows if it.startswith("XML")]:
        both = row(form, "packed_coding_ns")
        rows[f"{form}, zlib level 1"] = each(lambda a, b: a - b, both, rows[form])
        rows[f"{form}, zlib level 6"] = row(form, "compression_ns")
    return rows


def figure_13(run):
    return coding(run)


def coding_factors(run):
    rows, coded = {}, coding(run)
    for form in [it for it in coded if it.startswith("XML") and "zlib" not in it]:
        rows[f"{form} / BER, GetBulk"] = over(coded[form], coded["BER, GetBulk"])
        for level in [1, 6]:
            packing = coded[f"{form}, zlib level {level}"]
            rows[f"{form}, zlib level {level} / coding"] = over(packing, coded[form])
    return rows


def figure_14(run):
    objects = run.places(RETRIEVAL, "retrieval_ns")
    row = lambda series, quantity: times(run, RETRIEVAL, f"trunklined, {series}", objects, quantity)
    finding, least = row("max-age", "retrieval_ns"), row("max-age", "cpu_ns")
    rows = {"retrieval, max-age": finding}
    for policy in FRESHNESS[:2]:
        above = lambda found, whole, least: found + (whole - least)
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

    dynamic = lambda series: [of(series, 1, "dynamic"), of(series, 270, "dynamic"), of(series, 270, "kept")]
    static = lambda program: [of(program, 0, it) for it in ["text", "instructions", "static"]]
    rows = {f"SNMP: {it}": static(it) + dynamic(it) for it in ["trunklined", "snmpd"]}
    rows["WS: gSOAP"] = static("gSOAP") + dynamic("gSOAP")
    for series in run.series(MEMORY, "dynamic"):
        rows[f"{series}: trunklined"] = static("trunklined") + dynamic(series)
        if series.endswith(", zlib"):
            plain = series.removesuffix(", zlib")
            more = each(lambda a, b: a - b, dynamic(series), dynamic(plain))
            rows[f"{series}: what compression adds"] = [None] * 3 + more
    return rows


def tens(samples):
    """The paper's groups: every whole ten; if there are fewer, these."""
    groups = [samples[at : at + 10] for at in range(0, len(samples), 10)]
    return [it for it in groups if len(it) == 10] or groups


def delays(run, series):
    """The least of ten, and the median of all, milliseconds."""
    groups = [tens(run.read(DELAY, series, at, "delay_ns")) for at in [1, 22, 66, 270]]
    least = [estimate.median([min(ten) / 1e6 for ten in it]) for it in groups]
    return least, [estimate.median([[delay / 1e6 for delay in ten] for ten in it]) for it in groups]


def table_2(run):
    rows = {}
    for series in run.series(DELAY, "delay_ns"):
        web = series.startswith(("WS", "gSOAP"))
        beside = ("WS-Comp" if series.endswith("zlib") else "WS") if web else "SNMP-1"
        # The paper's web services stand beside its own encoding only.
        for label in [series, f"{series} (paper: {beside})"]:
            rows[label], rows[f"{label}, median"] = delays(run, series)
    return rows


def first_over_others(run, series):
    found = [run.middle(DELAY, series, at, "first_delay_ns") for at in [1, 22, 66, 270]]
    return over([it and it / 1e6 for it in found], delays(run, series)[1])


def first(run):
    return {it: first_over_others(run, it) for it in run.series(DELAY, "first_delay_ns")}


def claims(run):
    """The figures of the paper's claims that vary from run to run, by their texts."""
    objects = run.places(CODING, "coding_ns")
    factors, found = coding_factors(run), {}
    is_near = lambda it, wanted: abs(it - wanted) * 8 <= wanted
    near = lambda wanted, places: min(
        (at for at, it in enumerate(places) if is_near(it, wanted)), key=lambda at: abs(places[at] - wanted), default=None
    )
    for wanted, words in [(1, "1 object"), (216, "216 objects")]:
        for form in ["as-in-paper", "lean"]:
            row, at = factors.get(f"XML {form} / BER, GetBulk"), near(wanted, objects)
            if row and at is not None:
                found[f"coding takes longer in XML ({form}) than in BER, about {words}"] = row[at]
    least = {it: delays(run, it)[0][3] for it in run.series(DELAY, "delay_ns")}
    for series, words in [("WS as-in-paper", "web services take more"), ("WS as-in-paper, zlib", "compressed web services take less")]:
        for agent in ["trunklined", "snmpd"]:
            ratio = combine(lambda a, b: a / b, least.get(series), least.get(agent))
            found[f"{words} time than GetBulk from {agent}, 270 objects (then: the quickest agent)"] = ratio
    slow = figure_14(run)
    for wanted, word in [(176, "longer"), (270, "less long")]:
        at = near(wanted, run.places(RETRIEVAL, "retrieval_ns"))
        pair = [slow.get(it) for it in ["retrieval, per-request", "XML as-in-paper coding"]]
        if at is not None and all(pair):
            text = f"retrieval (per-request) takes {word} than coding in XML (as-in-paper), about {wanted} objects (then: longer up to 180)"
            found[text] = combine(lambda a, b: a / b, *(it[at] for it in pair))
    memory = table_1(run)
    released = lambda row: row and combine(lambda most, kept: most - kept, row[4], row[5])
    pair = [released(memory.get(it)) for it in ["SNMP: trunklined", "WS as-in-paper: trunklined"]]
    text = "SNMP takes more dynamic memory than web services (as-in-paper), 270 objects, without what is kept"
    found[text] = combine(lambda a, b: a / b, *pair)
    text = "the first measurement of SNMP takes longer than the next ones, 66 objects"
    return found | {text: first_over_others(run, "trunklined")[2]}
