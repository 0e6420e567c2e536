"""A trained judge in the terminal: one table of everything it is compared with, the conclusions, and what to type next."""

from __future__ import annotations

from dialometer.cli.table import table
from dialometer.contracts.train_judge import JudgeResult
from dialometer.contracts.train_judge_tables import CeilingLevel, ComparedJudge, CrossValidationTable, HumanCorrelation

HEADER = ["", "n", "Spearman", "Pearson", "MAE", "mean of folds: Spearman", "Pearson", "MAE", "Williams p"]


def render_judge(name: str, result: JudgeResult) -> list[str]:
    """Lines; the last column tests this judge's predictions for unseen contexts against the row. Folds have a common start."""
    ratings = f"{result.judgements:,} judgements, {result.aggregate}" if result.judgements > result.n else "a number each"
    where = f"{result.contexts:,} contexts, {result.named_systems:,} systems"
    head = f"{name} fitted on {result.n:,} rated {result.unit}s: {result.quality} ({ratings}), {where}"
    seconds = result.seconds
    time = f"{seconds.fit:.1f} s to fit, {seconds.score:.1f} s to score {seconds.replies:,} replies"
    return [head, "", table(HEADER, _rows(result)), "", *result.summary, "", time]


def _rows(result: JudgeResult) -> list[list[str]]:
    rows = [_people(result)] if result.ceiling.rows else []
    tables = dict(result.folds.items())
    judges = {spec: dict(compared.items()) for spec, compared in result.judges.items()}
    for way in ("context", "system"):
        if way in tables:
            rows.append(_judge(f"this judge, by {way}", tables[way]))
        rows += [_compared(f"{spec}, by {way}", each[way]) for spec, each in judges.items() if way in each]
    ranked = sorted(result.baselines.items(), key=lambda pair: -abs(pair[1].spearman.r or 0))
    for name, row in ranked:
        p = probability(row.williams_aligned.context.pearson.p)
        label = f"{name} (turned round)" if row.turned else name
        rows.append([label, str(row.n), interval(row.spearman), interval(row.pearson), "", "", "", "", p])
    return rows


def _people(result: JudgeResult) -> list[str]:
    by_kind = {row.kind: row for row in result.ceiling.rows if row.level == "item"}
    halves = [interval(by_kind[kind]) for kind in ("spearman", "pearson")]
    return ["people, half against half", str(by_kind["pearson"].n), *halves, "", "", "", "", ""]


def _judge(label: str, one: CrossValidationTable, p: str = "") -> list[str]:
    correlations = [interval(one.aligned.spearman), interval(one.aligned.pearson)]
    means = [number(value) for value in (one.spearman, one.pearson, one.mae)]
    return [label, str(one.aligned.n), *correlations, number(one.pooled.mae), *means, p]


def _compared(label: str, one: ComparedJudge) -> list[str]:
    return _judge(label, one, probability(one.williams_aligned.pearson.p))


def interval(one: HumanCorrelation | CeilingLevel) -> str:
    """A coefficient with its 95% interval, where there is one.

    >>> from dialometer.contracts.train_judge_tables import HumanCorrelation
    >>> interval(HumanCorrelation(r=0.4567, p=0.01, low=0.3, high=None))
    '0.457'
    """
    ends = "" if one.low is None or one.high is None else f" [{number(one.low, 2)}, {number(one.high, 2)}]"
    return f"{number(one.r)}{ends}"


def number(value: float | None, digits: int = 3) -> str:
    """A number, or a dash for what there is none of."""
    return "–" if value is None or value != value else f"{round(value, digits) + 0.0:.{digits}f}"


def probability(value: float | None) -> str:
    """A p-value with three digits, or below the least that three digits can tell."""
    return "< 0.001" if value is not None and value < 0.001 else number(value)
