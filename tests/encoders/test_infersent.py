"""infersent: random weights under the published names against plain numpy, both releases, and what it refuses."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dialometer.core.errors import MissingResource, SpecError  # noqa: E402
from dialometer.core.protocols import Encoder  # noqa: E402
from dialometer.core.registry import create  # noqa: E402
from dialometer.encoders.infersent import Infersent  # noqa: E402
from tests.nets.numpy_lstm import both_ways, random_weights  # noqa: E402
from tests.network_tolerance import assert_same_vectors  # noqa: E402

WORDS = ["<s>", "</s>", "<p>", "</p>", "Tea", "tea", "is", "n't", "don", "do", "'t", "hot", "."]
INNER, DIM = 7, 5


@pytest.fixture
def published(tmp_path):
    """Paths of weights and vectors, and both as arrays."""
    rng = np.random.default_rng(0)
    weights = random_weights(rng, INNER, DIM)
    torch.save({name: torch.from_numpy(value) for name, value in weights.items()}, tmp_path / "infersent.pkl")
    vectors = {word: np.round(rng.normal(size=INNER), 4).astype(np.float32) for word in WORDS}
    lines = [" ".join([word, *(f"{x:.4f}" for x in vector)]) for word, vector in vectors.items()]
    (tmp_path / "glove.txt").write_text("\n".join(lines) + "\n")
    return tmp_path, weights, vectors


def spec(folder, more=""):
    return f'infersent(model="{folder}/infersent.pkl",vectors=glove(path="{folder}/glove.txt"){more})'


def by_numpy(words, published, zero):
    _, weights, vectors = published
    largest = both_ways(np.array([vectors[word] for word in words]), weights).max(axis=0)
    return np.maximum(largest, 0) if zero else largest


@pytest.mark.parametrize(
    ("more", "zero", "text", "words"),
    [
        ("", True, "Tea isn't hot.", "<s> Tea is n't hot . </s>"),
        ("", True, "Tea isn't boiling.", "<s> Tea is n't . </s>"),
        (",pad=none", False, "Tea isn't hot.", "<s> Tea is n't hot . </s>"),
        (",release=2", False, "I don't.", "<p> don 't . </p>"),
        (",release=2,pad=zero", True, "tea", "<p> tea </p>"),
        (",tok=whitespace", True, "do n't", "<s> do n't </s>"),
    ],
)
def test_equals_plain_numpy(published, more, zero, text, words):
    encoder = create("encoder", spec(published[0], more))
    expected = by_numpy(words.split(), published, zero)
    assert np.abs(encoder.encode(["tea is hot", text])[1] - expected).max() < 1e-5
    assert encoder.width == 2 * DIM


@pytest.mark.invariance
def test_batch_changes_no_vector(published):
    encoder = create("encoder", spec(published[0]))
    texts = [" ".join(np.random.default_rng(i).choice(WORDS[4:], 1 + i % 9)) for i in range(200)]
    together = encoder.encode(texts)
    assert together.dtype == np.float32
    for row in range(0, 200, 17):
        assert_same_vectors(encoder.encode([texts[row]])[0], together[row])


def test_marks_without_vectors_are_left_out(published):
    folder = published[0]
    lines = (folder / "glove.txt").read_text().splitlines()
    (folder / "glove.txt").write_text("\n".join(lines[2:]) + "\n")
    vector = create("encoder", spec(folder)).encode(["tea is hot"])[0]
    assert np.abs(vector - by_numpy(["tea", "is", "hot"], published, True)).max() < 1e-5


def test_nothing_known_is_zero_and_coverage_counts_words(published):
    encoder = create("encoder", spec(published[0]))
    assert isinstance(encoder, Encoder)
    assert not encoder.encode(["", "kettle", " "]).any()
    assert encoder.coverage(["", "kettle", "Tea isn't boiling."]).tolist() == [[0, 0], [0, 1], [4, 5]]


def test_the_recipe_names_weights_and_vectors(published):
    recipe = create("encoder", spec(published[0], ",pad=none")).recipe
    assert recipe.startswith("infersent-1(pad=none)@")
    assert "+glove-1@" in recipe
    assert str(published[0]) not in recipe
    assert "|" not in recipe


def test_vectors_of_another_width_are_refused(published):
    (published[0] / "glove.txt").write_text("tea 1 2 3\nis 4 5 6\n")
    with pytest.raises(MissingResource, match=r"read word vectors of 7 numbers, and those of .* have 3"):
        create("encoder", spec(published[0])).encode(["tea"])


def test_what_is_missing_is_named(published):
    with pytest.raises(MissingResource, match=r"needs its published weights(.|\n)*model=infersent1.pkl"):
        create("encoder", "infersent").encode(["tea"])
    with pytest.raises(MissingResource, match=r"needs the word vectors(.|\n)*vectors=glove"):
        Infersent(model=str(published[0] / "infersent.pkl")).encode(["tea"])
    with pytest.raises(MissingResource, match="there is no InferSent file"):
        Infersent(model="nowhere.pkl", vectors="wordllama").encode(["tea"])


@pytest.mark.parametrize("options", [{"release": 3}, {"pad": "one"}])
def test_bad_options(options):
    with pytest.raises(SpecError):
        Infersent(**options)
