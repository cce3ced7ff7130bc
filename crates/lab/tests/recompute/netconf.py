"""The tables and figures of the experiment netconf."""

import numpy as np

import estimate
import marinov2006
from estimate import combine
from run import at_manager, mean, median

OCTETS, CODING, TABLE_2, FIGURE_3 = (f"netconf/{it}" for it in ["figure-11", "figure-13", "table-2", "figure-3"])
WAYS = ["SNMP Get", "SNMP GetBulk", "SOAP, lean", "NETCONF"]
TIMED = ["SNMP GetBulk", "SOAP, lean", "NETCONF"]
HEADER = 14


def expected(run):
    return {
        OCTETS: octets(run, ""),
        "netconf/figure-12": octets(run, ", zlib"),
        CODING: phases(run, ["decode", "encode"]),
        "netconf/figure-14": phases(run, ["filter", "retrieve"]),
        TABLE_2: table_2(run),
        FIGURE_3: figure_3(run),
        "netconf/figure-6": marinov2006.figure_6(run, "netconf/figure-6"),
        "netconf/claims": claims(run),
    }


def both(run, name, at):
    """Octets of request and answer."""
    found = [run.read(OCTETS, name, at, f"{it}_octets") for it in ["request", "response"]]
    return float(sum(map(np.mean, found))) if all(found) else None


def octets(run, suffix):
    return {way + suffix: [both(run, way + suffix, at) for at in run.places(OCTETS, "request_octets")] for way in WAYS}


def phases(run, some):
    def figure(way, at):
        found = [run.read(CODING, f"{way}: {phase}", at, "phase_ns") for phase in some]
        return combine(lambda it: it / 1e3, estimate.mean(np.sum(found, axis=0)))

    return {way: [figure(way, at) for at in run.places(CODING, "phase_ns")] for way in TIMED}


def frames(session):
    octets, packets = at_manager("ip_octets")(session), at_manager("packets")(session)
    return octets and octets + HEADER * packets


def table_2(run):
    rows = {}
    for protocol in run.protocols(TABLE_2):
        timed, counted = (run.pick(TABLE_2, what, protocol) for what in ["time", "counted"])
        for suffix, of in [("", mean), (", median", median)]:
            rows[protocol + suffix] = [of(timed), of(counted, frames), of(counted, at_manager("packets"))]
    return rows


def figure_3(run):
    of = lambda protocol: [mean(run.pick(FIGURE_3, "time", protocol, size)) for size in run.sizes(FIGURE_3)]
    return {protocol: of(protocol) for protocol in run.protocols(FIGURE_3)}


def claims(run):
    most = max(run.places(OCTETS, "request_octets"), default=0)
    over = lambda a, b: combine(lambda a, b: a / b, a, b)
    of = lambda protocol: median(run.pick(TABLE_2, "time", protocol))

    def exact(*ways):
        """Octets do not vary: the interval is the figure."""
        found = over(*[both(run, way, most) for way in ways])
        if found is not None:
            found.free = True
        return found

    return {
        "NETCONF takes more octets than GetBulk for many objects": exact("NETCONF", "SNMP GetBulk"),
        "so it does if both are compressed": exact("NETCONF, zlib", "SNMP GetBulk, zlib"),
        "one get takes longer over NETCONF than over SNMP, both over TCP": over(of("netconf/TCP"), of("v2c/TCP")),
        "one get takes longer over NETCONF than over SNMP, both over SSH": over(of("netconf/SSH"), of("v2c/SSH")),
        "one get over NETCONF takes longer over SSH than over TLS": over(of("netconf/SSH"), of("netconf/TLS")),
        "one get takes longer over NETCONF and SSH than over SNMP and UDP": over(of("netconf/SSH"), of("v2c/UDP")),
    }
