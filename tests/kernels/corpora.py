"""Random corpora of few words, so that n-grams repeat and match."""

from hypothesis import strategies as st

from dialometer.text.corpus import Corpus

text = st.lists(st.sampled_from(["a", "b", "c", "dd", "tea", "running"]), max_size=12).map(" ".join)
pairs = st.lists(st.tuples(text, st.lists(text, max_size=3)), min_size=1, max_size=6)


def corpus_of(items) -> Corpus:
    """(response, references) pairs as a corpus."""
    return Corpus.of([response for response, _ in items], [references for _, references in items])


corpora = pairs.map(corpus_of)
