"""Yes and no, in real chat spelling."""

import pytest

from dialometer.metrics._amfm.polarity import contradicts, polarity


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("yes", 1),
        ("Yeah, sure!", 1),
        ("no", -1),
        ("I don't know.", -1),
        ("i do n't know", -1),
        ("I dont think so", -1),
        ("we can’t", -1),
        ("unfortunately we are closed", -1),
        ("no problem , yes", -1),
        ("it is knotty", 0),
        ("", 0),
        ("👍", 0),
    ],
)
def test_polarity(text, sign):
    assert polarity(text) == sign


def test_only_opposite_signs_contradict():
    assert [contradicts(a, b) for a, b in ((1, -1), (-1, 1), (1, 1), (0, -1), (1, 0))] == [True, True, False, False, False]
