"""An encoder and an emotion that need no weights."""

import numpy as np

from dialometer.text.vectors.emojis import NAMES


class Letters:
    """Vowels are counted, and every text feels alike."""

    recipe, width = "letters-1", 5

    def encode(self, texts):
        return np.array([[text.count(letter) for letter in "aeiou"] for text in texts], np.float32)

    def distribution(self, texts):
        return np.full((len(texts), len(NAMES)), 1 / len(NAMES), np.float32)
