"""What may be concluded, in words: strength beside the human ceiling and the length-only baseline, and what may not be said."""

from __future__ import annotations

from typing import Any

from dialometer.stats.length_bias import LENGTH_ONLY

NAN = float("nan")
FEW_SYSTEMS = 10
COPIES = 0.2  # of a system's responses: more is no chance


def conclusions(found: dict[str, Any]) -> list[str]:
    """Sentences for the head of the report and the terminal."""
    said = [_scope(found)]
    item = [row for row in _rows(found, found["unit"]) if _known(row)]
    if item and found["unit"] != "system":
        said += _items(found, item)
    systems = [row for row in _rows(found, "system") if _known(row, "pearson")]
    if systems:
        said.append(_systems(found, systems))
    elif found["unit"] != "system":
        said.append(
            f"Nothing is said at system level: {len(found['systems'])} systems are too few, or too few of them are rated."
        )
    said += [*_length(found), *_raters(found), *_gaps(found)]
    return said


def _rows(found: dict[str, Any], level: str) -> list[dict[str, Any]]:
    return [row for row in found["rows"] if row["level"] == level and row["quality"] == found["quality"]]


def _known(row: dict[str, Any], kind: str = "spearman") -> bool:
    return bool(row[kind]["r"] == row[kind]["r"])


def _scope(found: dict[str, Any]) -> str:
    what = {"turn": "responses", "dialogue": "conversations", "system": "systems"}[found["unit"]]
    left = [f"{n} {what}" for what, n in found["left_out"].items() if n]
    systems = "" if found["unit"] == "system" else f" of {len(found['systems'])} systems"
    without = f"; left out: {', '.join(left)}" if left else ""
    return f"{found['n']} {what}{systems} were compared with people on {found['quality']}{without}."


def _items(found: dict[str, Any], rows: list[dict[str, Any]]) -> list[str]:
    """The best metric per item, beside the ceiling and the baseline."""
    metrics = [row for row in rows if row["metric"] != LENGTH_ONLY]
    if not metrics:
        return []
    best = max(metrics, key=lambda row: row["spearman"]["r"])
    one = best["spearman"]
    human = _human(found, "item")
    said = [f"Per {found['unit']}, {best['metric']} follows people best: Spearman {_interval(one)}, {_word(one['r'])}."]
    if human:
        said[0] += (
            f" Half of the raters against the other half reach {human['r']:.2f}; a perfect metric would reach about "
            f"{human['reach']:.2f} against the mean of all."
        )
    sure = [row["metric"] for row in metrics if row["spearman"].get("holm", NAN) < 0.05 and row["spearman"]["r"] > 0]
    none = len(metrics) - len(sure)
    said.append(
        f"{len(sure)} of {len(metrics)} columns go with people beyond chance after Holm's correction"
        f"{f'; nothing can be said for the other {none}' if none else ''}."
    )
    length = next((row for row in rows if row["metric"] == LENGTH_ONLY), None)
    if length:
        above = _above_length(found, found["unit"])
        beaten = f"clearly better: {_names(above)}" if above else "no column is clearly better"
        said.append(f"The length of the response alone has {_interval(length['spearman'])}; {beaten} (PERM-BOTH, Holm).")
    return said


def _above_length(found: dict[str, Any], level: str) -> list[str]:
    """The columns that a permutation test tells from the length-only baseline, upwards."""
    above = []
    for row in found["better"]:
        here = (row["quality"], row["level"], row["kind"]) == (found["quality"], level, "spearman")
        if here and LENGTH_ONLY in (row["a"], row["b"]) and row["p_holm"] < 0.05:
            upwards = row["difference"] > 0 if row["b"] == LENGTH_ONLY else row["difference"] < 0
            above += [row["a"] if row["b"] == LENGTH_ONLY else row["b"]] if upwards else []
    return above


def _systems(found: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    best = max((row for row in rows if row["metric"] != LENGTH_ONLY), key=lambda row: row["pearson"]["r"], default=rows[0])
    length = next((row for row in rows if row["metric"] == LENGTH_ONLY), None)
    n = best["n"]
    caution = (
        f" With {n} systems the interval is wide: this orders these systems, it does not prove the metric."
        if n <= FEW_SYSTEMS
        else ""
    )
    alone = f"; length alone has {_interval(length['pearson'])}" if length else ""
    return f"Over {n} systems, {best['metric']} has Pearson {_interval(best['pearson'])}{alone}.{caution}"


def _length(found: dict[str, Any]) -> list[str]:
    rows = found.get("bias", {}).get("length", [])
    leaning = [
        row["metric"]
        for row in rows
        if abs(row["metric_length"]["r"]) > 0.5 and abs(row["partial"]["r"]) < abs(row["plain"]["r"]) / 2
    ]
    if not leaning:
        return []
    return [f"Much of what {_names(leaning)} shares with people is length: it halves or worse once length is held fixed."]


def _raters(found: dict[str, Any]) -> list[str]:
    agreement = found["agreement"]
    if not agreement:
        return []
    alpha = agreement["qualities"][found["quality"]]["alpha"]["value"]
    if not alpha < 0.33:
        return []
    return [
        f"Raters agree poorly on {found['quality']} (α = {alpha:.2f}): no metric can be shown to be good or bad by them."
    ]


def _gaps(found: dict[str, Any]) -> list[str]:
    said = []
    for system, share in found["copies"].items():
        if share > COPIES:
            said.append(
                f"{share:.0%} of the responses of {system} are one of their own references, word for word: metrics that "
                f'compare the two are given these. Leave it out with --where "system!={system}".'
            )
    if found["constant"]["without"]:
        said.append(f"Without any number here: {_names(found['constant']['without'])}.")
    if found["constant"]["still"]:
        said.append(f"Constant, so without a correlation: {_names(found['constant']['still'])}.")
    return said


def _human(found: dict[str, Any], level: str) -> dict[str, Any] | None:
    rows = found["ceiling"].get(found["quality"], {}).get("rows", ())
    return next((row for row in rows if row["level"] == level and row["kind"] == "spearman" and row["r"] == row["r"]), None)


def _interval(one: dict[str, Any]) -> str:
    ends = f" [{one['low']:.2f}, {one['high']:.2f}]" if one["low"] == one["low"] else ""
    return f"{one['r']:.2f}{ends}"


def _word(r: float) -> str:
    return "weak" if r < 0.3 else "moderate" if r < 0.6 else "strong"


def _names(names: list[str]) -> str:
    shown = ", ".join(names[:6])
    return f"{shown} and {len(names) - 6} more" if len(names) > 6 else shown
