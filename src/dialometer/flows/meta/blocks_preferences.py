"""Tables of pairwise choices, of strengths, and of the analysis of variance."""

from __future__ import annotations

from typing import Any

from dialometer.report.blocks import Block, Cell, Dots, Interval, Section, Table, Text


def choice_sections(found: dict[str, Any]) -> list[Section]:
    """Preferences and factors, where they were given."""
    made = []
    if "preferences" in found:
        made.append(Section("Pairwise choices", _pairs(found["preferences"])))
    if "anova" in found:
        made.append(Section("What makes a difference between systems?", _factors(found["anova"])))
    return made


def _pairs(found: dict[str, Any]) -> list[Block]:
    rows: list[list[Cell]] = []
    for pair in found["pairs"]:
        for label, side in (("all items", "every"), ("without ambiguous items", "clear")):
            parts = [_share(pair[side][key]) for key in ("win", "loss", "tie")]
            rows.append([pair["quality"], pair["a"], pair["b"], label, pair[side]["items"], *parts, pair["ambiguous"]])
    header = ["quality", "a", "b", "", "items", "a wins", "b wins", "tie", "ambiguous"]
    note = "Shares of judgements with 90% intervals over items; an item is ambiguous when as many chose a as chose b."
    blocks: list[Block] = [Table("wins", header, rows, "Win, loss and tie of every pair", [note])]
    for quality, strengths in found["strengths"].items():
        if "why" in strengths:
            blocks.append(Text([f"{quality}: no strengths. {strengths['why']}."], "caution"))
            continue
        ranked = sorted(strengths["systems"], key=lambda row: -row["strength"])
        blocks.append(
            Dots(
                f"strengths-{quality}", [row["system"] for row in ranked], [row["strength"] for row in ranked],
                [(row["low"], row["high"]) for row in ranked], x_label="Bradley–Terry strength (log odds)",
                caption=f"{quality}: strengths with 95% intervals",
            )
        )  # fmt: skip
    return blocks


def _share(part: dict[str, Any]) -> Interval:
    return Interval(part["share"], part["low"], part["high"])


def _factors(found: dict[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    for name, table in found["tables"].items():
        if "why" in table:
            blocks.append(Text([f"{name}: {table['why']}."], "caution"))
            continue
        keys = ("name", "squares", "df", "f", "p", "eta_squared")
        rows: list[list[Cell]] = [[effect[key] for key in keys] for effect in table["effects"]]
        rows.append(["residual", table["residual_squares"], table["residual_df"], None, None, None])
        notes = [
            *table["notes"],
            f"{table['n']} judgements; type II sums of squares; each judgement counts as independent.",
        ]
        blocks.append(Table(f"anova-{name}", ["factor", "sum of squares", "df", "F", "p", "partial η²"], rows, name, notes))
        levels = table["levels"]
        labels = [f"{row['factor']}: {row['level']}" for row in levels]
        ends = [(row["low"], row["high"]) for row in levels]
        blocks.append(
            Dots(
                f"levels-{name}",
                labels,
                [row["effect"] for row in levels],
                ends,
                x_label="effect",
                caption=f"{name}: levels",
            )
        )
    return blocks
