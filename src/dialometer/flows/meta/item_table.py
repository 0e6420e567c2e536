"""Every item with what people and metrics gave it, and each metric on the human scale (|m|, Lowe et al. 2017), as a table."""

from __future__ import annotations

import csv
import io

import numpy as np

from dialometer.contracts.meta import MetaResult
from dialometer.flows.meta.study import Study
from dialometer.stats.correlation.normalised import RatingScale, normalise
from dialometer.stats.validation.length_bias import LENGTH_ONLY


def item_table(study: Study, result: MetaResult) -> bytes:
    """A row per item: id, system, people per quality, metrics, and |metrics| beside the main quality."""
    columns = {f"human:{name}": values for name, values in study.human.items()} | study.columns.items
    if result.partings:
        scale, human = RatingScale(*result.partings.scale), study.human[result.quality]
        for name, values in study.columns.items.items():
            # An overlap of 0 means that nothing was found and goes to the low end; other metrics have no such score.
            zero = 0.0 if name in result.partings.overlap else None
            if name != LENGTH_ONLY:
                columns[f"|{name}|"] = normalise(values, human, scale, zero=zero)
    out = io.StringIO()
    sheet = csv.writer(out, lineterminator="\n")
    sheet.writerow(["id", "system", *columns])
    table = np.array(list(columns.values())).T
    for row, name in enumerate(study.ids):
        cells = ["" if np.isnan(value) else f"{value:.6g}" for value in table[row]]
        sheet.writerow([name, study.systems[study.system[row]], *cells])
    return out.getvalue().encode()
