"""Bots with a talking network: trainings of seconds, what is kept of them, what they refuse."""

import json
import logging
import sys
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dialometer.bots._generative import ei_targets as ei_targets  # noqa: E402
from dialometer.core.artifacts import ARRAYS  # noqa: E402
from dialometer.core.errors import MissingResource, NeedsError, RunError, SpecError, UnknownName  # noqa: E402
from dialometer.core.protocols import Bot, Fits, Likelihood  # noqa: E402
from dialometer.core.registry import CARD, create  # noqa: E402
from dialometer.core.types import Example, Turn  # noqa: E402
from dialometer.nets.dialogue.likelihood import likelihoods  # noqa: E402
from dialometer.nets.dialogue.subwords import words_of  # noqa: E402
from dialometer.nets.training import loop as training  # noqa: E402
from dialometer.text.corpus import Corpus  # noqa: E402
from dialometer.text.training_overlap import seen_texts  # noqa: E402
from tests.bots.letters import Letters  # noqa: E402
from tests.encoders.talks import SMALL_TALK  # noqa: E402

WIDTHS = "hidden=8,embedding=6,vocabulary=60,epochs=2,batch=16,rate=0.02,limit=8"
MORE = {
    "hred": ",context=8",
    "lstmlm": "",
    "mrrnn": ",context=8,content=20",
    "seq2seq": "",
    "vhcr": ",context=8,latent=3,anneal=5,samples=2",
    "vhred": ",context=8,latent=3,anneal=5,samples=2",
}
SPECS = {name: f"{name}({WIDTHS}{more})" for name, more in MORE.items()}
every = pytest.mark.parametrize("name", SPECS)
CONTEXTS = [
    tuple(Turn("ab"[i % 2], text) for i, text in enumerate(talk[:size])) for talk in SMALL_TALK[::13] for size in (1, 3)
]


def fit(spec, talks=SMALL_TALK, **more):
    return create("bot", spec).fit(talks, **({"seed": 3} | more))


@pytest.fixture(scope="module")
def bots():
    """Each of them, trained once."""
    return {name: fit(spec) for name, spec in SPECS.items()}


@pytest.fixture
def often(monkeypatch):
    """A checkpoint after every step."""
    monkeypatch.setitem(training.train.__kwdefaults__, "save_seconds", 0.0)


@every
def test_training_lowers_the_loss_and_says_what_it_did(bots, name):
    bot = bots[name]
    facts = bot.facts
    assert isinstance(bot, Bot)
    assert isinstance(bot, Fits)
    assert isinstance(bot, Likelihood)
    assert facts["losses"][-1] < facts["losses"][0]
    assert (facts["talks"], facts["utterances"]) == (60, 240)
    assert facts["parameters"] == sum(weight.size for weight in bot.learnt.weights.values())
    assert np.isfinite(facts["perplexity"])
    assert (facts["kl"] > 0) == name.startswith("vh")


@every
def test_saved_and_loaded(bots, name, tmp_path):
    bot = bots[name]
    bot.save(tmp_path)
    loaded = create("bot", str(tmp_path))
    assert loaded == bot
    assert loaded.recipe == bot.recipe
    assert (loaded.seen() == seen_texts(text for talk in SMALL_TALK for text in talk)).all()
    assert loaded.facts["steps"] == bot.facts["steps"]
    for way in ("greedy", "beam", "sample"):
        one, two = (replace(each, decode=way).reply(CONTEXTS, n=2, seed=1) for each in (bot, loaded))
        assert one == two
    given = [["do you like tea ?"]] * 2, ["yes , tea is nice .", "no ."]
    assert all(
        one == pytest.approx(two, rel=1e-6) for one, two in zip(bot.logprob(*given), loaded.logprob(*given), strict=True)
    )


@every
def test_a_training_that_was_stopped_ends_with_the_same_bits(bots, name, tmp_path, often):
    """Stopped in the first epoch, and again in the second: what was saved is not made again."""

    def stop_at(number):
        def stop(_, step, total):
            if step == number:
                raise KeyboardInterrupt

        return stop

    total = bots[name].facts["steps"]
    for number in (2, total - 1):
        with pytest.raises(KeyboardInterrupt):
            fit(SPECS[name], work=tmp_path, progress=stop_at(number))
    told = []
    again = fit(SPECS[name], work=tmp_path, progress=lambda stage, step, total: told.append(step))
    assert told == [total - 1, total]
    for part, weight in again.learnt.weights.items():
        assert weight.tobytes() == bots[name].learnt.weights[part].tobytes(), part
    assert again.recipe == bots[name].recipe
    told.clear()
    assert fit(SPECS[name], work=tmp_path, progress=lambda *what: told.append(what)).recipe == again.recipe
    assert told == [], "what is finished is taken as it is"


def test_other_seeds_and_other_options_make_other_bots(bots, tmp_path):
    assert fit(SPECS["hred"], seed=4).recipe != bots["hred"].recipe
    fit(SPECS["hred"], work=tmp_path)
    for spec in (SPECS["hred"].replace("rate=0.02", "rate=0.03"), SPECS["lstmlm"], SPECS["vhred"]):
        with pytest.raises(RunError, match="another training") as refused:
            fit(spec, work=tmp_path)
        assert refused.value.hint


@pytest.mark.parametrize(
    "damage", [lambda content: content[: len(content) // 2], lambda content: b"", lambda content: content[:-9] + b"x" * 9]
)
def test_a_damaged_checkpoint_costs_time_and_nothing_else(bots, tmp_path, caplog, damage):
    fit(SPECS["seq2seq"], work=tmp_path)
    file = tmp_path / training.FILE
    file.write_bytes(damage(file.read_bytes()))
    with caplog.at_level(logging.WARNING):
        again = fit(SPECS["seq2seq"], work=tmp_path)
    assert again.recipe == bots["seq2seq"].recipe
    assert "is damaged" in caplog.text
    assert "training starts anew" in caplog.text


def changed(bot, folder, **sizes):
    bot.save(folder)
    card = json.loads((folder / CARD).read_text())
    del card["seal"]  # as cards without checksums are
    (folder / CARD).write_text(json.dumps({**card, "sizes": card["sizes"] | sizes}))


def test_a_vocabulary_that_does_not_fit_the_weights_is_refused(bots, tmp_path):
    size = len(bots["hred"].learnt.vocabulary)
    changed(bots["hred"], tmp_path / "symbols", symbols=size + 1)
    with pytest.raises(MissingResource, match=f"has {size} symbols and weights for {size + 1}") as refused:
        create("bot", str(tmp_path / "symbols"))
    assert refused.value.hint.startswith("dialometer train hred")
    changed(bots["hred"], tmp_path / "widths", hidden=9)
    with pytest.raises(MissingResource, match="its sizes are not those of its options"):
        create("bot", str(tmp_path / "widths"))
    changed(bots["mrrnn"], tmp_path / "coarse", coarse=bots["mrrnn"].learnt.sizes.coarse - 1)
    with pytest.raises(MissingResource, match="symbols and weights for"):
        create("bot", str(tmp_path / "coarse"))


def test_a_folder_of_another_bot_or_version_is_refused(bots, tmp_path):
    bots["hred"].save(tmp_path)
    with pytest.raises(MissingResource, match="was not written by vhred"):
        type(bots["vhred"]).load(tmp_path)
    card = json.loads((tmp_path / CARD).read_text())
    del card["seal"]
    (tmp_path / CARD).write_text(json.dumps({**card, "version": 99}))
    with pytest.raises(MissingResource, match="was not written by hred of version 1"):
        create("bot", str(tmp_path))
    (tmp_path / CARD).write_text(json.dumps({key: value for key, value in card.items() if key != "sizes"}))
    with pytest.raises(MissingResource, match="is damaged"):
        create("bot", str(tmp_path))
    (tmp_path / ARRAYS).write_bytes(b"no tensors")
    with pytest.raises(MissingResource, match="cannot be read"):
        create("bot", str(tmp_path))


@pytest.mark.parametrize(
    ("talks", "says"),
    [
        ([], "no conversation here has two turns"),
        ([[], []], "no conversation here has two turns"),
        ([["tea ?"], ["yes ."]], "no conversation here has two turns"),
        ([["", " "], ["\n", "\t"]], "a text without words"),
    ],
)
@every
def test_texts_that_teach_nothing_are_refused(name, talks, says):
    for units in ("bpe", "words"):
        with pytest.raises(NeedsError, match=says) as refused:
            replace(create("bot", SPECS[name]), units=units).fit(talks)
        assert "conversations" in refused.value.hint


@every
def test_conversations_of_one_turn_among_others(name):
    bot = fit(SPECS[name], [["tea ?", "yes ."], ["alone"], ["", "so ?"], []])
    assert bot.facts["talks"] == 3
    assert len(bot.reply([(Turn("a", "tea ?"),), ()], n=2)) == 2
    assert np.isfinite(bot.facts["perplexity"])


@every
def test_words_and_characters_nobody_knows(bots, name):
    bot = bots[name]
    odd = ["我爱 zzq 👍🏽", "\x00 \ud800", ""]
    assert all(reply for (reply,) in bot.reply([(Turn("a", text),) for text in odd]))
    sums, counts = bot.logprob([odd], ["我爱 zzq"])
    assert np.isfinite(sums).all()
    assert counts.tolist() == [4]


@every
def test_how_it_speaks_can_be_changed_later(bots, name, tmp_path):
    bots[name].save(tmp_path)
    loud = create("bot", f"{tmp_path}(decode=sample,top_k=3,temperature=2,limit=4)")
    assert (loud.decode, loud.top_k, loud.temperature, loud.limit) == ("sample", 3, 2.0, 4)
    assert loud.reply(CONTEXTS, seed=1) == loud.reply(CONTEXTS, seed=1) != loud.reply(CONTEXTS, seed=2)
    assert create("bot", f"{tmp_path}(decode=beam,beam=2)").recipe != bots[name].recipe
    with pytest.raises(SpecError, match="was fitted with hidden="):
        create("bot", f"{tmp_path}(hidden=4)")
    with pytest.raises(UnknownName):
        create("bot", f"{tmp_path}(decode=shout)")


@every
def test_likelihoods_of_responses(bots, name):
    """Σ ln p of a response is that of the last utterance of its conversation, whatever stands beside it."""
    bot = bots[name]
    contexts = [talk[:2] for talk in SMALL_TALK[::9]]
    responses = [talk[2] for talk in SMALL_TALK[::9]]
    sums, counts = bot.logprob(contexts, responses)
    assert counts.tolist() == [length + 1 for length in words_of(responses).lengths().tolist()]
    assert (sums < 0).all()
    alone = [bot.logprob([context], [response])[0][0] for context, response in zip(contexts, responses, strict=True)]
    assert sums == pytest.approx(alone, rel=1e-5)
    back, _ = bot.logprob(contexts[::-1], responses[::-1])
    assert back[::-1] == pytest.approx(sums, rel=1e-5)
    wrong, _ = bot.logprob(contexts, ["awful snow do ? dogs great"] * len(contexts))
    assert (wrong < sums).all()
    if name != "vhcr":
        found = likelihoods(bot.net(), bot.data([[*c, r] for c, r in zip(contexts, responses, strict=True)]), samples=2)
        assert -found.estimate[2::3] == pytest.approx(sums, rel=1e-6)
    assert bot.logprob([], [])[0].shape == (0,)
    empty, events = bot.logprob([[]], ["tea ?"])
    assert empty[0] < 0
    assert events.tolist() == [3]
    long, events = bot.logprob([["tea ?"]] * 2, [" ".join(["tea"] * 50), " ".join(["tea"] * 100)])
    assert events.tolist() == [51, 101], "a long response is weighed whole"
    assert long[1] < long[0]


@pytest.mark.parametrize("name", ["lstmlm", "vhred"])
def test_a_trained_bot_is_a_fluency(bots, name, tmp_path):
    """The FM of AM-FM by the folder of a bot: p of response and reference in their context."""
    bots[name].save(tmp_path / "bot")
    metric = create("metric", f"amfm(am=average,fm={tmp_path / 'bot'},weight=0)")
    responses, references = ["yes , tea is nice .", "dogs tea"], [["yes , tea is nice ."], ["yes , tea is great ."]]
    asked = (Turn("a", "do you like tea ?"),)
    corpus = Corpus.build(
        [
            Example(str(i), asked, said, tuple(wanted))
            for i, (said, wanted) in enumerate(zip(responses, references, strict=True))
        ]
    )
    fm = metric.finish(metric.measure(corpus), level="item")[:, 1]
    sums, counts = bots[name].logprob([["do you like tea ?"]] * 2, ["dogs tea", "yes , tea is great ."])
    p = np.exp(sums / counts)
    assert fm == pytest.approx([1, p.min() / p.max()], rel=1e-4)
    assert bots[name].recipe in str(metric.recipe_facts())
    metric.save(tmp_path / "metric")
    kept = create("metric", str(tmp_path / "metric"))
    assert kept.finish(kept.measure(corpus), level="item")[:, 1] == pytest.approx(fm)


@pytest.mark.parametrize("name", ["vhcr", "vhred"])
def test_several_replies_of_a_bot_with_latents_are_draws(bots, name):
    for way in ("greedy", "beam", "sample"):
        bot = replace(bots[name], decode=way, temperature=2.0)
        one, three = bot.reply(CONTEXTS, seed=5), bot.reply(CONTEXTS, n=3, seed=5)
        assert [replies[:1] for replies in three] == one, "the first is the one that stands alone"


@every
def test_any_whole_number_is_a_seed(bots, name):
    bot = replace(bots[name], decode="sample")
    one = bot.reply(CONTEXTS[:3], n=2, seed=[-1, 0, 2**70])
    assert bot.reply(CONTEXTS[:3], n=2, seed=[-1, 0, 2**70]) == one


def test_long_contexts_are_heard_from_their_end(bots, monkeypatch):
    bot, heard = bots["lstmlm"], []
    read = type(bot)._encoded
    monkeypatch.setattr(type(bot), "_encoded", lambda self, talks: heard.append(talks) or read(self, talks))
    texts = [f"tea {i}" for i in range(40)]
    bot.reply([tuple(Turn("ab"[i % 2], text) for i, text in enumerate(texts)), ()])
    bot.logprob([texts, []], ["yes .", "no ."])
    assert heard == [[texts[-20:]], [[]], [[*texts[-20:], "yes ."], ["no ."]]]


@every
def test_an_empty_context_is_opened_as_conversations_were(name):
    """Nothing was said, which is not the same as an utterance without words: openers are what training conversations began with."""
    sizes = "hidden=24,embedding=16,vocabulary=60,units=words,dropout=0,epochs=6,batch=4,rate=0.03,limit=8"
    bot = fit(f"{name}({sizes}{MORE[name]})")
    asked = [(), (Turn("a", ""),), CONTEXTS[1], ()]
    opened = replace(bot, decode="sample").reply(asked, n=2, seed=[1, 2, 3, 4])
    assert opened[0] == replace(bot, decode="sample").reply([()], n=2, seed=[1])[0]
    (said,) = bot.reply([()])
    assert said[0].lower().startswith("do you like"), "as every conversation it learnt from"
    sums, counts = bot.logprob([[], [], [""]], ["do you like tea ?", "thank you , goodbye !", "do you like tea ?"])
    assert counts.tolist() == [6, 6, 6]
    assert sums[0] > sums[1] + 3
    if name != "lstmlm":  # whose stream begins with an end anyway
        assert sums[0] > sums[2] + 3, "no conversation began with an utterance without words"
    longer, _ = bot.logprob([["do you like tea ?"], []], ["yes , tea is nice .", "do you like tea ?"])
    assert longer[1] == pytest.approx(sums[0], rel=1e-5), "openers and replies in one call"


@pytest.mark.parametrize("name", ["hred", "vhcr"])
def test_openers_of_a_bot_whose_context_hears_feelings(name, monkeypatch):
    monkeypatch.setattr(ei_targets, "create", lambda kind, spec: Letters())
    bot = fit(SPECS[name].replace(")", ",ei=input)"))
    assert all(text for texts in bot.reply([(), CONTEXTS[0]], n=2) for text in texts)
    assert np.isfinite(bot.logprob([[], ["tea ?"]], ["yes .", "no ."])[0]).all()


@pytest.mark.parametrize(
    "options",
    [
        "hidden=1", "embedding=0", "vocabulary=7", "units=letters", "dropout=1", "dropout=-0.1", "word_drop=1", "batch=0",
        "rate=0", "rate=inf", "epochs=-1", "longest=1", "decode=loud", "beam=0", "top_k=-1", "top_p=0", "top_p=1.1",
        "temperature=0", "temperature=nan", "limit=0", "rate=nan",
    ],
)  # fmt: skip
def test_options_that_make_no_sense(options):
    with pytest.raises((SpecError, UnknownName)) as refused:
        create("bot", f"lstmlm({options})")
    create("bot", refused.value.hint)


@pytest.mark.parametrize(
    "spec",
    [
        "seq2seq(turns=0)", "mrrnn(content=0)", "mrrnn(context=1)", "hred(context=1)", "hred(ei=all)", "hred(vector_head=0)",
        "hred(preset=nowhere)", "vhred(latent=0)", "vhred(samples=0)", "vhred(free=-1)", "vhred(anneal=-1)",
        "vhcr(utterance_drop=1)", "vhred(utterance_drop=0.2)",
    ],
)  # fmt: skip
def test_options_of_one_kind(spec):
    with pytest.raises((SpecError, UnknownName)) as refused:
        create("bot", spec)
    if not refused.value.hint.startswith("dialometer"):
        create("bot", refused.value.hint)


def test_epochs_of_none_leave_it_as_it_was_made():
    bot = fit(SPECS["hred"].replace("epochs=2", "epochs=0"))
    assert bot.facts["steps"] == 0
    assert bot.reply(CONTEXTS[:2])


def test_without_torch(bots, tmp_path, monkeypatch):
    bots["hred"].save(tmp_path)
    monkeypatch.setitem(sys.modules, "torch", None)
    for use in (lambda: fit(SPECS["hred"]), lambda: create("bot", str(tmp_path))):
        with pytest.raises(MissingResource, match=r'pip install "dialometer\['):
            use()
