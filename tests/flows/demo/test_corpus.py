"""What the demo learns from and what it holds out; replies whose quality is known by how they were made."""

import sys

import pytest

from dialometer.core.errors import MissingResource, UsageError
from dialometer.flows.demo.constructed_replies import QUALITY, constructed
from dialometer.flows.demo.corpus import CHATTERBOT, find_chatterbot, read_corpus
from dialometer.flows.demo.plan import spec_of_bot, spelt


@pytest.fixture(scope="module")
def corpus():
    return read_corpus(chatterbot=True, held_out=40, seed=0)


def test_the_corpus_of_the_wheel(corpus):
    assert corpus.name == CHATTERBOT
    assert len(corpus.talks) > 600
    assert len(corpus.questions) > 30
    assert all(len(talk) > 1 and all(talk) for talk in corpus.talks)
    assert not any("```" in text for talk in corpus.talks for text in talk), "programs are no small talk"


def test_held_out_questions_are_nowhere_else(corpus):
    learnt = {text.lower() for talk in corpus.talks for text in talk}
    assert not learnt & {one.text.lower() for one in corpus.questions}


def test_another_seed_holds_out_others(corpus):
    other = read_corpus(chatterbot=True, held_out=10, seed=1)
    assert len(other.questions) == 10
    assert set(other.questions) != set(corpus.questions[:10])
    assert other == read_corpus(chatterbot=True, held_out=10, seed=1)
    assert other.digest != corpus.digest


def test_without_the_wheel_the_sample_does():
    sample = read_corpus(chatterbot=False, held_out=40, seed=0)
    assert (len(sample.talks), len(sample.questions)) == (8, 4)  # eight openings with two answers each; half are held out


@pytest.mark.parametrize("module", ["chatterbot_corpus", "yaml"])
def test_a_missing_wheel_is_named_with_the_line_to_type(monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingResource, match="needs the package") as refused:
        find_chatterbot()
    assert refused.value.hint == 'pip install "dialometer[demo]"'


def test_four_replies_to_each_question(corpus):
    items = list(constructed(corpus.questions, 0))
    assert len(items) == 4 * len(corpus.questions)
    for number, one in enumerate(corpus.questions):
        original, other, generic, shuffled = items[4 * number : 4 * number + 4]
        assert [item.ratings[QUALITY] for item in (original, other, generic, shuffled)] == [(3,), (2,), (1,), (0,)]
        assert original.response == one.answer
        assert original.response not in original.references
        assert other.response in {another.answer for another in corpus.questions} - {one.answer, *one.others}
        assert sorted(shuffled.response.split()) == sorted(original.response.split())
        assert shuffled.response != original.response
        assert {item.references for item in (original, other, generic, shuffled)} == {one.others}
        assert all(
            "quality_by_construction" in item.extra and not item.raters for item in items[4 * number : 4 * number + 4]
        )


def test_specs_of_bots(tmp_path):
    assert spec_of_bot("eliza", tmp_path, ()) == "eliza"
    assert spec_of_bot("tfidf", tmp_path, ()) == f"{tmp_path}/tfidf"
    chosen = spec_of_bot("rerank", tmp_path, ("tfidf", "eliza", "rerank"))
    assert chosen == f'rerank(bots="{tmp_path}/tfidf;eliza",metric=autojudge,k=1)'


def test_a_folder_that_no_spec_can_name(tmp_path, monkeypatch):
    odd = tmp_path / "two words"
    odd.mkdir()
    with pytest.raises(UsageError, match="cannot be part of a spec"):
        spelt(odd)
    monkeypatch.chdir(odd)
    (odd / "here").mkdir()
    assert spelt((odd / "here").relative_to(odd)) == "./here"
