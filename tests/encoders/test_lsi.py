"""LSI against scikit-learn and plain numpy, and what it does with words and texts that it cannot use."""

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer

from dialometer.core.errors import DataError, MissingResource, NeedsError, SpecError
from dialometer.core.registry import create
from dialometer.encoders.lsi import Lsi
from dialometer.text.tokenisers.base import tokeniser
from dialometer.text.training_overlap import overlap
from dialometer.text.vectors.pooling import row_cosines

TEA = ["i like tea", "tea is nice", "i like cake", "cake is nice", "go home now"]


def test_by_hand():
    """Counts [[1, 0], [0, 1], [1, 1]]: XᵀX = [[2, 1], [1, 2]] has eigenvectors (1, 1)/√2 and (1, −1)/√2, for 3 and 1."""
    lsi = Lsi(k=2, tok="whitespace").fit([["a", "b", "a b"]])
    np.testing.assert_allclose(np.abs(lsi.encode(["a"])[0]), [0.5**0.5, 0.5**0.5], rtol=1e-6)
    np.testing.assert_allclose(np.abs(lsi.encode(["a b"])[0]), [2**0.5, 0], atol=1e-6)


def test_cosines_equal_scikit_learn(real_texts):
    texts = real_texts(6000)
    lsi = Lsi(k=20, tok="whitespace").fit([texts[:4000]])
    words = CountVectorizer(analyzer=lambda text: text.split())
    svd = TruncatedSVD(20, algorithm="arpack", random_state=0).fit(words.fit_transform(texts[:4000]))
    theirs = svd.transform(words.transform(texts[4000:]))
    ours = lsi.encode(texts[4000:])
    known = np.abs(theirs).sum(1) > 1e-10  # below is what rounding leaves of words outside these vectors
    assert known.sum() > 1900
    assert (np.abs(ours).sum(1) > 0).tolist() == known.tolist()
    theirs[~known] = 0
    np.testing.assert_allclose(row_cosines(ours[:-1], ours[1:]), row_cosines(theirs[:-1], theirs[1:]), atol=2e-6)


@pytest.mark.parametrize("weights", ["counts", "binary", "tfidf"])
def test_weights_as_in_plain_numpy(weights):
    texts = [*TEA, "tea tea tea"]
    words = sorted({word for text in texts for word in text.split()})
    counts = np.array([[text.split().count(word) for word in words] for text in texts], float)
    scale = np.log(len(texts) / (counts > 0).sum(0)) if weights == "tfidf" else np.ones(len(words))
    matrix = ((counts > 0) if weights == "binary" else counts) * scale
    vectors = np.linalg.svd(matrix, full_matrices=False)[2][:3].T
    mine = Lsi(k=3, weights=weights, tok="whitespace").fit([texts]).encode(texts)
    np.testing.assert_allclose(mine @ mine.T, (matrix @ vectors) @ (matrix @ vectors).T, atol=1e-5)


def test_iterative_and_dense_agree(real_texts, monkeypatch):
    texts = real_texts(1200)
    iterative = Lsi(k=8)
    monkeypatch.setattr("dialometer.encoders.lsi.DENSE", 10)
    sparse = iterative.fit([texts])
    monkeypatch.setattr("dialometer.encoders.lsi.DENSE", 10**9)
    dense = iterative.fit([texts])
    np.testing.assert_allclose(sparse.encode(texts), dense.encode(texts), atol=1e-4)


def test_company_changes_nothing(real_texts):
    texts = real_texts(300)
    lsi = Lsi(k=5).fit([texts])
    whole = lsi.encode(texts)
    np.testing.assert_array_equal(whole[::-1], lsi.encode(texts[::-1]))
    np.testing.assert_array_equal(whole[17], lsi.encode([texts[17]])[0])


def test_unknown_words_are_left_out_and_counted():
    lsi = Lsi(k=2).fit([TEA])
    np.testing.assert_array_equal(lsi.encode(["我爱 👍", ""]), np.zeros((2, 2)))
    np.testing.assert_array_equal(lsi.encode(["tea zebra"]), lsi.encode(["tea"]))
    assert lsi.coverage(["tea zebra", "", "tea"]).tolist() == [[1, 2], [0, 0], [1, 1]]


def test_fewer_dimensions_of_the_same_space():
    lsi = Lsi(k=4).fit([TEA])
    np.testing.assert_array_equal(lsi.truncated(2).encode(TEA), lsi.encode(TEA)[:, :2])
    with pytest.raises(SpecError, match="4 dimensions, and k=5"):
        lsi.truncated(5)


def test_saved_and_loaded(tmp_path):
    lsi = Lsi(k=2, weights="tfidf").fit([TEA])
    lsi.save(tmp_path / "model")
    again = create("encoder", str(tmp_path))
    assert (again.k, again.weights) == (2, "tfidf")
    assert again.recipe == lsi.recipe
    np.testing.assert_array_equal(again.encode(TEA), lsi.encode(TEA))
    assert overlap(["Go home, now!", "tea"], again.seen()).tolist() == [True, False]


def test_a_file_to_fit_on(tmp_path):
    path = tmp_path / "tea.txt"
    path.write_text("\n".join(TEA))
    lsi = create("encoder", f"lsi(k=2,text={path})")
    assert lsi.recipe == Lsi(k=2).fit([TEA]).recipe
    assert str(tmp_path) not in lsi.recipe
    assert (lsi.fitted, Lsi(k=2).fitted, Lsi(k=2).fit([TEA]).fitted) == (True, False, True)
    np.testing.assert_array_equal(lsi.encode(TEA), Lsi(k=2).fit([TEA]).encode(TEA))


def test_another_tokeniser_version_is_another_recipe(monkeypatch):
    lsi = Lsi(k=2).fit([TEA])
    before = lsi.recipe
    monkeypatch.setattr(type(tokeniser("words")), "version", 99)
    assert lsi.recipe != before


def test_more_dimensions_than_the_text_has():
    with pytest.raises(NeedsError, match=r"k=4\) asks for more .* rank 3\n.*lsi\(k=3\)"):
        Lsi(k=4).fit([["a b", "b c", "c d", "a b b c"]])


@pytest.mark.parametrize("talks", [[], [[]], [["", "  "]], [["\u200b"]]])
def test_nothing_to_fit_on(talks):
    with pytest.raises(NeedsError, match="without words"):
        Lsi(k=1).fit(talks)


def test_refusals(tmp_path):
    with pytest.raises(NeedsError, match=r"has not been fitted.*\n.*train lsi"):
        Lsi().encode(["tea"])
    with pytest.raises(SpecError, match="names its own source"):
        Lsi(text="tea.txt").fit([TEA])
    with pytest.raises(SpecError, match="k=…"):
        create("encoder", "lsi(k=0)")
    with pytest.raises(SpecError, match="counts, binary, tfidf"):
        create("encoder", "lsi(weights=loud)")
    empty = tmp_path / "empty.txt"
    empty.write_text("\n \n")
    with pytest.raises(DataError, match="holds no text to fit lsi on"):
        Lsi(text=str(empty)).encode(["tea"])
    with pytest.raises(DataError, match="cannot be read: no such file"):
        Lsi(text=str(tmp_path / "none.txt")).recipe  # noqa: B018


def test_folders_that_are_not_it(tmp_path):
    with pytest.raises(MissingResource, match="no such folder"):
        create("encoder", str(tmp_path / "nowhere"))
    (tmp_path / "bare").mkdir()
    with pytest.raises(MissingResource, match=r"holds no artifact\.json"):
        create("encoder", str(tmp_path / "bare"))
    Lsi(k=2).fit([TEA]).save(tmp_path / "lsi")
    with pytest.raises(
        SpecError, match=r"holds lsi, kind encoder; wanted here is one of the kind likelihood.*\n.*sentence\(encoder="
    ):
        create("likelihood", str(tmp_path / "lsi"))
    with pytest.raises(SpecError, match=r"was fitted with k=.*, which stays as it is"):
        create("encoder", f"{tmp_path}/lsi(k=3)")
    card = tmp_path / "lsi" / "artifact.json"
    whole = card.read_text()
    for change in (
        ('"k": 2', '"k": 7'),
        ('"k": 2', '"k": "x"'),
        ('"version": 1', '"version": 99'),
        ('"name": "lsi"', '"name": "minilm"'),
    ):
        card.write_text(whole.replace(*change))
        with pytest.raises(MissingResource):
            create("encoder", str(tmp_path / "lsi"))
    card.write_text(whole)
    arrays = tmp_path / "lsi" / "arrays.safetensors"
    arrays.write_bytes(arrays.read_bytes()[:100])
    with pytest.raises(MissingResource, match="cannot be read"):
        create("encoder", str(tmp_path / "lsi"))
