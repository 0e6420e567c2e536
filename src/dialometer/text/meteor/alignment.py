"""Scratch space and calls for the METEOR kernels: from a corpus to statistics and alignments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dialometer.kernels import meteor_align, meteor_greedy
from dialometer.kernels.jit import run
from dialometer.kernels.meteor_beam import BEAM, BITS, NODES, ROOM
from dialometer.kernels.meteor_match import MATCH
from dialometer.kernels.meteor_score import STATS
from dialometer.text.corpus import Corpus
from dialometer.text.meteor.paraphrases import open_paraphrases
from dialometer.text.meteor.phrase_spans import Spans, find_spans
from dialometer.text.meteor.resources import paraphrase_file
from dialometer.text.meteor.words import meteor_facts, nltk_facts
from dialometer.text.table import TokenTable

STAGES = ("exact", "stem", "synonym", "paraphrase")


def aligned_rows(corpus: Corpus, tok: str, stages: Sequence[str], params: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """METEOR 1.5: (n, STATS) statistics of the best reference, and the last alignment made, one row per reference word."""
    table, refs = corpus.table(tok), corpus.references
    facts = meteor_facts(table, "synonym" in stages)
    spans = _spans(table) if "paraphrase" in stages else Spans.none(len(table.ids))
    tests, references = _longest(table, corpus.response), _longest(table, refs.rows)
    stats, alignment = np.zeros((len(corpus), STATS)), np.zeros((references, 4), np.int64)
    words = tests // BITS + 1
    scratch = (
        len(spans.phrase), references * meteor_align.PLACE, tests, MATCH * (3 * tests + spans.most_matches(table.starts)),
        ROOM, 2 * BEAM * words, NODES * BEAM * (references + 1), 4,
    )  # fmt: skip
    run(
        meteor_align.measure, table.ids, table.starts, facts.key, facts.stem, facts.fact, facts.link_starts, facts.links,
        spans.starts, spans.token, spans.length, spans.phrase, spans.entry_starts, spans.other, spans.order,
        corpus.response, refs.starts, refs.rows, _flags(stages), np.asarray(params, np.float64),
        stats.reshape(-1), alignment.reshape(-1), np.full(len(spans.entry_starts) - 1, -1, np.int64),
        *(np.zeros(size, np.int64) for size in scratch), np.zeros(STATS),
        steps=_steps(corpus, table) * 8,
    )  # fmt: skip
    return stats, alignment


def greedy_rows(corpus: Corpus, tok: str, stages: Sequence[str], params: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """NLTK's METEOR: each item's best score, and the last alignment made: per response word its partner and stage."""
    table, refs = corpus.table(tok), corpus.references
    facts = nltk_facts(table, "synonym" in stages, "stem" in stages)
    best = np.zeros(len(corpus))
    partner, stage = (np.zeros(_longest(table, corpus.response), np.int64) for _ in range(2))
    run(
        meteor_greedy.measure, table.ids, table.starts, facts.key, facts.stem, facts.fact, facts.link_starts, facts.links,
        corpus.response, refs.starts, refs.rows, _flags(stages), np.asarray(params, np.float64),
        best, partner, stage, np.zeros(_longest(table, refs.rows), np.int64), steps=_steps(corpus, table) * 3,
    )  # fmt: skip
    return best, np.stack([partner, stage], axis=1)


def _spans(table: TokenTable) -> Spans:
    source = paraphrase_file()
    if source is None or len(table.ids) == 0:
        return Spans.none(len(table.ids))
    phrases = open_paraphrases(source)
    return find_spans(phrases, table.column("meteor.paraphrase", phrases.numbers), table.ids, table.starts)


def _flags(stages: Sequence[str]) -> np.ndarray:
    return np.array([stage in stages for stage in STAGES], np.int64)


def _longest(table: TokenTable, rows: np.ndarray) -> int:
    return int(table.lengths()[rows].max(initial=0))


def _steps(corpus: Corpus, table: TokenTable) -> int:
    """Word pairs to compare."""
    lengths, refs = table.lengths(), corpus.references
    return int((np.repeat(lengths[corpus.response], refs.counts()) * lengths[refs.rows]).sum())
