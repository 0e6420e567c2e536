"""Every metric of the catalogue, under each of its variants, takes the whole exam; and the exam can be failed.

Judges that come without a head of their own are fitted on the exam's examples first.
"""

import json
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from dialometer.contracts.score import ScoreRequest
from dialometer.core import registry
from dialometer.core.catalog import CATALOG
from dialometer.core.protocols import Metric, SetMetric
from dialometer.core.registry import create, find, names
from dialometer.flows.score.score import column_names, make_metrics, score
from dialometer.text.corpus import Corpus
from tests.exam import broken, checks
from tests.exam.checks import CHECKS, EXAMPLES, TEXTS

TALK = Path(__file__).with_name("talk.txt")  # what metrics that must be fitted are fitted on


def specs():
    """Each metric as it comes, and under every variant its module lists."""
    for name in names("metric"):
        made = find("metric", name)
        yield f"{name}(text={TALK})" if "text" in made().needs else name
        for variant in getattr(sys.modules[made.__module__], "VARIANTS", ()):
            if made().variant != variant:
                yield f"{name}(variant={variant})"


@cache
def ready(spec):
    """A metric that can measure; one that learns from ratings gets 0 and 1 in turns, which any judge can take for its target."""
    metric = create("metric", spec)
    if getattr(metric, "fitted", True):
        return metric
    return metric.fit(Corpus.build(EXAMPLES), np.arange(len(EXAMPLES)) % 2.0)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__[6:])
@pytest.mark.parametrize("spec", list(specs()))
def test_exam(spec, check):
    check(ready(spec), spec)


@pytest.mark.parametrize("spec", list(specs()))
def test_is_one_of_the_two_shapes(spec):
    metric = ready(spec)
    assert isinstance(metric, Metric) != isinstance(metric, SetMetric)


@pytest.mark.parametrize("unit", ["response", "dialogue"])
def test_no_two_metrics_of_a_unit_share_a_column(unit):
    made = [create("metric", name) for name in names("metric")]
    columns = [column for metric in made if metric.unit == unit for column in metric.columns]
    assert len(columns) == len(set(columns)) > 0


def _typed(spec, folder):
    """What to type for a metric: its spec, or the folder of one that was fitted here."""
    if getattr(create("metric", spec), "fitted", True):
        return spec
    ready(spec).save(folder / spec)
    return str(folder / spec)


def test_engines_agree(tmp_path):
    """Everything at once, in shards of 7: one process and two write the same bytes."""
    path = tmp_path / "items.jsonl"
    rows = [
        {
            "id": f"{s}{i}",
            "context": [f"turn {i}"],
            "response": text,
            "references": refs,
            "system": s,
            "group": f"g{i // 2}",
        }
        for s in "ABCD"
        for i, (text, refs) in enumerate(TEXTS)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    asked = [_typed(spec, tmp_path) for spec in specs()]
    for engine in ("serial", "processes:2"):
        request = ScoreRequest((str(path),), tuple(asked), shard=7, engine=engine, output=str(tmp_path / engine))
        assert score(request).n == len(rows) == 32
    for name in ("scores.parquet", "summary.json", "recipes.json"):
        one, two = ((tmp_path / engine / name).read_bytes() for engine in ("serial", "processes:2"))
        assert one == two, name
    metrics = make_metrics(request)
    labels = dict(zip(map(repr, metrics), column_names(metrics), strict=True))
    written = set(pq.read_schema(tmp_path / "serial" / "scores.parquet").names)
    assert {c for metric in metrics if isinstance(metric, Metric) for c in labels[repr(metric)]} <= written
    assert set(json.loads((tmp_path / "serial" / "recipes.json").read_bytes())) == {
        c for own in labels.values() for c in own
    }


FLAWS = [
    (checks.check_order, broken.ByPlace),
    (checks.check_shards, broken.ByShard),
    (checks.check_rows, broken.RowTooFew),
    (checks.check_rows, broken.HalfPrecise),
    (checks.check_empty_reply, broken.DropsEmpty),
    (checks.check_no_reference, broken.NeverAbsent),
    (checks.check_one_item, broken.NothingIsZero),
    (checks.check_kernels, broken.TwoKernels),
    (checks.check_spec, broken.Doubles),
    (checks.check_door, broken.Misnamed),
    (checks.check_door, broken.NoUnit),
    (checks.check_door, broken.Changeable),
    (checks.check_explains, broken.Silent),
    (checks.check_explains, broken.TwoLines),
]


@pytest.fixture
def listed(monkeypatch):
    """A callable that lists a class as the metric ``broken`` and makes one."""

    def make(made):
        monkeypatch.setitem(CATALOG["metric"], "broken", f"{made.__module__}:{made.__name__}")
        registry._menu.cache_clear()
        return create("metric", "broken")

    yield make
    monkeypatch.undo()
    registry._menu.cache_clear()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__[6:])
def test_the_exam_can_be_passed(check, listed):
    check(listed(broken.Sound), "broken")


@pytest.mark.parametrize(("check", "made"), FLAWS, ids=lambda value: value.__name__)
def test_the_exam_can_be_failed(check, made, listed):
    with pytest.raises(AssertionError):
        check(listed(made), "broken")


def test_every_check_is_failed_by_somebody():
    assert {check for check, _ in FLAWS} == set(CHECKS)
