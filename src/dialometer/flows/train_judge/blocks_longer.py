"""Pictures of what takes many fits: systems left out, ever more data, spoilt replies; and what was learnt, in what time."""

from __future__ import annotations

from typing import Any

from dialometer.flows.stress.picture import stress_blocks
from dialometer.flows.train_judge.card import scalars
from dialometer.flows.train_judge.robustness import reactions_of
from dialometer.report.blocks import Block, Cell, Interval, Lines, Section, Table

SIDES = ("everything", "without", "random")


def removal_section(found: dict[str, Any]) -> list[Section]:
    """Lowe et al. 2017, table 5."""
    if "removal" not in found:
        return []
    removal = found["removal"]
    header = ["system left out", "n"]
    header += [f"{where}: {side}" for where in ("all", "own") for side in ("whole", "without", "random")]
    blocks: list[Block] = []
    for kind in ("spearman", "pearson"):
        rows: list[list[Cell]] = [[row["system"] or "(none)", row["n"], *_sides(row, kind)] for row in removal["rows"]]
        rows.append(["mean", None, *_sides(removal["mean"], kind)])
        blocks.append(
            Table(f"removal-{kind}", header, rows, f"{kind.capitalize()} with people", _notes(removal), kind != "spearman")
        )
    lead = "What a system costs that training never saw, on all items and on its own; beside as many left out at random."
    return [Section("Systems left out of training", blocks, lead)]


def _sides(row: dict[str, Any], kind: str) -> list[Cell]:
    return [row[where][side][kind] for where in ("all_aligned", "alone_aligned") for side in SIDES]


def _notes(removal: dict[str, Any]) -> list[str]:
    said = [
        "All: over all items; own: over the replies of the system. Whole: nothing left out of training; random: as many items.",
    ]
    said.append(
        f"Every item is scored by a fit on other contexts ({removal['folds']} folds); correlations are over all of them together, "
        "with a common start of the folds."
    )
    if removal["within_contexts"]:
        said.append("At random: each context loses as many replies as it had of the system.")
    if removal["left_out"]:
        said.append(f"{removal['left_out']} systems with fewer items were not left out one by one.")
    return said


def amount_section(found: dict[str, Any]) -> list[Section]:
    """Lowe et al. 2017, table 14."""
    if "amounts" not in found:
        return []
    amounts = found["amounts"]
    shares = amounts["shares"]
    series = {
        kind.capitalize(): [
            Interval(s[kind], s[kind] - s[f"{kind}_sd"], s[kind] + s[f"{kind}_sd"]) for s in shares
        ]
        for kind in ("spearman", "pearson")
    }  # fmt: skip
    caption = (
        f"Correlation with people on {amounts['test']:,} items held out, against the items trained on; bands are ± one standard "
        f"deviation over {amounts['repeats']} draws"
    )
    curve = Lines(
        "amounts", [round(s["rows"]) for s in shares], series, "items trained on", "correlation", caption, logarithmic=True
    )
    rows: list[list[Cell]] = [
        [f"{s['share']:.0%}", round(s["rows"]), s["spearman"], s["spearman_sd"], s["pearson"], s["pearson_sd"], s["repeats"]]
        for s in shares
    ]  # fmt: skip
    header = ["share of contexts", "items", "Spearman", "sd", "Pearson", "sd ", "fits that vary"]
    table = Table("efficiency", header, rows, "Data efficiency", ["The whole is one set and is fitted once."])
    return [Section("How much data it needs", [curve, table])]


def stress_section(found: dict[str, Any]) -> list[Section]:
    """Reactions to spoilt replies, and the degenerate ones against the median real reply."""
    if "stress" not in found:
        return []
    stress = found["stress"]
    rows: list[list[Cell]] = [
        [row["about"], row["n"], row["median"], row["median_real"], row["share_above"], "yes" if row["below"] else "no"]
        for row in stress["degenerate"]
    ]
    header = ["reply", "n", "median score", "median real reply", "share above it", "below the median"]
    table = Table("degenerate", header, rows, "Degenerate replies beside real ones")
    lead = (
        f"{stress['n']} of {stress['of']} replies in contexts held out, spoilt in every way; the judge here was fitted on the "
        "other contexts."
    )
    return [Section("Spoilt replies", [table, *stress_blocks(reactions_of(stress))], lead)]


def _left_out(found: dict[str, Any]) -> list[list[Cell]]:
    return [[f"left out: {what}", count] for what, count in found["left_out"].items()]


def learnt_section(found: dict[str, Any]) -> Section:
    """Data, choices and times."""
    seconds = found["seconds"]
    rate = seconds["replies"] / seconds["score"] if seconds["score"] else float("nan")
    data: list[list[Cell]] = [["file", each["file"]] for each in found["data"]]
    data += [["BLAKE2b", each["blake2b"]] for each in found["data"]]
    data += [
        ["licence", found["licence"] or "not stated"],
        ["items", f"{found['n']:,} ({found['replies']:,} replies, {found['contexts']:,} contexts)"],
        ["judgements", f"{found['judgements']:,}, combined by {found['aggregate']}"],
        ["scale", f"{found['scale'][0]:g} to {found['scale'][1]:g}"],
        *_left_out(found),
        ["seconds to fit on all", f"{seconds['fit']:.2f}"],
        [
            f"seconds to score {seconds['replies']:,} replies",
            f"{seconds['score']:.2f} ({rate:,.0f} a second, texts encoded anew)",
        ],
    ]
    blocks: list[Block] = [Table("data", ["", "what"], data, "Data and time")]
    if facts := scalars(found["learnt"]):
        cells: list[list[Cell]] = [
            [key, f"{value:.5g}" if isinstance(value, float) else str(value)] for key, value in facts
        ]
        blocks.append(Table("learnt", ["", "what"], cells, "What the judge tells of itself"))
    return Section("What it rests on", blocks + _curve(found["learnt"]))


def _curve(learnt: dict[str, Any]) -> list[Block]:
    """The learning curve of a judge that was trained by small steps."""
    if not (curve := learnt.get("learning curve")):
        return []
    epochs = list(range(len(curve["training"])))
    series = {f"{name} error": [Interval(value) for value in curve[name]] for name in ("training", "validation")}
    return [Lines("learning", epochs, series, "epoch", "error", "Learning curve; the best epoch by validation is kept")]
