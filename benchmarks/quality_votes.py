"""AutoJudge against thumbs: votes that volunteers gave single bot utterances while they chatted (ConvAI2).

    python benchmarks/quality_votes.py

Votes of a conversation are never on both sides of a fold.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
from known_answers import DATA

from dialometer.core.registry import create
from dialometer.core.types import Dialogue, Example
from dialometer.data import open_items
from dialometer.judges._solvers.logistic import auc
from dialometer.stats.validation.folds import fold_numbers
from dialometer.text.corpus import Corpus


def votes(data: Path) -> None:
    """The head of the package as it is, a judge trained on votes of other conversations, and length: area under the curve."""
    examples, thumbs = voted(data / "dialogues" / "convai2_volunteers.jsonl.gz")
    corpus = replace(Corpus.build(examples), keep=True)
    head = create("metric", "autojudge")
    words = corpus.table("words").lengths()[corpus.response].astype(float)
    rows = {"autojudge, the head of the package": scores(head, corpus), "words": words}
    folds = fold_numbers(list(corpus.documents), 10)
    for spec in ("autojudge", "autojudge(prior=zero)"):
        said = np.empty(len(corpus))
        for fold in range(10):
            learn, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            said[test] = scores(create("metric", spec).fit(corpus.take(learn), thumbs[learn]), corpus.take(test))
        rows[f"{spec}, trained on votes of other conversations"] = said
    up, n = int(thumbs.sum()), len(thumbs)
    print(f"### convai2_volunteers: {n} voted utterances of {len(set(corpus.documents))} conversations, {up} thumbs up\n")
    print("| | area under the curve |\n|---|---|")
    for name, column in rows.items():
        print(f"| {name} | {auc(column, thumbs > 0):.3f} |")
    print()


def voted(path: Path) -> tuple[list[Example], np.ndarray]:
    """Utterances with a vote, in their context, and the vote: 1 up, 0 down."""
    found, thumbs = [], []
    for item in open_items([str(path)]):
        assert isinstance(item, Dialogue)
        for place, turn in enumerate(item.turns):
            if turn.vote is not None and place:
                found.append(
                    Example(f"{item.id}#{place}", item.turns[:place], turn.text, system=item.system, group=item.id)
                )
                thumbs.append(float(turn.vote > 0))
    return found, np.array(thumbs)


def scores(judge: object, corpus: Corpus) -> np.ndarray:
    return judge.finish(judge.measure(corpus), level="item")[:, 0]


if __name__ == "__main__":
    votes(DATA)
