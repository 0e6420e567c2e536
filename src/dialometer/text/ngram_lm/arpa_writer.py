"""Writing ARPA files: a back-off model as text, log₁₀ p, the n-gram and log₁₀ of its weight on a line; plain or gzip."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from dialometer.core.atomic import replacing
from dialometer.core.errors import DataError
from dialometer.core.files import check_output_file
from dialometer.text.ngram_lm.backoff import Backoff

TEN = np.log(10)


def write_arpa(model: Backoff, path: Path) -> None:
    """Write a model, packed where the name ends in .gz; orders without n-grams at the top are left out."""
    order = max(n for n, level in enumerate(model.levels, 1) if len(level.keys))
    check_output_file(path)
    try:
        with replacing(path) as (file,):
            if path.suffix == ".gz":
                with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
                    packed.writelines(_pieces(model, order))
            else:
                file.writelines(_pieces(model, order))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DataError(f"cannot be written: {reason}", file=str(path), hint="choose another place") from None


def _pieces(model: Backoff, order: int) -> Iterator[bytes]:
    """The file, a section at a time."""
    counts = [f"ngram {n}={len(level.keys)}\n" for n, level in enumerate(model.levels[:order], 1)]
    yield ("\n\\data\\\n" + "".join(counts)).encode()
    words = list(model.words)
    grams = words
    for n, level in enumerate(model.levels[:order], 1):
        if n > 1:
            parents, last = (part.tolist() for part in np.divmod(level.keys, len(words)))
            grams = [f"{grams[parent]} {words[word]}" for parent, word in zip(parents, last, strict=True)]
        logp = np.minimum(level.logp / TEN, 0).tolist()
        bows = (level.bow / TEN).tolist()
        lines = [
            f"{p:.10g}\t{gram}\t{bow:.10g}\n" if bow else f"{p:.10g}\t{gram}\n"
            for p, gram, bow in zip(logp, grams, bows, strict=True)
        ]
        yield f"\n\\{n}-grams:\n{''.join(lines)}".encode()
    yield b"\n\\end\\\n"
