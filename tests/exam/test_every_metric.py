"""Every metric of the catalogue, under each of its variants, takes the whole exam; and the exam can be failed."""

import sys
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from dialometer.protocols import Metric, SetMetric
from dialometer.registry import create, find, names
from tests.exam.checks import CHECKS, check_empty_reply, check_no_reference, check_order, check_rows, check_shards


def specs():
    """Each metric as it comes, and under every variant its module lists."""
    for name in names("metric"):
        yield name
        made = find("metric", name)
        for variant in getattr(sys.modules[made.__module__], "VARIANTS", ()):
            if made().variant != variant:
                yield f"{name}(variant={variant})"


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__[6:])
@pytest.mark.parametrize("spec", list(specs()))
def test_exam(spec, check):
    check(create("metric", spec), spec)


@pytest.mark.parametrize("spec", list(specs()))
def test_is_one_of_the_two_shapes(spec):
    metric = create("metric", spec)
    assert isinstance(metric, Metric) != isinstance(metric, SetMetric)


def test_no_two_metrics_share_a_column():
    columns = [column for name in names("metric") for column in create("metric", name).columns]
    assert len(columns) == len(set(columns))


@dataclass(frozen=True)
class Broken:
    """Wrong in every way that the checks look for: scores depend on the place, on the shard, and on nothing else."""

    name: ClassVar[str] = "broken"
    version: ClassVar[int] = 1
    unit: ClassVar[str] = "response"
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})
    columns: ClassVar[tuple[str, ...]] = ("broken",)

    def measure(self, corpus):
        n = len(corpus)
        return np.stack([np.arange(n) / n, np.ones(n)], 1) / (corpus.texts.characters()[corpus.response][:, None] > 0)

    def finish(self, totals, *, level):
        return totals[..., :1] / totals[..., 1:]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("check", [check_order, check_shards, check_empty_reply, check_no_reference])
def test_the_exam_can_be_failed(check):
    with pytest.raises(AssertionError):
        check(Broken(), "broken")


def test_a_row_too_few_is_noticed():
    short = type("Short", (Broken,), {"measure": lambda self, corpus: Broken.measure(self, corpus)[1:]})
    with pytest.raises(AssertionError):
        check_rows(short(), "broken")
