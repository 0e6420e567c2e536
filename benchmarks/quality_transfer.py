"""Judges trained on one rated set and tested on another; sets that share contexts have those taken out of the training side."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import orjson

from dialometer.core.registry import create
from dialometer.core.types import Example
from dialometer.data import examples
from dialometer.stats.correlation.correlate import spearman
from dialometer.text.corpus import Corpus

SETS = {
    "zhao": ("zhao_dailydialog", "appropriateness"),
    "gupta": ("gupta_dailydialog_multiref", "overall_mean"),
    "grade": ("grade_dailydialog", "coherence"),
    "engage": ("engage_dailydialog", "engagement"),
    "usr": ("usr_topicalchat", "Overall"),
    "dstc7": ("dstc7_task2", "relevance"),
}
JUDGES = {"adem": ("zhao", "gupta", "grade", "usr"), "adem(variant=reference)": tuple(SETS), "autojudge": tuple(SETS)[:-1]}


def transfer(data: Path, folder: Path) -> None:
    """A matrix per judge: rows are trained on, columns tested on; Spearman over items."""
    folder.mkdir(parents=True, exist_ok=True)
    loaded = {name: rated(data / "turns" / f"{file}.jsonl.gz", quality) for name, (file, quality) in SETS.items()}
    for spec, names in JUDGES.items():
        print(f"### {spec}: trained on the set of the row, Spearman on the set of the column\n")
        print("| trained on | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
        for one in names:
            cells = ["–" if one == two else f"{reached(folder, spec, one, two, loaded):.3f}" for two in names]
            print(f"| {one} | " + " | ".join(cells) + " |")
        print()


def rated(path: Path, quality: str) -> list[tuple[Example, float]]:
    """Rated replies that are not copies of their references, with the mean rating."""
    found = []
    for item in examples([str(path)]):
        given = [value for value in item.ratings.get(quality, ()) if value is not None]
        if given and item.response not in item.references and item.system not in ("human", "Human"):
            found.append((item, float(np.mean(given))))
    return found


def reached(folder: Path, spec: str, one: str, two: str, loaded: dict[str, list[tuple[Example, float]]]) -> float:
    """The correlation on the second set of a judge trained on the first, contexts and references of the second left out."""
    path = folder / f"{''.join(s if s.isalnum() else '-' for s in spec)}-{one}-{two}.json"
    if path.exists():
        return float(orjson.loads(path.read_bytes()))
    train = apart(loaded[one], loaded[two])
    judge = create("metric", spec)
    learnt = judge.fit(corpus_of(train), np.array([value for _, value in train]))
    test = corpus_of(loaded[two])
    scores = learnt.finish(learnt.measure(test), level="item")[:, 0]
    people = np.array([value for _, value in loaded[two]])
    both = ~np.isnan(scores)
    value = spearman(scores[both], people[both])
    path.write_bytes(orjson.dumps(value))
    return value


def apart(pairs: list[tuple[Example, float]], others: list[tuple[Example, float]]) -> list[tuple[Example, float]]:
    """The pairs that share neither the last turn of the context nor a reference with the others."""
    known = {text for item, _ in others for text in texts_of(item)}
    return [pair for pair in pairs if not known & texts_of(pair[0])]


def texts_of(item: Example) -> set[str]:
    """What two items of one source may share: the turn that is answered, and references."""
    return {*(turn.text for turn in item.context[-1:]), *item.references}


def corpus_of(pairs: list[tuple[Example, float]]) -> Corpus:
    return replace(Corpus.build([item for item, _ in pairs]), keep=True)
