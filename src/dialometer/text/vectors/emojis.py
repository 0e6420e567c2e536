"""The 64 emojis of DeepMoji's outputs, in their order, and the sentiment weight of each (Ghandeharioun et al. 2019).

``sentiment = Σ weight · p`` over a distribution p of the emojis.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np

from dialometer.core.rowwise import row_dots

EMOJIS: dict[str, str] = {
    "joy": "😂", "unamused": "😒", "weary": "😩", "sob": "😭", "heart_eyes": "😍", "pensive": "😔", "ok_hand": "👌", "blush": "😊",
    "heart": "❤", "smirk": "😏", "grin": "😁", "notes": "🎶", "flushed": "😳", "100": "💯", "sleeping": "😴", "relieved": "😌",
    "relaxed": "☺", "raised_hands": "🙌", "two_hearts": "💕", "expressionless": "😑", "sweat_smile": "😅", "pray": "🙏",
    "confused": "😕", "kissing_heart": "😘", "heartbeat": "💓", "neutral_face": "😐", "information_desk_person": "💁",
    "disappointed": "😞", "see_no_evil": "🙈", "tired_face": "😫", "v": "✌", "sunglasses": "😎", "rage": "😡", "thumbsup": "👍",
    "cry": "😢", "sleepy": "😪", "yum": "😋", "triumph": "😤", "hand": "✋", "mask": "😷", "clap": "👏", "eyes": "👀", "gun": "🔫",
    "persevere": "😣", "smiling_imp": "😈", "sweat": "😓", "broken_heart": "💔", "yellow_heart": "💛", "musical_note": "🎵",
    "speak_no_evil": "🙊", "wink": "😉", "skull": "💀", "confounded": "😖", "smile": "😄", "stuck_out_tongue_winking_eye": "😜",
    "angry": "😠", "no_good": "🙅", "muscle": "💪", "facepunch": "👊", "purple_heart": "💜", "sparkling_heart": "💖",
    "blue_heart": "💙", "grimacing": "😬", "sparkles": "✨",
}  # fmt: skip
NAMES = tuple(EMOJIS)
_WEIGHTS = {
    1.0: "kissing_heart thumbsup ok_hand smile",
    0.75: "blush wink muscle grin heart_eyes 100",
    0.5: "smirk stuck_out_tongue_winking_eye sunglasses relieved relaxed blue_heart two_hearts heartbeat yellow_heart",
    -0.5: "disappointed eyes expressionless sleeping grimacing",
    -0.75: "neutral_face confused triumph confounded",
    -1.0: "unamused angry rage",
}
_TONES = "\U0001f3fb-\U0001f3ff"
_RUN = re.compile(rf"([{''.join(EMOJIS.values())}])[\ufe0e\ufe0f{_TONES}]*(?:\s*\1[\ufe0e\ufe0f{_TONES}]*)*")


@cache
def weights() -> np.ndarray:
    """The sentiment weight of each emoji, 0 where none is listed."""
    listed = {name: weight for weight, names in _WEIGHTS.items() for name in names.split()}
    made = np.array([listed.get(name, 0.0) for name in NAMES])
    made.flags.writeable = False
    return made


@cache
def neutral() -> np.ndarray:
    """The distribution that says nothing: of all with zero sentiment the nearest to uniform, ``p ∝ exp(−t · weight)``.

    The weights sum to 4.5, so that a uniform distribution would be mildly glad.
    """
    low, high = 0.0, 10.0
    for _ in range(80):  # sentiment falls with t: halve the interval down to the last bit
        tilt = (low + high) / 2
        low, high = (tilt, high) if (weights() * np.exp(-tilt * weights())).sum() > 0 else (low, tilt)
    made = np.exp(-low * weights())
    made /= made.sum()
    made.flags.writeable = False
    return made


def sentiment(distribution: np.ndarray) -> np.ndarray:
    """Σ weight · p for each row, float64; batch-invariant.

    >>> round(float(sentiment(neutral()[None])[0]), 9)
    0.0
    """
    return row_dots(distribution, weights())


def spell_out(text: str, phrases: dict[str, str]) -> str:
    """Put words in the place of emojis; a run of one emoji, of any skin tone, counts once.

    >>> spell_out("ok 👍🏽👍 bye ❤️", {"👍": "Well done!", "❤": "I love you."})
    'ok Well done! bye I love you.'
    """
    if text.isascii():
        return text
    return " ".join(_RUN.sub(lambda found: f" {phrases[found[1]]} ", text).split())
