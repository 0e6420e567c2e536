"""Learning by reward with a bot of seconds: it learns what pays, keeps to its anchor, and goes on where it was."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dialometer.bots._policy.reinforce import Learner, learn_by_reward  # noqa: E402
from dialometer.contracts.train_policy import PolicyOptions  # noqa: E402
from dialometer.core.errors import RunError, UnknownName, UsageError  # noqa: E402
from dialometer.core.registry import create  # noqa: E402
from dialometer.core.types import Turn  # noqa: E402
from dialometer.nets.dialogue import reinforce as loop  # noqa: E402
from dialometer.nets.dialogue.reinforce import PolicyTrainingState  # noqa: E402
from dialometer.text.training_overlap import overlap  # noqa: E402
from tests.bots._policy.small import MORE, OPENERS, quiet, trained, wants  # noqa: E402

COURSE = PolicyOptions(episodes=48, batch=8, turns=3, rate=0.03, least=1)


@pytest.fixture(scope="module")
def bot():
    return trained()


@pytest.fixture
def often(monkeypatch):
    """A checkpoint after every step."""
    monkeypatch.setitem(loop.reinforce.__kwdefaults__, "save_seconds", 0.0)


def learn(bot, judge=None, course=COURSE, partner=None, **more):
    return learn_by_reward(Learner(bot, judge or wants("cake"), course, partner), OPENERS, quiet, **more)


def moved(one, other):
    return max(np.abs(one.learnt.weights[name] - other.learnt.weights[name]).max() for name in one.learnt.weights)


@pytest.mark.parametrize("course", [{}, {"baseline": "moving"}, {"credit": "rest"}, {"baseline": "none", "batch": 16}])
def test_a_word_that_pays_is_said_more_often(bot, course):
    context = [(Turn("a", "tea cake please"),)]
    course = replace(COURSE, episodes=160, **course)
    after, story = learn(bot, course=course)
    said = [sum("cake" in text for text in replace(one, decode="sample").reply(context, n=300)[0]) for one in (bot, after)]
    assert said[1] > said[0] + 60, "more than three standard errors of 300 draws"
    returns = [record["return"] for record in story.records]
    assert np.mean(returns[-4:]) > 1.5 * np.mean(returns[:4])
    assert len(story.records) == story.step == course.steps


@pytest.mark.parametrize("name", ["lstmlm", "mrrnn", "seq2seq", "vhcr", "vhred"])
def test_every_bot_with_a_network_can(name):
    before = trained(name)
    after, story = learn(before, course=replace(COURSE, episodes=160))
    returns = [record["return"] for record in story.records]
    assert np.mean(returns[-4:]) > np.mean(returns[:4])
    assert after.reply([(Turn("a", "tea"),)], n=2)


def test_all_bots_are_named_here():
    assert set(MORE) <= {"hred", "lstmlm", "mrrnn", "seq2seq", "vhcr", "vhred"}


def test_the_bot_that_learns_is_a_copy(bot):
    before, said = {k: v.copy() for k, v in bot.learnt.weights.items()}, bot.reply([(Turn("a", "tea ?"),)], n=3)
    after, _ = learn(bot)
    assert all((bot.learnt.weights[name] == before[name]).all() for name in before)
    assert bot.reply([(Turn("a", "tea ?"),)], n=3) == said
    assert moved(after, bot) > 0.01
    assert after.recipe != bot.recipe
    assert overlap([OPENERS[0][0]], after.seen()).all(), "openers count as seen"
    assert not overlap([OPENERS[0][0]], bot.seen()).any()


def test_saved_and_loaded(bot, tmp_path):
    after, _ = learn(bot)
    after.save(tmp_path)
    loaded = create("bot", str(tmp_path))
    assert loaded.recipe == after.recipe
    assert loaded.facts["reward"]["episodes"] == 48
    assert "perplexity" not in loaded.facts, "that of the training before holds no more"


def test_a_heavy_anchor_holds_everything(bot):
    free, _ = learn(bot)
    light, story = learn(bot, course=replace(COURSE, kl=3.0))
    heavy, _ = learn(bot, course=replace(COURSE, kl=1e12))
    assert moved(heavy, bot) < 1e-8 < 0.01 < moved(free, bot)
    assert story.records[-1]["kl"] < 0.5 * learn(bot)[1].records[-1]["kl"]
    assert moved(light, bot) > 0


def test_what_a_penalty_and_entropy_do(bot):
    """A judge that likes one reply makes it universal; a penalty takes the gain away. Entropy is kept up by its bonus."""
    course = replace(COURSE, episodes=200)
    plain, fined = (learn(bot, course=replace(course, penalty=fine))[1].records[-8:] for fine in (0.0, 3.0))
    degenerate = [np.mean([r["repeated"] + r["universal"] for r in records]) for records in (plain, fined)]
    assert degenerate[1] < 0.5 * degenerate[0]
    bonus = learn(bot, course=replace(course, entropy=2.0))[1].records[-8:]
    assert np.mean([r["entropy"] for r in bonus]) > 1.2 * np.mean([r["entropy"] for r in plain])


@pytest.mark.parametrize("name", ["hred", "vhred"])
def test_killed_and_started_again(tmp_path, often, name):
    bot = trained(name)
    course = replace(COURSE, baseline="moving", kl=0.1)
    straight, told = learn(bot, course=course)
    calls = []

    def dies(episodes):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return wants("cake")(episodes)

    with pytest.raises(KeyboardInterrupt):
        learn(bot, dies, course, work=tmp_path)
    again, story = learn(bot, course=course, work=tmp_path)
    assert moved(again, straight) == 0
    assert story.records == told.records
    with pytest.raises(RunError, match="another training"):
        learn(bot, course=replace(course, kl=0.2), work=tmp_path)


def test_against_a_fixed_partner(bot):
    partner = create("bot", "constant(text=cake)")
    heard = []

    def judge(episodes):
        heard.extend(episodes)
        return np.array([[float(one.said[1] == "cake"), 2.0] for one in episodes]), {}

    _, story = learn(bot, judge, partner=partner)
    assert story.records[0]["return"] == 3.0, "two own turns of three"
    assert all(one.said[1] == "cake" and one.every == 2 for one in heard)


def test_what_is_not_scored_earns_the_least(bot):
    def judge(episodes):
        scores = np.array([[4.0, 2.0, 3.0]] * len(episodes))
        scores[0, 0] = np.nan
        return scores, {}

    learner = Learner(bot, judge, COURSE)
    _, record = learner.look(bot, OPENERS[:4], seed=0)
    assert record["unscored"] == pytest.approx(1 / 12)
    assert record["return"] == pytest.approx((3 * 9 + 7) / 4)
    with pytest.raises(RunError, match="scored none"):
        Learner(bot, lambda episodes: (np.full((4, 3), np.nan), {}), COURSE).look(bot, OPENERS[:4], seed=0)


def test_a_look_tells_of_the_bot_it_was_given(bot):
    after, _ = learn(bot, course=replace(COURSE, episodes=160))
    learner = Learner(bot, wants("cake"), COURSE)
    _, before = learner.look(bot, OPENERS, seed=0)
    _, then = learner.look(after, OPENERS, seed=0)
    assert before["kl"] == pytest.approx(0, abs=1e-5)
    assert then["kl"] > 0.1
    assert then["return"] > before["return"]


def test_perplexity_of_what_is_said_by_hand(bot):
    """exp(−Σ log p / (words + ends)); all replies are of whole words here and none was cut off."""
    course = replace(COURSE, turns=1)
    episodes, record = Learner(bot, wants("cake"), course).look(bot, OPENERS, seed=0)
    kept = [one for one in episodes if len(one.said[0].split()) < 5]
    sums, counts = bot.logprob([one.opener for one in kept], [one.said[0] for one in kept])
    assert record["words"] == pytest.approx(np.mean([len(one.said[0].split()) for one in episodes]))
    assert record["perplexity"] == pytest.approx(np.exp(-sums.sum() / counts.sum()), rel=0.2)


def test_baselines_leave_out_the_episode_itself(bot):
    credited = np.array([[1.0, 0.0], [3.0, 6.0], [5.0, 0.0]])
    learner = Learner(bot, wants("cake"), COURSE)
    assert learner._baseline(credited, PolicyTrainingState("")).tolist() == [[4, 3], [3, 0], [2, 3]]
    moving, story = Learner(bot, wants("cake"), replace(COURSE, baseline="moving")), PolicyTrainingState("")
    assert moving._baseline(credited, story).tolist() == [3, 2]
    assert moving._baseline(credited + 10, story).tolist() == [3, 2]
    assert story.level == pytest.approx([4, 3])


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"episodes": 0}, UsageError),
        ({"rate": 0.0}, UsageError),
        ({"kl": -1.0}, UsageError),
        ({"penalty": float("nan")}, UsageError),
        ({"baseline": "best"}, UnknownName),
        ({"credit": "all"}, UnknownName),
        ({"batch": 1}, UsageError),
    ],
)
def test_courses_that_cannot_be(options, error):
    with pytest.raises(error):
        replace(COURSE, **options)


def test_steps():
    assert PolicyOptions(episodes=80, batch=8).steps == 10
    assert PolicyOptions(episodes=81, batch=8).steps == 11
