"""Tables and pictures of the demo's page: units, memory, decimals, evidence."""

from dialometer.flows.demo.blocks import (
    answers_blocks,
    constructed_blocks,
    difference_blocks,
    feature_table,
    talk_blocks,
)
from dialometer.flows.demo.steps import ANSWERS, CROSS, SELF
from dialometer.report.blocks import Dots
from dialometer.report.html.tables import table_html

SMALL = {"mean": -0.0018, "low": 1.9e-4, "high": 0.02}
LARGE = {"mean": 10.6, "low": 9.5, "high": 11.8}


def test_axes_have_units():
    cells = {"a": {"hybrid": SMALL, "autojudge": LARGE}}
    found = {"talks": {SELF: cells, CROSS: cells}, "gaps": {}, "play": {SELF: {}}, "cautions": {SELF: [], CROSS: []}}
    labels = [block.x_label for block in talk_blocks(found) if isinstance(block, Dots)]
    assert labels == ["mean M_H (sd of a worker's ratings; 0 = a worker's mean)", "mean autojudge (1 to 5)"]


def test_small_numbers_have_the_decimals_of_their_row():
    found = {"features": {SELF: {"a": {"sentiment-transition": SMALL, "turn-words": LARGE}}}}
    text = table_html(feature_table(found))
    assert "−0.002" in text
    assert "[0.000, 0.020]" in text
    assert "10.60" in text


def test_means_of_length_and_of_scores_have_their_own_decimals():
    means = {"length-only": 11.9, "fm": 0.5}
    found = {
        "constructions": {"original": 3},
        "n": 1,
        "rows": [{"metric": name, "spearman": {"r": 0.1, "low": 0.0, "high": 0.2}} for name in means],
        "means": {name: {"original": {"mean": mean, "95": [1e-4, mean]}} for name, mean in means.items()},
    }
    _, picture, table = constructed_blocks(found)
    assert picture.labels == ["length alone", "FM"]
    text = table_html(table)
    assert all(numbers in text for numbers in ("11.90", "[0.00, 11.90]", "0.500", "[0.000, 0.500]"))


def test_every_bot_that_gave_known_answers_is_named_and_how_they_were_compared():
    found = {
        "answers": {"alice": {}, "rerank": {}},
        "bots": [],
        "corpus": {"questions": 33},
        "by_heart": {"tfidf": 0, "alice": 13, "rerank": 4},
        "cautions": {ANSWERS: []},
    }
    note = answers_blocks(found)[0].notes[-1]
    assert "13 of alice (its rules" in note
    assert "4 of rerank (it took them over" in note
    assert "letters and digits" in note
    assert "tfidf" not in note


def test_differences_say_which_are_chance_and_which_prove_nothing():
    sure, unsure = ({"difference": 0.5, "low": 0.1, "high": 0.9, "p_holm": p, "n": 20} for p in (0.01, 0.2))
    found = {
        "differences": {
            "a − rerank": {"words": unsure, "autojudge": sure, "hybrid": sure},
            "b − rerank": {"words": sure, "autojudge": sure, "hybrid": sure},
        },
        "depends": {"rerank": {"words": "akin", "autojudge": "used"}},
        "notes": [],
    }
    (table,) = difference_blocks(found)
    assert table.header == ["bots", "words", "autojudge", "M_H"]
    assert "by Holm): all but a − rerank in words." in table.notes[1]
    assert table.notes[2:] == [
        "rerank chose its replies by autojudge: no evidence for it.",
        "What rerank chose by also looks at what words measures: weak evidence.",
    ]
