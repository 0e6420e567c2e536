"""Table A.5 of Ghandeharioun et al. 2019: every row is read as it is printed, makes a bot, learns a step and is kept."""

import shutil
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch")

from dialometer.bots._generative import ei_targets as ei_targets  # noqa: E402
from dialometer.bots._generative.presets import NAMES, preset  # noqa: E402
from dialometer.core.errors import UnknownName  # noqa: E402
from dialometer.core.registry import create, spec_of  # noqa: E402
from dialometer.core.types import Turn  # noqa: E402
from dialometer.nets.training.checkpoints import read_checkpoint  # noqa: E402
from dialometer.nets.training.loop import FILE  # noqa: E402
from tests.bots.letters import Letters  # noqa: E402

# As printed: data set and version, model, batch, dropout, decoder and encoder hidden size, context, embedding, word and sentence
# drop, beam, emotion weight and layer, sentence-vector weight and layer.
TABLE = """
cornell     hred   80 .2  400  400 1000 300 .0  .0  5 -   -   -    -
cornell     vhred  80 .0 1000 1000 1000 400 .25 .0  5 -   -   -    -
cornell     vhcr   80 .0 1000 1000 1000 500 .25 .25 5 -   -   -    -
cornell-ei  hred   64 .2 1000 1000 1000 500 .0  .0  1 25 128 100K 4000
cornell-ei  vhred  80 .2 1250 1250 1000 600 .0  .0  1 25 128  30K  128
cornell-ei  vhcr   32 .2 1000 1000 1250 600 .0  .0  1 25 128  25K 4000
reddit      hred   64 .2 1000 1000 1000 500 .0  .0  1 -   -   -    -
reddit      vhred  32 .2 1250 1250 1000 600 .0  .0  1 -   -   -    -
reddit      vhcr   32 .2 1000 1000 1250 600 .0  .25 1 -   -   -    -
reddit-ei   hred   64 .2 1000 1000 1000 500 .0  .0  1 25 128  25K 2000
reddit-ei   vhred  32 .2 1250 1250 1250 600 .0  .0  1 25 128 100K 4000
reddit-ei   vhcr   32 .2 1000 1000 1250 600 .0  .0  1 25 128 100K 4000
"""
ROWS = [line.split() for line in TABLE.strip().splitlines()]
every_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(row[:2]))
TALKS = [["tea ?", "yes ."], ["no ?", "so ."]]


def number(text):
    return float(text.replace("K", "000"))


def test_twelve_rows():
    assert len(ROWS) == 12
    assert sorted({row[0] for row in ROWS}) == sorted(NAMES)


@every_row
def test_a_row_is_what_is_printed(row):
    name, bot, batch, dropout, decoder, encoder, context, embedding, word, sentence, beam, *heads = row
    made = create("bot", f"{bot}(preset={name})")
    assert decoder == encoder == str(made.hidden)
    found = (made.batch, made.dropout, made.context, made.embedding, made.word_drop, made.beam)
    assert found == tuple(map(number, (batch, dropout, context, embedding, word, beam)))
    assert getattr(made, "utterance_drop", 0.0) == number(sentence)
    assert made.rate == 0.0001
    assert made.decode == ("beam" if made.beam > 1 else "greedy")
    assert made.ei == ("" if heads[0] == "-" else "both")
    if made.ei:
        found = (made.emotion_weight, made.emotion_head, made.vector_weight, made.vector_head)
        assert found == tuple(map(number, heads))


@pytest.fixture
def room(tmp_path):
    """A folder that is emptied at once: a checkpoint has some hundred megabytes."""
    yield tmp_path
    shutil.rmtree(tmp_path)


@every_row
def test_a_row_learns_a_step_and_is_kept(row, room, monkeypatch):
    """In full width, with the few symbols of two short conversations."""
    name, bot = row[:2]
    monkeypatch.setattr(ei_targets, "create", lambda kind, spec: Letters())
    few = "" if bot == "hred" else ",samples=1"
    work = room if name == "cornell-ei" else None  # once for each network: with its optimiser it is four times as large
    made = create("bot", f"{bot}(preset={name},vocabulary=12,epochs=1,limit=2{few})").fit(TALKS, seed=1, work=work)
    assert made.facts["steps"] == 1
    assert made.learnt.sizes.hidden == int(row[4])
    assert any(part.startswith("heads.") for part in made.learnt.weights) == bool(made.ei)
    if work:
        tensors, facts = read_checkpoint(work / FILE)
        assert facts["done"]
        for part, weight in made.learnt.weights.items():
            assert (tensors[f"model.{part}"].numpy() == weight).all()
    made.save(room / "model")
    loaded = create("bot", str(room / "model"))
    assert loaded == made
    assert loaded.recipe == made.recipe
    assert len(loaded.reply([(Turn("a", "tea ?"),)])) == 1


def test_options_beside_a_preset():
    made = create("bot", "vhcr(preset=reddit,hidden=12,batch=4)")
    assert (made.hidden, made.batch, made.context) == (12, 4, 1250)
    assert create("bot", spec_of(made, "vhcr")) == made
    assert replace(made, latent=5).hidden == 12


def test_how_it_speaks_can_still_be_changed(tmp_path):
    """Greedy is the default: it must not be taken for an option that was left open."""
    spec = "hred(preset=cornell,hidden=4,context=4,embedding=3,vocabulary=12,epochs=0)"
    create("bot", spec).fit(TALKS).save(tmp_path)
    assert create("bot", str(tmp_path)).decode == "beam"
    greedy = create("bot", f"{tmp_path}(decode=greedy)")
    assert greedy.decode == "greedy"
    assert replace(greedy, beam=2).decode == "greedy"
    greedy.save(tmp_path / "copy")
    assert create("bot", str(tmp_path / "copy")).decode == "greedy"
    spec = spec.replace("cornell", "reddit")
    create("bot", spec).fit(TALKS).save(tmp_path / "reddit")
    assert create("bot", f"{tmp_path / 'reddit'}(decode=beam,beam=5)").beam == 5


def test_unknown_presets():
    with pytest.raises(UnknownName, match="did you mean cornell") as refused:
        create("bot", "hred(preset=cornel)")
    assert refused.value.hint == "hred(preset=cornell)"
    with pytest.raises(UnknownName):
        preset("cornell", "lstmlm")
