"""The card of a judge: what it was trained on, how far it gets, how to use it and how not to."""

from __future__ import annotations

from typing import Any

from dialometer.flows.train_judge.conclusions import coefficient
from dialometer.stats.validation.length_bias import LENGTH_ONLY

UNKNOWN = "not stated (`--licence TEXT` says it)"
WHOLE = (
    "- It says nothing of a single reply, and a bot that talks with itself can raise it: before it is a reward, let bots talk with "
    "fixed partners (`dialometer play --partners`)."
)
WAYS = {"context": "by context", "system": "by system"}


def card(judge: Any, found: dict[str, Any]) -> str:
    """Markdown; every number of it is in ``judge.json``."""
    parts = [
        f"# {judge.name}: {found['quality']}", _use(found), "## What it says", *(f"- {words}" for words in found["summary"]),
        "", "## Data", *_data(found), "", "## Figures", *_figures(found), "", "## Recipe", f"`{found['recipe']}`", "",
        *_learnt(found["learnt"]), "## Mind", *_warnings(judge.unit, found), "",
    ]  # fmt: skip
    return "\n".join(parts)


def _use(found: dict[str, Any]) -> str:
    low, high = found["scale"]
    return (
        f"\nA judge of {found['quality']} on the scale {low:g} to {high:g}, trained on {found['n']:,} rated {found['unit']}s.\n\n"
        f"```\ndialometer score FILE -m RUN\n```\n\nRUN is the folder of this card.\n"
    )


def _data(found: dict[str, Any]) -> list[str]:
    lines = [f"- `{each['file']}` (BLAKE2b {each['blake2b']})" for each in found["data"]]
    lines += [
        f"- `{one['file']}`: {one['rated']:,} of {one['items']:,} items have a rating of {one['quality']}"
        for one in found["files"]
    ]
    lines.append(f"- licence: {found['licence'] or UNKNOWN}")
    raters = f" of {found['raters']:,} raters" if found["raters"] else ", whose raters are not known"
    lines.append(
        f"- {found['n']:,} {found['unit']}s ({found['replies']:,} replies) in {found['contexts']:,} contexts by "
        f"{found['named_systems']:,} named systems; {found['judgements']:,} judgements{raters}, combined by {found['aggregate']}"
    )
    return lines + [f"- left out: {count:,} {what}" for what, count in found["left_out"].items()]


def _figures(found: dict[str, Any]) -> list[str]:
    """One table: the judge by each way to fold, other judges on the same folds, and the baselines."""
    each = ", by system one for each of them" if "bots" in found else ""
    lines = [
        f"{found['folds_asked']} folds (fewer where there are fewer contexts or systems){each}; seed {found['seed']}.",
        "All together: predictions with a common start in place of each fold's own.",
        "",
        "| | Spearman | Pearson | MAE | Spearman, all together | Pearson, all together |",
        "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for way, words in WAYS.items():
        if table := found["folds"].get(way):
            lines.append(_line(f"this judge, {words}", table))
        lines += [_line(f"`{spec}`, {words}", rows[way]) for spec, rows in found["judges"].items() if way in rows]
    for name in dict.fromkeys([LENGTH_ONLY, *found["baselines"]]):
        row = found["baselines"][name]
        lines.append(f"| {name} | | | | {coefficient(row['spearman'])} | {coefficient(row['pearson'])} |")
    return lines


def _line(label: str, table: dict[str, Any]) -> str:
    together = " | ".join(coefficient(table["aligned"][kind]) for kind in ("spearman", "pearson"))
    return f"| {label} | {table['spearman']:.3f} | {table['pearson']:.3f} | {table['mae']:.3f} | {together} |"


def _learnt(facts: dict[str, Any]) -> list[str]:
    """What the judge tells of itself, as far as it fits on a line."""
    rows = [f"- {key}: {value:.4g}" if isinstance(value, float) else f"- {key}: {value}" for key, value in scalars(facts)]
    return ["## Learnt", *rows, ""] if rows else []


def scalars(facts: dict[str, Any]) -> list[tuple[str, str | int | float]]:
    """The facts that are a word or a number."""
    return [(key, value) for key, value in facts.items() if isinstance(value, str | int | float) and len(str(value)) < 200]


def _warnings(unit: str, found: dict[str, Any]) -> list[str]:
    whole = unit == "dialogue"
    judged = "conversations" if whole else "replies"
    return [
        f"- It learnt what these people call {found['quality']} of these {judged}, and nothing else.",
        "- On other domains, systems or scales measure it first: `dialometer meta RATED -m RUN -q QUALITY`.",
        "- The figures come from fits that had not seen what they scored. The judge in this folder has seen all of these items.",
        WHOLE if whole else _spoilt("stress" in found),
    ]


def _spoilt(looked: bool) -> str:
    where = "in `report.html`" if looked else "first: `dialometer stress FILE -m RUN`"
    return f"- Before it is a reward or re-ranks replies, read how it takes spoilt replies {where}."
