"""What may be concluded, in words: strength beside the human ceiling and the length-only baseline, and what may not be said.

A sentence comes with its tone. "Beyond chance" asks for both: p below 0.05 after Holm's correction (which takes items for
independent) and an interval over whole contexts that leaves 0 out.
"""

from __future__ import annotations

from typing import Any

from dialometer.report.blocks import Tone
from dialometer.stats.validation.length_bias import LENGTH_ONLY

FEW_SYSTEMS = 10
COPIES = 0.2  # of a system's responses: more is no chance
Said = list[tuple[str, Tone]]
Row = dict[str, Any]


def conclusions(found: dict[str, Any]) -> Said:
    """Sentences for the head of the report and the terminal."""
    said: Said = [(_scope(found), "plain")]
    levels = {row["level"] for row in found["rows"]}
    if found["unit"] != "system" and found["unit"] in levels:
        said += _items(found)
    if "system" in levels:
        said += _systems(found)
    elif found["unit"] != "system" and not found["levels_asked"] and found["systems"] != [""]:
        count = len(found["systems"])
        said.append(
            (f"Nothing is said of systems: {_plural(count, 'system')} {'is' if count == 1 else 'are'} too few.", "plain")
        )
    return [*said, *_length(found), *_raters(found), *_gaps(found)]


def _scope(found: dict[str, Any]) -> str:
    what = {"turn": "response", "dialogue": "conversation", "system": "system"}[found["unit"]]
    systems = (
        "" if found["unit"] == "system" or found["systems"] == [""] else f" of {_plural(len(found['systems']), 'system')}"
    )
    left = [f"{what} ({n})" for what, n in found["left_out"].items() if n]
    without = f"; left out: {', '.join(left)}" if left else ""
    return f"{_plural(found['n'], what)}{systems} compared with {found['reference']} on {found['quality']}{without}."


def _rows(found: dict[str, Any], level: str, kind: str) -> list[Row]:
    """Rows of the main quality at a level that have this coefficient."""
    here = (row for row in found["rows"] if row["level"] == level and row["quality"] == found["quality"])
    return [row for row in here if row[kind]["r"] == row[kind]["r"]]


def _items(found: dict[str, Any]) -> Said:
    """The best metric per item, beside the ceiling and the baseline."""
    rows = _rows(found, found["unit"], "spearman")
    metrics = [row for row in rows if row["metric"] != LENGTH_ONLY]
    if not metrics:
        return []
    each = {"turn": "response", "dialogue": "conversation"}[found["unit"]]
    sure = [row for row in metrics if beyond_chance(row["spearman"])]
    best = max(sure, key=lambda row: abs(row["spearman"]["r"]), default=None)
    said: Said = []
    if all(row["spearman"]["low"] != row["spearman"]["low"] for row in metrics):
        said.append(
            (f"Per {each}, nothing is said of chance: there are no intervals (no resamples, or one context).", "caution")
        )
    elif best is None:
        said.append(
            (f"Per {each}, no column can be shown to follow {found['reference']} on {found['quality']} at all.", "caution")
        )
    else:
        said += _best(best["metric"], best["spearman"], each, found["reference"])
        said.append((f"Beyond chance: {len(sure)} of {_plural(len(metrics), 'column')}.", "plain"))
    return [*said, *_common(found, each), *_planned(found), *_ceiling(found), *_baseline(found, best)]


def _common(found: dict[str, Any], each: str) -> Said:
    """That n differs between the columns, and what the order is over the items that all have."""
    common = found["common"]
    if not common:
        return []
    words = (
        f"n differs between the columns, from {common['least']} to {common['most']}: their order is not of like with like"
    )
    rows = sorted(common["rows"], key=lambda row: -abs(row["spearman"]) if row["spearman"] == row["spearman"] else 1.0)
    if not rows:
        return [(f"{words}; there are no three {each}s that every column has.", "caution")]
    shown = ", ".join(f"{row['metric']} {row['spearman']:.2f}" for row in rows[:6] if row["spearman"] == row["spearman"])
    return [(f"{words}. Over the {common['n']} that every column has, Spearman is: {shown}.", "caution")]


def _planned(found: dict[str, Any]) -> Said:
    """What the planned comparisons say of the main quality; the others are exploratory."""
    rows = (
        [row for row in found["better"] if row["planned"] and row["quality"] == found["quality"]]
        if found["planned"]
        else []
    )
    said: Said = []
    for row in rows:
        high, low = (row["a"], row["b"]) if row["difference"] >= 0 else (row["b"], row["a"])
        verdict = "is above" if row["p_holm"] < 0.05 else "is not shown to differ from"
        numbers = f"p {row['p']:.3g}, {row['p_holm']:.3g} after Holm's correction" if row["p"] == row["p"] else "not tested"
        test = f"{row['kind']}, per {row['level']}, {row['test']}, n {row['n']}"
        said.append((f"Planned: {high} {verdict} {low} by {abs(row['difference']):.2f} ({test}): {numbers}.", "plain"))
    if said:
        count = _plural(len(found["planned"]), "planned comparison")
        said.append((f"p is adjusted over {count}; every other comparison is exploratory and has no adjusted p.", "plain"))
    return said


def _ceiling(found: dict[str, Any]) -> Said:
    human = _human(found)
    if human:
        halves = f"Half of the raters follow the other half at {human['r']:.2f}"
        return [(f"{halves}; a perfect metric would reach about {human['reach']:.2f} against the mean of all.", "plain")]
    if found["agreement"]:
        return [("There is no human ceiling: no item has ratings of two people that vary.", "caution")]
    return []


def _best(name: str, one: dict[str, Any], each: str, whom: str) -> Said:
    """Who follows people best, and how far."""
    size = abs(one["r"])
    word = "weakly" if size < 0.3 else "moderately" if size < 0.6 else "strongly"
    turned = ", the lower the better (turn its sign to compare it with others)" if one["r"] < 0 else ""
    return [(f"Per {each}, {name} follows {whom} best, {word}: Spearman {interval(one)}{turned}.", "plain")]


def _baseline(found: dict[str, Any], best: Row | None) -> Said:
    """The length-only baseline, on the items of the best metric where there is one, and who is told from it."""
    rows = found.get("bias", {}).get("length", [])
    beside = next((row["human_length"] for row in rows if best and row["metric"] == best["metric"]), None)
    whole = next((row["spearman"] for row in _rows(found, found["unit"], "spearman") if row["metric"] == LENGTH_ONLY), None)
    length = beside or whole
    if not length:
        return []
    alone = f"The length of the response alone has {interval(length)}"
    sides = _told_from_length(found)
    if sides is None:
        return [(f"{alone}.", "plain")]
    better, worse, apart = sides
    parts = [f"clearly better: {_names(better)}"] if better else ["no column is clearly better"]
    parts += [f"clearly worse: {_names(worse)}"] if worse else []
    parts += [f"not told apart: {_names(apart)}"] if apart and better else []
    return [(f"{alone}; {'; '.join(parts)} (PERM-BOTH, Holm).", "plain" if better else "caution")]


def _told_from_length(found: dict[str, Any]) -> tuple[list[str], list[str], list[str]] | None:
    """Columns that a permutation test finds better than the length-only baseline, worse, or neither; None where none was made."""
    better: list[str] = []
    worse: list[str] = []
    apart: list[str] = []
    for row in found["better"]:
        here = (row["quality"], row["level"], row["kind"]) == (found["quality"], found["unit"], "spearman")
        if here and LENGTH_ONLY in (row["a"], row["b"]) and row["p_holm"] == row["p_holm"]:
            other, ahead = (
                (row["a"], row["difference"] > 0) if row["b"] == LENGTH_ONLY else (row["b"], row["difference"] < 0)
            )
            (apart if not row["p_holm"] < 0.05 else better if ahead else worse).append(other)
    return (better, worse, apart) if better or worse or apart else None


def _systems(found: dict[str, Any]) -> Said:
    rows = _rows(found, "system", "pearson")
    metrics = [row for row in rows if row["metric"] != LENGTH_ONLY]
    if not metrics:
        return []
    best = max(metrics, key=lambda row: abs(row["pearson"]["r"]))
    one, left = best["pearson"], best["without_one"]
    beside = f"; length alone {best['length']:.2f} over the same" if best["length"] == best["length"] else ""
    said: Said = [(f"Over {_plural(best['n'], 'system')}, {best['metric']} has Pearson {interval(one)}{beside}.", "plain")]
    if abs(best["length"]) > abs(one["r"]) + 1e-9:
        said.append(("Mere length orders these systems better than any metric here.", "caution"))
    if left and (one["low"] > 0 or one["high"] < 0):
        carried = left["weakest"] / one["r"] < 0.5
        words = f"Without {left['system']} it is {left['weakest']:.2f}" + (
            ": it rests on that one system." if carried else "."
        )
        said.append((words, "caution" if carried else "plain"))
    if best["n"] <= FEW_SYSTEMS:
        said.append((f"{best['n']} systems are few: this orders these systems, and does not prove the metric.", "caution"))
    return said


def _length(found: dict[str, Any]) -> Said:
    rows = found.get("bias", {}).get("length", [])
    leaning = [
        row["metric"]
        for row in rows
        if abs(row["metric_length"]["r"]) > 0.5 and abs(row["partial"]["r"]) < abs(row["plain"]["r"]) / 2
    ]
    if not leaning:
        return []
    return [
        (
            f"Much of what {_names(leaning)} shares with {found['reference']} is length: it halves or worse at equal length.",
            "caution",
        )
    ]


def _raters(found: dict[str, Any]) -> Said:
    if not found["agreement"]:
        return []
    quality, filtered = found["quality"], found["agreement"]["filter"]
    alpha = found["agreement"]["qualities"][quality]["alpha"]["value"]
    if found["filter"] and filtered:
        alpha = filtered["agreement"][quality]["kept"]["alpha"]
    if alpha != alpha:
        return []
    grade = "well" if alpha >= 0.8 else "tolerably" if alpha >= 0.667 else "weakly" if alpha >= 0.33 else "poorly"
    human = _human(found)
    if alpha < 0.33 and not (human and human["reach"] >= 0.8):  # many raters make a good mean of poor judgements
        return [
            (f"Raters agree poorly on {quality} (α = {alpha:.2f}): they can hardly show a metric to be good or bad.", "bad")
        ]
    return [(f"Raters agree {grade} on {quality} (α = {alpha:.2f}).", "plain")]


def _gaps(found: dict[str, Any]) -> Said:
    said: Said = [(note, "caution") for note in found["notes"]]
    said += [
        (f"{spec} has the features of {whole} reply by reply: it is drawn turn by turn, and not tested again.", "plain")
        for spec, whole in found["drawn"].items()
    ]
    for group in found["unscored"]:
        whole = f" (all of {_names(group['systems'])})" if group["systems"] else ""
        why = dict.fromkeys(found["reasons"][name] for name in group["columns"] if name in found["reasons"])
        reason = f" ({'; '.join(why)})" if why else ""
        said.append(
            (f"{group['items']} of {found['n']} have no score by {_names(group['columns'])}{whole}{reason}.", "caution")
        )
    for system, share in found["copies"].items():
        if share > COPIES:
            copies = f"{share:.0%} of the responses of {system} are one of their own references, word for word"
            out = f'leave it out with --where "system!={system}"'
            said.append((f"{copies}: metrics that compare the two are given these; {out}.", "bad"))
    if found["only_of_systems"]:
        said.append(
            (f"Values of whole systems only, and no level of systems here: {_names(found['only_of_systems'])}.", "caution")
        )
    if without := found["constant"]["without"]:
        told = [f"{name} ({found['reasons'][name]})" if name in found["reasons"] else name for name in without]
        said.append((f"Without any number here: {_names(told)}.", "caution"))
    if found["constant"]["still"]:
        said.append((f"Constant, so without a correlation: {_names(found['constant']['still'])}.", "caution"))
    return said


def _human(found: dict[str, Any]) -> Row | None:
    rows = found["ceiling"].get(found["quality"], {}).get("rows", ())
    return next(
        (row for row in rows if row["level"] == "item" and row["kind"] == "spearman" and row["r"] == row["r"]), None
    )


def beyond_chance(one: dict[str, Any]) -> bool:
    """Below 0.05 after Holm's correction, and an interval that leaves 0 out."""
    return bool(one["holm"] < 0.05) and bool(one["low"] > 0 or one["high"] < 0)


def interval(one: dict[str, Any]) -> str:
    """A coefficient and its interval, where there is one."""
    ends = f" [{one['low']:.2f}, {one['high']:.2f}]" if one["low"] == one["low"] else ""
    return f"{one['r']:.2f}{ends}"


def _names(names: list[str]) -> str:
    shown = ", ".join(names[:6])
    return f"{shown} and {len(names) - 6} more" if len(names) > 6 else shown


def _plural(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
