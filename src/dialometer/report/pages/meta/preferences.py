"""Tables of pairwise choices, of strengths, and of the analysis of variance."""

from __future__ import annotations

from dialometer.contracts.meta import MetaResult
from dialometer.contracts.meta_audits import AnovaTable, AnovaTables, PreferenceTables
from dialometer.report.blocks import Block, Cell, Dots, Section, Table, Text
from dialometer.report.pages.cells import interval, real


def choice_sections(result: MetaResult) -> list[Section]:
    """Preferences and factors, where they were given."""
    sections = []
    if result.preferences:
        sections.append(Section("Pairwise choices", _pairs(result.preferences)))
    if result.anova:
        sections.append(Section("What makes a difference between systems?", _factors(result.anova)))
    return sections


def _pairs(tables: PreferenceTables) -> list[Block]:
    rows: list[list[Cell]] = []
    for pair in tables.pairs:
        for label, side in (("all items", pair.every), ("without ambiguous items", pair.clear)):
            shares = [interval(part.share, part.low, part.high) for part in (side.win, side.loss, side.tie)]
            rows.append([pair.quality, pair.a, pair.b, label, side.items, *shares, pair.ambiguous])
    header = ["quality", "a", "b", "", "items", "a wins", "b wins", "tie", "ambiguous"]
    note = "Shares of judgements with 90% intervals over items; an item is ambiguous when as many chose a as chose b."
    blocks: list[Block] = [Table("wins", header, rows, "Win, loss and tie of every pair", [note])]
    for quality, strengths in tables.strengths.items():
        if strengths.why:
            blocks.append(Text([f"{quality}: no strengths. {strengths.why}."], "caution"))
            continue
        ranked = sorted(strengths.systems, key=lambda row: -row.strength)
        blocks.append(
            Dots(
                f"strengths-{quality}", [row.system for row in ranked], [row.strength for row in ranked],
                [(real(row.low), real(row.high)) for row in ranked], x_label="Bradley–Terry strength (log odds)",
                caption=f"{quality}: strengths with 95% intervals",
            )
        )  # fmt: skip
    return blocks


def _factors(tables: AnovaTables) -> list[Block]:
    blocks: list[Block] = []
    for name, table in tables.tables.items():
        blocks += [Text([f"{name}: {table.why}."], "caution")] if table.why else _anova(name, table)
    return blocks


def _anova(name: str, table: AnovaTable) -> list[Block]:
    rows: list[list[Cell]] = [
        [effect.name, real(effect.squares), effect.df, *map(real, (effect.f, effect.p, effect.eta_squared))]
        for effect in table.effects or ()
    ]
    rows.append(["residual", real(table.residual_squares), table.residual_df, None, None, None])
    notes = [
        *(table.notes or ()),
        f"{table.n} judgements; type II sums of squares; each judgement counts as independent.",
    ]
    header = ["factor", "sum of squares", "df", "F", "p", "partial η²"]
    levels = table.levels or []
    return [
        Table(f"anova-{name}", header, rows, name, notes),
        Dots(
            f"levels-{name}",
            [f"{row.factor}: {row.level}" for row in levels],
            [real(row.effect) for row in levels],
            [(real(row.low), real(row.high)) for row in levels],
            x_label="effect",
            caption=f"{name}: levels",
        ),
    ]
