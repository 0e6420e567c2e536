"""What a comparison says, in sentences: per pair of systems what differs, what does not, and what proves nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan

from dialometer.flows.compare.dependence import USED, Marks
from dialometer.flows.compare.pairs import Row, by_pair
from dialometer.report.numbers import number

ALPHA = 0.05
FEW = 6  # columns that are named one by one


def conclusions(rows: Sequence[Row], marks: Marks, *, noun: str, people: bool = False) -> list[str]:
    """A sentence per pair, then one per system whose replies were chosen by a number of the table."""
    groups = by_pair(rows)
    said = [_pair(a, b, own, noun, people) for (a, b), own in groups.items() if own[0].planned]
    if out := [f"{a} and {b}" for (a, b), own in groups.items() if not own[0].planned]:
        more = f", and {len(out) - FEW} more" * (len(out) > FEW)
        said.append(f"Exploratory, with no adjusted p and nothing claimed: {'; '.join(out[:FEW])}{more}.")
    return said + [_dependent(system, own) for system, own in marks.items()]


def _pair(a: str, b: str, rows: Sequence[Row], noun: str, people: bool) -> str:
    """``x is higher than y in words by 3.1 [2.0, 4.2], d_z 0.9; no difference is shown in chars; 100 conversations …``"""
    found = {word: [row for row in rows if differs(row) and _word(row) == word] for word in ("higher", "lower")}
    same = [row.metric for row in rows if not differs(row) and not isnan(row.contrast.p)]
    untested = [row.metric for row in rows if isnan(row.contrast.p) and not row.same]
    equal = [row.metric for row in rows if row.same]
    parts = [f"{word}{{}} in {_amounts(some)}" for word, some in found.items() if some]
    rated = "rated " if people else ""
    told = (
        f"{a} is {rated}{', and '.join(parts).replace('{}', f' than {b}', 1).replace('{}', '')}"
        if parts
        else f"{a} and {b}"
    )
    none = f"no difference is shown in {_columns(same, bool(parts))}" if same else ""
    alike = f"the same in both, and not tested: {_columns(equal)}" if equal else ""
    gone = f"not tested: {_columns(untested)}" if untested else ""
    rest = "; ".join(filter(None, (none, alike, gone, _units(rows, noun))))
    return f"{told}{'; ' if parts else ': '}{rest}."


def _columns(names: Sequence[str], others: bool = False) -> str:
    """Few by name, many by number."""
    if len(names) <= FEW:
        return ", ".join(names)
    return f"the other {len(names)} columns" if others else f"{len(names)} columns"


def _amounts(rows: Sequence[Row]) -> str:
    """Columns with how far they differ: all of few, of many those that differ most."""
    most = sorted(rows, key=lambda row: -abs(row.contrast.effect) if not isnan(row.contrast.effect) else 0.0)[:FEW]
    more = f", and {len(rows) - FEW} more columns" * (len(rows) > FEW)
    return ", ".join(_amount(row) for row in rows if row in most) + more


def _word(row: Row) -> str:
    return "higher" if row.contrast.difference > 0 else "lower"


def differs(row: Row) -> bool:
    """Whether chance would hardly do it, all tests of the table considered."""
    return row.p_holm <= ALPHA


def _amount(row: Row) -> str:
    c = row.contrast
    low, high = sorted((abs(c.low), abs(c.high))) if c.low * c.high > 0 else (c.low, c.high)
    bounds = "" if isnan(c.low) else f" [{number(low)}, {number(high)}]"
    size = "" if isnan(c.effect) else f", {c.measure} {number(abs(c.effect), 2)}"
    mark = " (not independent)" if row.depends == USED else ""
    return f"{row.metric} by {number(abs(c.difference))}{bounds}{size}{mark}"


def _units(rows: Sequence[Row], noun: str) -> str:
    c = max((row.contrast for row in rows), key=lambda one: one.n_a + one.n_b)
    if c.paired:
        return f"{c.n_a} {noun}{'s' * (c.n_a != 1)} each, in pairs"
    return f"{c.n_a} and {c.n_b} {noun}s, not in pairs"


def out_of_reach(rows: Sequence[Row]) -> str:
    """What to say where there are so few pairs that no difference could pass, however large: the least p of n is 2/2ⁿ."""
    tested = [row.contrast for row in rows if not isnan(row.contrast.p) and row.planned]
    counted = [one for one in tested if one.test == "sign flips, all"]
    most = max((one.n_a for one in counted), default=0)
    if len(counted) < len(tested) / 2 or 2.0 ** (1 - most) * len(tested) <= ALPHA:
        return ""
    few = f"{most} pairs have no p below {2.0 ** (1 - most):.2g}, and {len(tested)} tests are adjusted together"
    return f"{few}: sign flips cannot show a difference. More conversations, fewer -m, or --against SYSTEM."


def _dependent(system: str, own: Mapping[str, str]) -> str:
    used = [column for column, mark in own.items() if mark == USED]
    akin = [column for column, mark in own.items() if mark != USED]
    parts = []
    if used:
        parts.append(f"{system} chose its replies by the metric behind {', '.join(used)}, which is no independent evidence")
    if akin:
        parts.append(f"{', '.join(akin)} {'is' if len(akin) == 1 else 'are'} akin to what {system} chose by")
    return f"{'; '.join(parts)}."
