"""AM-FM on DSTC6 at system level, with every other metric of the paper's table 1 (D'Haro et al. 2019).

Models are fitted on the references of items 0–999 (the paper's Twitter text is not public: fitting on references of other
items is a deviation), every metric scores items 1000–1999, and the weights of the bag of words, the pooling over references, k, n
and λ are chosen on S_1 … S_10 alone. Skip-Thought is trained here, on DailyDialog.

python benchmarks/amfm_dstc6.py [FOLDER for the curves]
"""

import csv
import json
import sys
import tempfile
from collections.abc import Iterable
from itertools import islice, product
from pathlib import Path

import numpy as np
from known_answers import DATA
from scipy import stats

from dialometer._version import __version__
from dialometer.contracts.score import ScoreRequest
from dialometer.contracts.train import TrainRequest
from dialometer.core.cache import cache_root
from dialometer.core.registry import create
from dialometer.core.types import Example
from dialometer.data import examples
from dialometer.flows.score.score import score
from dialometer.flows.train.train import train
from dialometer.flows.tune.grid_search import Grid, Parts, Variant, by_unit, choose, measure_parts
from dialometer.report.figures.curves import curve
from dialometer.stats.correlation.correlate import Correlation, correlate
from dialometer.text.corpus import Corpus

GRID = Grid(ks=(5, 10, 20, 50, 100, 200))
WEIGHTS, POOLS = ("counts", "binary", "tfidf"), ("max", "mean")
FIRST = ("counts", "max", 50, 3, 0.8)
PAPER = ("counts", "max", 10, 2, 0.8)
LOOKS = """\
The other ten systems were looked at twice. A first choice, of k, n and λ alone with plain counts and the best reference (264
variants, k up to 1000), is the row "first choice"; weights and pooling joined the grid after that, chosen on S_1 … S_10 again.
Models without pruning were tried there too (1,188 variants) and changed nothing to speak of.
"""
SYSTEMS = [f"S_{number}" for number in range(1, 21)]
OTHERS = (
    "bleu(variant=coco,tok=whitespace)",
    "meteor",
    "rouge(variant=coco,tok=whitespace)",
    "cider(variant=coco,tok=whitespace)",
    "embedding(variant=nlg-eval,tok=ptb)",
    "sentence",
    "length(tok=whitespace)",
)
COLUMNS = {
    "bleu-4": "bleu-4", "meteor": "meteor", "rouge-l": "rouge-l", "cider": "cider", "skip-thought": "skip-thought",
    "embedding-average": "embedding-average", "vector-extrema": "vector-extrema", "greedy-matching": "greedy-matching",
    "minilm": "sentence-cosine", "words": "words",
}  # fmt: skip
SETS = {"all 20": SYSTEMS, "S_11 … S_20": SYSTEMS[10:], "without S_20": SYSTEMS[:19]}


def main() -> None:
    """Choose, score, print."""
    items = list(examples(DATA / "turns" / "dstc6_t2.jsonl.gz"))
    number = [int(item.id.split("-")[1]) for item in items]
    talks = [
        list(refs) for refs in {n: item.references for n, item in zip(number, items, strict=True) if n < 1000}.values()
    ]
    judged = [item for n, item in zip(number, items, strict=True) if n >= 1000]
    human = json.loads((DATA / "turns" / "dstc6_t2_system_scores.json").read_text())["human_mean_overall_1to5"]
    target = np.array([human[system] for system in SYSTEMS])
    units = np.array([SYSTEMS.index(item.system) for item in judged])
    measured, tables = grid_of_parts(Corpus.build(judged), units, talks)
    chosen, inside = choose(tables, target, np.arange(10))
    weights, way, k, n, weight = chosen
    print(
        f"Fitted on {sum(map(len, talks)):,} references of 1,000 items; {len(judged):,} responses to 1,000 others are scored.\n"
    )
    print(f"Chosen on S_1 … S_10 of {len(tables):,} variants: {spelt(chosen)} (Pearson {inside:.3f} there).\n\n{LOOKS}")
    parts = measured[weights, way]
    ours = other_metrics(judged) | {
        "am": by_unit(parts.am[k], units), "fm": by_unit(parts.fm[n], units), "am-fm": tables[chosen],
        f"am-fm, first choice: {spelt(FIRST)}": tables[FIRST], f"am-fm, the paper's: {spelt(PAPER)}": tables[PAPER],
    }  # fmt: skip
    print_table(ours, target)
    print_correlations(ours, target)
    if sys.argv[1:]:
        draw(Path(sys.argv[1]), parts, units, target, (k, n, weight))


Setting = tuple[str, str, int, int, float]  # weights, pooling, k, n, λ


def grid_of_parts(
    corpus: Corpus, units: np.ndarray, talks: list[list[str]]
) -> tuple[dict[tuple[str, str], Parts], dict[Setting, np.ndarray]]:
    """AM and FM under every weighting and pooling, and the system means of every variant."""
    measured, tables = {}, {}
    for weights, way in product(WEIGHTS, POOLS):
        metric = create("metric", f"amfm(am=lsi(weights={weights},tok=whitespace),fm=ngram(tok=whitespace),pool={way})")
        parts = measure_parts(metric, corpus, talks, GRID, lambda stage, done, total: None)
        measured[weights, way] = parts
        tables |= {(weights, way, *variant): by_unit(parts.scores(variant), units) for variant in GRID.variants()}
    return measured, tables


def spelt(setting: Setting) -> str:
    """A setting in words."""
    weights, way, k, n, weight = setting
    return f"{weights}, {way}, k = {k}, n = {n}, λ = {weight:g}"


def other_metrics(judged: list[Example]) -> dict[str, np.ndarray]:
    """System values of the other metrics: corpus values where they have some, else means."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "judged.jsonl"
        create("format", "jsonl").write(judged, path)
        corpus = str(DATA / "corpora" / "dailydialog.jsonl.gz")
        skip = train(
            TrainRequest(
                "skipthought(epochs=1)", (corpus,), output=str(cache_root() / "proof" / f"skipthought-{__version__}")
            )
        ).run
        metrics = (*OTHERS, f"sentence(encoder={skip})")
        report = score(ScoreRequest((str(path),), metrics, resamples=0, output=f"{folder}/run"))
    cells = {system: {_plain(name): cell for name, cell in report.cells[system].items()} for system in SYSTEMS}
    return {name: np.array([cells[system][column].corpus for system in SYSTEMS]) for name, column in COLUMNS.items()}


def _plain(column: str) -> str:
    """A column without the spec that tells two uses of a metric apart."""
    return "skip-thought" if "skip" in column and column.endswith("sentence-cosine") else column.removeprefix("sentence:")


def print_table(ours: dict[str, np.ndarray], target: np.ndarray) -> None:
    """The paper's table 1 from our metrics."""
    print(f"| system | {' | '.join(ours)} | human |\n|---|{'---|' * (len(ours) + 1)}")
    for row, system in enumerate(SYSTEMS):
        print(f"| {system} | {' | '.join(f'{values[row]:.4f}' for values in ours.values())} | {target[row]:.4f} |")
    print()


def print_correlations(ours: dict[str, np.ndarray], target: np.ndarray) -> None:
    """Pearson with the human means: ours and the paper's, on all systems, on those no choice saw, and without the outlier."""
    published = paper()
    print(
        f"| Pearson with human means | {' | '.join(SETS)} | published, all 20 | published, without S_20 |\n"
        + "|---" * 6
        + "|"
    )
    names = [*ours, *(name for name in published if name not in ours and name not in ("human", "sd"))]
    for name in names:
        cells = [_cell(ours[name], target, chosen) if name in ours else "–" for chosen in SETS.values()]
        known = name in published
        theirs = [
            _cell(published[name], published["human"], SETS[key]) if known else "–" for key in ("all 20", "without S_20")
        ]
        print(f"| {name} | {' | '.join([*cells, *theirs])} |")


def paper() -> dict[str, np.ndarray]:
    """The columns of the published table 1."""
    with Path(__file__).with_name("amfm_table1.csv").open() as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in islice(rows[0], 1, None)}


def _cell(values: np.ndarray, target: np.ndarray, systems: Iterable[str]) -> str:
    rows = np.array([SYSTEMS.index(system) for system in systems])
    found: Correlation = correlate(values[rows], target[rows], resamples=2000)
    t = found.r * np.sqrt((found.n - 2) / (1 - found.r**2))
    p = 2 * stats.t.sf(abs(t), found.n - 2)  # as in the paper's table; `correlate` itself is exact for ten systems
    return f"{found.r:.3f} [{found.low:.2f}, {found.high:.2f}] p {p:.2g}"


def draw(folder: Path, parts: Parts, units: np.ndarray, target: np.ndarray, chosen: Variant) -> None:
    """Figures 1 and 2, and table 2, on the systems that chose and on all."""
    folder.mkdir(parents=True, exist_ok=True)
    k, n, weight = chosen
    groups = {"S_1 … S_10 (chosen on)": range(10), "all 20": range(20), "without S_20": range(19)}

    def lines(tables: list[np.ndarray]) -> dict[str, list[float]]:
        values = [by_unit(table, units) for table in tables]
        return {
            name: [correlate(v[list(rows)], target[list(rows)], resamples=0).r for v in values]
            for name, rows in groups.items()
        }

    by_k, by_n = lines([parts.am[value] for value in GRID.ks]), lines([parts.fm[value] for value in GRID.orders])
    by_weight = lines([parts.scores((k, n, value)) for value in GRID.weights])
    curve(folder / "dimensions.png", GRID.ks, by_k, setting="k", title="AM and its dimensions", chosen=k, logarithmic=True)
    curve(folder / "weights.png", GRID.weights, by_weight, setting="λ", title=f"AM-FM, k = {k}, n = {n}", chosen=weight)
    for name, setting, values, rows in (
        ("AM by k (figure 1)", "k", GRID.ks, by_k),
        ("FM by order (table 2)", "n", GRID.orders, by_n),
        (f"AM-FM by λ at k = {k}, n = {n} (figure 2)", "λ", GRID.weights, by_weight),
    ):
        print(f"\n{name}\n\n| {setting} | {' | '.join(f'{value:g}' for value in values)} |\n|---|{'---|' * len(values)}")
        for label, heights in rows.items():
            print(f"| {label} | {' | '.join(f'{height:.3f}' for height in heights)} |")
    sizes = [parts.likelihoods[value].size() for value in GRID.orders]
    print(f"\n![AM by k]({folder.name}/dimensions.png) ![AM-FM by λ]({folder.name}/weights.png)")
    print(f"\nn-grams of orders {', '.join(map(str, GRID.orders))}: {', '.join(f'{size:,}' for size in sizes)}.")


if __name__ == "__main__":
    main()
