"""Rebuild the heads that come with the package, with their cards.

    python benchmarks/build_heads.py [FOLDER] [--only NAME]

``adem`` is an R-ADEM trained on the relevance ratings of DSTC7 task 2 (O-UDA 1.0; it has no dialogue contexts), ``autojudge`` is
trained on the engagement ratings of DailyDialog replies (MIT), with negatives. Each is then tried, as it is, on other sets, less
the items that share a last turn or a reference with its training set: the figures go into its card and into the warning that it
prints off its domain. FOLDER keeps the runs of ``train``.
"""

import argparse
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
from known_answers import DATA
from quality_transfer import SETS, apart, corpus_of, rated

from dialometer.contracts.train import TrainRequest
from dialometer.core.recipes import recipe
from dialometer.core.registry import create
from dialometer.core.types import Example
from dialometer.flows.train.train import train
from dialometer.judges._bilinear.negatives import NEGATIVES
from dialometer.judges.heads import HEADS
from dialometer.stats.correlation.correlate import spearman

BUILT = {
    "adem": ("adem(variant=reference)", "dstc7_task2", "relevance", "O-UDA 1.0", ("zhao", "gupta", "grade", "usr")),
    "autojudge": (
        f"autojudge(negatives={'+'.join(NEGATIVES)})",
        "engage_dailydialog",
        "engagement",
        "MIT",
        ("zhao", "gupta", "grade", "usr"),
    ),
}


def main() -> None:
    """Train, try elsewhere, put in place."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("runs/heads"))
    parser.add_argument("--only", choices=tuple(BUILT))
    asked = parser.parse_args()
    for name in [asked.only] if asked.only else BUILT:
        build(name, asked.folder)


def build(name: str, folder: Path) -> None:
    """One head."""
    spec, file, quality, licence, others = BUILT[name]
    run, place, before = folder / name, HEADS / name, folder / f"{name} before"
    if place.exists():
        shutil.rmtree(before, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        shutil.move(place, before)  # what a former version left could not be read
    path = DATA / "turns" / f"{file}.jsonl.gz"
    train(TrainRequest(spec, (str(path),), quality=quality, scale="1,5", licence=licence, quick=True, output=str(run)))
    judge = create("metric", str(run))
    own = rated(path, quality)
    reached = {other: elsewhere(judge, other, own) for other in others}
    said = f"trained on {quality} of {file}, it reaches Spearman " + ", ".join(
        f"{value:.2f} on {SETS[other][0]} ({count} items)" for other, (value, count) in reached.items()
    )
    facts = judge.head.facts | {"elsewhere": said, "quality": quality, "data": file, "licence": licence}
    replace(judge, head=replace(judge.head, facts=facts)).save(place)
    card = own_words(name, (run / "card.md").read_text(encoding="utf-8"), recipe(create("metric", str(place))))
    command = f"Rebuilt by `python benchmarks/build_heads.py --only {name}`."
    (place / "card.md").write_text(
        f"{card.rstrip()}\n\n## Elsewhere\n\n{said[0].upper()}{said[1:]}.\n\n{command}\n", encoding="utf-8"
    )
    size = sum(part.stat().st_size for part in place.iterdir())
    print(f"{name}: {size:,} bytes; {said}")


def own_words(name: str, card: str, said: str) -> str:
    """The card of a run as that of a head, which goes by its name, has its recipe, and no report beside it."""
    card = re.sub(rf"`{name}\|[^`]*`", f"`{said}`", card)
    card = card.replace("\nRUN is the folder of this card.\n", "").replace("-m RUN", f"-m {name}")
    return "".join(line for line in card.splitlines(keepends=True) if "report.html" not in line)


def elsewhere(judge: object, other: str, own: list[tuple[Example, float]]) -> tuple[float, int]:
    """Spearman on the items of another set that share nothing with the judge's own, and how many they are."""
    file, quality = SETS[other]
    pairs = apart(rated(DATA / "turns" / f"{file}.jsonl.gz", quality), own)
    scores = judge.finish(judge.measure(corpus_of(pairs)), level="item")[:, 0]
    people = np.array([value for _, value in pairs])
    both = ~np.isnan(scores)
    return spearman(scores[both], people[both]), int(both.sum())


if __name__ == "__main__":
    main()
