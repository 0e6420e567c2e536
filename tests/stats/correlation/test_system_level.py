"""System level: refusal, means, intervals by hand and by simulated coverage, real systems."""

import json

import numpy as np
import pytest

from dialometer.core.errors import NeedsError
from dialometer.stats.correlation.correlate import COEFFICIENTS, KINDS
from dialometer.stats.correlation.system_level import by_system, fisher_interval, system_correlation


def test_few_systems_are_refused_by_name():
    y = np.arange(6.0)
    with pytest.raises(NeedsError, match=r"4 rated systems or more; there are 2: a, b\n  → rate more systems"):
        system_correlation({"m": y}, y, list("aaabbb"))
    with pytest.raises(NeedsError, match="there is 1: a"):
        system_correlation({"m": y}, np.where(y < 2, y, np.nan), list("aabbcc"))


def test_means_over_items_that_have_both():
    x = np.array([1, 2, 3, np.nan, 5, 6, 7, 8.0])
    y = np.array([1, np.nan, 2, 100, 3, 3, 4, 4.0])
    systems = list("aabbccdd")
    found = system_correlation({"m": x}, y, systems)["m"]["pearson"]
    assert found.r == pytest.approx(np.corrcoef([1, 3, 5.5, 7.5], [1, 2, 3, 4])[0, 1])
    assert (found.n, found.test) == (4, "exact")
    assert by_system(x, systems) == {"a": 1.5, "b": 3.0, "c": 5.5, "d": 7.5}


def test_equal_means_are_ties_whatever_the_order_of_adding():
    y = np.array([0.1, 0.2, 0.3, 0.3, 0.2, 0.1, 0.5, 0.6, 0.7, 0.9, 0.9, 0.9])
    found = system_correlation({"m": np.repeat([1.0, 1.0, 2.0, 3.0], 3)}, y, list("aaabbbcccddd"))["m"]
    assert found["spearman"].r == pytest.approx(1.0, abs=1e-12)
    assert found["kendall"].r == pytest.approx(1.0, abs=1e-12)


def test_a_column_of_too_few_systems_is_nan_and_counted():
    y, systems = np.arange(10.0), np.repeat(list("abcde"), 2)
    table = system_correlation(
        {"few": np.where(y < 6, y, np.nan), "flat": np.ones(10), "none": np.full(10, np.nan)}, y, systems
    )
    for name, n in {"few": 3, "flat": 5, "none": 0}.items():
        for kind in KINDS:
            found = table[name][kind]
            assert np.isnan([found.r, found.p, found.low, found.high]).all()
            assert found.n == n


def test_intervals_by_hand():
    """artanh 0.7 = 0.8673: ± 1.96/√1 gives tanh(−1.0927) = −0.798 and tanh(2.8273) = 0.993 (PITFALLS' case)."""
    assert fisher_interval(0.7, 4) == pytest.approx((-0.798, 0.993), abs=5e-4)
    assert fisher_interval(0.5, 12, "kendall") == pytest.approx(
        np.tanh(np.arctanh(0.5) + 1.96 * np.array([-1, 1]) * np.sqrt(0.437 / 8)), abs=1e-4
    )
    assert fisher_interval(0.3, 4, "kendall") == (-1.0, 1.0)
    low, high = fisher_interval(1.0, 5, "spearman")
    assert low < 0.5
    assert high == 1.0
    assert np.isnan(fisher_interval(0.5, 3)).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rho", [0.0, 0.8])
def test_intervals_cover(kind, rho):
    """1,500 worlds of 8 systems: at 93 to 98% (rank coefficients are coarse) the count stays within [1335, 1495], which is five
    standard deviations (10 and 5.4) outside."""
    rng = np.random.default_rng(3)
    true = {"pearson": rho, "spearman": 6 / np.pi * np.arcsin(rho / 2), "kendall": 2 / np.pi * np.arcsin(rho)}[kind]
    hits = 0
    for _ in range(1500):
        x, other = rng.normal(size=(2, 8))
        low, high = fisher_interval(COEFFICIENTS[kind](x, rho * x + np.sqrt(1 - rho**2) * other), 8, kind)
        hits += low <= true <= high
    assert 1335 <= hits <= 1495


def test_many_systems_are_resampled():
    rng = np.random.default_rng(0)
    x = rng.normal(size=30)
    found = system_correlation({"m": x}, x + rng.normal(size=30), np.arange(30).astype(str))["m"]["pearson"]
    fisher = fisher_interval(found.r, 30)
    assert found.test == "t"
    assert (found.low, found.high) != fisher
    assert found.low == pytest.approx(fisher[0], abs=0.15)


def test_published_correlations_of_dstc6(shared_data):
    """D'Haro et al. 2019, table 1: Pearson's r and p of four metrics with human means over 20 systems, printed to 4 digits."""
    table = json.loads(shared_data("turns/dstc6_t2_system_scores.json").read_text())
    names = sorted(table["objective"])
    columns = {m: np.array([table["objective"][s][m] for s in names]) for m in ("Bleu_4", "METEOR", "ROUGE_L", "CIDEr")}
    found = system_correlation(columns, np.array([table["human_mean_overall_1to5"][s] for s in names]), names)
    printed = {
        "Bleu_4": (-0.5108, 0.0214),
        "METEOR": (0.3628, 0.1159),
        "ROUGE_L": (0.1450, 0.5420),
        "CIDEr": (-0.1827, 0.4408),
    }
    for metric, (r, p) in printed.items():
        assert found[metric]["pearson"].r == pytest.approx(r, abs=1e-3)
        assert found[metric]["pearson"].p == pytest.approx(p, abs=1e-3)
        assert found[metric]["pearson"].low < r < found[metric]["pearson"].high
