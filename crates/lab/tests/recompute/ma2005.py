"""The tables and figures of ma2005."""

import numpy as np

import estimate
from estimate import Figure, combine, deviation
from run import at_manager, total

DOMAINS = {"UDP": "v2c/UDP", "TCP": "v2c/TCP", "HTTP": "v2c/HTTP", "HTTPS": "v2c/HTTPS"}
FRONT = "ma2005/table-3"
WAYS = ["initial load", "SOAP", "RESTCONF"]
SHARES = [0, 0.01, 0.25, 0.5, 0.75, 0.99, 1]


def expected(run):
    return {
        "ma2005/table-1": table_1(run),
        "ma2005/table-2": table_2(run),
        "ma2005/table-3": table_3(run),
        "ma2005/figure-3": {it: quantiles(latencies(run, it)) for it in ["UDP", "TCP", "HTTP"]},
        "ma2005/figure-4": {it: quantiles(latencies(run, it)) for it in ["HTTPS", "HTTP"]},
        "ma2005/figure-5": {it: quantiles(cycles(run, it)) for it in ["HTTPS", "HTTP"]},
        "ma2005/figure-6": figure_6(run),
        "ma2005/figure-7": figure_7(run),
        "ma2005/jitter": jitter(run),
        "ma2005/size": size(run),
        "ma2005/claims": claims(run),
    }


def extreme(samples, function):
    """Least or greatest: the extremes of resampled runs say nothing of their own."""
    return Figure(function(samples)) if len(samples) else None


def spread(samples):
    return [extreme(samples, min), extreme(samples, max), estimate.mean(samples), estimate.median(samples)]


def transactions(run, domain):
    return run.pick("ma2005/table-1", "get", DOMAINS[domain])


def latency(session):
    """From the first packet on the link to the last."""
    wire = session.get("wire_ns")
    return total(session) if wire is None else wire / 1e6


def latencies(run, domain):
    return [latency(it) for it in transactions(run, domain)]


def table_1(run):
    rows = {}
    figures = {
        "packets": at_manager("packets"),
        "octets": at_manager("ip_octets"),
        "latency (ms)": latency,
        "session (ms)": total,
    }
    for domain in DOMAINS:
        for what, figure in figures.items():
            found = [figure(it) for it in transactions(run, domain)]
            rows[f"{domain} {what}"] = spread([it for it in found if it is not None])
    return rows


def cycles(run, domain):
    """Millions: counted, or user and system time by the clock."""
    counted = run.read("ma2005/table-2", domain, 1, "cycles")
    clock = run.read("ma2005/table-2", "clock", 0, "cycles")
    if counted or not clock:
        return [it / 1e6 for it in counted]
    return [ns * np.median(clock) / 1e15 for ns in run.read("ma2005/table-2", domain, 1, "cpu_ns")]


def table_2(run):
    rows = {}
    for domain in DOMAINS:
        executed = lambda series: spread([it / 1e6 for it in run.read("ma2005/table-2", series, 1, "executed")])
        rows[f"{domain} instructions (millions)"] = executed(domain)
        start = f"{domain}, start alone"
        if start in run.series("ma2005/table-2", "executed"):
            rows[f"{domain} start alone, instructions (millions)"] = executed(start)
            rest = [combine(lambda a, b: a - b, *pair) for pair in zip(executed(domain), executed(start))]
            rows[f"{domain} instructions without the start (millions)"] = [None, None] + rest[2:]
        rows[f"{domain} cycles (millions)"] = spread(cycles(run, domain))
        times = [it / 1e6 for it in run.read("ma2005/table-2", domain, 1, "cpu_ns")]
        rows[f"{domain} user and system time (ms)"] = spread(times)
    return rows


def in_browser(run, way, quantity, unit=1e6):
    """What a browser did, over HTTP unless the way says otherwise."""
    series = way if "," in way else f"{way}, HTTP"
    return [it / unit for it in run.read(FRONT, series, 1, quantity)]


def table_3(run):
    rows = {}
    for series in [f"{way}, {transport}" for transport in ["HTTP", "HTTPS"] for way in WAYS]:
        rows[f"{series}: packets"] = spread(in_browser(run, series, "packets", 1))
        rows[f"{series}: octets"] = spread(in_browser(run, series, "ip_octets", 1))
        rows[f"{series}: latency (ms)"] = spread(in_browser(run, series, "wire_ns"))
        rows[f"{series}: page's clock (ms)"] = spread(in_browser(run, series, "delay_ns"))
        rows[f"{series}: HTTP alone (ms)"] = spread(in_browser(run, series, "http_ns"))
    stripped = run.middle(FRONT, "the agent", 1, "file_octets")
    rows["the server's side, as stripped files (MB)"] = [None, None, stripped and stripped.value / 1e6, None]
    for transport in ["HTTP", "HTTPS"]:
        # Readings that follow one another have no interval.
        mega = [it / 1e6 for it in run.read(FRONT, f"the agent, {transport}", 1, "resident")]
        values = [min, max, np.mean, np.median]
        rows[f"the server's side, resident after {transport} (MB)"] = [it(mega) if mega else None for it in values]
    return rows


def figure_6(run):
    return {
        "SOAP in the browser": quantiles(in_browser(run, "SOAP", "wire_ns")),
        "RESTCONF in the browser": quantiles(in_browser(run, "RESTCONF", "wire_ns")),
        "HTTP": quantiles(latencies(run, "HTTP")),
        "SOAP, by the page's clock": quantiles(in_browser(run, "SOAP", "delay_ns")),
        "RESTCONF, by the page's clock": quantiles(in_browser(run, "RESTCONF", "delay_ns")),
    }


def figure_7(run):
    return {
        "initial load": quantiles(in_browser(run, "initial load", "wire_ns")),
        "SOAP in the browser": quantiles(in_browser(run, "SOAP", "wire_ns")),
        "initial load, by the page's clock": quantiles(in_browser(run, "initial load", "delay_ns")),
        "SOAP, by the page's clock": quantiles(in_browser(run, "SOAP", "delay_ns")),
    }


def quantiles(samples):
    if not samples:
        return [None] * 9
    found = [extreme(samples, min)] + [estimate.quantile(samples, it) for it in SHARES[1:-1]]
    ratio = Figure(max(samples) / min(samples))
    return found + [extreme(samples, max), estimate.mean(samples), ratio]


def jitter(run):
    table = "ma2005/jitter"
    variants = list(dict.fromkeys(it["what"] for it in run.sessions if it["table"] == table))
    times = {what: [total(it) for it in run.sessions if (it["table"], it["what"]) == (table, what)] for what in variants}
    spreads = {what: deviation(samples) for what, samples in times.items()}
    without = lambda what, against: combine(
        lambda this, whole: (1 - this**2 / whole**2) * 100, spreads[what], spreads.get(against)
    )
    rows = {}
    for what, samples in times.items():
        ends = extreme(samples, min), extreme(samples, max)
        middle = [estimate.median(samples), estimate.mean(samples)]
        ratio = Figure(max(samples) / min(samples))
        less = lambda it: it if it is not None and it.value >= 0 else None
        gone = [less(without(what, it)) for it in ["HTTPS, full handshake, ECDSA keys", "HTTPS, an RSA key made in each session"]]
        rows[what] = [ends[0]] + middle + [ends[1], spreads[what], ratio, middle_half(samples)] + gone
    return rows


def middle_half(samples):
    """From the first quartile to the third, by the median, in per cent."""

    def of(it):
        low, median, high = np.quantile(it, [0.25, 0.5, 0.75], axis=-1)
        return (high - low) / median * 100

    return estimate.of(samples, of)


def claims(run):
    """Those about how much latency varies and about browsers, by their texts."""
    ratio = lambda a, b: combine(lambda a, b: a / b, middle_half(a), middle_half(b))
    variant = lambda name: [total(it) for it in run.sessions if (it["table"], it["what"]) == ("ma2005/jitter", name)]
    made = variant("HTTPS, an RSA key made in each session"), variant("HTTP, a connection each")
    return {
        "latency varies more over HTTPS than over HTTP (middle half by the median)": ratio(
            latencies(run, "HTTPS"), latencies(run, "HTTP")
        ),
        "the same with an RSA key made in each session (`jitter`, over the loopback)": ratio(*made),
        "a get by SOAP takes longer in a browser than in the HTTP domain": means(
            in_browser(run, "SOAP", "wire_ns"), latencies(run, "HTTP")
        ),
        "an initial load takes longer than a get in a page that is there": means(
            in_browser(run, "initial load", "wire_ns"), in_browser(run, "SOAP", "wire_ns")
        ),
        "an initial load transfers more octets than a get in a page that is there": means(
            in_browser(run, "initial load", "ip_octets"), in_browser(run, "SOAP", "ip_octets")
        ),
    }


def means(a, b):
    """The ratio of their means."""
    return combine(lambda a, b: a / b, estimate.mean(a), estimate.mean(b))


def size(run):
    read = lambda series, at: run.middle("ma2005/size", series, at, "file_octets")
    rows = {it: [None, read(it, 1), read(it, 2)] for it in run.series("ma2005/size", "file_octets")}
    crates = [it for it in rows if "(" in it]
    added = [None] + [sum(it.value for name in crates if (it := rows[name][at])) for at in [1, 2]]
    whole = rows.get("all instructions", [None] * 3)
    rest = [all_of and all_of.value - more for all_of, more in zip(whole, added)]
    rows["with"], rows["without"] = whole, rest
    rows["growth (%)"] = [left and more / left * 100 for left, more in zip(rest, added)]
    return rows
