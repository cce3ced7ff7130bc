"""The samples of a run, from `samples.jsonl` or `samples.jsonl.xz`, which is all that this directory reads of the laboratory's."""

import json
import lzma
from collections import defaultdict
from pathlib import Path

import estimate

TRANSPORTS = {name.lower(): name for name in ["UDP", "TCP", "TLS", "DTLS", "SSH", "HTTP", "HTTPS"]}


def name(protocol):
    """A protocol as the reports name it."""
    version, transport, security = protocol["version"], TRANSPORTS[protocol["transport"]], protocol["security"]
    if security == "community":
        return f"{version}/{transport}"
    if security == "message":
        return f"{version}/XML security/{transport}"
    if "usm" in security:
        level, suite = security["usm"]
        old = {"modern": "", "md5_des": "+DES", "md5_aes": "+AES"}[suite]
        suffix = "" if suite == "modern" or level == "noAuthNoPriv" else " MD5" + (old if level == "authPriv" else "")
        return f"{version}/USM {level}{suffix}/{transport}"
    model = "/TSM" if version == "v3" else ""
    mode = {"secure": "", "tls12": " 1.2 AES-GCM", "integrity_only": " NULL-SHA"}[security["session"]]
    return f"{version}{model}/{transport}{mode}"


class Run:
    """The records of a directory by kind, without warm-ups."""

    def __init__(self, directory):
        plain = Path(directory) / "samples.jsonl"
        packed = plain.with_suffix(".jsonl.xz")
        with open(plain) if plain.exists() else lzma.open(packed, "rt") as lines:
            records = [json.loads(line) for line in lines]
        of = lambda kind: [it for it in records if it["record"] == kind]
        self.trial = of("trial")[0]
        self.setting = self.trial.get("setting") or {}
        self.sessions = [it for it in of("session") if it["repetition"] > 0]
        self.readings = [it for it in of("reading") if it["repetition"] > 0]
        self.blocks = [it for it in of("block") if it["round"] > 0]
        self.memory, self.subjects, self.doubts, self.groups = of("memory"), of("subject"), of("doubt"), of("group")
        for session in self.sessions + self.memory:
            session["name"] = name(session["protocol"])
        self.by_case = defaultdict(list)
        for it in self.sessions:
            self.by_case[it["table"], it["what"], it["name"]].append(it)
        self.by_reading = defaultdict(list)
        for it in self.readings:
            self.by_reading[it["table"], it["series"], it["at"], it["quantity"]].append(it["figure"])

    def pick(self, table, what, protocol, messages=None):
        """The sessions of a case."""
        all_of = self.by_case.get((table, what, protocol), [])
        return [it for it in all_of if messages is None or it["messages"] == messages]

    def sizes(self, table):
        """The numbers of messages of a table's sessions."""
        return sorted({it["messages"] for it in self.sessions if it["table"] == table})

    def protocols(self, table):
        """The names of a table's protocols."""
        return list(dict.fromkeys(it["name"] for it in self.sessions if it["table"] == table))

    def read(self, table, series, at, quantity):
        """The figures of some readings."""
        return self.by_reading.get((table, series, at, quantity), [])

    def middle(self, table, series, at, quantity):
        """Their median."""
        return estimate.median(self.read(table, series, at, quantity))

    def series(self, table, quantity):
        """The series with such readings, in their order."""
        found = [it["series"] for it in self.readings if (it["table"], it["quantity"]) == (table, quantity)]
        return list(dict.fromkeys(found))

    def places(self, table, quantity):
        """Where there are such readings."""
        return sorted({it["at"] for it in self.readings if (it["table"], it["quantity"]) == (table, quantity)})


def total(session):
    """The whole session, milliseconds."""
    return (session["open_ns"] + session["exchange_ns"] + session["close_ns"]) / 1e6


def phase(*names):
    """The sum of some phases, milliseconds."""
    return lambda session: sum(session[f"{name}_ns"] for name in names) / 1e6


def mean(sessions, figure=total):
    return estimate.mean([it for it in map(figure, sessions) if it is not None])


def median(sessions, figure=total):
    return estimate.median([it for it in map(figure, sessions) if it is not None])


def at_manager(quantity):
    """What a capture at the manager's end of the link shows: what it sent and what it got."""
    def figure(session):
        link = session["link"]
        return link and link["to_agent"]["sent"][quantity] + link["to_manager"]["delivered"][quantity]
    return figure
