"""Words put together as people write them."""

import pytest

from dialometer.text.tokenisers.base import tokeniser
from dialometer.text.tokenisers.detokenise import spoken


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("", ""),
        ("hello", "hello"),
        ("yes , i do .", "yes, i do."),
        ("what ? ! no . . .", "what?! no..."),
        ("i don ' t , you ' ll , we ' ve", "i don't, you'll, we've"),
        ("i ' d ' ve gone", "i'd've gone"),
        ("it ’ s mine", "it’s mine"),
        ("the dogs ' toys", "the dogs ' toys"),
        ("( so to say ) [ or not ]", "(so to say) [or not]"),
        ("that ' s $ 5 , 20 % off # 1", "that's $5, 20% off #1"),
        ("a well - known state - of - the - art x - y - z", "a well-known state-of-the-art x-y-z"),
        ("- so", "- so"),
        ("one ; two : three …", "one; two: three…"),
        ("a < b", "a < b"),
    ],
)
def test_by_hand(words, text):
    assert spoken(words.split()) == text


def test_the_words_stay_the_same(real_texts):
    """Cut again, the text has the words it was made of, but for apostrophes and hyphens that found their word."""
    cut = tokeniser("words").split
    texts = real_texts(500)
    same = [spoken(cut(text)).replace(" ", "").lower() == "".join(cut(text)) for text in texts]
    assert all(same)
    plain = [text for text in texts if not set("'’-@#<$([{&*") & set(text)]
    again = [cut(spoken(cut(text))) == cut(text) for text in plain]
    assert len(plain) > 200
    assert sum(again) > 0.99 * len(again)
