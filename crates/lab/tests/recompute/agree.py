"""Whether a figure of a report, or its interval, is ours."""

import math

import estimate
from estimate import Figure

# Relative. The reports print all digits; what differs is the order of additions.
ROUNDING = 1e-9


def check_figure(found, mine):
    if hasattr(mine, "at"):
        return check_end(found, mine)
    if found is None and getattr(mine, "may_be_missing", False):
        return None
    if found in getattr(mine, "choices", []):
        return None
    mine = mine.value if isinstance(mine, Figure) else mine
    if mine is not None and not math.isfinite(mine):
        mine = None
    if found is None or mine is None:
        return None if found is mine else f"expected {mine}, found {found}"
    # Differences of nearly equal numbers keep fewer digits.
    close = math.isclose(found, mine, rel_tol=ROUNDING, abs_tol=ROUNDING)
    return None if close else f"expected {mine}, found {found}"


def check_interval(mine, interval):
    low, high = interval
    if mine is None or low > high:
        return f"an interval from {low} to {high}"
    mine = mine if isinstance(mine, Figure) else Figure(mine)
    return estimate.disagreement(mine, interval)


def check_end(found, end):
    """An end of an interval that is a column of its own: the other end is taken to be right."""
    if found is None or (ours := end.figure.interval()) is None:
        return None
    interval = (found, ours[1]) if end.at == 0 else (ours[0], found)
    return estimate.disagreement(end.figure, interval)
