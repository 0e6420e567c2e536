"""Tables of what metrics lean on, and examples where they and people part."""

from __future__ import annotations

from typing import Any

from dialometer.flows.meta.cells import interval_cell
from dialometer.flows.meta.study import Study
from dialometer.report.blocks import Block, Cell, Examples, Interval, Section, Table

Kinds = list[tuple[str, int]]  # a remark and the row of an item
SHOWN = 2  # metrics whose examples are shown


def bias_section(found: dict[str, Any]) -> list[Section]:
    """Length, length difference, and steadiness over subsets."""
    tables = found.get("bias")
    if not tables:
        return []
    quality, whom, blocks = tables["quality"], found["reference"], list[Block]()
    if tables["length"]:
        keys = ("metric_length", "plain", "partial", "matched")
        rows: list[list[Cell]] = [[row["metric"], *(interval_cell(row[key]) for key in keys)] for row in tables["length"]]
        people = interval_cell(tables["length"][0]["human_length"])
        header = ["metric", "with length", f"with {whom}", "… given length", "… among equal lengths"]
        caption = f"Spearman of metrics with length and with {quality}; {quality} itself with length: {people.value:.3f}"
        blocks.append(Table("length", header, rows, caption, ["Equal lengths: pooled over ten bins of response length."]))
    if tables["difference"]:
        sides = ("near", "far", "difference", "welch_p", "permutation_p", "n_near", "n_far")
        rows = [[row["metric"], *(row[key] for key in sides)] for row in tables["difference"]]
        header = ["metric", "Δw ≤ 6", "Δw > 6", "difference", "p (Welch)", "p (permutation)", "n ≤ 6", "n > 6"]
        caption = "Scores by the difference in words to the closest reference (Liu et al. 2016, table 5)"
        blocks.append(Table("length-difference", header, rows, caption, by_row=True))
    if tables["subsets"]:
        rows = [
            [row["metric"], Interval(row["mean"], row["low"], row["high"]), row["sd"], row["of_means"], row["n"]]
            for row in tables["subsets"]
        ]
        header = ["metric", "mean over subsets", "sd", "of subset means", "n"]
        caption = (
            "Spearman within random subsets of 100 items (Lowe et al. 2017, footnote 4); the range holds 95% of subsets"
        )
        blocks.append(Table("subsets", header, rows, caption))
    return [Section("What do metrics lean on?", blocks)]


def parting_section(study: Study, found: dict[str, Any]) -> list[Section]:
    """Counts of clear agreement and clash, and the items themselves for the best metrics."""
    tables = found.get("partings")
    if not tables or not tables["rows"]:
        return []
    keys = ("both good", "both bad", "overrated", "underrated")
    rows: list[list[Cell]] = [
        [row["metric"], row["both good"]["among"], *(row[key]["count"] for key in keys)] for row in tables["rows"]
    ]
    low, high = tables["scale"]
    whom = study.reference
    among = "items whose raters differ by less than a quarter of the scale" if tables["twice"] else "items"
    clear = f"{whom} in the top or bottom quarter of {low:g}–{high:g}"
    note = f"Of the {among}: the metric above 0.8 or below 0.2 of its range, {clear}."
    blocks: list[Block] = [
        Table("clear-cases", ["metric", "items", *keys], rows, "Clear cases of agreement and clash", [note])
    ]
    beside = [row for row in tables["rows"] if "beside_overlap" in row]
    if beside:
        names = ("good", "overlap_fails", "rescued", "missed", "missed_alone", "fooled_alone")
        rows = [[r["metric"], r["beside_overlap"]["n"], *(r["beside_overlap"][n]["count"] for n in names)] for r in beside]
        header = [
            "metric",
            "items",
            f"{whom} high",
            "… overlap low",
            "… metric high",
            "metric low",
            "… overlap high",
            "fooled alone",
        ]
        caption = f"Normalised scores: high for {whom}, while word overlap or the metric fails (Lowe et al. 2017, table 6)"
        blocks.append(Table("normalised", header, rows, caption, [f"Word overlap: {', '.join(tables['overlap'])}."]))
    order = {row["metric"]: row["spearman"]["r"] for row in found["rows"] if row["level"] == found["unit"]
             and row["quality"] == tables["quality"]}  # fmt: skip
    best = sorted(tables["rows"], key=lambda row: -_number(order.get(row["metric"])))[:SHOWN]
    for row in best:
        blocks.append(_examples(study, row, tables["quality"]))
    beside = sorted(beside, key=lambda row: -_number(order.get(row["metric"])))[:1]
    blocks += [block for row in beside if (block := _sampled(study, row, tables["quality"])).items]
    return [Section(f"Where metrics and {whom} part", blocks)]


def _examples(study: Study, row: dict[str, Any], quality: str) -> Examples:
    """A case of either agreement, and the widest clashes both ways (Liu et al. 2016, figure 2)."""
    kinds = [
        *(("both call it good", number) for number in row["both good"]["rows"][:1]),
        *(("both call it bad", number) for number in row["both bad"]["rows"][:1]),
        *((f"ranked far above {study.reference}", number) for number in row["most_over"]),
        *((f"ranked far below {study.reference}", number) for number in row["most_under"]),
    ]
    return _shown(
        study,
        f"examples-{row['metric']}",
        row["metric"],
        quality,
        kinds,
        f"{row['metric']} and {quality}: agreement and clash",
    )


def _sampled(study: Study, row: dict[str, Any], quality: str) -> Examples:
    """Random cases of the three tables of Lowe et al. 2017."""
    remarks = {
        "rescued": f"{study.reference} high, every word overlap low, the metric high (table 9)",
        "missed_alone": f"{study.reference} and some word overlap high, the metric low (table 12)",
        "fooled_alone": f"{study.reference} and some word overlap low, the metric high (table 13)",
    }
    kinds = [(remark, number) for key, remark in remarks.items() for number in row["beside_overlap"][key]["rows"]]
    return _shown(
        study,
        f"sampled-{row['metric']}",
        row["metric"],
        quality,
        kinds,
        f"{row['metric']} beside word overlap: random cases",
    )


def _shown(study: Study, name: str, metric: str, quality: str, kinds: Kinds, caption: str) -> Examples:
    """Items with remarks that say the numbers."""
    values, human = study.columns.items[metric], study.human[quality]
    remarks = [f"{remark}: {metric} {values[row]:.3g}, {quality} {human[row]:.3g}" for remark, row in kinds]
    return Examples(name, [row for _, row in kinds], remarks, caption)


def _number(value: float | None) -> float:
    return float("-inf") if value is None or value != value else value
