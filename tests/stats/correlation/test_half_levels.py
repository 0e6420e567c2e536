"""Row by row against scipy."""

import numpy as np
import pytest
from scipy import stats

from dialometer.stats.correlation import half_levels as module
from dialometer.stats.correlation.half_levels import row_correlations

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


@pytest.mark.parametrize("kind", SCIPY)
@pytest.mark.parametrize("piece", [module.PIECE, 60])
def test_equals_scipy(kind, piece, monkeypatch):
    """With ties and with columns that a row lacks, also when rows are compared a few at a time."""
    monkeypatch.setattr(module, "PIECE", piece)
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 6, (2, 40, 7)).astype(float)
    x[rng.random(x.shape) < 0.1] = np.nan
    for row, found in enumerate(row_correlations(x, y, kind)):
        both = ~np.isnan(x[row])
        a, b = x[row, both], y[row, both]
        if len(a) < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
            assert np.isnan(found)
        else:
            assert found == pytest.approx(SCIPY[kind](a, b).statistic, abs=1e-12)


@pytest.mark.parametrize("kind", SCIPY)
def test_undefined(kind):
    nan = np.nan
    x = np.array([[1, 1, 1], [1, 2, nan], [nan, nan, nan], [0.1, 0.1, 0.1]])
    assert np.isnan(row_correlations(x, np.tile([1.0, 2.0, 3.0], (4, 1)), kind)).all()
