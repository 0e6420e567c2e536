"""Metrics beside people on the rated sets: agreement, ceiling, correlation at every level, references, stress.

python benchmarks/trust.py --table1     the correlations of AM-FM's table 1, recomputed from the scores printed in it
python benchmarks/trust.py SET          usr_topicalchat, dstc7_task2, zhao_dailydialog or ji2022_free_run1
python benchmarks/trust.py --references correlation under 1 … 4 references, human and retrieved
python benchmarks/trust.py --stress     how metrics react to perturbed responses
"""

import csv
import sys
import tempfile
import time
from pathlib import Path

from known_answers import DATA

from dialometer.contracts.meta import MetaRequest
from dialometer.contracts.stress import StressRequest
from dialometer.core.registry import create
from dialometer.data import open_items
from dialometer.flows.meta.meta import MetaReport, meta
from dialometer.flows.stress.stress import stress
from dialometer.stats.correlation.correlate import KINDS

OVERLAP = ("bleu", "rouge", "meteor", "cider")
MEANING = ("embedding", "sentence", "bertscore")
SETS: dict[str, dict[str, object]] = {
    "usr_topicalchat": {
        "file": "turns/usr_topicalchat.jsonl.gz", "metrics": (*OVERLAP, *MEANING), "quality": ("Overall",),
        "where": ("system!=Original Ground Truth",), "filter_raters": True,
    },
    "dstc7_task2": {
        "file": "turns/dstc7_task2.jsonl.gz", "metrics": ("bleu", "rouge"), "quality": ("relevance", "informativeness"),
        "filter_raters": True, "aggregate": "mace",
    },
    "zhao_dailydialog": {
        "file": "turns/zhao_dailydialog.jsonl.gz", "metrics": (*OVERLAP, *MEANING), "quality": ("appropriateness",),
        "where": ("system!=ground-truth",),
    },
    "ji2022_free_run1": {
        "file": "dialogues/ji2022_free_run1.jsonl.gz", "metrics": ("length", "distinct"), "quality": ("interesting", "fluent"),
        "where": ("quality_control_passed=true", "system!=quality_control"),
    },
}  # fmt: skip
PUBLISHED = (-0.5108, 0.3628, 0.1450, -0.1827, -0.4563, 0.7768, 0.2345, 0.4028, 0.8907)  # D'Haro et al. 2019, table 1
PUBLISHED_P = (0.0214, 0.1159, 0.5420, 0.4408, 0.0432, 0.0001, 0.3196, 0.0782, 1.41e-7)


def main() -> None:
    """One set, or one analysis."""
    what = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        if what == "--table1":
            table1(Path(folder))
        elif what == "--references":
            references(Path(folder))
        elif what == "--stress":
            stressed(Path(folder))
        else:
            rated(what, Path(folder))


def table1(folder: Path) -> None:
    """The Pearson row and its p-values, published and ours."""
    with Path(__file__).with_name("amfm_table1.csv").open() as file:
        rows = list(csv.DictReader(file))
    path = folder / "table1.csv"
    with path.open("w", newline="") as file:
        sheet = csv.DictWriter(file, [name for name in rows[0] if name != "sd"], extrasaction="ignore")
        sheet.writeheader()
        sheet.writerows(rows)
    found = meta(MetaRequest((str(path),), quality=("human",), output=str(folder / "run"))).to_json()
    print("| metric | n | Pearson published | ours | p published | ours | 95% interval |\n|---|---|---|---|---|---|---|")
    for row, r, p in zip(found["rows"], PUBLISHED, PUBLISHED_P, strict=True):
        ours = row["pearson"]
        ends = f"[{ours['low']:.2f}, {ours['high']:.2f}]"
        print(f"| {row['metric']} | {row['n']} | {r:.4f} | {ours['r']:.4f} | {p:.3g} | {ours['p']:.3g} | {ends} |")


def rated(name: str, folder: Path) -> None:
    """Everything that ``meta`` says of one rated set, cut to what fits a page."""
    options = dict(SETS[name])
    path = str(DATA / str(options.pop("file")))
    started = time.perf_counter()
    report = meta(MetaRequest((path,), output=str(folder / "run"), **options))  # type: ignore[arg-type]
    passed = time.perf_counter() - started
    found = report.to_json()
    print(f"{name}: {', '.join(f'{key} = {value}' for key, value in options.items() if key != 'metrics')}\n")
    agreement(found)
    for quality in options["quality"]:  # type: ignore[attr-defined]
        for level in dict.fromkeys(row["level"] for row in found["rows"]):
            correlations(found, quality, level)
    print("\n".join(f"- {said}" for said in found["summary"]))
    size = (Path(report.run) / "report.html").stat().st_size
    print(f"\nThe whole command, from reading to the report of {size / 1e6:.1f} MB, took {passed:.0f} s.")


def agreement(found: dict) -> None:
    """α, κ and the pairs above 0.2 … 0.8, and who the filter sets apart."""
    people = found["agreement"]
    cuts = [f"{cut / 10:g}" for cut in range(2, 9)]
    print(f"| quality | α [95%] | median κ | pairs | {' | '.join(f'> {cut}' for cut in cuts)} |")
    print("|---" * (4 + len(cuts)) + "|")
    for name, row in people["qualities"].items():
        alpha, kappa = row["alpha"], row["kappa"]
        shares = " | ".join(str(kappa["pairs"].get(cut, "–")) for cut in cuts)
        print(f"| {name} | {interval(alpha['value'], alpha)} | {number(kappa['median'])} | {kappa['n']} | {shares} |")
    left = ", ".join(f"{count} {what}" for what, count in found["left_out"].items())
    print(f"\nLeft out: {left or 'nothing'}.\n")


def correlations(found: dict, quality: str, level: str) -> None:
    """The table of one quality at one level, with the rows of people."""
    rows = [row for row in found["rows"] if row["level"] == level and row["quality"] == quality]
    print(f"{quality}, {level} level\n\n| | n | {' | '.join(KINDS)} |\n|---|---|---|---|---|")
    wanted = "system" if level == "system" else "item"
    human = {r["kind"]: r for r in found["ceiling"].get(quality, {}).get("rows", ()) if r["level"] == wanted}
    if human and level != "context":
        halves = " | ".join(interval(human[kind]["r"], human[kind]) for kind in KINDS)
        print(f"| *people, half against half* | {human['pearson']['n']} | {halves} |")
        reach = " | ".join(number(human[kind]["reach"]) for kind in KINDS)
        print(f"| *a perfect metric (estimate)* | {human['pearson']['n']} | {reach} |")
    for row in rows:
        cells = " | ".join(interval(row[kind]["r"], row[kind]) + star(row[kind]) for kind in KINDS)
        print(f"| {row['metric']} | {row['n']} | {cells} |")
    print("\n\\* p < 0.05 after Holm's correction over the column.\n")


def references(folder: Path) -> None:
    """How the correlation grows with references on the set that has four human ones."""
    path = str(DATA / "turns/gupta_dailydialog_multiref.jsonl.gz")
    metrics = ("bleu", "rouge", "embedding", "sentence")
    report: MetaReport = meta(MetaRequest((path,), metrics, also=("retrieved",), output=str(folder / "run")))
    rows = report.to_json()["also"]["retrieved"]["rows"]
    print("| metric | references | k | n | Pearson | Spearman |\n|---|---|---|---|---|---|")
    for row in rows:
        if row["metric"] in ("bleu-2", "rouge-l", "embedding-average", "sentence-cosine"):
            cells = " | ".join(interval(row[kind]["r"], row[kind]) for kind in ("pearson", "spearman"))
            print(f"| {row['metric']} | {row['kind']} | {row['k']} | {row['n']} | {cells} |")


def stressed(folder: Path) -> None:
    """Effects in standard deviations with verdicts, on the set of many generators."""
    items = (item for item in open_items(DATA / "turns/zhao_dailydialog.jsonl.gz") if item.system != "ground-truth")
    path = folder / "generated.jsonl"  # the ground truth is its own reference
    create("format", "jsonl").write(items, path)
    found = stress(StressRequest((str(path),), (*OVERLAP, *MEANING), output=str(folder / "run")))
    shown = (
        "bleu-2",
        "rouge-l",
        "meteor",
        "cider",
        "embedding-average",
        "greedy-matching",
        "sentence-cosine",
        "bertscore-f1",
    )
    names = list(dict.fromkeys(row.perturbation for row in found.rows))
    cell = {(row.metric, row.perturbation): row for row in found.rows}
    print(f"{found.n} items; effects in standard deviations of the scores before, and the verdict.\n")
    print(f"| perturbation | a human | changed | {' | '.join(shown)} |\n{'|---' * (3 + len(shown))}|")
    for name in names:
        rows = [cell[metric, name] for metric in shown]
        cells = " | ".join(f"{row.effect:+.2f} {row.verdict}" if row.scored else "–" for row in rows)
        print(f"| {name} | {rows[0].expected} | {rows[0].changed} | {cells} |")


def interval(value: float | None, ends: dict) -> str:
    """A number with its interval."""
    if value is None or ends["low"] is None:
        return number(value)
    return f"{value:.3f} [{ends['low']:.2f}, {ends['high']:.2f}]"


def number(value: float | None) -> str:
    """A number, or a dash."""
    return "–" if value is None else f"{value:.3f}"


def star(found: dict) -> str:
    """A mark for what survives the correction."""
    return "\\*" if found["holm"] is not None and found["holm"] < 0.05 else ""


if __name__ == "__main__":
    main()
