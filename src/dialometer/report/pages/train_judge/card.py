"""The card of a judge: what it was trained on, how far it gets, how to use it and how not to."""

from __future__ import annotations

from collections.abc import Mapping

from dialometer.contracts.train_judge import JudgeResult
from dialometer.contracts.train_judge_tables import LENGTH_ONLY, UNSEEN, CrossValidationTable
from dialometer.report.pages.train_judge.format import coefficient, fixed

UNKNOWN = "not stated (`--licence TEXT` says it)"
OF_DIALOGUES = (
    "- It says nothing of a single reply, and a bot that talks with itself can raise it: before it is a reward, let bots talk with "
    "fixed partners (`dialometer play --partners`)."
)


def card(name: str, unit: str, result: JudgeResult) -> str:
    """Markdown for the judge of this name and unit (response or dialogue); every number of it is in ``judge.json``."""
    parts = [
        f"# {name}: {result.quality}", _use(result), "## What it says", *(f"- {words}" for words in result.summary),
        "", "## Data", *_data(result), "", "## Figures", *_figures(result), "", "## Recipe", f"`{result.recipe}`", "",
        *_fitted(result.fitted), "## Mind", *_warnings(unit, result), "",
    ]  # fmt: skip
    return "\n".join(parts)


def _use(result: JudgeResult) -> str:
    low, high = result.scale
    return (
        f"\nA judge of {result.quality} on the scale {low:g} to {high:g}, trained on {result.n:,} rated {result.unit}s.\n\n"
        f"```\ndialometer score FILE -m RUN\n```\n\nRUN is the folder of this card.\n"
    )


def _data(result: JudgeResult) -> list[str]:
    lines = [f"- `{each.file}` (BLAKE2b {each.blake2b})" for each in result.data]
    lines += [
        f"- `{one.file}`: {one.rated:,} of {one.items:,} items have a rating of {one.quality}" for one in result.files
    ]
    lines.append(f"- licence: {result.licence or UNKNOWN}")
    raters = f" of {result.raters:,} raters" if result.raters else ", whose raters are not known"
    lines.append(
        f"- {result.n:,} {result.unit}s ({result.replies:,} replies) in {result.contexts:,} contexts by "
        f"{result.named_systems:,} named systems; {result.judgements:,} judgements{raters}, combined by {result.aggregate}"
    )
    return lines + [f"- left out: {count:,} {what}" for what, count in result.left_out.items()]


def _figures(result: JudgeResult) -> list[str]:
    """One table: the judge by unseen contexts and systems, other judges on the same folds, and the baselines."""
    each = ", by system one for each of them" if result.bots else ""
    lines = [
        f"{result.folds_asked} folds (fewer where there are fewer contexts or systems){each}; seed {result.seed}.",
        "All together: predictions with a common start in place of each fold's own.",
        "",
        "| | Spearman | Pearson | MAE | Spearman, all together | Pearson, all together |",
        "|---|---|---|---|---|---|",
    ]
    tables = dict(result.folds.items())
    others = {spec: dict(compared.items()) for spec, compared in result.judges.items()}
    for way in UNSEEN:
        if way in tables:
            lines.append(_line(f"this judge, by {way}", tables[way]))
        lines += [_line(f"`{spec}`, by {way}", rows[way]) for spec, rows in others.items() if way in rows]
    for name in dict.fromkeys([LENGTH_ONLY, *result.baselines]):
        row = result.baselines[name]
        lines.append(f"| {name} | | | | {coefficient(row.spearman)} | {coefficient(row.pearson)} |")
    return lines


def _line(label: str, table: CrossValidationTable) -> str:
    together = f"{coefficient(table.aligned.spearman)} | {coefficient(table.aligned.pearson)}"
    means = " | ".join(fixed(value, 3) for value in (table.spearman, table.pearson, table.mae))
    return f"| {label} | {means} | {together} |"


def _fitted(facts: Mapping[str, object]) -> list[str]:
    """What the judge reports about its fit, as far as it fits on a line."""
    rows = [f"- {key}: {value:.4g}" if isinstance(value, float) else f"- {key}: {value}" for key, value in scalars(facts)]
    return ["## Fit", *rows, ""] if rows else []


def scalars(facts: Mapping[str, object]) -> list[tuple[str, str | int | float]]:
    """The facts that are a word or a number."""
    return [(key, value) for key, value in facts.items() if isinstance(value, str | int | float) and len(str(value)) < 200]


def _warnings(unit: str, result: JudgeResult) -> list[str]:
    of_dialogues = unit == "dialogue"
    judged = "conversations" if of_dialogues else "replies"
    return [
        f"- It learnt what these people call {result.quality} of these {judged}, and nothing else.",
        "- On other domains, systems or scales measure it first: `dialometer meta RATED -m RUN -q QUALITY`.",
        "- The figures come from fits that had not seen what they scored. The judge in this folder has seen all of these items.",
        OF_DIALOGUES if of_dialogues else _robustness(result.stress is not None),
    ]


def _robustness(measured: bool) -> str:
    where = "in `report.html`" if measured else "first: `dialometer stress FILE -m RUN`"
    return f"- Before it is a reward or re-ranks replies, read how it reacts to perturbed replies {where}."
