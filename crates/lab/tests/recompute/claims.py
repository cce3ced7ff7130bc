"""The claims of a report: each verdict follows from the figures beside it, and the figures from the samples."""

from agree import check_figure, check_interval

# The border at which a claim says nothing, by the unit (docs/json.md); and what counts as large as the paper's.
BORDER, AS_LARGE = {"x": 1, "%": 0}, 1.5


def check(report, expected, experiment):
    """What is wrong with them."""
    found = report.get("then_and_now")
    if not found:
        return []
    known = expected.get(f"{experiment}/claims", {})
    wrong, computed = [], 0
    for claim in found["claims"]:
        problems = [check_verdict(claim)]
        if claim["claim"] in known:
            computed += 1
            mine, interval = known[claim["claim"]], claim["interval"]
            problems.append(check_figure(claim["now"], mine))
            if interval and None not in interval and not getattr(mine, "free", False):
                problems.append(check_interval(mine, interval))
        wrong += [f"{found['id']}: {claim['claim']}: {it}" for it in problems if it]
    print(f"{found['id']}: {computed} of {len(found['claims'])} figures, {len(found['claims'])} verdicts")
    return wrong


def check_verdict(claim):
    """The rule of docs/json.md, where it can be applied: with a figure of the paper that has a side."""
    interval, border = claim["interval"], BORDER.get(claim["unit"])
    if not interval:
        return None if claim["verdict"] == "not_resolved" else f"{claim['verdict']} without an interval"
    if border is None or claim["then"] in [None, border] or None in interval:
        return None
    side = 1 if claim["then"] > border else -1
    paper = side * (claim["then"] - border)
    least, most = sorted(side * (end - border) for end in interval)
    if most < 0:
        mine = "reversed"
    elif least <= 0:
        mine = "not_resolved"
    elif most < paper / AS_LARGE:
        mine = "weaker"
    else:
        mine = "stronger" if least > paper * AS_LARGE else "holds"
    return None if claim["verdict"] == mine else f"{claim['verdict']}, expected {mine} from {claim}"
