"""METEOR's arithmetic in words: the alignment of one response with each reference, and how it becomes a score."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dialometer.text.corpus import Corpus
from dialometer.text.meteor.alignment import STAGES, aligned_rows, greedy_rows

Formula = Callable[[np.ndarray, list[float]], dict[str, np.ndarray]]


def explain_aligned(
    corpus: Corpus, row: int, tok: str, stages: Sequence[str], params: list[float], formula: Formula
) -> list[str]:
    """METEOR 1.5."""
    lines, scores = [], []
    for pair in _pairs(corpus, row):
        rows, alignment = aligned_rows(pair, tok, stages, params)
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = {name: float(value[0]) for name, value in formula(rows, params).items()}
        response, reference = _tokens(pair, tok)
        matches = [
            f"{_join(response, test, width)} → {_join(reference, i, length)} ({STAGES[stage]})"
            for i, (test, width, length, stage) in enumerate(alignment.tolist())
            if width
        ]
        scores.append(parts["score"])
        lines += [f"reference {len(scores)}: {' '.join(reference)}", *(f"  {match}" for match in matches)]
        lines.append(
            f"  P = {parts['precision']:.4f}, R = {parts['recall']:.4f} (weighted), F = {parts['f_mean']:.4f},"
            f" {_chunks(rows[0, -1])} / {parts['words'] / 2:g} matched words → penalty {parts['penalty']:.4f},"
            f" score {parts['score']:.4f}"
            if matches
            else "  no match, score 0"
        )
    return _best(lines, scores)


def explain_greedy(corpus: Corpus, row: int, tok: str, stages: Sequence[str], params: list[float]) -> list[str]:
    """NLTK's METEOR."""
    lines, scores = [], []
    for pair in _pairs(corpus, row):
        score, alignment = greedy_rows(pair, tok, stages, params)
        response, reference = _tokens(pair, tok)
        matched = [(i, partner, stage) for i, (partner, stage) in enumerate(alignment.tolist()) if partner >= 0]
        chunks = sum(1 for k, (i, j, _) in enumerate(matched) if k == 0 or (i - 1, j - 1) != matched[k - 1][:2])
        scores.append(float(score[0]))
        lines.append(f"reference {len(scores)}: {' '.join(reference)}")
        lines += [f"  {response[i]} → {reference[j]} ({STAGES[stage]})" for i, j, stage in matched]
        if matched:
            n, p, r = len(matched), len(matched) / len(response), len(matched) / len(reference)
            f_mean = p * r / (params[0] * p + (1 - params[0]) * r)
            lines.append(
                f"  P = {n}/{len(response)}, R = {n}/{len(reference)}, F = {f_mean:.4f}, {chunks} chunks / {n} matched words"
                f" → penalty {params[2] * (chunks / n) ** params[1]:.4f}, score {scores[-1]:.4f}"
            )
        else:
            lines.append("  no match, score 0")
    return _best(lines, scores)


def _pairs(corpus: Corpus, row: int) -> list[Corpus]:
    """One corpus of one pair for each reference."""
    first, last = corpus.references.starts[row : row + 2].tolist()
    response = corpus.texts[int(corpus.response[row])]
    return [Corpus.of([response], [[corpus.texts[int(i)]]]) for i in corpus.references.rows[first:last]]


def _tokens(pair: Corpus, tok: str) -> tuple[list[str], list[str]]:
    table = pair.table(tok)
    return table.tokens(int(pair.response[0])), table.tokens(int(pair.references.rows[0]))


def _chunks(n: float) -> str:
    """The statistics hold 0 chunks for a perfect match, which has no penalty."""
    return f"{n:.0f} chunks" if n else "all in one chunk"


def _join(words: list[str], start: int, width: int) -> str:
    return " ".join(words[start : start + width])


def _best(lines: list[str], scores: list[float]) -> list[str]:
    if not scores:
        return ["no reference: not scored"]
    best = scores.index(max(scores))
    return [*lines, f"best: reference {best + 1} with {scores[best]:.6g}"]
