"""Metrics that compare vectors: word vectors (the default), sentence encoders, language models.

python benchmarks/embedding.py               word vectors against the way of nlg-eval (see embedding_words.py)
python benchmarks/embedding.py --minilm      sentence encoders
python benchmarks/embedding.py --lm          language models
"""

import sys
from importlib import import_module

PARTS = {"--words": "embedding_words", "--minilm": "embedding_minilm", "--lm": "embedding_lm"}


def main() -> None:
    """Hand over to the part that was asked for."""
    chosen = [name for name in PARTS if name in sys.argv]
    sys.argv[1:] = [argument for argument in sys.argv[1:] if argument not in PARTS]
    import_module(PARTS[chosen[0] if chosen else "--words"]).main()


if __name__ == "__main__":
    main()
