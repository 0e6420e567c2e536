"""Every encoder, word vectors, likelihood and emotion of the catalogue keeps the promises of its kind.

Those that learn are fitted on a few lines; those whose published weights are not here take the same checks on weights that their
own tests make.
"""

from pathlib import Path

import numpy as np
import pytest

from dialometer.core.errors import MissingResource
from dialometer.core.protocols import Encoder, Fits, Likelihood, WordVectors
from dialometer.core.registry import create, find, names, spec_of
from dialometer.text.training_overlap import overlap
from tests.network_tolerance import NETWORKS, assert_same_vectors

TALK = Path(__file__).with_name("talk.txt").read_text().splitlines()
TEXTS = [
    *TALK,
    "",
    "naïve café 我爱 👍🏽 !",
    "zzxqv",
    "a",
    "no no no no no no no no no no no no no no no no no no no no no",
]
SMALL = {"lsi": "k=4", "skipthought": "dim=8,inner=8,epochs=1", "tweet2vec": "dim=8,hidden=8,inner=8,epochs=1"}

BROUGHT = {"deepmoji", "fasttext", "glove", "infersent", "word2vec"}


def ready(kind, name):
    """A thing that can be used, fitted on a few lines if it learns; skipped where its weights must be brought."""
    if name in BROUGHT:
        pytest.skip(f"{name} needs weights or vectors that must be brought; its own tests make some")
    made = find(kind, name)
    options = set(getattr(made, "__dataclass_fields__", {}))
    small = ",".join(part for part in SMALL.get(name, "").split(",") if part.split("=")[0] in options)
    thing = create(kind, f"{name}({small})" if small else name)
    try:
        if isinstance(thing, Fits) and not thing.fitted:
            return thing.fit([TALK[i : i + 6] for i in range(0, 24, 6)])
        thing.recipe  # noqa: B018
    except MissingResource as error:
        pytest.skip(str(error))
    return thing


@pytest.mark.parametrize("name", names("encoder"))
def test_encoder(name):
    encoder = ready("encoder", name)
    assert isinstance(encoder, Encoder)
    assert "|" not in encoder.recipe
    vectors = encoder.encode(TEXTS)
    assert (vectors.dtype, vectors.shape) == (np.float32, (len(TEXTS), encoder.width))
    assert np.isfinite(vectors).all()
    assert not vectors[TEXTS.index("")].any()
    assert vectors[0].any()
    covered = encoder.coverage(TEXTS)
    assert (covered.dtype, covered.shape) == (np.int64, (len(TEXTS), 2))
    assert (covered[:, 0] <= covered[:, 1]).all()
    assert not vectors[covered[:, 0] == 0].any()


@pytest.mark.invariance
@pytest.mark.parametrize("name", names("encoder"))
def test_vectors_do_not_depend_on_the_batch(name):
    encoder = ready("encoder", name)
    same = assert_same_vectors if name in NETWORKS else np.testing.assert_array_equal
    whole = encoder.encode(TEXTS)
    same(encoder.encode(TEXTS[::-1])[::-1], whole)
    same(np.concatenate([encoder.encode([text]) for text in TEXTS]), whole)
    assert encoder.encode([]).shape == (0, encoder.width)


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, name) for kind in ("encoder", "likelihood") for name in names(kind) if hasattr(find(kind, name), "fit")],
)
def test_what_learns_is_kept_and_remembers_its_text(kind, name, tmp_path):
    assert not create(kind, name).fitted
    fitted = ready(kind, name)
    assert fitted.fitted
    fitted.save(tmp_path / "model")
    again = create(kind, str(tmp_path))
    assert again.fitted
    assert again.recipe == fitted.recipe
    assert overlap([TALK[0].upper(), "never said"], again.seen()).tolist() == [True, False]
    one, other = (
        (thing.encode(TEXTS) if kind == "encoder" else np.stack(thing.logprob([()] * len(TEXTS), TEXTS)))
        for thing in (fitted, again)
    )
    np.testing.assert_array_equal(one, other)
    assert spec_of(create(kind, spec_of(create(kind, name), name)), name) == spec_of(create(kind, name), name)


@pytest.mark.parametrize("name", names("vector"))
def test_word_vectors(name):
    vectors = ready("vector", name)
    assert isinstance(vectors, WordVectors)
    assert "|" not in vectors.recipe
    found, known = vectors.look_up(["tea", "the", "\x00\x01", "tea"])
    assert (found.dtype, found.shape, known.dtype) == (np.float32, (4, vectors.width), bool)
    assert known.tolist()[:2] == [True, True]
    assert not found[~known].any()
    np.testing.assert_array_equal(found[0], found[3])


@pytest.mark.parametrize("name", names("likelihood"))
def test_likelihood(name):
    model = ready("likelihood", name)
    assert isinstance(model, Likelihood)
    total, events = model.logprob([()] * len(TEXTS), TEXTS)
    assert (total < 0).all()
    assert (events >= 1).all()
    alone = np.concatenate([model.logprob([()], [text])[0] for text in TEXTS])
    np.testing.assert_array_equal(alone, total)


@pytest.mark.parametrize("name", names("emotion"))
def test_emotion(name):
    emotion = ready("emotion", name)
    spread = emotion.distribution(TEXTS)
    assert spread.shape == (len(TEXTS), 64)
    np.testing.assert_allclose(spread.sum(1), 1, atol=1e-5)
    assert (spread >= 0).all()
    assert np.abs(emotion.sentiment(TEXTS)).max() <= 1
