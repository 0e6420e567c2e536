"""skipthought: published weights against plain numpy, training of seconds, and what it refuses."""

import sys

import numpy as np
import orjson
import pytest

torch = pytest.importorskip("torch")

from dialometer.core.errors import MissingResource, NeedsError, RunError, SpecError  # noqa: E402
from dialometer.core.protocols import Encoder, Fits  # noqa: E402
from dialometer.core.registry import create  # noqa: E402
from dialometer.encoders.skipthought import Skipthought  # noqa: E402
from dialometer.nets.encoders.skipthought_files import shapes  # noqa: E402
from dialometer.text.training_overlap import seen_texts  # noqa: E402
from tests.encoders.talks import SMALL_TALK, without_checksums  # noqa: E402
from tests.nets.theano_gru import last_state, write_release  # noqa: E402
from tests.network_tolerance import assert_same_vectors  # noqa: E402

WORDS = ["the", "tea", "is", "hot", "UNK", "<eos>", "n't", "?"]
TEXTS = ["the tea is hot", "is the tea hot ?", "is n't the kettle hot", "tea"]

# ryankiros/skip-thoughts, skipthoughts.py: param_init_gru with nin = dim_word = 620 and dim = 2400 (uni_skip) or 1200 (bi_skip);
# the same numbers stand in Cadene/skip-thoughts.torch, pytorch/skipthoughts/skipthoughts.py.
RELEASED_UNI = {
    "encoder_W": (620, 4800),
    "encoder_U": (2400, 4800),
    "encoder_b": (4800,),
    "encoder_Wx": (620, 2400),
    "encoder_Ux": (2400, 2400),
    "encoder_bx": (2400,),
}
RELEASED_BI = {
    f"{side}_{part}": shape
    for side in ("encoder", "encoder_r")
    for part, shape in {
        "W": (620, 2400), "U": (1200, 2400), "b": (2400,), "Wx": (620, 1200), "Ux": (1200, 1200), "bx": (1200,),
    }.items()
}  # fmt: skip


def by_numpy(text, made, kind):
    """The published encode: last states, each kind of unit length, side by side."""
    rows = [WORDS.index(word if word in WORDS else "UNK") for word in text.split()]
    parts = []
    if kind in ("uni", "combine"):
        vectors, weights = made["uni_skip.npz"]
        parts.append(last_state(vectors[rows], weights, "encoder"))
    if kind in ("bi", "combine"):
        vectors, weights = made["bi_skip.npz"]
        forth, back = last_state(vectors[rows], weights, "encoder"), last_state(vectors[rows[::-1]], weights, "encoder_r")
        parts.append(np.concatenate([forth, back]))
    return np.concatenate([part / np.linalg.norm(part) for part in parts])


@pytest.fixture
def release(tmp_path):
    return tmp_path, write_release(tmp_path, WORDS)


@pytest.mark.parametrize(("kind", "width"), [("uni", 6), ("bi", 10), ("combine", 16)])
def test_published_weights_equal_plain_numpy(release, kind, width):
    folder, made = release
    encoder = create("encoder", f'skipthought(model="{folder}",kind={kind})')
    vectors = encoder.encode(TEXTS)
    assert vectors.dtype == np.float32
    assert encoder.width == width == vectors.shape[1]
    assert np.abs(vectors - [by_numpy(text, made, kind) for text in TEXTS]).max() < 1e-5


def test_names_and_shapes_of_the_release():
    assert shapes(620, 2400, both=False) == RELEASED_UNI
    assert shapes(620, 1200, both=True) == RELEASED_BI


def test_published_coverage_and_nothing_known(release):
    encoder = Skipthought(model=str(release[0]))
    assert encoder.coverage([*TEXTS, "kettle", ""]).tolist() == [[4, 4], [5, 5], [4, 5], [1, 1], [0, 1], [0, 0]]
    assert not encoder.encode(["kettle", ""]).any()
    assert isinstance(encoder, Encoder)


def test_the_recipe_follows_the_content_and_not_the_path(release, tmp_path):
    recipe = Skipthought(model=str(release[0])).recipe
    assert recipe.startswith("skipthought-1@")
    write_release(tmp_path / "copy", WORDS)
    assert Skipthought(model=str(tmp_path / "copy")).recipe == recipe
    write_release(tmp_path / "copy", WORDS, seed=1)
    assert Skipthought(model=str(tmp_path / "copy")).recipe != recipe
    assert Skipthought(model=str(release[0]), kind="uni").recipe.startswith("skipthought-1(kind=uni)@")


def damage(folder, what):
    if what == "no folder":
        return folder / "nowhere"
    if what == "no table":
        (folder / "btable.npy").unlink()
    if what == "cut table":
        (folder / "btable.npy").write_bytes((folder / "btable.npy").read_bytes()[:-8])
    if what == "cut weights":
        (folder / "bi_skip.npz").write_bytes((folder / "bi_skip.npz").read_bytes()[:300])
    if what == "pickled table":
        np.save(folder / "btable.npy", np.array([{"tea": 1}], object), allow_pickle=True)
    if what == "no UNK":
        (folder / "dictionary.txt").write_text("tea\n" * len(WORDS))
    if what == "short dictionary":
        (folder / "dictionary.txt").write_text("tea\nUNK\n")
    if what in ("missing", "shape"):
        with np.load(folder / "bi_skip.npz") as archive:
            weights = dict(archive)
        weights["encoder_r_U"] = weights["encoder_r_U"][:, :4]
        if what == "missing":
            del weights["encoder_r_U"]
        np.savez(folder / "bi_skip.npz", **weights)
    return folder


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("no folder", "there is no such folder"),
        ("no table", r"holds no btable\.npy"),
        ("cut table", r"btable\.npy cannot be read"),
        ("cut weights", r"bi_skip\.npz cannot be read"),
        ("pickled table", r"btable\.npy cannot be read"),
        ("no UNK", "has no line UNK"),
        ("short dictionary", r"'btable\.npy' has shape \(8, 7\), and \(2, 7\) is expected"),
        ("missing", r"has no parameter 'encoder_r_U' of shape \(5, 10\)"),
        ("shape", r"parameter 'encoder_r_U' has shape \(5, 4\), and \(5, 10\) is expected"),
    ],
)
def test_wrong_folders_are_refused_by_name(release, what, says):
    folder = damage(release[0], what)
    with pytest.raises(MissingResource, match=says) as refused:
        Skipthought(model=str(folder)).encode(["tea"])
    assert "dictionary.txt" in str(refused.value) or "downloaded whole" in str(refused.value)


SPEC = "skipthought(dim=16,inner=8,vocabulary=60,epochs=2)"


@pytest.fixture(scope="module")
def trained():
    return create("encoder", SPEC).fit(SMALL_TALK, seed=3)


def test_training_lowers_the_loss_and_says_what_it_did(trained):
    facts = trained.learnt.facts
    assert facts["losses"][-1] < facts["losses"][0]
    assert facts["validation"][-1] < facts["validation"][0]
    assert facts["talks"] == len(SMALL_TALK)
    assert "previous and of the next utterance" in facts["objective"]
    assert isinstance(trained, Encoder)
    assert isinstance(trained, Fits)


def test_vectors_of_length_one_and_zeros(trained):
    vectors = trained.encode(["do you like tea ?", "", "xyzzy plugh", "xyzzy tea"])
    assert vectors.shape == (4, 16)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 0, 1], abs=1e-6)
    assert trained.coverage(["do you like tea ?", "", "xyzzy tea"]).tolist() == [[5, 5], [0, 0], [1, 2]]


def test_the_training_vectors_are_whitened(trained):
    states = Skipthought(dim=16, inner=8, vocabulary=60, epochs=0, kind="uni").fit(SMALL_TALK)
    for encoder in (trained, states):
        texts = [text for talk in SMALL_TALK for text in talk]
        vectors = encoder.encode(texts)
        assert np.abs(vectors.mean(axis=0)).max() < 0.2, "before whitening all vectors point the same way"


def test_saved_and_loaded(trained, tmp_path):
    trained.save(tmp_path)
    loaded = create("encoder", str(tmp_path))
    assert loaded == trained
    assert loaded.recipe == trained.recipe
    assert (loaded.seen() == trained.seen()).all()
    assert loaded.encode(["do you like tea ?"]).tobytes() == trained.encode(["do you like tea ?"]).tobytes()
    card = orjson.loads((tmp_path / "artifact.json").read_bytes())
    assert card["options"]["dim"] == 16
    assert card["steps"] == trained.learnt.facts["steps"]


def test_a_folder_with_other_shapes_is_refused(trained, tmp_path):
    trained.save(tmp_path)
    without_checksums(tmp_path)
    card = (tmp_path / "artifact.json").read_bytes()
    (tmp_path / "artifact.json").write_bytes(card.replace(b'"dim": 16', b'"dim": 18'))
    with pytest.raises(MissingResource, match=r"parameter '0.forth.weight_ih_l0' has shape \(24, 8\), and \(27, 8\)"):
        create("encoder", str(tmp_path))


def test_the_same_seed_the_same_recipe(trained):
    assert create("encoder", SPEC).fit(SMALL_TALK, seed=3).recipe == trained.recipe
    assert create("encoder", SPEC).fit(SMALL_TALK, seed=4).recipe != trained.recipe


def test_without_torch(trained, release, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    for use in (
        lambda: trained.encode(["tea"]),
        lambda: Skipthought().fit(SMALL_TALK),
        lambda: Skipthought(model=str(release[0])).encode(["tea"]),
    ):
        with pytest.raises(MissingResource, match=r'pip install "dialometer\[neural\]"'):
            use()


@pytest.mark.invariance
def test_batch_changes_no_vector(trained, release):
    texts = list(dict.fromkeys(text for talk in SMALL_TALK for text in talk))
    for encoder in (trained, Skipthought(model=str(release[0]), kind="combine")):
        together = encoder.encode(texts)
        for row in range(0, len(texts), 9):
            assert_same_vectors(encoder.encode([texts[row]])[0], together[row])


def test_seen(trained):
    assert (trained.seen() == seen_texts(text for talk in SMALL_TALK for text in talk)).all()


def test_a_finished_training_is_taken_from_its_folder(trained, tmp_path):
    create("encoder", SPEC).fit(SMALL_TALK, seed=3, work=tmp_path)
    told = []
    again = create("encoder", SPEC).fit(SMALL_TALK, seed=3, work=tmp_path, progress=lambda *what: told.append(what))
    assert again.recipe == trained.recipe
    assert told == []


def test_a_training_that_was_stopped_goes_on(trained, tmp_path):
    def stop(_, step, total):
        if step > total // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        create("encoder", SPEC).fit(SMALL_TALK, seed=3, work=tmp_path, progress=stop)
    told = []
    again = create("encoder", SPEC).fit(
        SMALL_TALK, seed=3, work=tmp_path, progress=lambda _, step, total: told.append((step, total))
    )
    assert again.recipe == trained.recipe
    assert told[0][0] > 1
    assert told[-1][0] == told[-1][1]
    with pytest.raises(RunError, match="another training"):
        create("encoder", SPEC).fit(SMALL_TALK[1:], seed=3, work=tmp_path)


@pytest.mark.parametrize(
    ("talks", "says"),
    [
        ([], "without words"),
        ([["", " "], [""]], "without words"),
        ([["tea ?"], ["yes ."]], "no conversation here has two"),
        ([["tea ?", ""], ["", "yes ."]], "no conversation here has two"),
    ],
)
def test_texts_that_teach_nothing_are_refused(talks, says):
    with pytest.raises(NeedsError, match=says) as refused:
        Skipthought().fit(talks)
    assert "conversations" in str(refused.value)


def test_untrained_use_names_the_way_out():
    for use in (lambda e: e.encode(["tea"]), lambda e: e.coverage(["tea"]), lambda e: e.recipe, lambda e: e.seen()):
        with pytest.raises(NeedsError, match="dialometer train skipthought FILE"):
            use(create("encoder", "skipthought"))


@pytest.mark.parametrize("spec", ["kind=tri", "dim=0", "dim=7", "inner=0", "vocabulary=0", "epochs=-1"])
def test_bad_options(spec):
    with pytest.raises(SpecError):
        create("encoder", f"skipthought({spec})")


def test_published_weights_are_not_trained():
    for encoder in (Skipthought(model="somewhere"), Skipthought(kind="combine")):
        with pytest.raises(SpecError, match="no published weights"):
            encoder.fit(SMALL_TALK)


def test_utterances_that_are_all_alike_are_refused():
    with pytest.raises(NeedsError, match="all alike"):
        create("encoder", "skipthought(dim=4,inner=3,epochs=1)").fit([["hi", "hi"], ["hi", "hi"]])


def test_a_negative_seed_is_a_seed():
    vectors = create("encoder", SPEC).fit(SMALL_TALK, seed=-1).encode(["tea"])
    assert np.isfinite(vectors).all()
