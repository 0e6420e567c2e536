"""Tables of a judge beside people, baselines and other judges; fold by fold, and per system."""

from __future__ import annotations

from typing import Any

from dialometer.flows.train_judge.conclusions import human_row
from dialometer.report.blocks import Block, Cell, Interval, Labelled, Section, Table, Text
from dialometer.stats.validation.length_bias import LENGTH_ONLY

HEADER = ["", "n", "Spearman", "Pearson", "MAE", "sd ratio", "folds: ρ", "r", "MAE "]
OWN_STARTS = ["", "Spearman", "Pearson"]
TESTS = ["this judge against", "contexts: Δr", "p", "p, ranks", "systems: Δr", "p ", "p, ranks "]
NOTES = [
    "Spearman, Pearson and MAE: all items together, 95% intervals by resampling whole contexts.",
    (
        "Spearman, Pearson and sd ratio are of predictions with a common start: a fold's fit starts from the mean of what it saw, "
        "which is lower the better the items left out are. The last table has them with each fold's own start, as in the papers."
    ),
    "sd ratio: sd(predicted) / sd(human). Folds: ρ, r and MAE of each fold, averaged as in AutoJudge's table 1.",
]
TESTS_NOTES = [
    "Δr: difference of Pearson's r on the same items, above 0 where this judge is better; unseen contexts, then systems.",
    "Williams' test, two-sided, takes items as independent; on ranks it is an approximation for Spearman.",
    "Columns that fall as ratings rise are turned round first.",
]


def figures_section(found: dict[str, Any]) -> Section:
    """People, this judge, other judges on the same folds, length, untrained metrics; then the tests against each."""
    ranked = sorted(found["baselines"], key=lambda name: (name != LENGTH_ONLY, -_known(found["baselines"][name])))
    rows: list[list[Cell]] = [*_people(found)]
    for way in ("context", "system"):
        if table := found["folds"].get(way):
            rows.append(_judge(f"this judge, unseen {way}s", table))
        rows += [_judge(f"{spec}, unseen {way}s", each[way]) for spec, each in found["judges"].items() if way in each]
    rows += [[name, found["baselines"][name]["n"], *_intervals(found["baselines"][name]), *[None] * 5] for name in ranked]
    tests = [
        _tests(spec, {way: table["williams_aligned"] for way, table in each.items()})
        for spec, each in found["judges"].items()
    ]
    tests += [
        _tests(name, found["baselines"][name]["williams_aligned"], found["baselines"][name]["turned"]) for name in ranked
    ]
    blocks = [
        Table("figures", HEADER, rows, f"Agreement with people on {found['quality']}", NOTES),
        Table("williams", TESTS, tests, "Is it better?", TESTS_NOTES),
        Table("own-starts", OWN_STARTS, _own_starts(found), "With each fold's own start", folded=True),
    ]
    return Section("How far it gets", blocks)


def _own_starts(found: dict[str, Any]) -> list[list[Cell]]:
    """The same correlations, of predictions as they are."""
    rows: list[list[Cell]] = []
    for way in ("context", "system"):
        tables = {"this judge": found["folds"].get(way)} | {spec: each.get(way) for spec, each in found["judges"].items()}
        rows += [[f"{name}, unseen {way}s", *_intervals(table["pooled"])] for name, table in tables.items() if table]
    return rows


def _known(row: dict[str, Any]) -> float:
    value = abs(float(row["spearman"]["r"]))
    return value if value == value else -1.0


def _people(found: dict[str, Any]) -> list[list[Cell]]:
    halves: list[Cell] = ["people (half against half)"]
    reach: list[Cell] = ["a perfect judge (estimate)"]
    for kind in ("spearman", "pearson"):
        if (row := human_row(found, kind)) is None:
            return []
        if kind == "spearman":
            halves.append(row["n"])
            reach.append(row["n"])
        halves.append(Interval(row["r"], row["low"], row["high"]))
        reach.append(Interval(row["reach"], row["reach_low"], row["reach_high"]))
    return [[*cells, *[None] * (len(HEADER) - len(cells))] for cells in (halves, reach)]


def _judge(label: str, table: dict[str, Any]) -> list[Cell]:
    means = [table[key] for key in ("spearman", "pearson", "mae")]
    together = table["aligned"]
    return [label, together["n"], *_intervals(together), table["pooled"]["mae"], table["spread_aligned"], *means]


def _intervals(row: dict[str, Any]) -> list[Cell]:
    return [Interval(row[kind]["r"], row[kind]["low"], row[kind]["high"]) for kind in ("spearman", "pearson")]


def _tests(name: str, tested: dict[str, Any], turned: bool = False) -> list[Cell]:
    cells: list[Cell] = [f"{name}, turned round" if turned else name]
    for way in ("context", "system"):
        one = tested.get(way)
        cells += [one["pearson"]["difference"], one["pearson"]["p"], one["spearman"]["p"]] if one else [None] * 3
    return cells


def folds_section(found: dict[str, Any]) -> Section:
    """Every fold by itself."""
    blocks: list[Block] = []
    for way in ("context", "system"):
        if table := found["folds"].get(way):
            rows: list[list[Cell]] = [
                [fold["fold"], fold["n"], fold["spearman"], fold["pearson"], fold["mae"]] for fold in table["each"]
            ]
            rows.append(["mean", found["n"], table["spearman"], table["pearson"], table["mae"]])
            blocks.append(
                Table(f"folds-{way}", ["fold", "n", "Spearman", "Pearson", "MAE"], rows, f"By {way}", folded=True)
            )
    blocks += [Text([f"No folds {what}: {why}."], "caution") for what, why in found["left_out_analyses"].items()]
    lead = (
        "By context: no fold shares a context or a conversation with what was fitted for it. By system: no fold shares a system; "
        "the contexts are the same where all systems answered them, and conversations are not."
    )
    return Section("Fold by fold", blocks, lead)


def systems_section(found: dict[str, Any]) -> Section:
    """Means of systems, as people and as the judge has them."""
    rows, ways = found["systems"]["rows"], [way for way in ("context", "system") if found["folds"].get(way)]
    if len(rows) < 2:
        return Section("Systems", [])
    follows = found["systems"]["follows"]
    drawn = ways if "bots" not in found else ways[:1]  # unseen bots have a section of their own, without the folds' starts
    blocks: list[Block] = [
        Labelled(
            f"systems-{way}", [row["system"] or "(none)" for row in rows], [Interval(row["human"]) for row in rows],
            [Interval(row[f"by_{way}_aligned"]) for row in rows], f"people: mean {found['quality']}", "mean prediction",
            f"Unseen {way}s: over systems Pearson {follows[f'{way}_aligned']['pearson']:.2f}, Spearman "
            f"{follows[f'{way}_aligned']['spearman']:.2f}",
        )
        for way in drawn
    ]  # fmt: skip
    cells: list[list[Cell]] = [
        [row["system"] or "(none)", row["n"], row["human"], *(row[f"by_{way}"] for way in ways)] for row in rows
    ]
    header = ["system", "n", "people", *(f"predicted, {way} unseen" for way in ways)]
    return Section("Systems", [*blocks, Table("systems", header, cells, "Means per system", folded=True)])
