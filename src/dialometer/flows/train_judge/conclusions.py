"""What the numbers of a judge say, in sentences with a tone each: the summary of the report, the card and the terminal."""

from __future__ import annotations

from typing import Any

from dialometer.flows.train_judge.bot_conclusions import bot_sentences
from dialometer.report.blocks import Tone
from dialometer.stats.validation.length_bias import LENGTH_ONLY

Said = list[tuple[str, Tone]]
TIMID = 0.5  # sd(predicted) / sd(human) below which a judge hardly tells items apart
ALPHA = 0.05


def conclusions(found: dict[str, Any]) -> Said:
    """Reach, ceiling, baselines, timidity, robustness, gaps."""
    return [
        *_reach(found), *bot_sentences(found), *_ceiling(found), *_baselines(found), *_spread(found), *_removal(found),
        *_degenerate(found), *_gaps(found),
    ]  # fmt: skip


def shown(value: float) -> str:
    """Two digits; a dash for what there is none of.

    >>> shown(-0.001), shown(float("nan"))
    ('0.00', '–')
    """
    return "–" if value != value else f"{round(value, 2) + 0.0:.2f}"


def coefficient(one: dict[str, float]) -> str:
    """A correlation and its interval, where there is one."""
    ends = f" [{shown(one['low'])}, {shown(one['high'])}]" if one["low"] == one["low"] else ""
    return f"{shown(one['r'])}{ends}"


def better(test: dict[str, dict[str, float]]) -> Tone:
    """good: significantly above by Pearson and by ranks; bad: significantly below by either; else caution."""
    signs = [(one["difference"] > 0, one["p"] < ALPHA) for one in test.values()]
    if all(above and clear for above, clear in signs):
        return "good"
    return "bad" if any(clear and not above for above, clear in signs) else "caution"


def _reach(found: dict[str, Any]) -> Said:
    said: Said = []
    unseen = {"context": "contexts", "system": "systems"}
    for way, table in found["folds"].items():
        if table is None:
            continue
        together, own = table["aligned"], table["pooled"]
        means = (
            f"Spearman {shown(table['spearman'])}, Pearson {shown(table['pearson'])} as means of {len(table['each'])} folds"
        )
        pooled = f"Spearman {coefficient(together['spearman'])}, Pearson {coefficient(together['pearson'])} all together"
        starts = f"Spearman {shown(own['spearman']['r'])}, Pearson {shown(own['pearson']['r'])} with each fold's own start"
        error = f"off by {own['mae']:.2f} on the average (the mean rating: {table['mae_of_mean']:.2f})"
        said.append((f"On unseen {unseen[way]}: {means}; {pooled} ({starts}); {error}.", "plain"))
    return said


def _ceiling(found: dict[str, Any]) -> Said:
    row = human_row(found, "spearman")
    if row is None:
        return [("Items have one rating each, so nobody knows how far a judge could get.", "caution")]
    halves = f"half of the raters against the other half have Spearman {coefficient(row)}"
    return [(f"The ceiling: {halves}; a perfect judge would have about {row['reach']:.2f} with all of them.", "plain")]


def human_row(found: dict[str, Any], kind: str, level: str = "item") -> dict[str, Any] | None:
    """People against people at a level, where judgements could be split."""
    rows = found["ceiling"].get("rows", ())
    return next((r for r in rows if (r["level"], r["kind"]) == (level, kind) and r["r"] == r["r"]), None)


def _baselines(found: dict[str, Any]) -> Said:
    """Length and the best untrained column, each against the predictions for unseen contexts and unseen systems."""
    said: Said = []
    for name, label in (
        (LENGTH_ONLY, "The length of the response alone"),
        (found["best"], f"Best untrained: {found['best']}"),
    ):
        if not name:
            continue
        row = found["baselines"][name]
        tests = row["williams_aligned"]
        tones = {way: better(test) for way, test in tests.items()}
        words = {"good": "the judge is better", "bad": "the judge is worse", "caution": "not told apart"}
        ways = "; ".join(
            f"by {way}, {words[tone]} (Williams p {_p(tests[way]['pearson']['p'])}, on ranks "
            f"{_p(tests[way]['spearman']['p'])})"
            for way, tone in tones.items()
        )  # fmt: skip
        worst: Tone = next((tone for tone in ("bad", "caution") if tone in tones.values()), "good")
        turned = ", turned round for the test" if row["turned"] else ""
        said.append((f"{label} has Spearman {coefficient(row['spearman'])}{turned}: {ways}.", worst))
    return said


def _p(value: float) -> str:
    return "–" if value != value else "< 0.001" if value < 0.001 else f"= {value:.3f}"


def _spread(found: dict[str, Any]) -> Said:
    one = found["calibration"]["context"]
    if one["spread"] != one["spread"]:
        return [("Predictions do not vary.", "bad")]
    timid = one["spread"] < TIMID
    words = f"Its scores spread {one['spread']:.2f} times as far as people's"
    slope = f"; a step of 1 in its score is {one['slope']:.2f} in people's" if one["slope"] == one["slope"] else ""
    return [(f"{words}{slope}{': it keeps to the middle' if timid else ''}.", "caution" if timid else "plain")]


def _removal(found: dict[str, Any]) -> Said:
    if "removal" not in found:
        return []
    alone = found["removal"]["mean"]["alone_aligned"]
    without, random = alone["without"]["spearman"], alone["random"]["spearman"]
    if without != without or random != random:
        return []
    words = f"On the replies of a system that training never saw: Spearman {without:.2f} on the average"
    lost = random > 0 and without < random / 2
    return [(f"{words}; {random:.2f} where as many items were left out at random.", "caution" if lost else "plain")]


def _degenerate(found: dict[str, Any]) -> Said:
    if "stress" not in found:
        return []
    known = [row for row in found["stress"]["degenerate"] if row["n"]]
    fooled = [row for row in known if not row["below"]]
    if not fooled:
        return [("Empty, repeated and universal replies score below the median real reply.", "good")] if known else []
    named = ", ".join(f"{row['about']} ({row['share_above']:.0%} above it)" for row in fooled)
    return [(f"Scores at or above the median real reply: {named}. Do not use it as a reward as it is.", "bad")]


def _gaps(found: dict[str, Any]) -> Said:
    told = "of these replies and turns were in what {} was fitted on: the figures that rest on it flatter"
    said: Said = [(f"{share:.0%} {told.format(name)}.", "bad") for name, share in found.get("overlap", {}).items()]
    said += [(f"Left out: {count} {what}.", "caution") for what, count in found["left_out"].items()]
    said += [
        (f"There is no cross-validation {what}: {why}.", "caution") for what, why in found["left_out_analyses"].items()
    ]
    said += [(f"Not compared: {words}.", "plain") for words in found["left_out_metrics"]]
    if found.get("unfitted"):
        said.append((f"Some fits on part of the data were not possible: {found['unfitted'][0]}.", "caution"))
    return said
