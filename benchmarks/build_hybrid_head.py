"""Rebuild the hybrid head that comes with the package, with its card.

    python benchmarks/build_hybrid_head.py [FOLDER]

It is trained on the overall quality (the mean of seven ratings, each in standard deviations of its worker) of Ji et al. 2022's free
conversations with ten bots (MIT), workers who failed the checks left out. Then it is tried, as it is, on conversations of other
sources: the figures go into its card and into the warning that it prints off its domain. FOLDER keeps the run of ``train``.
"""

import argparse
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
from conversation_sets import applied, convai2, dialogues, ji, written

from dialometer.contracts.train import TrainRequest
from dialometer.core.registry import create
from dialometer.core.types import Dialogue
from dialometer.flows.train.train import train
from dialometer.judges.heads import HEADS
from dialometer.judges.hybrid import Hybrid
from dialometer.stats.correlation.correlate import pearson
from dialometer.stats.correlation.system_level import by_system

SCALE = "overall quality of Ji et al. 2022, in standard deviations of a worker's own ratings: 0 is a worker's mean"


def main() -> None:
    """Train, try elsewhere, put in place."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("runs/heads"))
    folder: Path = parser.parse_args().folder
    rated = written(folder, "ji2022-free-run1-overall", ji(True))
    run = folder / "hybrid"
    train(TrainRequest("hybrid", (str(rated),), quality="overall", licence="MIT", quick=True, output=str(run)))
    judge = create("metric", str(run))
    said = "trained on ji2022_free_run1, it reaches " + ", ".join(
        elsewhere(judge, name, items, quality)
        for name, items, quality in (
            ("dstc9_interactive", dialogues("dstc9_interactive"), "overall"),
            ("convai2_volunteers", convai2("convai2_volunteers"), "eval_score"),
            ("convai2_intermediate", convai2("convai2_intermediate"), "eval_score"),
        )
    )
    place(judge, run, said)


def elsewhere(judge: Hybrid, name: str, items: list[Dialogue], quality: str) -> str:
    """Pearson over bots and over conversations of another set."""
    scores, people, systems = applied(judge, items, quality)
    means = [np.array(list(by_system(side, systems).values())) for side in (scores, people)]
    each = f"{pearson(scores, people):.2f} over conversations"
    return f"Pearson {pearson(*means):.2f} over {len(means[0])} bots ({each}) of {name}"


def place(judge: Hybrid, run: Path, said: str) -> None:
    """The head and its card, where the package looks for it."""
    head = judge.head
    if head is None:
        raise SystemExit(f"{run} holds no head")
    facts = head.facts | {"elsewhere": said, "quality": SCALE, "data": "ji2022_free_run1", "licence": "MIT"}
    folder = HEADS / judge.name
    shutil.rmtree(folder, ignore_errors=True)
    replace(judge, head=replace(head, facts=facts)).save(folder)
    card = (run / "card.md").read_text(encoding="utf-8").rstrip()
    rebuilt = "Rebuilt by `python benchmarks/build_hybrid_head.py`."
    told = f"{said[0].upper()}{said[1:]}."
    (folder / "card.md").write_text(
        f"{card}\n\n## Scale\n\nThe {SCALE}.\n\n## Elsewhere\n\n{told}\n\n{rebuilt}\n", encoding="utf-8"
    )
    print(f"hybrid: {sum(part.stat().st_size for part in folder.iterdir()):,} bytes; {said}")


if __name__ == "__main__":
    main()
