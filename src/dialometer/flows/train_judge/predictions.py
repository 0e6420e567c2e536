"""What a judge said of each item before it had seen it, as a table to take elsewhere."""

from __future__ import annotations

import csv
import io

from dialometer.flows.train_judge.analysis import Analysis
from dialometer.flows.train_judge.dataset import Bench


def predictions_csv(bench: Bench, analysis: Analysis) -> bytes:
    """id, system, human, and the out-of-fold prediction by each way to fold, also with a common start; empty if there is none."""
    made = io.StringIO()
    rows = csv.writer(made, lineterminator="\n")
    aligned = {f"{way}_aligned": values for way, values in analysis.aligned.items()}
    columns = analysis.predictions | aligned
    rows.writerow(["id", "system", "human", *(f"by_{way}" for way in columns)])
    for number, item in enumerate(bench.rated.items):
        values = (float(column[number]) for column in (bench.target, *columns.values()))
        rows.writerow([item.id, item.system, *("" if value != value else repr(value) for value in values)])
    return made.getvalue().encode()
