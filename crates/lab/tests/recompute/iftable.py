"""The tables of iftable."""

from collections import defaultdict

import numpy as np

import estimate
from estimate import Figure
from run import TRANSPORTS

OPERATIONS = {"get": "Get", "get_next": "GetNext", "get_bulk": "GetBulk"}


class Cell:
    """The blocks of one kind of request to one agent."""

    def __init__(self, blocks):
        rounds = defaultdict(list)
        for block in blocks:
            rounds[block["round"]] += [request["delay_ns"] for request in block["requests"]]
        self.rounds = [rounds[at] for at in sorted(rounds)]
        self.median = estimate.median(self.rounds)
        self.least = estimate.median([min(delays) for delays in self.rounds])
        self.first = estimate.median([it["requests"][0]["delay_ns"] for it in blocks])
        cpu = [it["cpu_ns"] / len(it["requests"]) for it in blocks if it["cpu_ns"] is not None]
        self.cpu = estimate.median(cpu)
        self.octets, self.packets = level(blocks)


def level(blocks):
    """Octets and packets at IP level per interaction."""
    datagrams = [it for block in blocks for it in block["requests"] if it.get("ip_octets") is not None]
    if datagrams:
        return tuple(Figure(np.mean([it[key] for it in datagrams])) for key in ["ip_octets", "ip_packets"])
    counted = [(block["tcp"], len(block["requests"])) for block in blocks if block["tcp"]]
    requests = sum(count for _, count in counted)
    if not requests:
        return None, None
    segments = sum(tcp["segments_out"] + tcp["segments_in"] for tcp, _ in counted)
    payload = sum(tcp["payload_out"] + tcp["payload_in"] for tcp, _ in counted)
    headers = sum((it["segments_out"] + it["segments_in"]) * it["headers_per_segment"] for it, _ in counted)
    return Figure((payload + headers) / requests), Figure(segments / requests)


def expected(run):
    groups = defaultdict(list)
    for block in run.blocks:
        groups[block["subject"], block["operation"], block["transport"], block["objects"]].append(block)
    cells = {key: Cell(blocks) for key, blocks in groups.items()}
    subjects = [it["subject"] for it in run.subjects]
    objects = run.setting["objects"]
    sheets = {f"iftable/{name}": {} for name in ["delay", "first", "cpu", "octets", "table-2", "ip-level", "memory", "cells"]}

    def row(subject, operation, transport, figure):
        keys = [(subject, operation, transport, count) for count in objects]
        return [figure(cells[key]) if key in cells else None for key in keys]

    for operation, verb in OPERATIONS.items():
        for transport in ["udp", "tcp"]:
            label = lambda subject: f"{verb} {TRANSPORTS[transport]}: {subject}"
            for subject in subjects:
                sheets_of_times = [
                    ("delay", lambda it: it.median / 1e3),
                    ("first", lambda it: it.first / 1e3),
                    ("cpu", lambda it: it.cpu / 1e3 if it.cpu else None),
                ]
                for sheet, figure in sheets_of_times:
                    ours = row(subject, operation, transport, figure)
                    sheets[f"iftable/{sheet}"][label(subject)] = ours
                    if subject != subjects[0]:
                        first = row(subjects[0], operation, transport, figure)
                        ratio = [a / b if a and b else None for a, b in zip(ours, first)]
                        sheets[f"iftable/{sheet}"][f"{label(subject)} / {subjects[0]}"] = ratio
                for unit in ["octets", "packets"]:
                    figures = row(subject, operation, transport, lambda it: getattr(it, unit))
                    sheets["iftable/ip-level"][f"{label(subject)}, {unit}"] = figures
        for subject in subjects:
            series = f"{subject}, {verb}"
            both = lambda count: [run.middle("iftable/octets", series, count, f"{it}_octets") for it in ["request", "response"]]
            sums = [a.value + b.value if a and b else None for a, b in map(both, objects)]
            sheets["iftable/octets"][f"{verb}: {subject}"] = sums
    bulk = lambda subject, figure: row(subject, "get_bulk", "udp", lambda it: figure(it) / 1e6)
    for subject in subjects:
        table = sheets["iftable/table-2"]
        table[f"{subject}, least of 10"] = bulk(subject, lambda it: it.least)
        table[f"{subject}, median"] = bulk(subject, lambda it: it.median)
        for at, end in enumerate(["from", "to"]):
            table[f"{subject}, 95 % of median {end}"] = [it and End(it, at) for it in bulk(subject, lambda it: it.median)]
    for series in run.series("iftable/memory", "resident"):
        quantities = ["instructions", "writable", "constants", "resident", "proportional"]
        figures = [run.middle("iftable/memory", series, 0, quantity) for quantity in quantities]
        sheets["iftable/memory"][series] = [it and it.value / 1e3 for it in figures]
    for (subject, operation, transport, count), cell in cells.items():
        label = f"{OPERATIONS[operation]} of {count} over {TRANSPORTS[transport]} from {subject}"
        sheets["iftable/cells"][label] = details(cell)
    return sheets


def details(cell):
    """In the order of the table's columns, microseconds."""
    delays = [np.array(delays) / 1e3 for delays in cell.rounds]
    everything = np.concatenate(delays)
    middle = estimate.median(delays)
    quantiles = lambda *shares: [Figure(np.quantile(everything, share)) for share in shares]
    ends = [End(middle, 0), End(middle, 1)]
    moments = [Figure(everything.mean()), Figure(everything.std(ddof=1))]
    rest = moments + [cell.cpu / 1e3 if cell.cpu else None]
    return quantiles(0, 0.25) + [middle] + ends + quantiles(0.75, 0.99, 1) + rest


class End:
    """An end of a figure's interval, printed as a figure."""

    def __init__(self, figure, at):
        self.figure, self.at = figure, at
