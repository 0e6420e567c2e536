"""All pairs of metrics: tests chosen as promised, adjusted, ordered, clustered."""

import numpy as np
import pytest

from dialometer.core.errors import NeedsError, UsageError
from dialometer.stats.correlation.correlate import pearson
from dialometer.stats.testing.multiple import benjamini_hochberg, holm
from dialometer.stats.testing.perm_both import perm_test
from dialometer.stats.testing.significance import Comparison, compare_all, matrix, significance_clusters
from dialometer.stats.testing.williams import williams


def scores(n=200):
    """Two good metrics, one fair, one of noise."""
    rng = np.random.default_rng(1)
    y = rng.normal(size=n)
    worths = {"noise": 0.0, "good": 2.0, "fair": 0.6, "good too": 2.0}
    return {name: worth * y + rng.normal(size=n) for name, worth in worths.items()}, y


def test_pairs_are_those_of_the_tests_with_adjusted_p():
    columns, y = scores()
    found = compare_all(columns, y)
    assert [(one.a, one.b) for one in found[:2]] == [("noise", "good"), ("noise", "fair")]
    assert {one.test for one in found} == {"williams"}
    p = np.array([williams(columns[one.a], columns[one.b], y).p for one in found])
    np.testing.assert_array_equal([one.p for one in found], p)
    np.testing.assert_array_equal([one.p_holm for one in found], holm(p))
    np.testing.assert_array_equal([one.p_bh for one in found], benjamini_hochberg(p))
    permuted = compare_all(columns, y, kind="spearman", permutations=50)
    assert {one.test for one in permuted} == {"perm-both"}
    assert [one.p for one in permuted] == [one.p for one in perm_test(columns, y, kind="spearman", permutations=50)]


def test_clusters():
    columns, y = scores()
    order = {name: pearson(values, y) for name, values in columns.items()}
    clusters = significance_clusters(order, compare_all(columns, y))
    assert [sorted(cluster) for cluster in clusters] == [["good", "good too"], ["fair"], ["noise"]]


def test_a_cluster_ends_only_where_all_above_beat_all_below():
    """a beats c, but b does not: no cut between b and c; an undefined metric keeps the last ones together."""
    p = {("a", "b"): 0.5, ("a", "c"): 0.01, ("b", "c"): 0.2, ("a", "d"): 0.001, ("b", "d"): 0.001, ("c", "d"): 0.001}
    pairs = [Comparison(a, b, "williams", 0.1, v, v, v, 50) for (a, b), v in p.items()]
    order = {"a": 0.5, "b": 0.45, "c": 0.4, "d": 0.1}
    assert significance_clusters(order, pairs) == [["a", "b", "c"], ["d"]]
    assert significance_clusters(order, pairs, alpha=0.0001) == [["a", "b", "c", "d"]]
    assert significance_clusters(order | {"e": float("nan")}, pairs) == [["a", "b", "c", "d", "e"]]
    assert significance_clusters({}, []) == []


def test_matrix():
    pair = Comparison("a", "b", "williams", 0.2, 0.01, 0.02, 0.03, 50)
    np.testing.assert_array_equal(matrix(["b", "a", "z"], [pair], "p_bh")[:2, :2], [[np.nan, 0.03], [0.03, np.nan]])
    np.testing.assert_array_equal(matrix(["b", "a"], [pair], "difference"), [[np.nan, -0.2], [0.2, np.nan]])


def test_over_systems():
    """Williams over means of systems is Williams over one item per system."""
    rng = np.random.default_rng(0)
    means = rng.normal(size=(3, 9))
    systems = np.repeat([f"s{i}" for i in range(9)], 2)
    a, b, y = (np.repeat(side, 2) for side in means)
    found = compare_all({"a": a, "b": b}, y, level="system", systems=systems)[0]
    assert found.n == 9
    assert found.p == pytest.approx(williams(*means).p)
    assert compare_all({"a": a, "b": b}, y, kind="kendall", level="system", systems=systems, permutations=20)[0].n == 9


def test_refusals():
    columns, y = scores()
    with pytest.raises(UsageError, match="Williams' test is for pearson"):
        compare_all(columns, y, kind="kendall", test="williams")
    with pytest.raises(NeedsError, match="each item's system"):
        compare_all(columns, y, level="system")
