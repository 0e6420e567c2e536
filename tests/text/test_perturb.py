"""Every perturbation on known input, and that an item's own seed is all that chance there is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.core.types import Example, Turn
from dialometer.metrics._amfm.polarity import polarity
from dialometer.stats.resample import seed_for
from dialometer.text.perturb import PERTURBATIONS, Others
from dialometer.text.perturb.additions import FILLERS
from dialometer.text.perturb.copies import GENERIC
from dialometer.text.perturb.negation import flip_negation
from tests import real

CONTEXT = (Turn("a", "hello ."), Turn("b", "do you deliver to Serbia ?"))
ITEM = Example("i1", CONTEXT, "Sorry, we can't deliver to Serbia.", ("no , not to serbia .", "we do not ."), group="g1")
ELSE = Example("i2", (), "I was in Ireland in May, on 3 days", group="g2")
NOTHING = Example("i3", (), "", group="g3")


def spoilt(name, response=None, item=ITEM, others=(ITEM, ELSE, NOTHING), seed=0):
    item = item if response is None else Example("x", CONTEXT, response)
    return PERTURBATIONS[name].of(item, Others.of(others), seed_for(seed, name, item.id))


@pytest.mark.parametrize(
    ("name", "response", "made"),
    [
        ("reversed-words", "do you like tea ?", "? tea like you do"),
        ("reversed-words", "Tea, please!", "please! Tea,"),
        ("reversed-words", "我爱茶", "茶爱我"),
        ("reversed-words", "tea", None),
        ("reversed-words", "no no", None),
        ("shuffled-words", "tea tea tea", None),
        ("shuffled-words", "tea please", "please tea"),
        ("no-stop-words", "I would like some tea, and that is it.", "like tea,."),
        ("no-stop-words", "it 's a cup of tea .", "cup tea ."),
        ("no-stop-words", "that is it .", None),
        ("no-stop-words", "green tea", None),
        ("no-punctuation", "Well, I don't know... 3.5 cups!", "Well I don't know 3.5 cups"),
        ("no-punctuation", "i 'm @bob #tea <E-MAIL> see http://tea.example/cup", None),
        ("no-punctuation", "i do n't know , bob .", "i do n't know bob"),
        ("no-punctuation", "?!", None),
        ("no-punctuation", "tea 👍 !", "tea 👍"),
        ("truncated", "one two  three four five", "one two"),
        ("truncated", "tea", None),
        ("truncated", "我爱茶叶", "我爱"),
        ("said-twice", "tea ? ", "tea ? tea ?"),
        ("said-twice", "茶", "茶茶"),
        ("copy-context", "tea", "do you deliver to Serbia ?"),
        ("copy-context", "do you deliver to Serbia ?", None),
        ("lower-case", "Tea for Bob", "tea for bob"),
        ("lower-case", "tea", None),
        ("empty", "tea", ""),
        ("empty", " ", None),
        ("typos", "a cup of tea", None),
        ("typos", "teaa", "taea"),
        ("copy-reference", "tea", None),
        ("entity-swapped", "no name here", None),
    ],
)
def test_known_cases(name, response, made):
    assert spoilt(name, response) == made


def test_what_other_items_lend():
    assert spoilt("copy-reference") == "no , not to serbia ."
    assert spoilt("copy-reference", item=Example("r", (), "b", ("a", "b"))) is None, "already a reference"
    assert spoilt("other-response") == ELSE.response
    assert spoilt("other-response", item=NOTHING) in {ITEM.response, ELSE.response}
    assert spoilt("other-response", others=(ITEM, NOTHING)) is None
    same_talk = Example("i4", (), "another reply of the same talk", group="g1")
    assert spoilt("other-response", others=(ITEM, same_talk)) is None


def test_a_name_becomes_another_of_its_kind():
    assert spoilt("entity-swapped") == "Sorry, we can't deliver to Ireland."
    assert spoilt("entity-swapped", "serbia ? yes , serbia !") == "ireland ? yes , ireland !"
    assert spoilt("entity-swapped", "it takes 4 days") == "it takes 3 days"
    assert spoilt("entity-swapped", others=(ITEM,)) is None
    known = Example("k", CONTEXT, "not to France", ("to Ireland then",))
    assert spoilt("entity-swapped", item=known) is None, "Ireland is in the reference, Serbia in the context"


@pytest.mark.parametrize(
    ("text", "opposite"),
    [
        ("we can't deliver .", "we can deliver ."),
        ("we ca n't deliver .", "we can deliver ."),
        ("we won’t come", "we will come"),
        ("We cannot come.", "We can come."),
        ("i couldn ' t understand it .", "i could understand it ."),
        ("Don't worry!", "Do worry!"),
        ("i dont know", "i do know"),
        ("that 's not true .", "that 's true ."),
        ("i have never been there", "i have been there"),
        ("no , thanks .", "yes , thanks ."),
        ("Yes.", "No."),
        ("yes , you can .", "no , you can not ."),
        ("i am happy .", "i am not happy ."),
        ("i ' m happy .", "i ' m not happy ."),
        ("It's raining.", "It's not raining."),
        ("they 'll come", "they 'll not come"),
        ("she has a dog .", "she does not have a dog ."),
        ("i love tea .", "i do not love tea ."),
        ("what is it ? it is tea .", "what is it ? it is not tea ."),
        ("do you like tea ?", None),
        ("isn't it nice ?", None),
        ("good morning", None),
        ("", None),
    ],
)
def test_negation_by_hand(text, opposite):
    assert flip_negation(text) == opposite


def test_negation_of_real_responses_changes_what_polarity_sees(shared_data):
    """A text that said no stops saying it, and the other way round, but where it holds several negations."""
    texts = {row["response"] for row in real.lines(shared_data("turns/zhao_dailydialog.jsonl.gz"))}
    pairs = [(text, made) for text in sorted(texts) if (made := flip_negation(text)) is not None]
    assert len(pairs) > len(texts) / 2
    moved = sum((polarity(text) < 0) != (polarity(made) < 0) for text, made in pairs)
    assert moved > 0.85 * len(pairs)


def test_phrases_come_from_their_lists():
    assert {spoilt("generic", seed=seed) for seed in range(99)} == set(GENERIC)
    assert {spoilt("padding", "tea", seed=seed) for seed in range(99)} == {f"tea {filler}" for filler in FILLERS}


def test_typos_move_letters_inside_words_and_few_of_them():
    text = " ".join(["wonderful"] * 30)
    words = spoilt("typos", text).split()
    wrong = [word for word in words if word != "wonderful"]
    assert len(wrong) == 3
    assert all(sorted(word) == sorted("wonderful") and word[0] == "w" for word in wrong)


texts = st.text(alphabet="ab Ireland3.,'不我N", max_size=30)
examples = st.builds(
    lambda words, references, context: (words, tuple(references), tuple(Turn("a", turn) for turn in context)),
    texts, st.lists(texts, max_size=2), st.lists(texts, max_size=2),
)  # fmt: skip


@given(st.lists(examples, min_size=1, max_size=5), st.randoms(), st.integers(0, 3))
def test_the_order_of_items_changes_nothing(rows, random, seed):
    """Same seed, same item, same company in any order: the same text; and never an unchanged one."""
    items = [
        Example(f"i{n}", context, text, references, group=f"g{n % 3}") for n, (text, references, context) in enumerate(rows)
    ]
    mixed = random.sample(items, len(items))
    for name in PERTURBATIONS:
        made = {item.id: spoilt(name, item=item, others=items, seed=seed) for item in items}
        again = {item.id: spoilt(name, item=item, others=mixed, seed=seed) for item in mixed}
        assert made == again
        assert all(made[item.id] != item.response for item in items)


def test_each_item_draws_for_itself():
    """Two items with the same text are not shuffled the same way but by chance (1 in 10! here)."""
    text = "one two three four five six seven eight nine ten"
    first, second = (spoilt("shuffled-words", item=Example(name, (), text)) for name in "ab")
    assert first != second
    assert sorted(first.split()) == sorted(second.split()) == sorted(text.split())


def test_every_perturbation_says_what_a_human_would_do_and_why():
    for name, perturbation in PERTURBATIONS.items():
        assert perturbation.name == name
        assert perturbation.expected in ("drop", "same", "no better", "rise")
        assert perturbation.about
        assert perturbation.reason
        assert "~" not in name, "row ids are cut at it"
