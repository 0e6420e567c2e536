"""EI regularisation of hred, vhred and vhcr: ablations have what they should, and the heads learn on real conversations."""

from functools import cache

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dialometer.bots._generative import ei_targets as ei_module  # noqa: E402
from dialometer.bots._generative import hierarchical  # noqa: E402
from dialometer.core.registry import create  # noqa: E402
from dialometer.core.types import Turn  # noqa: E402
from dialometer.nets.dialogue.data import Batch  # noqa: E402
from tests import real  # noqa: E402
from tests.bots.letters import Letters  # noqa: E402
from tests.encoders.talks import SMALL_TALK  # noqa: E402

SMALL = "hidden=8,embedding=6,context=7,vocabulary=40,units=words,epochs=1,batch=16,emotion_head=4,vector_head=3,limit=5"
ASKED = [(Turn("a", "do you like tea ?"),), (Turn("a", "rain ?"), Turn("b", "no ."))]
HEADS = {
    "": set(),
    "both": {"heads.emotion", "heads.vector"},
    "emotion": {"heads.emotion"},
    "vector": {"heads.vector"},
    "input": set(),
}


@pytest.fixture(autouse=True)
def _letters(monkeypatch, request):
    if "shared_data" not in request.fixturenames:
        monkeypatch.setattr(ei_module, "create", lambda kind, spec: Letters())
        monkeypatch.setattr(hierarchical, "create", lambda kind, spec: Letters())


@pytest.mark.parametrize("name", ["hred", "vhred", "vhcr"])
@pytest.mark.parametrize("ei", HEADS)
def test_ablations(name, ei, tmp_path):
    option = f",ei={ei}" if ei else ""
    bot = create("bot", f"{name}({SMALL}{option})").fit(SMALL_TALK[:20], seed=1)
    weights = bot.learnt.weights
    assert {".".join(part.split(".")[:2]) for part in weights if part.startswith("heads")} == HEADS[ei]
    heard = 8 + (69 if ei == "input" else 0) + (32 if name == "vhcr" else 0)
    assert weights["follower.gru.weight_ih"].shape[1] == heard
    if "heads.vector" in HEADS[ei]:
        assert weights["heads.vector.0.weight"].shape == (3, 7)
        assert weights["heads.vector.2.weight"].shape == (5, 3)
    if "heads.emotion" in HEADS[ei]:
        assert weights["heads.emotion.2.weight"].shape == (64, 4)
    assert len(bot.fixed()) == (2 if ei else 0)
    bot.save(tmp_path)
    loaded = create("bot", str(tmp_path))
    assert loaded.reply(ASKED, n=2) == bot.reply(ASKED, n=2)
    sums, _ = bot.logprob([["do you like tea ?"]], ["yes ."])
    assert sums[0] < 0, "likelihoods are told without asking what the heads should say"
    assert loaded.logprob([["do you like tea ?"]], ["yes ."])[0] == pytest.approx(sums, rel=1e-6)


def test_ei_targets_are_made_once_per_text(monkeypatch, tmp_path):
    monkeypatch.setenv("DIALOMETER_CACHE", str(tmp_path))
    asked = []

    class Counted(Letters):
        recipe = "counted-1"

        def encode(self, texts):
            asked.extend(texts)
            return super().encode(texts)

    monkeypatch.setattr(ei_module, "create", lambda kind, spec: Counted())
    texts = ["tea", "a cake", "tea"]
    found = ei_module.ei_targets(texts, "x", "y")
    assert found.shape == (3, 69)
    assert found[:, :64].sum(1) == pytest.approx(1)
    assert found[:, 64:].tolist() == [[1, 1, 0, 0, 0], [2, 1, 0, 0, 0], [1, 1, 0, 0, 0]]
    assert asked == ["tea", "a cake"]
    told = []
    again = ei_module.ei_targets([*texts, "so"], "x", "y", lambda *what: told.append(what))
    assert (again[:3] == found).all()
    assert asked == ["tea", "a cake", "so"]
    assert told == [("emotions and sentence vectors", 0, 1), ("emotions and sentence vectors", 1, 1)]


@cache
def talks(path):
    return [[turn["text"] for turn in dialogue["turns"]][:3] for dialogue in real.lines(path)[:700]]


def test_heads_beat_the_mean_on_conversations_they_never_saw(shared_data):
    """Both distances per utterance, against one and the same guess: the mean of the training conversations."""
    said = talks(shared_data("corpora/dailydialog.jsonl.gz"))
    options = "hidden=48,context=48,embedding=32,units=words,vocabulary=400,rate=0.01,dropout=0,longest=15,epochs=4"
    parts = "ei=both,emotion=prompted(encoder=average),encoder=average,vector_weight=10000,emotion_weight=10"
    bot = create("bot", f"hred({parts},{options})").fit(said[:600])
    data, seen = bot.felt(said[600:]), bot.felt(said[:600]).facts
    with torch.inference_mode():
        told = bot.net()(Batch(data, np.arange(len(data))))
    count, mean = len(data.facts), seen.mean(0)
    squares = ((data.facts[:, 64:] - mean[64:]) ** 2).mean(1)
    assert told.vector.item() / count < 0.95 * squares.mean()
    surprise = -(data.facts[:, :64] * np.log(mean[:64])).sum(1)
    least = -(data.facts[:, :64] * np.log(np.maximum(data.facts[:, :64], 1e-9))).sum(1)
    assert least.mean() < told.emotion.item() / count < surprise.mean() - 0.02
