"""Random replies: every utterance as often as it was said, whatever the context."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from dialometer.bots.random import Random
from dialometer.core.artifacts import save_artifact
from dialometer.core.errors import DataError, MissingResource, NeedsError, SpecError
from dialometer.core.registry import create
from dialometer.core.types import Turn

TALKS = [["Tea ?", "Yes .", "Milk ?"], ["Yes .", " ", "Why ?"]]


def contexts(n):
    return [(Turn("a", f"question {i}"),) for i in range(n)]


def test_frequencies_are_those_of_the_text():
    """χ² against the counts, at a fixed seed."""
    drawn = Counter(replies[0] for replies in Random().fit(TALKS).reply(contexts(3000)))
    wanted = {"Tea ?": 600, "Yes .": 1200, "Milk ?": 600, "Why ?": 600}
    assert set(drawn) == set(wanted)
    assert chisquare([drawn[text] for text in wanted], list(wanted.values())).pvalue > 0.01


def test_contexts_draw_by_themselves_and_seeds_differ():
    bot = Random().fit([[f"utterance {i}" for i in range(1000)]])
    one, other = bot.reply(contexts(50), n=3, seed=1), bot.reply(contexts(50), n=3, seed=2)
    assert sum(a == b for a, b in zip(one, other, strict=True)) <= 1
    assert len({tuple(replies) for replies in one}) == 50
    assert [replies[0] for replies in one] == [replies[0] for replies in bot.reply(contexts(50), seed=1)]


def test_a_file_is_as_good_as_fitting(tmp_path):
    (tmp_path / "pool.txt").write_text("Tea ?\nYes .\nMilk ?\n\nYes .\n  \nWhy ?\n")
    bot = create("bot", f"random(text={tmp_path / 'pool.txt'})")
    fitted = Random().fit(TALKS)
    assert bot.fitted
    assert bot.recipe == fitted.recipe
    assert bot.reply(contexts(9)) == fitted.reply(contexts(9))
    bot.save(tmp_path / "model")
    assert create("bot", str(tmp_path)).reply(contexts(9)) == fitted.reply(contexts(9))
    with pytest.raises(SpecError, match="names its own source"):
        bot.fit(TALKS)


def test_refusals(tmp_path):
    (tmp_path / "empty.txt").write_text("\n \n")
    with pytest.raises(DataError, match="holds no utterance"):
        Random(str(tmp_path / "empty.txt")).reply([()])
    with pytest.raises(DataError, match="no such file"):
        Random(str(tmp_path / "none.txt")).reply([()])
    with pytest.raises(NeedsError, match="without words"):
        Random().fit([["", " "], []])
    with pytest.raises(NeedsError) as error:
        Random().reply([()])
    assert "dialometer train random FILE…" in error.value.hint


@pytest.mark.parametrize("starts", [[0], [0, 5], [1, 3], [0, 3, 2, 3]])
def test_texts_that_do_not_fit_together_are_refused(tmp_path, starts):
    arrays = {"texts": np.frombuffer(b"abc", np.uint8), "starts": np.array(starts, np.int64)}
    save_artifact(tmp_path, "bot", Random(), arrays)
    with pytest.raises(MissingResource, match="do not fit together"):
        create("bot", str(tmp_path))


def test_bytes_that_are_no_text_are_refused(tmp_path):
    save_artifact(tmp_path, "bot", Random(), {"texts": np.array([255], np.uint8), "starts": np.array([0, 1])})
    with pytest.raises(MissingResource, match="damaged"):
        create("bot", str(tmp_path))
