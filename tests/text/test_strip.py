"""Stripping: hand cases, the tokeniser's own options as oracle, idempotence, and tweets that hold such tokens."""

import pytest
from hypothesis import given

from dialometer.core.errors import UsageError
from dialometer.core.types import Example, Turn
from dialometer.text.strip import SPEAKER_TOKENS, stripped, without_stopwords, without_tokens
from dialometer.text.tokenisers.base import tokeniser
from tests.real import lines
from tests.text.nasty import any_text

WORDS = tokeniser("words")
CONTENT = tokeniser("words(stopwords=drop, punctuation=drop)")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", ""),
        ("I am .", ""),
        ("Don't you like London ?", "like London"),
        ("A well-known, 3.5-star Hotel!!", "well known 3.5 star Hotel"),
        ("THE Tea , the tea", "Tea tea"),
        ("@Ann see <url> :)", "@Ann see <url>"),
        ("我爱茶，谢谢", "我爱茶 谢谢"),
        ("thanks 👍🏽!", "thanks 👍🏽"),
        ("it’s raining", "raining"),
        (":0\xad0", "0 0"),  # a soft hyphen is no token, yet it parts two
    ],
)
def test_words_with_content(text, left):
    assert without_stopwords(text) == left


def test_punctuation_may_stay():
    assert without_stopwords("Well , I like the tea !", punctuation=False) == "Well , like tea !"


@given(any_text)
def test_the_tokens_left_are_those_that_the_tokeniser_keeps(text):
    assert WORDS.tokens(without_stopwords(text)) == CONTENT.tokens(text)


@given(any_text)
def test_stripping_twice_is_stripping_once(text):
    for strip in (without_stopwords, without_tokens):
        assert strip(strip(text)) == strip(text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<first_speaker> hello <second_speaker>hi", "hello hi"),  # as the utterances of Liu et al. 2016 begin
        ("<FIRST_SPEAKER> Hello", "Hello"),
        ("call <number> or see <url>.", "call or see ."),
        ("@user @users me@user <users> <u>", "@users me@user <users> <u>"),
        ("<ur<url>l>", "<ur l>"),
        ("as  it\twas", "as  it\twas"),
    ],
)
def test_tokens_of_preprocessing(text, left):
    assert without_tokens(text) == left


def test_the_list_can_be_longer_and_tokens_may_have_several_words():
    assert without_tokens("Speaker 1: yes <url>", (*SPEAKER_TOKENS, "speaker 1:")) == "yes"
    assert without_tokens("speaker <url> 1: yes", (*SPEAKER_TOKENS, "speaker 1:")) == "yes"
    with pytest.raises(UsageError, match="empty"):
        without_tokens("hello", ("<url>", " "))


def test_an_item_keeps_all_but_the_words():
    item = Example("i", (Turn("a", "the tea ?"),), "The", ("yes !", "I am"), "s", ratings={"q": (3,)}, extra={"x": 1})
    bare = stripped(item, without_stopwords)
    assert (bare.response, bare.references, bare.context) == ("", ("yes",), (Turn("a", "tea"),))
    assert (bare.id, bare.system, bare.ratings, bare.extra) == ("i", "s", {"q": (3,)}, {"x": 1})
    assert bare.document == item.document


def test_contexts_that_become_equal_stay_two_documents():
    one, two = (Example(name, (Turn("", text),), "hm") for name, text in [("1", "the tea"), ("2", "a tea")])
    assert stripped(one, without_stopwords).document != stripped(two, without_stopwords).document


def test_real_tweets_lose_their_tokens_and_nothing_else(shared_data):
    texts = list(dict.fromkeys(row["response"] for row in lines(shared_data("turns/dstc6_t2.jsonl.gz"))))
    marked = [text for text in texts if "<URL>" in text or "<USER>" in text]
    assert len(marked) > 1000
    for text in texts:
        words = [word for word in text.split() if word.lower() not in SPEAKER_TOKENS]
        if all(word.startswith("<") == word.endswith(">") for word in text.split()) and "@user" not in text.lower():
            assert without_tokens(text).split() == words
