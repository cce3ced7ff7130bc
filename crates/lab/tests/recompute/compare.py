"""The tables of compare."""

import math

from estimate import Figure, combine, line
from run import mean, median

TABLE = "compare/measured"
SESSIONS = {"TCP", "TLS", "DTLS", "SSH", "HTTP", "HTTPS"}
DAY = 86_400


def expected(run):
    ways = {}
    for protocol in run.protocols(TABLE):
        ways[f"{protocol}, cold"] = cold(run, protocol)
        ways[f"{protocol}, kept"] = kept(run, protocol)
    ways = {label: way for label, way in ways.items() if way}
    return {
        "compare/measured": {label: measured(way, run) for label, way in ways.items()},
        "compare/computed": {label: computed(way, run.setting) for label, way in ways.items()},
        "compare/plan": {label: plan(way, run.setting, ways) for label, way in ways.items()},
    }


def direction(name):
    return lambda session: session["link"] and session["link"][name]["sent"]["ip_octets"]


def packets(session):
    link = session["link"]
    return link and link["to_agent"]["sent"]["packets"] + link["to_manager"]["sent"]["packets"]


def lost(session):
    return session["link"]["to_agent"]["lost"] + session["link"]["to_manager"]["lost"]


def cpu(name):
    return lambda session: session[f"{name}_cpu_ns"] and session[f"{name}_cpu_ns"] / 1e6


def cold(run, protocol):
    on_link, beside = (run.pick(TABLE, what, protocol) for what in ["cold", "cold, loopback"])
    if not on_link:
        return None
    return {
        "octets": [mean(on_link, direction(it)) for it in ["to_agent", "to_manager"]],
        "packets": mean(on_link, packets),
        "time": mean(on_link),
        "cpu": [median(beside, cpu(it)) for it in ["manager", "agent"]],
        "memory": None,
        "fate": [sum(map(packets, on_link)), sum(map(lost, on_link))],
    }


def kept(run, protocol):
    """What a session of several rounds takes more than one of one round, for each further round."""
    first, more = (run.pick(TABLE, what, protocol) for what in ["cold", "kept"])
    first_beside, more_beside = (run.pick(TABLE, f"{what}, loopback", protocol) for what in ["cold", "kept"])
    if not first or not more:
        return None
    rounds = max(it["messages"] for it in more) - 1
    each = lambda statistic, figure: combine(
        lambda a, b: (a - b) / rounds, statistic(more, figure), statistic(first, figure)
    )

    def later(session):
        """A round after the first, milliseconds."""
        times = session["each_ns"]
        return sum(times[len(times) // session["messages"] :]) / 1e6 / (session["messages"] - 1)

    def processor(name):
        if not more_beside:
            return None
        further = max(it["messages"] for it in more_beside) - 1
        ends = [median(it, cpu(name)) for it in [more_beside, first_beside]]
        found = combine(lambda a, b: (a - b) / further, *ends)
        return found if found and found.value > 0 else None

    transport = protocol.split("/")[-1]
    return {
        "octets": [floor(each(mean, direction(it))) for it in ["to_agent", "to_manager"]],
        "packets": floor(each(mean, packets)),
        "time": mean(more, later),
        "cpu": [processor(it) for it in ["manager", "agent"]],
        "memory": memory(run, transport) if transport in SESSIONS else [Figure(0.0)] * 2,
        "fate": [sum(map(packets, more)), sum(map(lost, more))],
    }


def floor(figure):
    return figure and figure.map(lambda it: (it + abs(it)) / 2)


def memory(run, transport):
    """Octets of an open session in the agent and in the manager: the slope over the readings with any."""
    found = []
    for key in ["resident", "manager_resident"]:
        records = [it for it in run.memory if it["table"] == TABLE and it["name"].endswith(f"/{transport}")]
        points = [(it["sessions"], Figure(it[key])) for it in records if it["sessions"] > 0]
        found.append(floor(line(points)[0]))
    return found


def measured(way, run):
    held = [it and it / 1024 for it in way["memory"] or [None, None]]
    fate = way["fate"] if run.setting["loss"] > 0 else []
    return way["octets"] + [way["packets"], way["time"]] + way["cpu"] + held + fate


def busier(way):
    return combine(lambda a, b: (a + b + abs(a - b)) / 2, *way["octets"])


def computed(way, setting):
    devices, every, rate = setting["devices"], setting["every"], setting["rate"]
    day = (way["octets"][0] + way["octets"][1]) * (devices * DAY / every / 1e6)
    used = busier(way) * (8 / rate * devices / every * 100) if rate else None
    manager, agent = (it and it / (1e3 * every) * 100 for it in way["cpu"])
    all_managers = manager and manager * devices
    own = way["time"].value / 1e3 <= every and (not manager or all_managers.value <= 100)
    shared = own and (not used or used.value <= 100)
    held = (way["memory"] or [0.0, 0.0])[1]
    return [day, used and used / devices, used, float(own), float(shared), all_managers, agent, held and held * (devices / 1e6) or 0.0]


def plan(way, setting, ways):
    devices, every, rate, share = (setting[it] for it in ["devices", "every", "rate", "max_share"])
    seconds = way["time"].value / 1e3
    link = busier(way).value * 8 / rate if rate else 0.0
    processor = way["cpu"][0].value / 1e3 if way["cpu"][0] else 0.0
    needed = max(link / share, processor)
    interval = max(needed * devices, seconds)
    most = 0.0 if seconds > every else math.floor(every / needed) if needed else None
    at_once = math.ceil(devices * seconds / every)
    used = link * devices / every * 100 if rate else None
    return [used, interval, most, at_once, float(on_front(way, ways))]


def on_front(way, ways):
    """No other is better by 5 % in octets, time or processor time and worse in none."""
    figures = lambda it: [busier(it).value, it["time"].value, sum(part.value for part in it["cpu"]) if all(it["cpu"]) else None]

    def beats(other):
        pairs = [(a, b) for a, b in zip(figures(way), figures(other)) if a is not None and b is not None]
        return all(b <= a * 1.05 for a, b in pairs) and any(b < a * 0.95 for a, b in pairs)

    return not any(beats(other) for other in ways.values())
