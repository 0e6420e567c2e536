"""The inventory against the list of SCIENCE.md §5 (Ghandeharioun et al. 2019), and what a text's emojis become."""

from collections import Counter

import numpy as np

from dialometer.text.vectors.emojis import EMOJIS, NAMES, neutral, sentiment, spell_out, weights

# The order of the published model's outputs, and how many emojis have each weight.
ORDER = """
joy unamused weary sob heart_eyes pensive ok_hand blush heart smirk grin notes flushed 100 sleeping relieved relaxed raised_hands
two_hearts expressionless sweat_smile pray confused kissing_heart heartbeat neutral_face information_desk_person disappointed
see_no_evil tired_face v sunglasses rage thumbsup cry sleepy yum triumph hand mask clap eyes gun persevere smiling_imp sweat
broken_heart yellow_heart musical_note speak_no_evil wink skull confounded smile stuck_out_tongue_winking_eye angry no_good muscle
facepunch purple_heart sparkling_heart blue_heart grimacing sparkles
""".split()
COUNTS = {1.0: 4, 0.75: 6, 0.5: 9, -0.5: 5, -0.75: 4, -1.0: 3, 0.0: 33}


def test_inventory():
    assert list(NAMES) == ORDER
    assert len(set(EMOJIS.values())) == 64
    assert all(len(character) == 1 for character in EMOJIS.values())


def test_weights():
    assert Counter(weights().tolist()) == COUNTS
    some = {
        "kissing_heart": 1,
        "100": 0.75,
        "yellow_heart": 0.5,
        "eyes": -0.5,
        "triumph": -0.75,
        "rage": -1,
        "joy": 0,
        "sob": 0,
    }
    assert {name: weights()[NAMES.index(name)] for name in some} == some


def test_neutral_is_the_nearest_to_uniform_without_sentiment():
    p = neutral()
    np.testing.assert_allclose([p.sum(), sentiment(p[None])[0]], [1, 0], atol=1e-12)
    random = np.random.default_rng(0)
    basis = np.linalg.svd(np.stack([np.ones(64), weights()]))[2][2:]  # steps that keep the sum and the sentiment
    for _ in range(50):
        other = p + 1e-4 * random.normal(size=62) @ basis
        assert (other * np.log(64 * other)).sum() > (p * np.log(64 * p)).sum()


def test_sentiment_of_a_single_emoji_is_its_weight():
    np.testing.assert_array_equal(sentiment(np.eye(64, dtype=np.float32)), weights())


def test_spelling_out():
    words = {character: f"<{name}>" for name, character in EMOJIS.items()}
    assert spell_out("plain text ", words) == "plain text "
    assert spell_out("😂😂 😂", words) == "<joy>"
    assert spell_out("no😭😡way", words) == "no <sob> <rage> way"
    assert spell_out("👌🏿 ☺️ 🦄", words) == "<ok_hand> <relaxed> 🦄"
    for name, character in EMOJIS.items():
        assert spell_out(character, words) == f"<{name}>"
