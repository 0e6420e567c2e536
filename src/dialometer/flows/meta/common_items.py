"""Columns over the items that all of them have: where some lack numbers, rows of the main table rest on different items."""

from __future__ import annotations

import numpy as np

from dialometer.contracts.meta_tables import CommonItems, CommonItemsRow
from dialometer.contracts.result import number
from dialometer.flows.meta.study import Study
from dialometer.stats.correlation.correlate import COEFFICIENTS


def common_items(study: Study, quality: str) -> CommonItems:
    """The least and greatest n of the columns, and every coefficient over the items that all have; empty where n is the same.

    Columns without any number are left out: they would leave no item.
    """
    rated = ~np.isnan(study.human[quality])
    columns = {name: values for name, values in study.columns.items.items() if (rated & ~np.isnan(values)).any()}
    counts = [int((rated & ~np.isnan(values)).sum()) for values in columns.values()]
    if len(set(counts)) < 2:
        return CommonItems()
    shared = rated & ~np.isnan(np.array(list(columns.values()))).any(axis=0)
    human = study.human[quality][shared]
    rows = [
        CommonItemsRow(
            metric=name, **{kind: number(function(values[shared], human)) for kind, function in COEFFICIENTS.items()}
        )
        for name, values in columns.items()
    ]
    n = int(shared.sum())
    return CommonItems(n=n, least=min(counts), most=max(counts), rows=rows if n > 2 else [])
