"""Tables of a judge, raters, baselines and other judges; what scores are attributed to; fold by fold, and per system."""

from __future__ import annotations

from collections.abc import Mapping

from dialometer.contracts.train_judge import JudgeResult
from dialometer.contracts.train_judge_tables import (
    LENGTH_ONLY,
    MAX_ATTRIBUTED,
    UNSEEN,
    AlignedAgreement,
    Attribution,
    Baseline,
    ComparedJudge,
    CrossValidationTable,
    JudgedSystem,
    WilliamsTests,
)
from dialometer.report.blocks import Block, Cell, Interval, Labelled, Section, Table, Text
from dialometer.report.pages.train_judge.conclusions import human_row
from dialometer.report.pages.train_judge.format import fixed, interval, real

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


def figures_section(result: JudgeResult) -> Section:
    """Raters, this judge, other judges on the same folds, length, untrained metrics; then the tests against each."""
    baselines = dict(sorted(result.baselines.items(), key=lambda pair: (pair[0] != LENGTH_ONLY, -_strength(pair[1]))))
    tables = dict(result.folds.items())
    judges = {spec: dict(compared.items()) for spec, compared in result.judges.items()}
    rows: list[list[Cell]] = [*_people(result)]
    for way in UNSEEN:
        if way in tables:
            rows.append(_judge(f"this judge, unseen {way}s", tables[way]))
        rows += [_judge(f"{spec}, unseen {way}s", each[way]) for spec, each in judges.items() if way in each]
    rows += [[name, row.n, interval(row.spearman), interval(row.pearson), *[None] * 5] for name, row in baselines.items()]
    tests = [_tests(spec, {way: one.williams_aligned for way, one in each.items()}) for spec, each in judges.items()]
    tests += [_tests(name, dict(row.williams_aligned.items()), row.turned) for name, row in baselines.items()]
    blocks = [
        Table("figures", HEADER, rows, f"Agreement with people on {result.quality}", NOTES),
        Table("williams", TESTS, tests, "Is it better?", TESTS_NOTES),
        Table("own-starts", OWN_STARTS, _own_starts(tables, judges), "With each fold's own start", folded=True),
    ]
    return Section("How far it gets", blocks)


def _own_starts(
    tables: Mapping[str, CrossValidationTable], judges: Mapping[str, Mapping[str, ComparedJudge]]
) -> list[list[Cell]]:
    """The same correlations, of predictions as they are."""
    every: dict[str, Mapping[str, CrossValidationTable]] = {"this judge": tables, **judges}
    return [
        [f"{name}, unseen {way}s", *_intervals(each[way].pooled)]
        for way in UNSEEN
        for name, each in every.items()
        if way in each
    ]


def _strength(row: Baseline) -> float:
    return -1.0 if row.spearman.r is None else abs(row.spearman.r)


def _people(result: JudgeResult) -> list[list[Cell]]:
    spearman, pearson = human_row(result, "spearman"), human_row(result, "pearson")
    if spearman is None or pearson is None:
        return []
    halves: list[Cell] = ["people (half against half)", spearman.n, interval(spearman), interval(pearson)]
    reach: list[Cell] = ["a perfect judge (estimate)", spearman.n]
    reach += [Interval(real(row.reach), real(row.reach_low), real(row.reach_high)) for row in (spearman, pearson)]
    return [[*cells, *[None] * (len(HEADER) - len(cells))] for cells in (halves, reach)]


def _judge(label: str, table: CrossValidationTable) -> list[Cell]:
    means = [real(value) for value in (table.spearman, table.pearson, table.mae)]
    together = table.aligned
    return [label, together.n, *_intervals(together), real(table.pooled.mae), real(table.spread_aligned), *means]


def _intervals(row: AlignedAgreement) -> list[Cell]:
    return [interval(row.spearman), interval(row.pearson)]


def _tests(name: str, tests: Mapping[str, WilliamsTests], turned: bool = False) -> list[Cell]:
    cells: list[Cell] = [f"{name}, turned round" if turned else name]
    for way in UNSEEN:
        one = tests.get(way)
        cells += [real(one.pearson.difference), real(one.pearson.p), real(one.spearman.p)] if one else [None] * 3
    return cells


def attribution_section(attribution: Attribution) -> list[Section]:
    """Shares of variance; nothing where scores do not vary."""
    if not attribution.rows:
        return []
    rows: list[list[Cell]] = [
        [row.column, *(real(value) for value in (row.share_judge, row.share_people, row.r_judge, row.r_people))]
        for row in attribution.rows
    ]
    rows.append(["all together (R²)", real(attribution.judge), real(attribution.people), None, None])
    header = ["column", "share of the judge's scores", "of people's ratings", "r with the judge", "r with people"]
    left_out = attribution.left_out
    notes = [
        "Shares of variance in a linear regression, by what a column adds averaged over all orders (Shapley); unseen contexts.",
        "A column that counts for much more with the judge than with people is what it mistakes for quality.",
        *([f"Not among the {MAX_ATTRIBUTED} nearest to the judge: {', '.join(left_out)}."] if left_out else []),
    ]
    table: Block = Table("attribution", header, rows, "Attribution of scores and of ratings", notes)
    return [Section("What its scores are attributed to", [table])]


def folds_section(result: JudgeResult) -> Section:
    """Every fold by itself."""
    blocks: list[Block] = []
    for way, table in result.folds.items():
        rows: list[list[Cell]] = [
            [fold.fold, fold.n, real(fold.spearman), real(fold.pearson), real(fold.mae)] for fold in table.each
        ]
        rows.append(["mean", result.n, real(table.spearman), real(table.pearson), real(table.mae)])
        blocks.append(Table(f"folds-{way}", ["fold", "n", "Spearman", "Pearson", "MAE"], rows, f"By {way}", folded=True))
    blocks += [Text([f"No folds {what}: {why}."], "caution") for what, why in result.left_out_analyses.items()]
    lead = (
        "By context: no fold shares a context or a conversation with what was fitted for it. By system: no fold shares a system; "
        "the contexts are the same where all systems answered them, and conversations are not."
    )
    return Section("Fold by fold", blocks, lead)


def systems_section(result: JudgeResult) -> Section:
    """Mean ratings and mean predictions of systems."""
    rows, follows = result.systems.rows, result.systems.follows
    if len(rows) < 2:
        return Section("Systems", [])
    ways = [way for way, _ in result.folds.items()]
    aligned = {"context": follows.context_aligned, "system": follows.system_aligned}
    blocks: list[Block] = []
    for way in (
        ways if result.bots is None else ways[:1]
    ):  # unseen bots have a section of their own, without the folds' starts
        if over := aligned[way]:
            caption = f"Unseen {way}s: over systems Pearson {fixed(over.pearson)}, Spearman {fixed(over.spearman)}"
            blocks.append(
                Labelled(
                    f"systems-{way}", [row.system or "(none)" for row in rows], [Interval(real(row.human)) for row in rows],
                    [Interval(_predicted(row, way, aligned=True)) for row in rows], f"people: mean {result.quality}",
                    "mean prediction", caption,
                )
            )  # fmt: skip
    cells: list[list[Cell]] = [
        [row.system or "(none)", row.n, real(row.human), *(_predicted(row, way, aligned=False) for way in ways)]
        for row in rows
    ]
    header = ["system", "n", "people", *(f"predicted, {way} unseen" for way in ways)]
    return Section("Systems", [*blocks, Table("systems", header, cells, "Means per system", folded=True)])


def _predicted(row: JudgedSystem, way: str, *, aligned: bool) -> float:
    by_context = row.by_context_aligned if aligned else row.by_context
    by_system = row.by_system_aligned if aligned else row.by_system
    if way == "context":
        return real(by_context)
    return real(by_system if isinstance(by_system, float) else None)
