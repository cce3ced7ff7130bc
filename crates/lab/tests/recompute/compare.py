"""The tables of compare."""

import numpy as np

import fleet
from estimate import Figure, combine, is_below, slope
from fleet import CHANGES, Way
from run import mean, median, total

TABLE = "compare/measured"
SESSIONS = {"TCP", "TLS", "DTLS", "SSH", "HTTP", "HTTPS"}
DAY = 86_400
# By how much a way must be better to count.
MARGIN = 0.05
# Octets that glibc keeps at the end of a heap.
KEPT_BY_ALLOCATOR = 128 * 1024


def expected(run):
    ways = {way.label: way for way in all_ways(run)}
    setting = run.setting
    return {
        "compare/measured": {label: measured(way, setting) for label, way in ways.items()},
        "compare/computed": {label: computed(way, setting) for label, way in ways.items()},
        "compare/plan": {label: plan(way, setting, ways.values()) for label, way in ways.items()},
        "compare/sensitivity": sensitivity(setting, list(ways.values())),
    }


def all_ways(run):
    kinds = {}
    for it in run.sessions:
        if it["table"] == TABLE:
            # `cold, loopback zlib`: what, and how messages are compressed.
            base = next(base for base in BASES if it["what"].startswith(base))
            packing = it["what"].removeprefix(base)
            kinds.setdefault((it["name"], packing), {}).setdefault(base, []).append(it)
    for (protocol, packing), sessions in kinds.items():
        made = [make(protocol, packing, {base: sessions.get(base, []) for base in BASES}, run) for make in [cold, kept]]
        if not fleet.has_session(protocol) and made[1]:
            made = made[1:]
        yield from filter(None, made)


WHERE = [", loopback", ", twice the objects", ", without loss"]
BASES = [f"{kind}{where}" for kind in ["cold", "kept"] for where in [*WHERE, ""]]


def direction(name):
    return lambda session: session["link"] and session["link"][name]["sent"]["ip_octets"]


def packets(session):
    link = session["link"]
    return link and link["to_agent"]["sent"]["packets"] + link["to_manager"]["sent"]["packets"]


def lost(session):
    return session["link"]["to_agent"]["lost"] + session["link"]["to_manager"]["lost"]


def clean(sessions, without):
    """Those that lost and repeated nothing, also over a link that loses nothing; all of them if there are none."""
    return [it for it in sessions + without if lost(it) == 0 and it["resent"] == 0] or sessions


def cpu(name):
    return lambda session: session[f"{name}_cpu_ns"] and session[f"{name}_cpu_ns"] / 1e6


def fetched(sessions):
    """Objects and requests of a round."""
    first = sessions[0]
    return (first.get("objects") or 0) / first["messages"], len(first["each_ns"]) / first["messages"]


def directions(figure):
    return [figure(direction(it)) for it in ["to_agent", "to_manager"]]


def cold(protocol, packing, sessions, _run):
    on_link, beside, twice = (sessions[f"cold{it}"] for it in ["", ", loopback", ", twice the objects"])
    if not on_link:
        return None
    way = Way(protocol, packing, kept=False)
    cost = lambda sessions: directions(lambda it: mean(sessions, it)) + [mean(sessions)]
    way.cost, way.clean = cost(on_link), cost(clean(on_link, sessions["cold, without loss"]))
    way.packets = mean(on_link, packets)
    way.fate = [sum(map(packets, on_link)), sum(map(lost, on_link))]
    way.objects, way.requests = fetched(on_link)
    way.cpu = [median(beside, cpu(it)) for it in ["manager", "agent"]]
    way.memory = [0.0, 0.0]
    if twice:
        way.twice = [it.value for it in cost(twice)[:2]], fetched(twice)[1]
    return way


def kept(protocol, packing, sessions, run):
    """A round after the first of a session, between two silences of the link."""

    def excess(figure, more, first):
        if not more or not first:
            return None
        rounds = max(max(it["messages"] for it in more) - 1, 1)
        return combine(lambda a, b: (a - b) / rounds, median(more, figure), median(first, figure))

    later = lambda sessions: [it for session in sessions for it in session["rounds"][1:]]
    quiet = lambda it: lost(it) == 0 and it["resent"] == 0
    on_link, twice = sessions["kept"], sessions["kept, twice the objects"]
    rounds = later(on_link)
    if not rounds:
        return None
    calm = []
    for session in on_link + sessions["kept, without loss"]:
        pairs = zip(session["rounds"], session["rounds"][1:])
        calm += [it for before, it in pairs if quiet(before) and quiet(it)]
    cost = lambda rounds: directions(lambda it: mean(rounds, it)) + [mean(rounds, lambda it: it["ns"] / 1e6)]
    way = Way(protocol, packing, kept=True)
    way.cost, way.clean = cost(rounds), cost(calm or rounds)
    way.packets = mean(rounds, packets)
    way.fate = [sum(map(packets, on_link)), sum(map(lost, on_link))]
    way.objects, way.requests = fetched(on_link)
    beside = [sessions[f"{kind}, loopback"] for kind in ["kept", "cold"]]
    found = [excess(cpu(it), *beside) for it in ["manager", "agent"]]
    # Less than nothing is not a figure.
    way.cpu = [it if it and it.value > 0 else None for it in found]
    way.memory = memory(run, protocol, packing)
    if later(twice):
        way.twice = [it.value for it in cost(later(twice))[:2]], fetched(twice)[1]
    return way


def memory(run, protocol, packing):
    """Octets of an open session in the agent and in the manager: the slope over the readings with any, if they resolve it.

    Sessions of NETCONF are measured for each way, the others once for each transport."""
    version, transport = protocol.split("/")[0], protocol.split("/")[-1]
    of_netconf = lambda it: it["name"].startswith("netconf/")

    def is_of_it(it):
        if version == "netconf":
            return it["name"] == protocol and it.get("packing", "") == packing.strip()
        return not of_netconf(it) and it["name"].endswith(f"/{transport}")

    if transport not in SESSIONS:
        return [0.0, 0.0]
    records = [it for it in run.memory if it["table"] == TABLE and is_of_it(it) and it["sessions"] > 0]
    points = lambda key: [(it["sessions"], it[key]) for it in records]
    agent = resolved(points("resident"))
    if not all("manager_in_use" in it for it in records):
        return [agent, resolved(points("manager_resident"))]
    in_use = slope(points("manager_in_use"))
    return [agent, in_use.value if in_use and in_use.value > 0 else None]


def resolved(points):
    """The slope, if resident memory grew by more than an allocator keeps, and evenly."""
    line = slope(points)
    if not line or line.value <= 0 or points[-1][1] - points[0][1] < KEPT_BY_ALLOCATOR:
        return None
    steps = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in zip(points, points[1:])]
    return line.value if all(line.value / 1.5 <= step <= line.value * 1.5 for step in steps) else None


def scaled(figure, by):
    return None if figure is None else figure * by


def measured(way, setting):
    held = [scaled(it, 1 / 1024) if way.kept else None for it in way.memory]
    each = combine(lambda a, b: (a + b) / way.objects, *way.cost[:2]) if way.objects else None
    row = way.cost[:2] + [way.packets, way.cost[2], way.objects, each] + way.cpu + held
    if setting["loss"] > 0:
        row += [way.clean[2], fleet.expected_with_loss(way, setting)] + way.fate
    return row


def computed(way, setting):
    devices, every = setting["devices"], setting["every"]
    now = fleet.figures(way, setting)
    day = combine(lambda a, b: (a + b) * devices * DAY / every / 1e6, *way.cost[:2])
    used = scaled(now["used"], 100.0)
    manager, agent = (scaled(it, 1 / every / 10) for it in way.cpu)
    all_managers = scaled(manager, float(devices))
    own = now["time"].value <= every and (manager is None or all_managers.value <= 100)
    shared = own and (used is None or used.value <= 100)
    held = scaled(way.memory[1], devices / 1e6)
    return [day, scaled(used, 1 / devices), used, float(own), float(shared), all_managers, agent, held]


def plan(way, setting, ways):
    now = fleet.figures(way, setting)
    row = [scaled(now["used"], 100.0)] + [now[it] for it in ["interval", "devices", "at_once", "all", "most_at_once"]]
    least = fleet.LEVELS.index(setting["security"])
    allowed = [it for it in ways if it.level >= least]
    return row + [security(way, ways), on_front(way, allowed) if way.level >= least else 0.0]


def security(way, ways):
    """How much more octets than the same version without security over what carries the session, per cent."""
    below = {"TLS": "TCP", "SSH": "TCP", "DTLS": "UDP", "HTTPS": "HTTP"}
    ends = lambda it: (it.protocol.split("/")[0], it.protocol.split("/")[-1])
    version, transport = ends(way)
    wanted = (version, below.get(transport, transport), way.packing)
    is_of_kind = lambda it: it.kept == way.kept or not fleet.has_session(it.protocol)
    like = [it for it in ways if it.level == 0 and is_of_kind(it) and (*ends(it), it.packing) == wanted]
    if way.level == 0 or not like:
        return None
    return combine(lambda a, b: (a / b - 1) * 100, busier(way), min((busier(it) for it in like), key=lambda it: it.value))


def busier(way):
    return combine(np.maximum, *way.cost[:2])


def on_front(way, ways):
    """1 unless the samples show another that is better by 5 % in octets, time or processor time and worse in none."""
    figures = lambda it: [busier(it), it.cost[2], combine(lambda a, b: a + b, *it.cpu)]
    own = figures(way)

    def beats(other, sure):
        pairs = [(a, b) for a, b in zip(own, figures(other)) if a is not None and b is not None]
        less = lambda a, b: b.value < a.value * (1 - MARGIN) and is_below(b - a * (1 - MARGIN), 0, sure)
        return all(b.value <= a.value * (1 + MARGIN) for a, b in pairs) and any(less(a, b) for a, b in pairs)

    return one_of({float(not any(beats(other, sure) for other in ways)) for sure in [True, False]})


def one_of(values):
    """A figure that hangs on the noise of the draws may have either value."""
    found = Figure(min(values))
    found.choices = values
    return found


def sensitivity(setting, ways):
    rows = {}
    secure = [it for it in ways if it.level >= fleet.LEVELS.index(setting["security"])]
    key = lambda way, change: [fleet.figures(way, setting, change)[it].value for it in ["interval", "time"]]
    best = sorted(secure, key=lambda it: key(it, "as asked"))
    fits = lambda way, change: fleet.fits(way, setting, change)
    chosen = next((it for it in best if fits(it, "as asked")), best[0])

    def better(way, change):
        if way is chosen:
            return 0.0
        pair = [fleet.figures(it, setting, change) for it in [way, chosen]]
        by = lambda name: combine(lambda a, b: a / b, *(it[name] for it in pair))
        same = by("interval")
        if same.interval() == (1.0, 1.0):
            same = by("time")
        return one_of({float(is_below(same, 1, sure)) for sure in [True, False]})

    for change in CHANGES:
        if not fleet.applies(change, setting):
            continue
        first = min(secure, key=lambda it: key(it, change))
        for way, words in [(chosen, ", recommended"), (first, "")]:
            now = fleet.figures(way, setting, change)
            row = [scaled(now["used"], 100.0), now["interval"], now["time"], float(fits(way, change)), better(way, change)]
            rows[f"{change}{words}: {way.label}"] = row
    return rows
