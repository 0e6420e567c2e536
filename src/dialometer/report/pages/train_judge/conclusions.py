"""Conclusions from the numbers of a judge, in sentences with a tone each: the summary of the report, the card and the terminal."""

from __future__ import annotations

from dialometer.contracts.train_judge import JudgeResult, Tone
from dialometer.contracts.train_judge_tables import LENGTH_ONLY, CeilingLevel, WilliamsTests
from dialometer.report.pages.train_judge.bot_conclusions import bot_sentences
from dialometer.report.pages.train_judge.format import coefficient, fixed, rounded

Sentences = list[tuple[str, Tone]]
NARROW = 0.5  # sd(predicted) / sd(human) below which a judge hardly tells items apart
ALPHA = 0.05


def conclusions(result: JudgeResult) -> Sentences:
    """Agreement, ceiling, baselines, spread, robustness, what is missing."""
    return [
        *_agreement(result), *bot_sentences(result), *_ceiling(result), *_baselines(result), *_spread(result),
        *_leave_one_system_out(result), *_degenerate(result), *_gaps(result),
    ]  # fmt: skip


def is_better(tests: WilliamsTests) -> Tone:
    """good: significantly above by Pearson and by ranks; bad: significantly below by either; else caution."""
    signs = [
        (one.difference is not None and one.difference > 0, one.p is not None and one.p < ALPHA)
        for one in (tests.pearson, tests.spearman)
    ]
    if all(above and significant for above, significant in signs):
        return "good"
    return "bad" if any(significant and not above for above, significant in signs) else "caution"


def _agreement(result: JudgeResult) -> Sentences:
    sentences: Sentences = []
    for way, table in result.folds.items():
        together, pooled = table.aligned, table.pooled
        means = f"Spearman {rounded(table.spearman)}, Pearson {rounded(table.pearson)} as means of {len(table.each)} folds"
        aligned = f"Spearman {coefficient(together.spearman)}, Pearson {coefficient(together.pearson)} all together"
        starts = f"Spearman {rounded(pooled.spearman.r)}, Pearson {rounded(pooled.pearson.r)} with each fold's own start"
        error = f"off by {fixed(pooled.mae)} on the average (the mean rating: {fixed(table.mae_of_mean)})"
        sentences.append((f"On unseen {way}s: {means}; {aligned} ({starts}); {error}.", "plain"))
    return sentences


def _ceiling(result: JudgeResult) -> Sentences:
    row = human_row(result, "spearman")
    if row is None:
        return [("Items have one rating each, so nobody knows how far a judge could get.", "caution")]
    halves = f"half of the raters against the other half have Spearman {coefficient(row)}"
    return [(f"The ceiling: {halves}; a perfect judge would have about {fixed(row.reach)} with all of them.", "plain")]


def human_row(result: JudgeResult, kind: str, level: str = "item") -> CeilingLevel | None:
    """Raters against raters at a level, where ratings could be split."""
    rows = result.ceiling.rows
    return next((row for row in rows if (row.level, row.kind) == (level, kind) and row.r is not None), None)


def _baselines(result: JudgeResult) -> Sentences:
    """Length and the best untrained column, each against the predictions for unseen contexts and unseen systems."""
    sentences: Sentences = []
    for name, label in (
        (LENGTH_ONLY, "The length of the response alone"),
        (result.best, f"Best untrained: {result.best}"),
    ):
        if not name:
            continue
        row = result.baselines[name]
        tests = row.williams_aligned.items()
        tones = [is_better(one) for _, one in tests]
        words = {"good": "the judge is better", "bad": "the judge is worse", "caution": "not told apart"}
        ways = "; ".join(
            f"by {way}, {words[tone]} (Williams p {_p(one.pearson.p)}, on ranks {_p(one.spearman.p)})"
            for (way, one), tone in zip(tests, tones, strict=True)
        )
        worst: Tone = "bad" if "bad" in tones else "caution" if "caution" in tones else "good"
        turned = ", turned round for the test" if row.turned else ""
        sentences.append((f"{label} has Spearman {coefficient(row.spearman)}{turned}: {ways}.", worst))
    return sentences


def _p(value: float | None) -> str:
    return "–" if value is None else "< 0.001" if value < 0.001 else f"= {value:.3f}"


def _spread(result: JudgeResult) -> Sentences:
    one = result.calibration.context
    if one.spread is None:
        return [("Predictions do not vary.", "bad")]
    narrow = one.spread < NARROW
    words = f"Its scores spread {one.spread:.2f} times as far as people's"
    slope = f"; a step of 1 in its score is {one.slope:.2f} in people's" if one.slope is not None else ""
    return [(f"{words}{slope}{': it keeps to the middle' if narrow else ''}.", "caution" if narrow else "plain")]


def _leave_one_system_out(result: JudgeResult) -> Sentences:
    if result.leave_one_system_out is None:
        return []
    alone = result.leave_one_system_out.mean.alone_aligned
    without, random = alone.without.spearman, alone.random.spearman
    if without is None or random is None:
        return []
    words = f"On the replies of a system that training never saw: Spearman {without:.2f} on the average"
    lost = random > 0 and without < random / 2
    return [(f"{words}; {random:.2f} where as many items were left out at random.", "caution" if lost else "plain")]


def _degenerate(result: JudgeResult) -> Sentences:
    if result.stress is None:
        return []
    known = [row for row in result.stress.degenerate if row.n]
    fooled = [row for row in known if not row.below]
    if not fooled:
        return [("Empty, repeated and universal replies score below the median real reply.", "good")] if known else []
    named = ", ".join(f"{row.about} ({_share(row.share_above)} above it)" for row in fooled)
    return [(f"Scores at or above the median real reply: {named}. Do not use it as a reward as it is.", "bad")]


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _gaps(result: JudgeResult) -> Sentences:
    words = "of these replies and turns were in what {} was fitted on: the figures that rest on it flatter"
    sentences: Sentences = [(f"{share:.0%} {words.format(name)}.", "bad") for name, share in result.overlap.items()]
    sentences += [(f"Left out: {count} {what}.", "caution") for what, count in result.left_out.items()]
    sentences += [
        (f"There is no cross-validation {what}: {why}.", "caution") for what, why in result.left_out_analyses.items()
    ]
    sentences += [(f"Not compared: {reason}.", "plain") for reason in result.left_out_metrics]
    if result.unfitted:
        sentences.append((f"Some fits on part of the data were not possible: {result.unfitted[0]}.", "caution"))
    return sentences
