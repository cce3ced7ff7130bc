"""The tables and figures of emanics2006."""

import numpy as np

import estimate
import groups
import marinov2006
import section_2
import section_6
from estimate import Figure, combine

RATES, FIGURE_3_2, TABLE_3_2, PACKING, TABLE_3_3, SERIES, FIGURE_3_3 = (
    f"emanics2006/{it}"
    for it in ["section-3.2", "figure-3.2", "table-3.2", "section-3.3", "table-3.3", "section-3.5", "figure-3.3"]
)
# The phases of a request in an agent; what lies between requests is none.
PHASES = "receive decrypt verify inflate decode validate access filter retrieve encode deflate encrypt sign send".split()
SELECTION = ["filter", "retrieve"]
PROTECTION = {
    "access control": ["access"],
    "encryption": ["encrypt", "sign"],
    "encryption, without the signature": ["encrypt"],
    "signature": ["sign"],
    "decryption": ["decrypt", "verify"],
    "decryption, without verification": ["decrypt"],
    "verification": ["verify"],
    "compression": ["deflate", "inflate"],
    "all protection": ["access", "encrypt", "sign", "decrypt", "verify", "deflate", "inflate"],
}
THEN, NOW = "a message by AES-128-CBC and HMAC-SHA1", "a message by AES-128-GCM and HMAC-SHA256"
CIPHERS = ["CipherValue by AES-128-CBC", "CipherValue by AES-128-GCM", "3DES-CBC", THEN, NOW]
REQUESTS, PAIRS, DEPTHS = range(1, 8), range(1, 13), [1, 3, 6]
# Pairs that select the same data: the last two cannot be said by a subtree filter.
ALIKE = range(1, 11)


def expected(run):
    sheets = {
        RATES: rates(run),
        FIGURE_3_2: figure_3_2(run),
        "emanics2006/shares": shares(run),
        SCHEMA: schema(run),
        TABLE_3_2: table_3_2(run),
        PACKING: packing(run),
        "emanics2006/thresholds": thresholds(run),
        "emanics2006/packed-octets": packed_octets(run),
        TABLE_3_3: table_3_3(run),
        "emanics2006/selection-share": selection_share(run),
        SERIES: series(run),
        FIGURE_3_3: figure_3_3(run),
        "emanics2006/compiled": compiled(run),
    }
    sheets |= section_2.expected(run) | section_5(run) | revocation(run) | groups.expected(run)
    return sheets | section_4(run) | section_6.expected(run) | {"emanics2006/claims": claims(run) | section_2.claims(run) | section_6.claims()}


WHOLE = "emanics2006/section-5"
# Its sheets: quantity and unit.
SELECTED = {
    WHOLE: ("delay_ns", 1e6),
    "emanics2006/selected-octets": ("ip_octets", 1),
    "emanics2006/selected-cpu": ("agent_cpu_ns", 1e6),
    "emanics2006/selected-memory": ("dynamic", 1024),
}


def section_5(run):
    sizes = run.places(WHOLE, "delay_ns")
    # Octets have medians: a request that was sent again is no other selection.
    of = lambda quantity: estimate.median if quantity == "ip_octets" else estimate.mean
    row = lambda place, quantity, unit: [scaled(of(quantity)(run.read(WHOLE, place, at, quantity)), unit) for at in sizes]
    places = run.series(WHOLE, "delay_ns")
    return {sheet: {place: row(place, *of) for place in places} for sheet, of in SELECTED.items()}


REVOCATION = "emanics2006/revocation"


def revocation(run):
    times, sent = {}, {}
    for size in run.places(REVOCATION, "elapsed_ns"):
        label = "1 device" if size == 1 else f"{size} devices"
        of = lambda series: means(run, REVOCATION, series, size, "elapsed_ns", 1e6)
        (first, _), (end, _) = of("first refusal"), of("end of the command")
        times[label] = of("last refusal") + [first] + of("last acknowledgement") + [end]
        quantities = ["messages", "message_octets"]
        both = lambda unit: [means(run, REVOCATION, "sent", size, it, unit)[0] for it in quantities]
        sent[label] = both(1) + both(size)
    return {REVOCATION: times, "emanics2006/revocation-sent": sent}


SECTION_4 = {
    "table-4.2": "table-2",
    "section-4.2": "section-4",
    "figure-4.3": "figure-3",
    "figure-4.4": "figure-4",
    "table-4.3": "table-3",
    "figure-4.5": "figure-5",
    "figure-4.6": "figure-6",
}


def section_4(run):
    """The tables of Marinov and Schönwälder under the deliverable's numbers."""
    asked = [ours for ours in SECTION_4 if f"emanics2006/{ours}" in run.trial["tables"]]
    make = lambda ours: getattr(marinov2006, SECTION_4[ours].replace("-", "_"))
    even = {"emanics2006/break-even": marinov2006.break_even(run)} if "emanics2006/break-even" in run.trial["tables"] else {}
    return {f"emanics2006/{ours}": make(ours)(run) for ours in asked} | even


def scaled(figure, unit):
    return combine(lambda it: it / unit, figure)


def means(run, table, name, at, quantity, unit):
    """Mean and median."""
    found = run.read(table, name, at, quantity)
    return [scaled(estimate.mean(found), unit), scaled(estimate.median(found), unit)]


def rates(run):
    return {it: means(run, RATES, it, 0, "rate", 1) for it in run.series(RATES, "rate")}


def series(run):
    rows = {}
    for name in run.series(SERIES, "series_ns"):
        for length in run.places(SERIES, "series_ns"):
            both = means(run, SERIES, name, length, "series_ns", 1e9)
            rows[f"{length} requests, {name}"] = both + [combine(lambda it: it * 1000 / length, both[0])]
    return rows


SCHEMA = "emanics2006/schema"
CHECKS = ["without", "by the agent's own schema", "by libxml2 and an XML Schema"]


def of_requests(run, check, some, of):
    """Over all requests, nanoseconds."""
    if not run.read(SCHEMA, f"{check}: access", 1, "phase_ns"):
        return None
    each = [of(phases(run, SCHEMA, check, some, at)) for at in REQUESTS]
    return combine(lambda *it: sum(it) / len(it), *each)


def times(run, check):
    whole = [of_requests(run, it, PHASES, estimate.mean) for it in [check, CHECKS[0]]]
    return combine(lambda a, b: a / b, *whole)


def schema(run):
    rows = {}
    for check in CHECKS:
        mean, median = (of_requests(run, check, PHASES, of) for of in [estimate.mean, estimate.median])
        parts = [of_requests(run, check, [phase], estimate.mean) for phase in ["validate", "filter"]]
        rows[check] = [scaled(mean, 1e6), scaled(median, 1e6)] + [scaled(it, 1e3) for it in parts] + [times(run, check)]
    return rows


def table_3_2(run):
    rows = {}
    for name in run.series(TABLE_3_2, "delay_ns"):
        octets = [float(np.mean(run.read(TABLE_3_2, name, 0, f"{it}_octets"))) for it in ["request", "response"]]
        rows[name] = means(run, TABLE_3_2, name, 0, "delay_ns", 1e6) + octets
    return rows


def phases(run, table, case, some, at):
    """The sum of some phases, repetition by repetition."""
    found = [run.read(table, f"{case}: {phase}", at, "phase_ns") for phase in some]
    return np.sum([it[: min(map(len, found))] for it in found], axis=0)


def share(run, table, case, some, at):
    """Some phases in all of them, per cent."""
    part, whole = (estimate.mean(phases(run, table, case, of, at)) for of in [some, PHASES])
    return combine(lambda a, b: a / b * 100, part, whole)


def cases(run):
    return list(dict.fromkeys(it.split(": ")[0] for it in run.series(FIGURE_3_2, "phase_ns")))


def used(run, case):
    takes = lambda phase: any(max(run.read(FIGURE_3_2, f"{case}: {phase}", at, "phase_ns"), default=0) > 0 for at in REQUESTS)
    return [phase for phase in PHASES if takes(phase)]


def figure_3_2(run):
    rows = {}
    row = lambda case, some, of: [scaled(of(phases(run, FIGURE_3_2, case, some, at)), 1e3) for at in REQUESTS]
    for case in cases(run):
        for phase in used(run, case):
            rows[f"{case}: {phase}"] = row(case, [phase], estimate.mean)
        rows[f"{case}: all"] = row(case, PHASES, estimate.mean)
        rows[f"{case}: all, median"] = row(case, PHASES, estimate.median)
    return rows


def share_of_all(run, case, some, requests=REQUESTS):
    """Some phases of all requests in all phases of all requests."""
    if not any(run.read(FIGURE_3_2, f"{case}: access", at, "phase_ns") for at in REQUESTS):
        return None
    of = lambda chosen: combine(lambda *it: sum(it), *[estimate.mean(phases(run, FIGURE_3_2, case, chosen, at)) for at in requests])
    return combine(lambda a, b: a / b * 100, of(some), of(PHASES))


def packed_share(run):
    """Of the requests whose answers are long enough to be compressed."""
    of = lambda at: share(run, FIGURE_3_2, "compression", ["deflate"], at)
    if not run.read(FIGURE_3_2, "compression: access", 1, "phase_ns"):
        return None
    packed = [at for at in REQUESTS if of(at).value >= LEAST_SHARE]
    return share_of_all(run, "compression", PROTECTION["compression"], packed) if packed else None


# Per cent: less is the mark of a phase that did not happen.
LEAST_SHARE = 0.3


def shares(run):
    rows = {}
    for case in cases(run):
        for what, some in PROTECTION.items():
            each = [share(run, FIGURE_3_2, case, some, at) for at in REQUESTS]
            rows[f"{case}: {what}"] = [share_of_all(run, case, some)] + each
    return rows


def selection(run, way, at):
    return scaled(estimate.mean(phases(run, TABLE_3_3, way, SELECTION, at)), 1e3)


def mean_selection(run, way):
    each = [selection(run, way, at) for at in ALIKE]
    return combine(lambda *it: sum(it) / len(it), *each)


def octets(run, way, at, kind):
    found = run.read(TABLE_3_3, way, at, f"{kind}_octets")
    return float(np.mean(found)) if found else None


def table_3_3(run):
    rows = {}
    for at in PAIRS:
        both = lambda of: [of("subtree"), of("XPath")]
        rows[f"{at} *"] = both(lambda way: selection(run, way, at))
        for kind in ["request", "response"]:
            rows[f"{at} *"] += both(lambda way: octets(run, way, at, kind))
    return rows | {"mean of those without a star": both(lambda way: mean_selection(run, way))}


def selection_share(run):
    kinds = [(some, way) for some in [SELECTION, ["filter"]] for way in ["subtree", "XPath"]]
    return {f"{at} *": [share(run, TABLE_3_3, way, some, at) for some, way in kinds] for at in PAIRS}


def work(run, name):
    return [estimate.mean(run.read(PACKING, name, at, "work_ns")) for at in run.places(PACKING, "work_ns")]


def packing(run):
    return {it: [scaled(figure, 1e3) for figure in work(run, it)] for it in run.series(PACKING, "work_ns")}


def packed_octets(run):
    sizes = run.places(PACKING, "work_ns")
    of = lambda name: [float(np.mean(run.read(PACKING, name, at, "work_octets"))) for at in sizes]
    return {it: of(it) for it in run.series(PACKING, "work_octets")}


def ratios(run, level, cipher):
    if cipher not in run.series(PACKING, "work_ns"):
        return []
    both, alone = work(run, f"zlib {level}, then {cipher}"), work(run, cipher)
    return [combine(lambda a, b: a / b, *pair) for pair in zip(both, alone)]


def threshold(sizes, both, alone):
    """From where on both take less than one alone: straight lines through the times between sizes."""
    values = [a.value - b.value for a, b in zip(both, alone)]
    if not values or values[-1] >= 0:
        return None
    above = [at for at, value in enumerate(values) if value >= 0]
    if not above:
        return sizes[0]
    last = above[-1]
    found = Figure(np.interp(0, [values[last + 1], values[last]], [sizes[last + 1], sizes[last]]))
    found.free = True
    return found


def thresholds(run):
    sizes, rows = run.places(PACKING, "work_ns"), {}
    for level in [1, 6]:
        for cipher in CIPHERS:
            found = ratios(run, level, cipher)
            if found:
                ends = [threshold(sizes, work(run, f"zlib {level}, then {cipher}"), work(run, cipher)), found[0], found[-1]]
                rows[f"zlib {level}, then {cipher}"] = ends
    return rows


def figure_3_3(run):
    first = [it["at"] for it in run.readings if (it["table"], it["series"]) == (FIGURE_3_3, "depth 1: access")]
    counts, rows = sorted(set(first)), {}
    for depth in DEPTHS:
        case = f"depth {depth}"
        has = [bool(run.read(FIGURE_3_3, f"{case}: access", at, "phase_ns")) for at in counts]
        of = lambda make: [make(at) if there else None for at, there in zip(counts, has)]
        mean = lambda some: of(lambda at: scaled(estimate.mean(phases(run, FIGURE_3_3, case, some, at)), 1e3))
        rows[f"{case}: access"], rows[f"{case}: all phases"] = mean(["access"]), mean(PHASES)
        rows[f"{case}: access, % of all"] = of(lambda at: share(run, FIGURE_3_3, case, ["access"], at))
    return rows


def compiled(run):
    found = [it["figure"] for it in run.readings if (it["table"], it["series"]) == (FIGURE_3_3, "compiled anew")]
    return {"* users with the roles of figure 3.3": [scaled(of(found), 1e6) for of in [estimate.mean, estimate.median]]}


def claims(run):
    rows = {}
    for level, cipher in [(level, cipher) for level in [1, 6] for cipher in CIPHERS]:
        level_of = f"zlib {level}, the agent's level" if level == 1 else f"zlib {level}"
        text = f"a MB, a size of ours, takes less time compressed ({level_of}) and then encrypted ({cipher}) than only encrypted"
        rows[text] = (ratios(run, level, cipher) or [None])[-1]
    over = lambda a, b: combine(lambda a, b: a / b, a, b)
    all_of = share_of_all(run, "encryption + compression", PROTECTION["all protection"])
    rows["all protection together has a share of the processing time"] = all_of
    rows["validation by an XML Schema makes the processing time longer"] = times(run, CHECKS[2])
    rows["so does validation by the agent's own schema"] = times(run, CHECKS[1])
    length = max(run.places(SERIES, "series_ns"), default=0)
    lasting = lambda way: estimate.mean(run.read(SERIES, way, length, "series_ns"))
    encrypted = "TCP, XML security by AES-128-CBC and HMAC-SHA1"
    beside = over(lasting("SSH"), lasting(encrypted))
    rows["a series over SSH takes longer than with XML-Encryption"] = beside
    ours = lambda border: f"(border of ours: {border})"
    rows[f"a series over SSH and with XML-Encryption takes quite similar times {ours('a factor of 1.5')}"] = beside
    rate = lambda way: estimate.mean(run.read(RATES, way, 0, "rate"))
    fewer = "with all protection an agent answers fewer requests per second than with none"
    rows[fewer] = over(rate("TCP, zlib, XML security by AES-128-CBC and HMAC-SHA1"), rate("TCP"))
    text = "compression and decompression are insignificant in requests whose answers are compressed"
    rows[f"{text} {ours('a tenth of the processing time')}"] = packed_share(run)
    rows["access control has a share of the processing time"] = share_of_all(run, "default", ["access"])
    if run.read(TABLE_3_3, "XPath", 1, "request_octets"):
        over = lambda a, b: combine(lambda a, b: a / b, a, b)
        longer = over(mean_selection(run, "XPath"), mean_selection(run, "subtree"))
        rows["selection by XPath takes longer than by subtree filters"] = longer
        rows[f"selection by XPath and by subtree filters takes similar times {ours('a factor of 1.5')}"] = longer
        all_of = lambda way: sum(octets(run, way, at, "request") for at in ALIKE)
        # Octets do not vary: the interval is the figure.
        shorter = Figure(all_of("XPath") / all_of("subtree"))
        shorter.free = True
        rows["requests with XPath are shorter than with subtree filters"] = shorter
        for what, some in [
            ("its phase filter alone", ["filter"]),
            ("its phases filter and retrieve, which finds the data", SELECTION),
        ]:
            each = [share(run, TABLE_3_3, way, some, at) for at in ALIKE for way in ["subtree", "XPath"]]
            text = f"a request takes much longer than {what} {ours('that is less than half of the processing time')}"
            rows[text] = combine(lambda *it: sum(it) / len(it), *each)
    most = max(run.places(WHOLE, "delay_ns"), default=0)
    for text, quantity in [
        ("XPath over the finished SOAP body takes longer than selecting before it is made", "delay_ns"),
        ("it takes more memory of the agent", "dynamic"),
    ]:
        of = lambda place: estimate.mean(run.read(WHOLE, place, most, quantity))
        places = ["XPath over the finished SOAP body", "selected at the agent"]
        wanted = max(run.read(WHOLE, "selected at the agent", most, "instances"), default=0)
        rows[f"{text}, of {most} rows, {wanted:.0f} of them selected"] = combine(lambda a, b: a / b, *map(of, places))
    for size in [100, 1000]:
        last = estimate.mean(run.read(REVOCATION, "last refusal", size, "elapsed_ns"))
        border = ours("the deliverable says that it must be fast")
        rows[f"a role that is taken from a user is refused by {size} devices within a second {border}"] = scaled(last, 1e9)
        last = estimate.mean(run.read(REVOCATION, "last acknowledgement", size, "elapsed_ns"))
        rows[f"the last of {size} devices acknowledges it within a second {ours('its start as a process is not in it')}"] = scaled(last, 1e9)
    delay = lambda name: estimate.mean(run.read(TABLE_3_2, name, 0, "delay_ns"))
    for other, text in [("BGP configuration, sample", "a sample"), ("network interfaces", "the interfaces")]:
        ratio = combine(lambda a, b: a / b, delay("BGP configuration"), delay(other))
        rows[f"a realistic configuration of BGP takes longer than {text}"] = ratio
    return rows
