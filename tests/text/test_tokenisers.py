"""Tokenisers against the tools they are named after, on real and on nasty text, and the options they share."""

import unicodedata

import pytest
from hypothesis import given

from dialometer.core.errors import SpecError, UnknownName
from dialometer.core.registry import names
from dialometer.text.tokenisers.base import tokeniser
from tests.text.nasty import any_text

WORDS = tokeniser("words")


def outside(name):
    """The tool behind a tokeniser, as a function from text to tokens."""
    if name == "13a":
        tool = pytest.importorskip("sacrebleu.tokenizers.tokenizer_13a").Tokenizer13a()
        return lambda text: tool(text.rstrip()).split()  # sacrebleu strips line ends before it tokenises
    if name == "rouge":
        tokenize = pytest.importorskip("rouge_score.tokenize").tokenize
        return lambda text: tokenize(text, None)
    return str.split


@pytest.mark.oracle
@pytest.mark.parametrize("name", ["13a", "rouge", "whitespace"])
def test_equals_the_tool_on_real_texts(name, real_texts):
    mine, theirs = tokeniser(name).split, outside(name)
    different = [text for text in real_texts(50_000) if mine(text) != theirs(text)]
    assert different == []


@pytest.mark.oracle
@pytest.mark.parametrize("name", ["13a", "rouge", "whitespace"])
def test_equals_the_tool_on_any_string(name):
    mine, theirs = tokeniser(name).split, outside(name)

    @given(any_text)
    def check(text):
        assert mine(text) == theirs(text)

    check()


@pytest.mark.oracle
def test_ptb_is_close_to_nltk(real_texts):
    """Not all of them: NLTK also takes two apostrophes for a quotation mark, and cuts ``more 'n`` and ``'t is``."""
    nltk = pytest.importorskip("nltk.tokenize")
    theirs, mine = nltk.TreebankWordTokenizer(), tokeniser("ptb")
    texts = real_texts(50_000)
    different = [text for text in texts if mine.split(text) != theirs.tokenize(text)]
    assert len(different) <= len(texts) // 1000
    assert all("''" in text or "'n" in text or "'tis" in text.lower() for text in different)


@pytest.mark.parametrize("name", names("tokeniser"))
def test_tokens_hold_no_white_space(name):
    tok = tokeniser(name)

    @given(any_text)
    def check(text):
        assert all(tok.tokens(text)), "an empty token"
        if name != "space":  # it cuts at U+0020 alone, as the code it mirrors does
            assert [token.split() for token in tok.tokens(text)] == [[token] for token in tok.tokens(text)]

    check()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Don't go!", ["don't", "go", "!"]),
        ("don’t", ["don’t"]),
        ("it costs 3.5, or 1,000.", ["it", "costs", "3.5", ",", "or", "1,000", "."]),
        ("see <url> @User #Tag", ["see", "<url>", "@user", "#tag"]),
        ("< url > @ #", ["<", "url", ">", "@", "#"]),
        ("a.b e.g.", ["a", ".", "b", "e", ".", "g", "."]),
        ("👍🏽👍", ["👍🏽", "👍"]),
        ("👩‍👩‍👧 ❤️‍🔥!", ["👩‍👩‍👧", "❤️‍🔥", "!"]),
        ("🇫🇷🇩🇪", ["🇫🇷", "🇩🇪"]),
        ("1️⃣ #️⃣ ok", ["1️⃣", "#️⃣", "ok"]),
        ("我爱NLP和かな", ["我", "爱", "nlp", "和", "か", "な"]),
        ("मैं हिन्दी बोलता हूँ", ["मैं", "हिन्दी", "बोलता", "हूँ"]),
        ("مُحَمَّد قال", ["مُحَمَّد", "قال"]),
        ("naïve café", ["naïve", "café"]),
        ("well…“quoted”", ["well", "…", "“", "quoted", "”"]),
        ("a\u00a0b\u3000c\u2009d\u0085e", ["a", "b", "c", "d", "e"]),
        ("", []),
        (" \t\n", []),
    ],
)
def test_words(text, tokens):
    assert WORDS.split(text) == tokens


@given(any_text)
def test_words_do_not_depend_on_composition(text):
    assert WORDS.split(unicodedata.normalize("NFC", text)) == WORDS.split(unicodedata.normalize("NFD", text))


def test_words_of_composed_and_decomposed_letters_are_the_same():
    assert WORDS.split("Cafe\u0301 A\u030angstro\u0308m") == WORDS.split("Café Ångström") == ["café", "ångström"]


def test_options_drop_what_they_name():
    text = "<first_speaker> I like the tea, @user!"
    assert tokeniser("words(stopwords=drop)").tokens(text) == ["<first_speaker>", "like", "tea", ",", "@user", "!"]
    assert tokeniser("words(punctuation=drop)").tokens(text) == ["<first_speaker>", "i", "like", "the", "tea", "@user"]
    assert tokeniser("words(speakers=drop)").tokens(text) == ["i", "like", "the", "tea", ",", "!"]
    all_three = tokeniser("words(speakers=drop,punctuation=drop,stopwords=drop)")
    assert all_three.tokens(text) == ["like", "tea"]
    assert all_three.recipe == "words-1-stopwords-punctuation-speakers"


def test_emoji_are_not_punctuation():
    assert tokeniser("words(punctuation=drop)").tokens("yes! 👍 …") == ["yes", "👍"]


@pytest.mark.parametrize("name", names("tokeniser"))
def test_recipe_names_tokeniser_and_version(name):
    tok = tokeniser(name)
    assert tok.recipe == f"{name}-{tok.version}"
    assert tokeniser(f"{name}(stopwords=drop)").recipe == f"{name}-{tok.version}-stopwords"


def test_wrong_options_and_names_offer_the_right_ones():
    with pytest.raises(SpecError, match="stopwords=…\\) is keep or drop, not 'no'"):
        tokeniser("words(stopwords=no)")
    with pytest.raises(UnknownName, match="did you mean words"):
        tokeniser("word")
    with pytest.raises(UnknownName, match="did you mean stopwords"):
        tokeniser("words(stopword=drop)")
