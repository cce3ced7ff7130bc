"""What a way of compare allows all devices, also under other conditions: the arithmetic of its tables."""

import numpy as np

from estimate import combine

LEVELS = ["noAuthNoPriv", "authNoPriv", "authPriv"]
CHANGES = ["as asked", "twice the delay", "twice the loss", "twice the objects", "half the speed", "twice the speed"]


def has_session(protocol):
    """Whether there is anything to open before a request: not for a community over UDP."""
    return protocol not in ["v1/UDP", "v2c/UDP"]


class Way:
    """A protocol with a compression, cold or kept, and what a round of it costs."""

    def __init__(self, protocol, packing, kept):
        self.protocol, self.packing, self.kept = protocol, packing, kept
        kind = f", {'kept' if kept else 'cold'}" if has_session(protocol) else ""
        self.label = f"{protocol}{packing}{kind}"
        self.twice = None

    @property
    def level(self):
        """The place in `LEVELS` of what protects its messages."""
        named = [at for at, level in enumerate(LEVELS) if f"USM {level}" in self.protocol]
        secure = self.protocol.split("/")[-1] in ["TLS", "DTLS", "SSH", "HTTPS"] or "/XML security/" in self.protocol
        return named[0] if named else 2 * secure

    @property
    def has_own_timer(self):
        """Whether the manager's own timer repeats what is lost."""
        transport = self.protocol.split("/")[-1]
        return transport == "UDP" or transport == "DTLS" and self.kept


def applies(change, setting):
    needs = {"twice the delay": setting["round_trip"], "twice the loss": setting["loss"]}
    return "speed" not in change and bool(needs.get(change, True)) or "speed" in change and bool(setting["rate"])


def figures(way, setting, change="as asked"):
    """Each figure with its draws, by name; `None` where nothing limits it."""
    manager = way.cpu[0]
    parts = way.cost + way.clean + ([manager] if manager is not None else [])
    of = lambda name: combine(lambda *values: arithmetic(way, setting, change, values)[name], *parts)
    now = {name: of(name) for name in ["used", "interval", "devices", "at_once", "all", "most_at_once", "time"]}
    if not setting["rate"]:
        now["used"] = now["most_at_once"] = None
    if not way.has_own_timer:
        now["most_at_once"] = None
    return now


def fits(way, setting, change="as asked"):
    """Whether rounds are short enough, and an answer comes before the manager gives up."""
    now = figures(way, setting, change)
    patience = setting["timeout"] * (setting["retries"] + 1)
    is_answered = not way.has_own_timer or now["time"].value / max(way.requests, 1) <= patience
    return is_answered and now["interval"].value <= setting["every"]


def arithmetic(way, setting, change, values):
    """From octets and milliseconds of one round with one device."""
    devices, every, share, rate = (setting[it] for it in ["devices", "every", "max_share", "rate"])
    rate = rate and rate * {"half the speed": 0.5, "twice the speed": 2.0}.get(change, 1.0)
    octets, time = one_round(way, setting, change, values)
    link = np.maximum(*octets) * 8 / rate if rate else 0.0
    processor = values[6] / 1e3 if len(values) > 6 else 0.0
    needed = np.maximum(link / share, processor)
    # The timer runs for each request; what a lost one waits for is the timer, not the queue.
    requests = max(way.requests, 1)
    lost = (values[2] - values[5]) / 1e3 * (2 if change == "twice the loss" else 1)
    left = setting["timeout"] - (time - lost) / requests
    return {
        "used": link * devices / every,
        "interval": np.maximum(needed * devices, time),
        "devices": np.where(time > every, 0.0, np.floor(every / needed)),
        "at_once": np.minimum(np.ceil(devices * time / every), devices),
        "all": time + (devices - 1) * link,
        "most_at_once": np.where(left < 0, 0.0, np.floor(left * requests / link) + 1) if rate else np.nan,
        "time": time,
    }


def one_round(way, setting, change, values):
    """Octets in both directions and seconds of a round under other conditions."""
    octets, clean = np.array(values[:2]), np.array(values[3:5])
    time, clean_time = values[2] / 1e3, values[5] / 1e3
    before = time
    sending = lambda octets: octets.sum(axis=0) * 8 / setting["rate"] if setting["rate"] else 0.0
    if change == "twice the delay":
        time = time + np.maximum(clean_time - sending(clean), 0)
    elif change == "twice the loss":
        time, octets = time + (time - clean_time), octets + (octets - clean)
    elif change == "twice the objects" and way.twice:
        more = (np.array(way.twice[0]).reshape(2, *[1] * (clean.ndim - 1)) - clean)
        requests = max(way.twice[1] - way.requests, 0)
        time, octets = time + sending(more) + requests * setting["round_trip"], octets + more
    elif change == "half the speed":
        time = time + sending(octets)
    elif change == "twice the speed":
        time = time - sending(octets) / 2
    each = max(way.requests, 1)
    sends = lambda time: 1 + np.minimum(np.floor(time / each / setting["timeout"]), setting["retries"])
    if way.has_own_timer and change != "as asked":
        # What takes longer than the timer is sent again, and answered again.
        octets = octets * np.maximum(sends(time) / sends(before), 1)
    return octets, time


def expected_with_loss(way, setting):
    """What a round takes without losses, and the timer for each attempt that loses a packet, milliseconds."""
    if not way.has_own_timer or not way.kept:
        return None

    def expected(time, packets):
        fails = 1 - (1 - setting["loss"]) ** (packets / max(way.requests, 1))
        attempts = sum(fails**attempt for attempt in range(1, setting["retries"] + 1))
        return time + attempts * setting["timeout"] * way.requests * 1e3

    return combine(expected, way.clean[2], way.packets)
