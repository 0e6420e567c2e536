"""What takes many fits: systems left out, ever more data, perturbed replies; and what was fitted, in what time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dialometer.contracts.train_judge import JudgeResult, LeaveOneSystemOut, RemovalAgreement, RemovalFigures
from dialometer.contracts.train_judge_tables import Agreement
from dialometer.report.blocks import Block, Cell, Interval, LineChart, Section, Table
from dialometer.report.pages.train_judge.card import scalars
from dialometer.report.pages.train_judge.format import real


def leave_one_system_out_section(result: JudgeResult) -> list[Section]:
    """Lowe et al. 2017, table 5."""
    table = result.leave_one_system_out
    if table is None:
        return []
    header = ["system left out", "n"]
    header += [f"{where}: {side}" for where in ("all", "own") for side in ("whole", "without", "random")]
    names = [row.system or "(none)" for row in table.rows]
    blocks: list[Block] = []
    for kind in ("spearman", "pearson"):
        rows: list[list[Cell]] = [
            [name, row.n, *_coefficients(row, kind)] for name, row in zip(names, table.rows, strict=True)
        ]
        rows.append(["mean", None, *_coefficients(table.mean, kind)])
        name, caption = f"leave-one-system-out-{kind}", f"{kind.capitalize()} with people"
        blocks.append(Table(name, header, rows, caption, _notes(table), kind != "spearman"))
    lead = "What a system costs that training never saw, on all items and on its own; beside as many left out at random."
    return [Section("Systems left out of training", blocks, lead)]


def _coefficients(row: RemovalFigures, kind: str) -> list[Cell]:
    return [*_coefficients_over(row.all_aligned, kind), *_coefficients_over(row.alone_aligned, kind)]


def _coefficients_over(one: RemovalAgreement, kind: str) -> list[float]:
    return [_coefficient(each, kind) for each in (one.everything, one.without, one.random)]


def _coefficient(one: Agreement, kind: str) -> float:
    return real(one.spearman if kind == "spearman" else one.pearson)


def _notes(table: LeaveOneSystemOut) -> list[str]:
    notes = [
        "All: over all items; own: over the replies of the system. Whole: nothing left out of training; random: as many items.",
    ]
    notes.append(
        f"Every item is scored by a fit on other contexts ({table.folds} folds); correlations are over all of them together, "
        "with a common start of the folds."
    )
    if table.within_contexts:
        notes.append("At random: each context loses as many replies as it had of the system.")
    if table.left_out:
        notes.append(f"{table.left_out} systems with fewer items were not left out one by one.")
    return notes


def shares_section(result: JudgeResult) -> list[Section]:
    """Lowe et al. 2017, table 14."""
    if result.amounts is None:
        return []
    amounts = result.amounts
    series = {
        "Spearman": [_band(one.spearman, one.spearman_sd) for one in amounts.shares],
        "Pearson": [_band(one.pearson, one.pearson_sd) for one in amounts.shares],
    }
    counts = [round(real(one.rows)) for one in amounts.shares]
    caption = (
        f"Correlation with people on {amounts.test:,} items held out, against the items trained on; bands are ± one standard "
        f"deviation over {amounts.repeats} draws"
    )
    curve = LineChart("amounts", counts, series, "items trained on", "correlation", caption, logarithmic=True)
    rows: list[list[Cell]] = [
        [f"{one.share:.0%}", count, real(one.spearman), real(one.spearman_sd), real(one.pearson), real(one.pearson_sd),
         one.repeats]
        for one, count in zip(amounts.shares, counts, strict=True)
    ]  # fmt: skip
    header = ["share of contexts", "items", "Spearman", "sd", "Pearson", "sd ", "fits that vary"]
    table = Table("efficiency", header, rows, "Data efficiency", ["The whole is one set and is fitted once."])
    return [Section("How much data it needs", [curve, table])]


def _band(mean: float | None, sd: float | None) -> Interval:
    return Interval(real(mean), real(mean) - real(sd), real(mean) + real(sd))


def robustness_section(result: JudgeResult, reactions: Sequence[Block]) -> list[Section]:
    """Reactions to perturbed replies, and the degenerate ones against the median real reply."""
    stress = result.stress
    if stress is None:
        return []
    rows: list[list[Cell]] = [
        [row.about, row.n, real(row.median), real(row.median_real), real(row.share_above), "yes" if row.below else "no"]
        for row in stress.degenerate
    ]
    header = ["reply", "n", "median score", "median real reply", "share above it", "below the median"]
    table = Table("degenerate", header, rows, "Degenerate replies beside real ones")
    lead = (
        f"{stress.n} of {stress.of} replies in contexts held out, under every perturbation; the judge here was fitted on the "
        "other contexts."
    )
    return [Section("Perturbed replies", [table, *reactions], lead)]


def fit_section(result: JudgeResult) -> Section:
    """Data, choices and times."""
    seconds = result.seconds
    rate = seconds.replies / seconds.score if seconds.score else float("nan")
    data: list[list[Cell]] = [["file", each.file] for each in result.data]
    data += [["BLAKE2b", each.blake2b] for each in result.data]
    left_out: list[list[Cell]] = [[f"left out: {what}", count] for what, count in result.left_out.items()]
    data += [
        ["licence", result.licence or "not stated"],
        ["items", f"{result.n:,} ({result.replies:,} replies, {result.contexts:,} contexts)"],
        ["judgements", f"{result.judgements:,}, combined by {result.aggregate}"],
        ["scale", f"{result.scale[0]:g} to {result.scale[1]:g}"],
        *left_out,
        ["seconds to fit on all", f"{seconds.fit:.2f}"],
        [
            f"seconds to score {seconds.replies:,} replies",
            f"{seconds.score:.2f} ({rate:,.0f} a second, texts encoded anew)",
        ],
    ]
    blocks: list[Block] = [Table("data", ["", "what"], data, "Data and time")]
    if facts := scalars(result.fitted):
        cells: list[list[Cell]] = [
            [key, f"{value:.5g}" if isinstance(value, float) else str(value)] for key, value in facts
        ]
        blocks.append(Table("fit", ["", "what"], cells, "What the judge reports about its fit"))
    return Section("What it rests on", blocks + _curve(result.fitted))


def _curve(facts: Mapping[str, object]) -> list[Block]:
    """The learning curve of a judge that was trained by gradient steps."""
    curve = facts.get("learning curve")
    if not isinstance(curve, dict):
        return []
    series = {f"{name} error": [Interval(value) for value in curve[name]] for name in ("training", "validation")}
    epochs = list(range(len(series["training error"])))
    return [LineChart("learning", epochs, series, "epoch", "error", "Learning curve; the best epoch by validation is kept")]
