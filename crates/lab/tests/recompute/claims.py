"""The claims of a report: each verdict follows from the figures beside it, and the figures from the samples."""

import math

from agree import check_figure, check_interval

# An effect within this factor of the paper's is as large (docs/json.md).
AS_LARGE = 1.5


def check(report, expected, experiment):
    """What is wrong with them."""
    found = report.get("then_and_now")
    if not found:
        return []
    known = expected.get(f"{experiment}/claims", {})
    wrong, computed = [], 0
    for claim in found["claims"]:
        mine = verdict(claim)
        problems = [claim["verdict"] != mine and f"{claim['verdict']}, expected {mine} from {claim}"]
        if claim["claim"] in known:
            computed += 1
            figure, interval = known[claim["claim"]], claim["interval"]
            problems.append(check_figure(claim["now"], figure))
            if interval and None not in interval and not getattr(figure, "free", False):
                problems.append(check_interval(figure, interval))
        wrong += [f"{found['id']}: {claim['claim']}: {it}" for it in problems if it]
    print(f"{found['id']}: {computed} of {len(found['claims'])} figures, {len(found['claims'])} verdicts")
    return wrong


def verdict(claim):
    """By the rule of docs/json.md. An end without bound is infinite: lines that may never cross."""
    if not claim["interval"]:
        return "not_resolved"
    low, high = (math.inf if end is None else end for end in claim["interval"])
    least, most = sorted([effect(claim, low), effect(claim, high)])
    alike = claim["relation"] == "alike"
    # What is alike has most of it at a ratio of 1.
    if alike and low <= 1 <= high:
        most = effect(claim, 1)
    paper = 0 if alike or claim["then"] is None else effect(claim, claim["then"])
    if most < 0 or claim["relation"] == "crosses" and low == math.inf:
        return "reversed"
    if least <= 0:
        return "not_resolved"
    if paper > 0 and claim["compares"] == "direction":
        return "direction_holds"
    if paper <= 0 or paper / AS_LARGE <= least and most <= paper * AS_LARGE:
        return "holds"
    if most < paper / AS_LARGE:
        return "weaker"
    return "stronger" if least > paper * AS_LARGE else "direction_holds"


def effect(claim, figure):
    """The distance from where there would be none, positive on the claim's side."""
    if claim["relation"] == "crosses":
        return 1 / max(figure, 1e-300)
    if claim["relation"] == "alike":
        return math.log(claim["border"]) - abs(math.log(max(figure, 1e-300)))
    return (figure - claim["border"]) * (1 if claim["relation"] == "above" else -1)
