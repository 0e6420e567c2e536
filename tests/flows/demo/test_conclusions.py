"""What the page says first: no more than the tests bear, in one name for each thing."""

import pytest

from dialometer.flows.demo.cautions import cautions
from dialometer.flows.demo.conclusions import summary
from dialometer.flows.demo.results import of_meta
from dialometer.flows.demo.steps import ANSWERS, CROSS, SELF

FIRST = {"first": "a", "mean": 1.0, "not_told_from": []}
ELSEWHERE = "trained on ji2022_free_run1, it reaches Pearson -0.38 (-0.04 over conversations) of dstc9_interactive"


@pytest.fixture
def said():
    """A callable: parts of what was found → the sentences of the summary, the first of which tells who talked."""

    def told(**parts):
        counts = {"a": {"conversations": 2, "turns": 6}}
        nothing = {"rows": [], "beyond_chance": [], "better_than_length": []}
        found = {
            "play": {SELF: counts, CROSS: counts},
            "leads": {},
            "gaps": {},
            "meta": nothing,
            "cautions": {},
            "left_out": [],
        }
        return summary(found | parts)

    return told


def lead(said, own, cross=FIRST, column="hybrid"):
    return list(said(leads={column: {SELF: own, CROSS: cross}}))[1]


def test_a_clear_lead_in_both_is_said_once(said):
    told = lead(said, FIRST, FIRST | {"mean": 0.5})
    assert told == "By M_H, a leads alone (1.00) and with the partner (0.50), clearly in both."


def test_a_lead_that_may_be_chance_names_those_it_is_not_told_from(said):
    told = lead(said, FIRST | {"not_told_from": ["b", "c"]})
    assert (
        told == "By M_H, a leads alone (1.00), but its lead over b and c may be chance; with the partner (1.00), clearly."
    )


def test_two_leaders_and_a_score_that_a_reranker_chose_by(said):
    told = lead(said, FIRST | {"first": "rerank"}, column="autojudge")
    assert told == (
        "By autojudge, rerank leads alone (1.00), clearly; a leads with the partner (1.00), clearly; "
        "rerank chose its replies by it."
    )


def gap(difference, p):
    return {"hybrid": {"difference": difference, "low": difference - 0.1, "high": difference + 0.1, "p_holm": p}}


def test_only_gaps_that_are_more_than_chance_are_told_with_the_reason(said):
    found = {"a": gap(0.3, 0.01), "b": gap(0.9, 0.06), "c": gap(0.5, 0.001), "d": gap(-0.5, 0.001), "e": gap(0.8, None)}
    told = [sentence for sentence, tone in said(gaps=found).items() if "alone" in sentence and tone == "caution"]
    bots = "c (by 0.50 [0.40, 0.60]) and a (by 0.30 [0.20, 0.40])"
    assert told == [f"M_H is higher alone than with the partner for {bots}: a bot may look good to itself."]


def meta(holm, p_length, low=0.1):
    """Results of meta in which autojudge has the highest correlation, adjusted p as given."""
    rows = [
        {"metric": name, "n": 9, "level": "turn", "quality": "constructed", "pearson": {}, "kendall": {},
         "spearman": {"r": r, "p": holm, "low": low, "high": 0.4, "holm": holm, "bh": holm}}
        for name, r in (("length-only", 0.2), ("autojudge", 0.3), ("am-fm", 0.25))
    ]  # fmt: skip
    better = [
        {"a": "length-only", "b": "autojudge", "difference": -0.1, "p_holm": p_length,
         "quality": "constructed", "level": "turn", "kind": "spearman"}
    ]  # fmt: skip
    return of_meta({"rows": rows, "means": {}, "better": better, "n": 9})


@pytest.mark.parametrize(
    ("found", "words", "tone"),
    [
        (meta(0.01, 0.01), "autojudge follows the construction best: Spearman 0.30 [0.10, 0.40]; the length", "plain"),
        (
            meta(0.01, 0.20),
            "autojudge and AM-FM follow the construction beyond chance, but none is clearly better",
            "caution",
        ),
        (meta(0.20, 0.01), "no metric can be shown to follow the construction, and none is clearly better", "caution"),
        (meta(0.01, 0.01, low=-0.1), "no metric can be shown to follow", "caution"),
        (meta(None, None, low=None), "no metric can be shown to follow", "caution"),
    ],
)
def test_best_is_said_of_what_is_beyond_chance_and_better_than_length(said, found, words, tone):
    sentence, found_tone = list(said(meta=found).items())[1]
    assert words in sentence
    assert ("best" in sentence) == (tone == "plain")
    assert found_tone == tone


def test_one_caution_per_judge_with_both_shares():
    unlike = "hybrid: {}% of the conversations are unlike those that hybrid was trained on (5% of its own are); {}"
    found = {SELF: [unlike.format(63, ELSEWHERE)], CROSS: [unlike.format(77, ELSEWHERE)]}
    (told,) = cautions(found, SELF, CROSS)
    assert told == (
        "63% of the conversations with themselves and 77% with the partner are unlike those that M_H learnt from "
        "(5% of its own are). Trained on the free chats of Ji et al. (2022), it reaches Pearson −0.38 "
        "(−0.04 over conversations) of DSTC9's interactive track."
    )


def test_a_caution_in_other_words_is_kept_as_a_sentence():
    assert cautions({ANSWERS: ["hybrid: mind the gap"]}, ANSWERS) == ["Of M_H: mind the gap."]


def test_the_summary_names_judges_as_the_page_does(said):
    told = list(said(cautions={SELF: ["hybrid: x"], CROSS: ["autojudge: y", "hybrid: x"]}))
    assert any("unlike what autojudge and M_H learnt from" in sentence for sentence in told)
