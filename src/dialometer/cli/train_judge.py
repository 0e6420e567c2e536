"""A trained judge in the terminal: one table of everything it is set beside, what that says, and what to type next."""

from __future__ import annotations

from typing import Any

from dialometer.cli.table import table

HEADER = ["", "n", "Spearman", "Pearson", "MAE", "mean of folds: Spearman", "Pearson", "MAE", "Williams p"]


def render_judge(name: str, facts: dict[str, Any]) -> list[str]:
    """Lines; the last column tests this judge's predictions for unseen contexts against the row. Folds have a common start."""
    people = (
        f"{facts['judgements']:,} judgements, {facts['aggregate']}" if facts["judgements"] > facts["n"] else "a number each"
    )
    where = f"{facts['contexts']:,} contexts, {facts['named_systems']:,} systems"
    head = f"{name} fitted on {facts['n']:,} rated {facts['unit']}s: {facts['quality']} ({people}), {where}"
    seconds = facts["seconds"]
    time = f"{seconds['fit']:.1f} s to fit, {seconds['score']:.1f} s to score {seconds['replies']:,} replies"
    return [head, "", table(HEADER, _rows(facts)), "", *facts["summary"], "", time]


def _rows(facts: dict[str, Any]) -> list[list[str]]:
    rows = [_people(facts)] if facts["ceiling"]["rows"] else []
    for way in ("context", "system"):
        if found := facts["folds"][way]:
            rows.append(_judge(f"this judge, by {way}", found))
        rows += [_judge(f"{spec}, by {way}", each[way]) for spec, each in facts["judges"].items() if way in each]
    ranked = sorted(facts["baselines"].items(), key=lambda pair: -abs(pair[1]["spearman"]["r"] or 0))
    for name, row in ranked:
        p = probability(row["williams_aligned"]["context"]["pearson"]["p"])
        label = f"{name} (turned round)" if row["turned"] else name
        rows.append([label, str(row["n"]), interval(row["spearman"]), interval(row["pearson"]), "", "", "", "", p])
    return rows


def _people(facts: dict[str, Any]) -> list[str]:
    by = {row["kind"]: row for row in facts["ceiling"]["rows"] if row["level"] == "item"}
    halves = [interval(by[kind]) for kind in ("spearman", "pearson")]
    return ["people, half against half", str(by["pearson"]["n"]), *halves, "", "", "", "", ""]


def _judge(label: str, found: dict[str, Any]) -> list[str]:
    together = found["aligned"]
    folds = [number(found[key]) for key in ("spearman", "pearson", "mae")]
    p = probability(found["williams_aligned"]["pearson"]["p"]) if "williams" in found else ""
    return [
        label,
        str(together["n"]),
        *map(interval, (together["spearman"], together["pearson"])),
        number(found["pooled"]["mae"]),
        *folds,
        p,
    ]


def interval(one: dict[str, Any]) -> str:
    """A coefficient with its 95% interval, where there is one.

    >>> interval({"r": 0.4567, "low": 0.3, "high": None})
    '0.457'
    """
    ends = f" [{number(one['low'], 2)}, {number(one['high'], 2)}]" if None not in (one["low"], one["high"]) else ""
    return f"{number(one['r'])}{ends}"


def number(value: float | None, digits: int = 3) -> str:
    """A number, or a dash for what there is none of."""
    return "–" if value is None or value != value else f"{round(value, digits) + 0.0:.{digits}f}"


def probability(value: float | None) -> str:
    """A p-value with three digits, or below the least that three digits can tell."""
    return "< 0.001" if value is not None and value < 0.001 else number(value)
