"""Computes every figure of the reports in the given directories again, from their samples alone, and compares.

    python check.py DIRECTORY...            a directory has samples.jsonl[.xz] and report.json
    python check.py --spoil DIRECTORY...

It prints what it has compared, sheet by sheet, and then what disagrees; if anything does, it fails. A sheet without a
single figure that it knows is a disagreement too. With --spoil it checks itself: every figure is changed by a
thousandth and every interval made half as wide, which must all be found."""

import importlib
import json
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import claims
from agree import check_figure, check_interval
from run import Run

# Of the figures of an experiment, so many must be known here.
KNOWN = 0.9
# Of intervals that are half as wide as they should be, so many must be found.
FOUND = 0.9
# Half an interval above this share of the figure is noisy (docs/lab.md).
NOISY = 0.2
# Figures of measurements that others made: no repetition narrows their intervals.
UNMEASURED = {"emanics2006/figure-6.7"}


class Tally:
    """What was compared in a sheet."""

    def __init__(self):
        self.figures = self.known = self.intervals = 0


def main(arguments):
    look = spoil if "--spoil" in arguments else check
    wrong = []
    for directory in arguments:
        if directory != "--spoil":
            wrong += look(Path(directory))
    for line in wrong:
        print(line)
    print(f"{len(wrong)} disagreements")
    return 1 if wrong else 0


def check(directory):
    run = Run(directory)
    experiment = run.trial["experiment"]
    report = json.loads((directory / "report.json").read_text())
    expected = importlib.import_module(experiment).expected(run)
    wrong, all_of = [], Tally()
    for table in report["tables"]:
        tally = Tally()
        for row in table["rows"]:
            found = check_row(row, expected.get(table["id"], {}), tally)
            found += [] if table["id"] in UNMEASURED else check_noisy(row)
            wrong += [f"{table['id']}: {row['label']}: {it}" for it in found]
        wrong += check_ratios(table)
        intervals = f", {tally.intervals} intervals" if tally.intervals else ""
        print(f"{table['id']}: {tally.known} of {tally.figures} figures{intervals}")
        if tally.figures and not tally.known:
            wrong.append(f"{table['id']}: no figure of it is computed here")
        all_of.figures += tally.figures
        all_of.known += tally.known
    wrong += claims.check(report, expected, run.trial["experiment"])
    if all_of.known < KNOWN * all_of.figures:
        wrong.append(f"{experiment}: only {all_of.known} of {all_of.figures} figures are computed here")
    return wrong


def spoil(directory):
    """What of a spoiled report is not found wrong."""
    run = Run(directory)
    report = json.loads((directory / "report.json").read_text())
    expected = importlib.import_module(run.trial["experiment"]).expected(run)
    missed, wide, narrow = [], 0, 0
    for table in report["tables"]:
        for row in table["rows"]:
            known = row_of(row["label"], expected.get(table["id"], {})) or []
            intervals = row.get("interval") or [None] * len(known)
            for mine, found, interval in zip(known, row["ours"], intervals):
                if found is None or hasattr(mine, "at") or len(getattr(mine, "choices", [])) > 1:
                    continue
                # A thousandth of it must be more than the rounding of a difference.
                if abs(found) < 1e-5 and found:
                    continue
                if not check_figure(found * 1.001 + (found == 0), mine):
                    missed.append(f"{table['id']}, {row['label']}: {found} may be wrong by a thousandth")
                if interval and interval[0] < interval[1] and not getattr(mine, "free", False):
                    quarter = (interval[1] - interval[0]) / 4
                    wide += 1
                    narrow += check_interval(mine, (interval[0] + quarter, interval[1] - quarter)) is not None
    print(f"{directory.name}: {narrow} of {wide} intervals were found to be too narrow")
    # Of few samples with equal values some intervals have no others between their ends.
    return missed + ([f"{directory.name}: intervals may be wrong"] if narrow < FOUND * wide else [])


def row_of(label, expected):
    """The figures of a row, by its label or a pattern of it."""
    patterns = (it for pattern, it in expected.items() if "*" in pattern and fnmatchcase(label, pattern))
    return expected[label] if label in expected else next(patterns, None)


def check_row(row, expected, tally):
    label = row["label"]
    known = row_of(label, expected)
    tally.figures += sum(it is not None for it in row["ours"])
    wrong = []
    if known is None:
        return wrong
    intervals = row.get("interval") or [None] * len(row["ours"])
    for column, (found, interval) in enumerate(zip(row["ours"], intervals)):
        mine = known[column] if column < len(known) else None
        tally.known += found is not None
        problem = check_figure(found, mine)
        if not problem and interval is not None and not getattr(mine, "free", False):
            tally.intervals += 1
            problem = check_interval(mine, interval)
        if problem:
            wrong.append(f"column {column + 1}: {problem}")
    return wrong


def check_ratios(table):
    """Ours divided by the paper's, in the rows and columns that have such ratios at all: times have none."""
    wrong, rows = [], table["rows"]
    has = [any(row["ratio"][at] is not None for row in rows) for at in range(len(table["columns"]))]
    for row in rows:
        if all(ratio is None for ratio in row["ratio"]):
            continue
        for ours, paper, ratio, wanted in zip(row["ours"], row["paper"], row["ratio"], has):
            mine = ours / paper if ours is not None and paper else None
            if wanted and (problem := check_figure(ratio, mine)):
                wrong.append(f"{table['id']}: {row['label']}: ratio to the paper: {problem}")
    return wrong


def check_noisy(row):
    """A cell is noisy if half its interval is wider than a fifth of it."""
    wrong = []
    if "noisy" not in row:
        return wrong
    for ours, interval, noisy in zip(row["ours"], row["interval"], row["noisy"]):
        if ours is None or interval is None:
            continue
        half = (interval[1] - interval[0]) / 2
        mine = half > NOISY * abs(ours)
        if bool(noisy) != mine:
            wrong.append(f"noisy is {noisy}, half of {interval} is {half} and the figure {ours}")
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
