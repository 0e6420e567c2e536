"""Scores of every item as a file: Parquet, one row group per shard, or JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import orjson

from dialometer.core.atomic import replacing
from dialometer.flows.score.measure import Measure
from dialometer.flows.score.shards import Shards

Batch = tuple[list[str], list[str], dict[str, np.ndarray]]
Columns = list[tuple[int, Any, tuple[str, ...]]]


def write_items(path: Path, shards: Shards, task: Measure, columns: Columns) -> None:
    """Ids, systems and columns; ``columns`` gives each additive metric's number, itself and its column names."""
    names = [name for _, _, labels in columns for name in labels]
    write = _parquet if path.suffix == ".parquet" else _jsonl
    with replacing(path) as (file,):
        write(file, names, _batches(shards, task, columns))


def _batches(shards: Shards, task: Measure, columns: Columns) -> Iterator[Batch]:
    for shard, corpus in enumerate(shards.corpora()):
        values: dict[str, np.ndarray] = {}
        for number, metric, names in columns:
            items = metric.finish(np.asarray(task.rows(number, shard)), level="item")
            values |= {name: items[:, column] for column, name in enumerate(names)}
        yield list(corpus.ids), list(corpus.systems), values


def _parquet(file: BinaryIO, names: list[str], batches: Iterator[Batch]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    fields = [("id", pa.string()), ("system", pa.string()), *((name, pa.float64()) for name in names)]
    schema = pa.schema(fields)
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for ids, systems, values in batches:
            writer.write_table(pa.table([ids, systems, *(values[name] for name in names)], schema=schema))


def _jsonl(file: BinaryIO, names: list[str], batches: Iterator[Batch]) -> None:
    for ids, systems, values in batches:
        table = [values[name].tolist() for name in names]
        for row, (item, system) in enumerate(zip(ids, systems, strict=True)):
            line = {
                "id": item,
                "system": system,
                **{name: column[row] for name, column in zip(names, table, strict=True)},
            }
            file.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
