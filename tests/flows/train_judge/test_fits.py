"""Fits are kept as they are made, and one that cannot be made leaves a reason."""

import numpy as np
import pytest

from dialometer.core.errors import NeedsError
from dialometer.core.protocols import Designs
from dialometer.core.registry import create
from dialometer.flows.train_judge.fits import ColumnFits, Fits, fits_of
from tests.flows.train_judge import plain


def test_the_same_fit_is_made_once(dataset, tmp_path):
    found = dataset()
    train, test = np.arange(20), np.arange(20, 30)
    first = Fits(found, create("judge", "plain"), tmp_path / "fits", 0)(train, test)
    again = Fits(found, create("judge", "plain"), tmp_path / "fits", 0)(train, test)
    assert plain.COUNT["fits"] == 1
    assert first.tolist() == again.tolist()
    Fits(found, create("judge", "plain(ridge=2)"), tmp_path / "fits", 0)(train, test)
    assert plain.COUNT["fits"] == 2


@pytest.mark.invariance
def test_scores_come_in_the_order_asked_for(dataset, tmp_path):
    fits = Fits(dataset(), create("judge", "plain"), tmp_path / "fits", 0)
    fitted = fits.fit(np.arange(40))
    order = np.array([7, 3, 50])
    assert fits.scores(fitted, order).tolist() == [fits.scores(fitted, np.array([row]))[0] for row in order]


def test_a_fit_that_cannot_be_made_is_nan_with_a_reason(dataset, tmp_path, monkeypatch):
    fits = Fits(dataset(), create("judge", "plain"), tmp_path / "fits", 0)

    def refuse(*_):
        raise NeedsError("too few", "more")

    monkeypatch.setattr(fits, "fit", refuse)
    assert np.isnan(fits.attempt(np.arange(2), np.arange(3))).all()
    assert fits.reasons == ["too few"]


def test_a_judge_that_designs_is_fitted_on_its_columns(dataset, tmp_path):
    found = dataset()
    ways = {name: type(fits_of(found, create("judge", name), tmp_path, 0)) for name in ("plain", "hybrid(features=length)")}
    assert list(ways.values()) == [Fits, ColumnFits]
    assert isinstance(create("judge", "hybrid"), Designs)
