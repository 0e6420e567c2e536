"""Raw similarity, nothing learnt from ratings: ``cᵀr̂ + rᵀr̂`` of an encoder's vectors, the row that ADEM's table begins with.

    python benchmarks/quality_raw.py [FOLDER] [--bots FOLDER]

``tweet2vec`` is trained here for an epoch on DailyDialog's training part without the conversations that leak into these sets;
``--bots`` is where ``quality_bots.py`` trained vhred in the same way. FOLDER keeps the encoder. Of several references the one
nearest to the reply counts; items whose response is one of their references are left out, as everywhere.
"""

import argparse
from pathlib import Path

import numpy as np
from known_answers import DATA
from quality_bots import training_text
from quality_transfer import SETS, corpus_of, rated

from dialometer.contracts.train import TrainRequest
from dialometer.core.registry import create
from dialometer.flows.train.train import train
from dialometer.judges._bilinear.inputs import views
from dialometer.stats.correlation.correlate import pearson, spearman

CHOSEN = ("zhao", "usr", "dstc7")


def main() -> None:
    """One table: a row per encoder, Spearman and Pearson per set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("runs/judges"))
    parser.add_argument("--bots", type=Path, default=Path("runs/quality"))
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    tweets = asked.folder / "tweet2vec"
    train(TrainRequest("tweet2vec(epochs=1)", (str(training_text(asked.folder, quick=False)),), output=str(tweets)))
    encoders = {"tweet2vec": str(tweets), "vhred": str(asked.bots / "vhred" / "run"), "minilm": "minilm"}
    print("| encoder | " + " | ".join(f"{name}: Spearman | Pearson" for name in CHOSEN) + " |")
    print("|---|" + "---|---|" * len(CHOSEN))
    for name, spec in encoders.items():
        print(f"| {name} | " + " | ".join(similarity(spec, chosen) for chosen in CHOSEN) + " |")


def similarity(spec: str, name: str) -> str:
    """Both correlations on a set; of DSTC7, which has no dialogue contexts, rᵀr̂ alone."""
    file, quality = SETS[name]
    pairs = rated(DATA / "turns" / f"{file}.jsonl.gz", quality)
    sides = {"reference"} | ({"context"} if any(item.context for item, _ in pairs) else set())
    seen = views(corpus_of(pairs), create("encoder", spec), frozenset(sides))
    said = sum(np.einsum("ij,ij->i", getattr(seen, side), seen.response) for side in sides)
    people = np.array([value for _, value in pairs])
    return f"{spearman(said, people):.3f} | {pearson(said, people):.3f}"


if __name__ == "__main__":
    main()
