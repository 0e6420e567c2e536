"""Analysis of variance: a table worked by hand, model comparison by least squares, planted effects, designs with holes."""

import sys

import numpy as np
import pytest
from scipy import stats

from dialometer.core.errors import MissingResource, NeedsError, UsageError
from dialometer.core.types import Systems
from dialometer.stats.preferences.anova import anova, factors_of


def effects(found):
    return {effect.name: effect for effect in found.effects}


@pytest.mark.parametrize("kind", [2, 3])
def test_a_table_worked_by_hand(kind):
    """Cells {1, 3}, {2, 4}, {5, 7}, {10, 12}: means 2, 3, 6, 11 around 5.5.

    SS_A = 4 (3² + 3²) = 72, SS_B = 4 (1.5² + 1.5²) = 18, SS_AB = 8 · 1² = 8, within 4 · 2 = 8 on 4 degrees: F = 36, 9, 4.
    """
    values = np.array([1, 3, 2, 4, 5, 7, 10, 12.0])
    factors = {"a": np.repeat(["a1", "a2"], 4), "b": np.tile(np.repeat(["b1", "b2"], 2), 2)}
    found = anova(values, factors, interactions=True, kind=kind)
    table = effects(found)
    assert [table[name].squares for name in ("a", "b", "a × b")] == pytest.approx([72, 18, 8])
    assert [table[name].f for name in ("a", "b", "a × b")] == pytest.approx([36, 9, 4])
    assert table["a"].p == pytest.approx(stats.f.sf(36, 1, 4))
    assert table["a"].eta_squared == pytest.approx(72 / 80)
    assert (found.residual_squares, found.residual_df, found.n) == (pytest.approx(8), 4, 8)
    assert [(level.level, level.effect, level.n) for level in found.levels[:2]] == [
        ("a1", pytest.approx(-3), 4), ("a2", pytest.approx(3), 4)
    ]  # fmt: skip


def test_one_factor_equals_scipy():
    rng = np.random.default_rng(0)
    groups = [rng.normal(shift, 1, n) for shift, n in ((0, 12), (0.5, 20), (1, 15))]
    found = effects(anova(np.concatenate(groups), {"model": np.repeat(["x", "y", "z"], [12, 20, 15])}))
    wanted = stats.f_oneway(*groups)
    assert found["model"].f == pytest.approx(wanted.statistic)
    assert found["model"].p == pytest.approx(wanted.pvalue)
    assert found["model"].df == 2


def squares_left(values, *columns):
    design = np.stack([np.ones(len(values)), *columns], axis=1)
    return np.sum((values - design @ np.linalg.lstsq(design, values, rcond=None)[0]) ** 2)


def test_unbalanced_type_two_equals_model_comparison():
    """SS of a factor = what its dummies take off the residual of all the other factors."""
    rng = np.random.default_rng(1)
    codes = {name: rng.choice(levels, 70, p=share) for name, levels, share in [
        ("model", 3, [0.2, 0.3, 0.5]), ("ei", 2, [0.3, 0.7]), ("data", 2, [0.6, 0.4])]}  # fmt: skip
    values = codes["ei"] * 0.8 + rng.normal(size=70)
    dummies = {name: [(code == level).astype(float) for level in range(1, code.max() + 1)] for name, code in codes.items()}
    found = effects(anova(values, {name: code.astype(str) for name, code in codes.items()}))
    everything = [column for own in dummies.values() for column in own]
    for name in codes:
        others = [column for other, own in dummies.items() if other != name for column in own]
        wanted = squares_left(values, *others) - squares_left(values, *everything)
        assert found[name].squares == pytest.approx(wanted)


def test_a_planted_effect_lies_in_its_interval():
    """EI adds 0.6, so its level lies +0.3 from the mean; the other factors do nothing. 280 studies of 48 at 95%.

    P(Binomial(280, 0.95) < 242) = 2e-8 and 0.95²⁸⁰ = 6e-7; a null factor is rejected in 1 to 38 of 280 with the same odds.
    """
    rng = np.random.default_rng(2)
    design = [(m, e, d) for m in "abc" for e in ("base", "ei") for d in "cr"] * 4
    factors = {
        name: np.array(column) for name, column in zip(("model", "ei", "data"), zip(*design, strict=True), strict=True)
    }
    covered = false = 0
    for _ in range(280):
        found = anova(0.6 * (factors["ei"] == "ei") + rng.normal(size=48), factors)
        level = next(level for level in found.levels if level.level == "ei")
        covered += level.low <= 0.3 <= level.high
        false += effects(found)["model"].p < 0.05
    assert 242 <= covered < 280
    assert 0 < false <= 38


def test_designs_with_holes_say_what_is_missing():
    factors = {"a": np.array(list("xxyyxxyy")), "b": np.array(list("pqpppqpp")), "c": np.array(["same"] * 8)}
    found = anova(np.arange(8.0) % 3, factors, interactions=True)
    assert [effect.name for effect in found.effects] == ["a", "b"]
    assert any("a × b is left out: 1 of its 4 combinations" in note for note in found.notes)
    assert any("c is left out" in note for note in found.notes)


def test_what_cannot_be_estimated_is_refused():
    with pytest.raises(NeedsError, match="cannot be told apart"):
        anova(np.arange(8.0), {"a": np.array(list("xxyyxxyy")), "b": np.array(list("ppqqppqq"))})
    with pytest.raises(NeedsError, match="nothing to judge"):
        anova(np.arange(4.0), {"a": np.array(list("wxyz"))})
    with pytest.raises(NeedsError, match="two levels"):
        anova(np.arange(4.0), {"a": np.array(list("xxxx"))})
    with pytest.raises(UsageError):
        anova(np.arange(4.0), {"a": np.array(list("xxyy"))}, kind=1)


def test_no_spread_within_cells_gives_no_f():
    found = anova(np.tile([1.0, 2.0], 5), {"a": np.tile(["x", "y"], 5)})
    assert np.isnan(found.effects[0].f)
    assert np.isnan(found.effects[0].p)


def test_missing_values_leave_and_names_may_be_anything():
    values = np.array([1, 2, np.nan, 4, 5, 6.5])
    found = anova(values, {"C(x) + 1": np.array(["0", "0", "0", "10", "10", "2"])})
    assert found.n == 5
    assert [level.level for level in found.levels] == ["0", "10", "2"]


def test_factors_come_from_systems():
    systems = Systems({"hred": {"model": "HRED", "ei": "no"}, "hred-ei": {"model": "HRED", "ei": "yes"}})
    found = factors_of(systems, ["hred-ei", "hred"])
    assert {name: levels.tolist() for name, levels in found.items()} == {"ei": ["yes", "no"], "model": ["HRED", "HRED"]}
    with pytest.raises(NeedsError, match="1 of 2 systems have no factors"):
        factors_of(systems, ["hred", "vhred"])
    with pytest.raises(NeedsError, match="share no factor"):
        factors_of(Systems({"a": {"x": "1"}, "b": {"y": "1"}}), ["a"])


def test_without_statsmodels_the_line_to_type_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "statsmodels.formula.api", None)
    with pytest.raises(MissingResource, match="statsmodels") as refused:
        anova(np.arange(8.0), {"a": np.array(list("xxyyxxyy"))})
    assert "dialometer[stats]" in refused.value.hint
