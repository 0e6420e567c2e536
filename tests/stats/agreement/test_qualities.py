"""Qualities side by side, and agreement with and without flagged items."""

import numpy as np
import pytest
from scipy import stats

from dialometer.stats.agreement.kappa import middle, pair_kappas
from dialometer.stats.agreement.krippendorff import krippendorff
from dialometer.stats.agreement.qualities import before_and_after, excluding, links, quality_table
from tests.stats.rating_tables import matrix, real, rows


def test_real_qualities(shared_data):
    _, ratings = real(shared_data("turns/usr_topicalchat.jsonl.gz"))
    table = quality_table(ratings, resamples=50)
    assert [quality.name for quality in table] == list(ratings.qualities)
    for quality in table:
        own = ratings.of(quality.name)
        assert (quality.items, quality.judgements, quality.pairs, quality.why) == (360, 1080, 10, "")
        assert quality.alpha == krippendorff(own, resamples=50)
        assert quality.kappa == middle(pair_kappas(own).kappa)
        assert quality.alpha.low < quality.alpha.alpha < quality.alpha.high
    means = {}
    for name in ("Natural", "Overall"):
        own = ratings.of(name)
        means[name] = np.bincount(own.item, own.value) / np.bincount(own.item)
    found = next(link for link in links(ratings) if (link.a, link.b) == ("Natural", "Overall"))
    assert found.n == 360
    assert found.pearson == pytest.approx(stats.pearsonr(means["Natural"], means["Overall"]).statistic)
    assert found.spearman == pytest.approx(stats.spearmanr(means["Natural"], means["Overall"]).statistic)
    assert len(links(ratings)) == 15


def test_without_names_only_alpha(shared_data):
    _, ratings = real(shared_data("turns/fed_turn.jsonl.gz"))
    quality = quality_table(ratings, resamples=0)[0]
    assert quality.alpha.alpha > 0.2
    assert np.isnan([quality.kappa, quality.spearman]).all()
    assert quality.above == ()
    assert "not a fixed person" in quality.why


def test_half_the_raters_known(shared_data):
    """Engagement: names for half of the items; κ rests on these, α on all."""
    _, ratings = real(shared_data("turns/engage_dailydialog.jsonl.gz"))
    (quality,) = quality_table(ratings, resamples=0)
    assert quality.judgements == quality.alpha.judgements == 1800
    assert quality.pairs > 20
    assert pair_kappas(ratings).unknown == 900


def test_flagged_items_are_left_out():
    """Items a and b are judged alike, c the other way round: without c agreement is perfect."""
    ratings = matrix([[1, 1, 1], [5, 5, 5], [1, 5, 3]])
    (change,) = before_and_after(ratings, ["i2", "nowhere"], resamples=0)
    assert change.excluded == 1
    assert change.before.alpha.alpha < 0.7
    assert change.after.alpha.alpha == 1
    assert (change.before.kappa < 1, change.after.kappa) == (True, 1)
    checked = rows("ab", "x", "q", [0, 1, 0], [0, 0, 0], [1, 2, 3], check=[np.nan, np.nan, 1])
    assert excluding(checked, {"a"}).value.tolist() == [2, 3]


def test_what_cannot_be_told():
    """Two qualities never rated on the same items; raters who never vary."""
    apart = rows("ab", "xy", ("p", "q"), [0, 0, 1, 1], [0, 1, 0, 1], [1, 2, 3, 3], quality=[0, 0, 1, 1])
    (link,) = links(apart)
    assert link.n == 0
    assert np.isnan([link.pearson, link.spearman]).all()
    for quality in quality_table(apart, resamples=0):
        assert np.isnan(quality.kappa)
        assert quality.why == "no pair of raters varies over two shared items"
