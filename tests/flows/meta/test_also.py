"""meta --also: every metric of the catalogue under every analysis that scores altered items."""

import numpy as np
import pytest

from dialometer.contracts.meta import MetaRequest
from dialometer.core.protocols import SetMetric
from dialometer.core.registry import create, find, names
from dialometer.flows.meta.meta import meta
from dialometer.flows.meta.reanalyses import ALSO
from dialometer.flows.score.score import column_names
from dialometer.text.corpus import Corpus
from tests.exam.checks import EXAMPLES
from tests.exam.test_every_metric import TALK
from tests.flows.rated import write_rows

pytestmark = pytest.mark.timeout(1500)  # every metric of the catalogue several times

CONTEXTS = ("do you like tea ?", "what of the cat ?", "is it the rain ?", "have you a song ?", "do you like the sea ?")
ANSWERS = {
    "a": ("i like the tea .", "tea , of course"),
    "b": ("<first_speaker> the cat sat on the mat", "a cat"),
    "c": ("no", "it is the rain"),
}


def rows():
    """15 responses of three systems to five contexts, with stop words and a speaker token."""
    rng = np.random.default_rng(0)
    return [
        {
            "id": f"{system}{number}",
            "context": [context],
            "context_id": str(number),
            "response": f"{response} {number}",
            "references": [f"{reference} {number}"],
            "system": system,
            "ratings": {"overall": rng.integers(1, 6, 2).tolist()},
        }
        for number, context in enumerate(CONTEXTS)
        for system, (response, reference) in ANSWERS.items()
    ]


@pytest.fixture(scope="module")
def specs(tmp_path_factory):
    """What to type for every metric: its name, or the folder of a judge that was fitted here."""
    folder = tmp_path_factory.mktemp("judges")
    typed = []
    for name in names("metric"):
        spec = f"{name}(text={TALK})" if "text" in find("metric", name)().needs else name
        metric = create("metric", spec)
        if not getattr(metric, "fitted", True):
            spec = str(folder / name)
            metric.fit(Corpus.build(EXAMPLES), np.arange(len(EXAMPLES)) % 2.0).save(folder / name)
        typed.append(spec)
    return tuple(typed)


@pytest.fixture(scope="module")
def found(specs, tmp_path_factory):
    """All metrics at once under the analyses that score the items once or twice; under the others those with a coverage."""
    folder = tmp_path_factory.mktemp("also")
    path = write_rows(folder / "rated.jsonl", rows())
    made = {}
    for chosen, analyses in ((specs, ALSO[:1] + ALSO[2:4]), (covered(specs), ("retrieved", "stress"))):
        output = str(folder / f"run-{len(made)}")
        request = MetaRequest((path,), chosen, also=analyses, level=("item",), resamples=4, permutations=4, output=output)
        made |= {name: (chosen, rows["rows"]) for name, rows in meta(request).to_json()["also"].items()}
    return made


def covered(specs):
    """The specs of the metrics that have a coverage beside their scores: these are the ones that were forgotten."""
    return tuple(spec for spec in specs if any(column.endswith("coverage") for column in create("metric", spec).columns))


def test_four_metrics_have_a_coverage(specs):
    assert {spec.partition("(")[0] for spec in covered(specs)} >= {"amfm", "bertscore", "embedding", "sentence"}
    assert len(specs) == len(names("metric"))


@pytest.mark.parametrize("analysis", ALSO)
def test_every_metric_has_its_columns_in_every_analysis(analysis, found):
    chosen, shown = found[analysis]
    metrics = [create("metric", spec) for spec in chosen]
    labels = {
        column
        for metric, own in zip(metrics, column_names(metrics, chosen), strict=True)
        for column in own
        if not isinstance(metric, SetMetric) and not column.endswith("coverage")
    }
    there = {row["metric"] for row in shown}
    if analysis == "stress":  # its own table has coverages and metrics of whole sets, too
        assert labels <= there
    else:
        assert there - {"length-only"} == labels


@pytest.mark.parametrize("analysis", ["stopwords", "speakers"])
def test_a_metric_of_whole_sets_alone_has_nothing_to_correlate(analysis, tmp_path):
    path = write_rows(tmp_path / "rated.jsonl", rows())
    request = MetaRequest(
        (path,), ("distinct",), also=(analysis,), resamples=4, permutations=4, output=str(tmp_path / "run")
    )
    shown = meta(request).to_json()["also"][analysis]["rows"]
    assert [row["metric"] for row in shown] == ["length-only"]
