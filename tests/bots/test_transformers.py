"""Hugging Face folders as bots: against Hugging Face's own generation and loss, in any company, cut, and damaged."""

import json
import pickle
import shutil
import socket

import numpy as np
import pytest
import torch

from dialometer.bots._transformers.prompts import prompt_ids
from dialometer.bots._transformers.sampling import Choice, Draw, probabilities
from dialometer.bots.transformers import Transformers
from dialometer.core.errors import MissingResource, PartlyFailed, SpecError, UsageError
from dialometer.core.protocols import Bot, Likelihood
from dialometer.core.registry import create, spec_of
from dialometer.core.types import Turn
from dialometer.nets.threads import one_thread
from tests.bots.tiny_models import MAKERS, TEMPLATE, gpt2

transformers = pytest.importorskip("transformers")
TALKS = [["hi"], ["hi", "how are you?"], [], ["tea? 👍", "no", "why not, it is very good tea"], ["a", "b", "c", "d"]]
REPLIES = ["yes", "", "naïve 👍", "a long answer to a short question", "x"]


def talk(*texts):
    return tuple(Turn("ab"[i % 2], text) for i, text in enumerate(texts))


@pytest.fixture(autouse=True)
def alone():
    """Small work is slower on several threads."""
    with one_thread():
        yield


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Models by name."""
    return {name: make(tmp_path_factory.mktemp(name)) for name, make in MAKERS.items()}


@pytest.fixture
def copied(folders, tmp_path):
    """A GPT-2 folder to spoil."""
    return shutil.copytree(folders["gpt2"], tmp_path / "model")


@pytest.mark.oracle
@pytest.mark.parametrize("name", MAKERS)
def test_greedy_replies_are_those_of_generate_alone(folders, name):
    bot = Transformers(str(folders[name]), temperature=0.0, max_tokens=12)
    model = bot._model()
    for said, texts in zip(bot.reply([talk(*texts) for texts in TALKS]), TALKS, strict=True):
        ids = torch.tensor([prompt_ids(model, talk(*texts), "", 0)])
        wanted = model.net.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=12, do_sample=False)[0]
        wanted = wanted if model.encoder else wanted[ids.shape[1] :]
        assert said == [model.tokens.decode(wanted, skip_special_tokens=True).strip()]


@pytest.mark.parametrize("name", MAKERS)
def test_replies_do_not_depend_on_company(folders, name):
    contexts, seeds = [talk(*texts) for texts in TALKS] * 2, list(range(10))
    bot = Transformers(str(folders[name]), max_tokens=8, temperature=1.3, top_p=1.0, dtype="float64", batch=64)
    whole = bot.reply(contexts, n=2, seed=seeds)
    alone = Transformers(str(folders[name]), max_tokens=8, temperature=1.3, top_p=1.0, dtype="float64", batch=1)
    assert alone.reply(contexts, n=2, seed=seeds) == whole
    assert bot.reply(contexts[::-1], n=2, seed=seeds[::-1]) == whole[::-1]
    assert bot.reply(contexts[7:8], n=2, seed=[7]) == whole[7:8]
    assert bot.reply(contexts, n=2, seed=seeds) == whole
    assert all(len(replies) == 2 for replies in whole)
    assert len({reply for replies in whole for reply in replies}) > 10


def test_one_seed_serves_all_and_repeats_itself(folders):
    bot = Transformers(str(folders["gpt2"]), max_tokens=8)
    first = bot.reply([talk("hi"), talk("hi")], seed=1)
    assert bot.reply([talk("hi"), talk("hi")], seed=1) == first
    assert first[0] != first[1]
    assert bot.reply([talk("hi"), talk("hi")], seed=2) != first
    assert bot.reply([]) == []


def test_greedy_says_the_same_n_times(folders):
    (said,) = Transformers(str(folders["gpt2"]), temperature=0.0, max_tokens=5).reply([talk("hi")], n=3)
    assert len(said) == 3
    assert len(set(said)) == 1


def test_drawn_frequencies_match_probabilities():
    scores = torch.tensor([[0.0, 1.0, -2.0, 2.0, 0.5]])
    chances = probabilities(scores, Choice(1.0, 0, 1.0))[0].numpy()
    n = 20_000
    drawn = Draw(Choice(1.0, 0, 1.0), range(n))(None, scores.repeat(n, 1)).argmax(1).numpy()
    seen = np.bincount(drawn, minlength=5) / n
    assert np.abs(seen - chances).max() < 4 * 0.5 / np.sqrt(n)


@pytest.mark.oracle
@pytest.mark.parametrize(("top_k", "top_p", "temperature"), [(0, 0.8, 1.0), (3, 1.0, 0.7), (7, 0.5, 1.5), (500, 0.01, 1.0)])
def test_what_may_be_drawn_is_what_hugging_face_may_draw(top_k, top_p, temperature):
    scores = torch.randn(50, 40, generator=torch.Generator().manual_seed(0)) * 2
    wanted = scores / temperature
    if top_k:
        wanted = transformers.TopKLogitsWarper(top_k)(None, wanted)
    if top_p < 1:
        wanted = transformers.TopPLogitsWarper(top_p)(None, wanted)
    made = probabilities(scores, Choice(temperature, top_k, top_p))
    made = made / made.sum(1, keepdim=True)
    torch.testing.assert_close(made.float(), wanted.softmax(1), atol=1e-6, rtol=1e-5)


@pytest.mark.oracle
@pytest.mark.parametrize("name", MAKERS)
def test_likelihoods_are_those_of_the_model_s_own_loss(folders, name):
    bot = Transformers(str(folders[name]))
    model = bot._model()
    totals, events = bot.logprob(TALKS, REPLIES)
    for texts, reply, total, count in zip(TALKS, REPLIES, totals.tolist(), events.tolist(), strict=True):
        prompt = prompt_ids(model, tuple(Turn("", text) for text in texts), "", 0)
        said = model.tokens(reply, add_special_tokens=False)["input_ids"] + [2]
        if model.encoder:
            labels = [-100] * (name == "bart") + said
            inputs = [model.net.config.decoder_start_token_id, *([1] if name == "bart" else []), *said[:-1]]
            out = model.net(torch.tensor([prompt]), decoder_input_ids=torch.tensor([inputs]), labels=torch.tensor([labels]))
        else:
            out = model.net(torch.tensor([prompt + said]), labels=torch.tensor([[-100] * len(prompt) + said]))
        assert count == len(said)
        assert total == pytest.approx(-out.loss.item() * count, abs=1e-3)


@pytest.mark.parametrize("name", MAKERS)
def test_padding_changes_no_likelihood(folders, name):
    whole, events = Transformers(str(folders[name]), batch=64).logprob(TALKS, REPLIES)
    alone, again = Transformers(str(folders[name]), batch=1).logprob(TALKS, REPLIES)
    np.testing.assert_allclose(whole, alone, atol=1e-5, rtol=1e-6)
    np.testing.assert_array_equal(events, again)


def test_long_contexts_lose_their_oldest_turns(folders):
    bot = Transformers(str(folders["gpt2"]), temperature=0.0, max_tokens=16)
    recent = ("twenty bytes of text", "again twenty, or so.")
    long = tuple(f"older turn number {i}" for i in range(30))
    assert bot.reply([talk(*long, *recent)]) == bot.reply([talk(long[-1], *recent)]) != bot.reply([talk(*recent)])
    assert bot.reply([talk("y" * 1000)])[0][0] is not None
    greedy = Transformers(str(folders["gpt2"]), temperature=0.0, max_tokens=4000)
    assert greedy.reply([talk("z" * 1000)])[0][0]
    assert Transformers(str(folders["gpt2"]), temperature=0.0, max_tokens=16, window=1).reply([talk(*recent)]) == bot.reply(
        [talk(recent[1])]
    )
    totals, events = bot.logprob([["x" * 500], ["hi"]], ["fits", "q" * 200])
    assert np.isfinite(totals[0])
    assert np.isnan(totals[1])
    assert events.tolist() == [5, 0]


def test_a_chat_template_is_used(tmp_path):
    bot = Transformers(str(gpt2(tmp_path, template=TEMPLATE)), system="Be kind.", max_tokens=4)
    model = bot._model()
    ids = prompt_ids(model, talk("hi", "ho", "tea?"), bot.system, 0)
    assert (
        model.tokens.decode(ids) == "<|system|>Be kind.</s><|user|>hi</s><|assistant|>ho</s><|user|>tea?</s><|assistant|>"
    )
    assert len(bot.reply([talk("hi"), ()], n=2)) == 2


def test_a_template_that_refuses_costs_its_context(tmp_path):
    picky = "{% if messages[0]['role'] == 'assistant' %}{{ raise_exception('users begin') }}{% endif %}" + TEMPLATE
    bot = Transformers(str(gpt2(tmp_path, template=picky)), max_tokens=4)
    with pytest.raises(PartlyFailed, match="users begin") as caught:
        bot.reply([talk("hi"), talk("hi", "ho"), talk("hi", "ho", "hm")])
    assert list(caught.value.reasons) == [1]
    assert len([replies for replies in caught.value.replies if replies]) == 2


def test_a_system_prompt_needs_a_template(folders):
    with pytest.raises(SpecError, match="no chat template"):
        Transformers(str(folders["gpt2"]), system="Be kind.").reply([talk("hi")])


def test_the_recipe_is_of_the_content(folders, copied):
    one, two = Transformers(str(folders["gpt2"])), Transformers(str(copied))
    assert one.recipe == two.recipe
    assert str(copied) not in two.recipe
    assert Transformers(str(copied), system="x").recipe != two.recipe
    (copied / "chat_template.jinja").write_text(TEMPLATE)
    assert two.recipe != one.recipe


def test_it_is_a_bot_and_a_likelihood(folders):
    bot = create("bot", f"transformers(path={folders['gpt2']},temperature=0,max_tokens=3)")
    assert isinstance(bot, Bot)
    assert isinstance(bot, Likelihood)
    assert create("bot", spec_of(bot, "transformers")) == bot == pickle.loads(pickle.dumps(bot))


def test_nothing_is_fetched(copied, monkeypatch):
    def refuse(*_):
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert Transformers(str(copied), max_tokens=2).reply([talk("hi")])
    with pytest.raises(MissingResource, match="no folder"):
        Transformers("openai-community-gpt2").reply([talk("hi")])


class Evil:
    """Leaves a mark when it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return open, (str(self.mark), "w")


def test_pickles_are_not_opened_and_code_is_not_run(copied, tmp_path):
    mark = tmp_path / "mark"
    (copied / "model.safetensors").unlink()
    (copied / "pytorch_model.bin").write_bytes(pickle.dumps(Evil(mark)))
    with pytest.raises(MissingResource, match="cannot be opened"):
        Transformers(str(copied)).reply([talk("hi")])
    config = json.loads((copied / "config.json").read_text())
    own = {"model_type": "own", "auto_map": {"AutoConfig": "own.Own", "AutoModelForCausalLM": "own.Own"}}
    (copied / "config.json").write_text(json.dumps({**config, **own}))
    (copied / "own.py").write_text(f"open({str(mark)!r}, 'w')\nclass Own: ...\n")
    with pytest.raises(MissingResource, match="cannot be opened"):
        Transformers(str(copied)).reply([talk("hi")])
    assert not mark.exists()


def _lacking(folder):
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    del weights["transformer.h.1.mlp.c_fc.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def _too_many_words(folder):
    tokens = json.loads((folder / "tokenizer.json").read_text())
    tokens["model"]["vocab"] |= {f"word{i}": 1000 + i for i in range(9)}
    (folder / "tokenizer.json").write_text(json.dumps(tokens))


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda folder: (folder / "model.safetensors").write_bytes(b"nonsense"), "cannot be opened"),
        (lambda folder: (folder / "config.json").write_text("{"), "cannot be opened"),
        (lambda folder: (folder / "config.json").unlink(), "cannot be opened"),
        (_lacking, "is missing or has another shape"),
        (_too_many_words, "do not belong together"),
    ],
    ids=["weights", "config", "no-config", "lacking", "words"],
)
def test_damaged_folders_are_named(copied, spoil, reason):
    spoil(copied)
    with pytest.raises(MissingResource, match=reason) as caught:
        Transformers(str(copied)).reply([talk("hi")])
    assert str(copied) in str(caught.value)
    assert "safetensors" in caught.value.hint


@pytest.mark.parametrize(
    "options",
    [
        {"temperature": -1.0},
        {"top_p": 0.0},
        {"top_p": 1.5},
        {"top_k": -1},
        {"max_tokens": 0},
        {"batch": 0},
        {"dtype": "int4"},
    ],
    ids=str,
)
def test_wrong_options_are_refused(options):
    with pytest.raises(UsageError):
        Transformers("folder", **options)


def test_a_missing_path_is_asked_for():
    with pytest.raises(SpecError, match="which model"):
        Transformers().reply([talk("hi")])
