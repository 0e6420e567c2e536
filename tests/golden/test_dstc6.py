"""DSTC6 track 2: the organisers' published corpus scores of 20 systems over 2,000 items with 11 references each.

The table was made with the COCO code over white-space tokens and printed to 6 digits; a correct value is within half a
unit of the last digit of it. Source: the DSTC6 evaluation package, kept beside the data as dstc6_t2_system_scores.json.
"""

import json

import numpy as np
import pytest

from dialometer.core.registry import create
from dialometer.data import examples
from dialometer.text.corpus import Corpus

SPECS = {
    "bleu(variant=coco,tok=whitespace)": ("Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4"),
    "rouge(variant=coco,kinds=l,tok=whitespace)": ("ROUGE_L",),
    "cider(variant=coco,tok=whitespace)": ("CIDEr",),
}
HALF_A_DIGIT = 5e-7


@pytest.fixture(scope="module")
def items(shared_data):
    return list(examples(shared_data("turns/dstc6_t2.jsonl.gz")))


@pytest.fixture(scope="module")
def published(shared_data):
    return json.loads(shared_data("turns/dstc6_t2_system_scores.json").read_text())["objective"]


@pytest.mark.parametrize("spec", SPECS)
def test_published_table(spec, items, published):
    metric, corpus = create("metric", spec), Corpus.build(items)
    rows, systems = metric.measure(corpus), np.array(list(corpus.systems))
    assert len(published) == 20
    for system, answers in published.items():
        score = metric.finish(rows[systems == system].sum(0), level="corpus")
        wanted = [answers[name] for name in SPECS[spec]]
        np.testing.assert_allclose(score, wanted, rtol=0, atol=HALF_A_DIGIT + 1e-12, err_msg=system)


def test_cider_of_a_system_does_not_depend_on_the_others(items, published):
    metric = create("metric", "cider(variant=coco,tok=whitespace)")
    alone = Corpus.build(item for item in items if item.system == "S_8")
    score = metric.finish(metric.measure(alone).sum(0), level="corpus")
    np.testing.assert_allclose(score, [published["S_8"]["CIDEr"]], rtol=0, atol=HALF_A_DIGIT + 1e-12)
    few = Corpus.build(item for item in items if item.system in ("S_1", "S_8", "S_20"))
    rows = metric.measure(few)[np.array(list(few.systems)) == "S_8"]
    np.testing.assert_allclose(rows, metric.measure(alone), rtol=0, atol=1e-12)
