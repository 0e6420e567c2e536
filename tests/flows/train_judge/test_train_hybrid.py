"""train hybrid: bots left out, chance, stability, the chain to self-play with simulated raters, and bad input."""

import numpy as np
import pytest

from dialometer.contracts.play import PlayRequest
from dialometer.contracts.train import TrainRequest
from dialometer.core.errors import DialometerError, NeedsError, UsageError
from dialometer.core.types import Dialogue, Example, Turn
from dialometer.data.formats.jsonl import Jsonl
from dialometer.flows.play.play import play
from dialometer.flows.train.train import train
from dialometer.flows.train_judge import leave_bot_out as tables
from dialometer.flows.train_judge import train_judge as training
from tests.judges.test_hybrid import talk

SPEC = "hybrid(features=length)"


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setattr(tables, "QUICK", 19)


def chats(count, each=6, seed=0):
    """SIMULATED raters: nobody rated these; a bot that says more gets more, with noise."""
    rng = np.random.default_rng(seed)
    for bot in range(count):
        for number in range(each):
            words = rng.integers(1 + bot, 5 + bot, 3).tolist()
            one = talk(f"chat{bot}-{number}", f"bot{bot}", words)
            yield Dialogue(one.id, one.system, one.turns, ratings={"simulated": (float(np.mean(words) + rng.normal()),)})


def selfplay(count, each=4, seed=1):
    """The bot plays both parts."""
    rng = np.random.default_rng(seed)
    for bot in range(count):
        for number in range(each):
            turns = [Turn("ab"[turn % 2], " ".join(["tea"] * int(rng.integers(1 + bot, 5 + bot)))) for turn in range(6)]
            yield Dialogue(f"play{bot}-{number}", f"bot{bot}", tuple(turns))


def written(folder, name, items):
    path = folder / f"{name}.jsonl"
    Jsonl().write(items, path)
    return str(path)


def run(tmp_path, items, spec=SPEC, **options):
    file = written(tmp_path, "chats", items)
    options = {"quick": True, "quality": "simulated", "output": str(tmp_path / "run")} | options
    return train(TrainRequest(spec, (file,), **options)).judge


@pytest.fixture(scope="module")
def chained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chain")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "QUICK", 19)
        played = written(folder, "played", [*selfplay(9), *(Dialogue("s1", "stranger", next(iter(selfplay(1))).turns),)])
        facts = run(folder, chats(10), selfplay=played)
    return folder, facts


def test_the_paper_chain_in_one_command_with_simulated_raters(chained):
    folder, facts = chained
    chain = facts.bots.selfplay
    assert [row.system for row in chain.rows] == [f"bot{number}" for number in range(9)]
    assert chain.over_bots.pearson.r > 0.9
    assert (chain.over_bots.pearson.test, chain.over_bots.pearson.p) == ("dealt", pytest.approx(1 / 20))
    assert (chain.only_played, chain.only_rated) == (["stranger"], ["bot9"])
    page = (folder / "run" / "report.html").read_text()
    for title in ("Bots left out one by one", "Are the weights stable?", "Permutation null", "From chats to self-play"):
        assert title in page


def test_every_bot_has_a_fold_of_its_own_and_a_row(chained):
    found = chained[1].bots
    assert found.count == len(found.rows) == 10
    assert len(chained[1].folds.system.each) == 10
    assert found.over_bots.lead.pearson.r > 0.9
    assert found.start_only == pytest.approx(-1)
    assert found.chance.bots.p == pytest.approx(1 / 20)
    assert set(found.stability) == {"curved", "ridge", "ols"}
    assert len(found.features) == len(found.stability["ols"].rows)
    assert any("over these 10 bots closely" in words for words in chained[1].summary)


def test_few_bots_are_told_with_caution(tmp_path):
    facts = run(tmp_path, chats(5))
    told = [(words, tone) for words, tone in zip(facts.summary, facts.tones, strict=True) if "5 bots are few" in words]
    assert [tone for _, tone in told] == ["caution"]


def test_three_bots_claim_nothing(tmp_path):
    facts = run(tmp_path, chats(3, each=8))
    assert facts.bots.chance.bots is None
    assert any("too few" in words for words in facts.summary)


def test_one_bot_has_no_table_of_bots(tmp_path):
    facts = run(tmp_path, chats(1, each=24))
    assert facts.bots.why == "all conversations are of bot0"
    assert any("No bot can be left out" in words for words in facts.summary)


def test_bots_that_are_all_equal(tmp_path):
    """The same conversations under every name, each bot with the same ratings."""
    base = list(chats(1, each=8))
    items = [Dialogue(f"{one.id}-{bot}", f"bot{bot}", one.turns, ratings=one.ratings) for bot in range(5) for one in base]
    facts = run(tmp_path, items)
    assert facts.bots.over_bots.lead.pearson.r is None
    assert any("does not vary" in words for words in facts.summary)


def test_conversations_of_one_turn_are_counted(tmp_path):
    lonely = Dialogue("lonely", "bot1", (Turn("user", "hello"),), ratings={"simulated": (3.0,)})
    facts = run(tmp_path, [*chats(4), lonely])
    assert sum(facts.left_out.values()) == 1


def test_refusals(tmp_path):
    items = list(chats(4))
    with pytest.raises(UsageError, match="no bot of"):
        run(tmp_path, items, selfplay=written(tmp_path, "other", [Dialogue("x", "y", items[0].turns)]))
    with pytest.raises(UsageError, match="neither a file nor a run of play"):
        run(tmp_path, items, selfplay=str(tmp_path / "nothing"))
    with pytest.raises(UsageError, match="judges responses"):
        run(tmp_path, items, spec="stack(features=length)", selfplay=str(tmp_path / "chats.jsonl"))
    replies = [
        Example(f"r{n}", (Turn("user", "hi"),), "tea " * (n + 1), system=f"bot{n % 3}", ratings={"simulated": (float(n),)})
        for n in range(12)
    ]
    with pytest.raises(UsageError, match="rated conversations"):
        run(tmp_path, replies)
    same = [Dialogue(one.id, one.system, one.turns, ratings={"simulated": (2.0,)}) for one in items]
    with pytest.raises(NeedsError, match="same rating"):
        run(tmp_path, same)


def test_conversations_without_a_system_teach_and_are_in_no_table(tmp_path):
    items = [Dialogue(one.id, "" if number % 6 == 5 else one.system, one.turns, ratings=one.ratings)
             for number, one in enumerate(chats(5))]  # fmt: skip
    found = run(tmp_path, items)
    assert (found.bots.count, found.bots.nameless) == (5, 5)
    assert [row.system for row in found.bots.rows] == [f"bot{number}" for number in range(5)]
    assert any("Conversations without the name of a system, in none of these tables: 5." in told for told in found.summary)


def test_features_that_do_not_vary_give_no_correlation(tmp_path):
    turns = tuple(Turn(speaker, "") for speaker in ("user", "bot") * 3)
    items = [Dialogue(one.id, one.system, turns, ratings=one.ratings) for one in chats(5)]
    found = run(tmp_path, items)
    assert found.bots.over_bots.lead.pearson.r is None
    assert not any("nan" in told for told in found.summary)


def test_within_bots_holes_are_left_out(tmp_path):
    rng = np.random.default_rng(0)
    system, target = np.repeat(["a", "b"], 50), rng.normal(size=100) + np.repeat([0.0, 5.0], 50)
    column = np.where(rng.random(100) < 0.4, target, np.nan)
    own = tables.BotDialogues(None, column[:, None], target, system, np.arange(100), 0)
    assert tables.pearson(*(side[~np.isnan(column)] for side in tables._within(column, own))) == pytest.approx(1)


def test_the_page_of_bots(chained):
    folder = chained[0]
    page = (folder / "run" / "report.html").read_text()
    for words in (
        "Agreement over 10 bots", "Agreement over 60 conversations", "exactly −1 with bots of one size; here −1.00",
        "placed above the other bots, points of simulated", "never varied or were never there: words-difference",
    ):  # fmt: skip
        assert words in page
    assert "Unseen systems: over systems" not in page
    rows = (folder / "run" / "tables" / "over-bots.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in rows] == ["", "Pearson", "Spearman", "Kendall"]
    picture = (folder / "run" / "figures" / "chance-bots.svg").read_text()
    assert "as rated: 0." in picture
    assert "n = 1<" not in picture
    assert "words-difference" not in (folder / "run" / "figures" / "weights-ols.svg").read_text()


def test_the_card_speaks_of_conversations(chained):
    card = (chained[0] / "run" / "card.md").read_text()
    assert "call simulated of these conversations" in card
    assert "perturbed" not in card


def test_a_bot_with_one_chat_each_has_a_way_out(tmp_path):
    items = list(chats(8, each=1))
    with pytest.raises(UsageError, match="8 rated items of 8 contexts") as refused:
        run(tmp_path, items)
    assert refused.value.hint == "--folds 4"
    folds = run(tmp_path, items, folds=4).folds
    assert (len(folds.context.each), len(folds.system.each)) == (4, 8)


def test_nothing_to_learn_from_is_told_with_file_and_turns(tmp_path):
    ratings = {"simulated": (3.0,)}
    short = [Dialogue(f"d{n}", f"bot{n % 3}", (Turn("user", "hello"),), ratings=ratings) for n in range(8)]
    with pytest.raises(
        NeedsError, match=r"none of 8 .*chats.jsonl has one: the first \(d0\) has 1 turn, by user"
    ) as refused:
        run(tmp_path, short)
    assert "rated_speaker" in refused.value.hint
    alone = [Dialogue(one.id, one.system, one.turns * 4, ratings=ratings) for one in short]
    with pytest.raises(NeedsError, match="has 4 turns, by user"):
        run(tmp_path, alone)


@pytest.fixture
def unfitted(monkeypatch):
    """Whoever fits anything fails."""
    monkeypatch.setattr(training, "_fit", lambda *_: pytest.fail("something was fitted before the refusal"))


def chat(number, system="bot1"):
    return talk(f"chat-{number}", system, [3])


def unheard(number, system="bot1"):
    return Dialogue(f"unheard-{number}", system, (Turn("user", "hello"), Turn("user", "anybody?")))


@pytest.mark.parametrize(
    ("items", "says", "hint"),
    [
        ([], "holds no rows", "head"),
        ([Example("r1", (Turn("user", "hi"),), "tea", system="bot1")], "holds replies, not conversations: 1 of 1 items", "play"),
        ([*selfplay(2), Example("r1", (Turn("user", "hi"),), "tea", system="bot1")], "1 of 9 items", "play"),
        ([unheard(1), unheard(2)], r"2 conversations of .* hold no reply", "not user"),
        ([chat(1), *selfplay(2)], r"1 of 9 conversations of .* are not self-play.*first: chat-1", "both sides"),
        ([Dialogue("x", "bot1", (Turn("bot", "tea"),) * 5)], "or one speaker says everything", "both sides"),
        (list(chats(2)), r"12 of 12 conversations of .* are among the rated ones \(first: chat0-0\)", "play"),
        ([Dialogue("x", "stranger", next(selfplay(1)).turns)], "it holds stranger, and the rated chats are of bot0, bot1, bot2",
         "--name bot0"),
        ([Dialogue("x", "bot1", (Turn("a", "hi"), Turn("b", "tea")))], "replies twice in any conversation", "play"),
    ],
)  # fmt: skip
def test_self_play_is_refused_before_anything_is_fitted(tmp_path, unfitted, items, says, hint):
    path = tmp_path / "other.jsonl"
    Jsonl().write(items, path)
    with pytest.raises(DialometerError, match=says) as refused:
        run(tmp_path, chats(4), selfplay=str(path))
    assert "other.jsonl" in refused.value.message
    assert hint in refused.value.hint


def test_self_play_beside_chats_of_one_bot_is_refused(tmp_path, unfitted):
    with pytest.raises(UsageError, match="the rated chats name bot0"):
        run(tmp_path, chats(1, each=24), selfplay=written(tmp_path, "played", selfplay(2)))


def test_a_folder_without_conversations_is_refused(tmp_path, unfitted):
    with pytest.raises(UsageError, match=r"is a folder without dialogues.jsonl"):
        run(tmp_path, chats(4), selfplay=str(tmp_path))


def test_what_stays_out_of_the_chain_is_told(tmp_path):
    played = [
        *selfplay(2), unheard(1), unheard(2, "bot2"), Dialogue("one", "bot1", (Turn("a", "hi"), Turn("b", "tea"))),
        Dialogue("nobody", "", next(selfplay(1)).turns),
    ]  # fmt: skip
    facts = run(tmp_path, chats(4), selfplay=written(tmp_path, "played", played))
    chain = facts.bots.selfplay
    assert [(row.system, row.n) for row in chain.rows] == [("bot0", 4), ("bot1", 4)]
    assert (chain.only_played, chain.only_rated, chain.silent) == ([], ["bot3"], ["bot2"])
    assert set(chain.left_out.items()) == {
        ("conversations without a reply", 2),
        ("conversations with a single reply", 1),
        ("conversations without the name of a bot", 1),
    }
    assert any("without two replies in any self-play: bot2" in words for words in facts.summary)
    assert any("Left out of the self-play: 2 conversations without a reply" in words for words in facts.summary)


def test_self_play_under_the_names_of_the_rated_bots(tmp_path):
    names = tuple(f"bot{number}" for number in range(4))
    bots = ("eliza", "parrot", "constant", "constant(text=tea)")
    played = play(PlayRequest(bots, names=names, n=2, turns=4, output=str(tmp_path / "talks")))
    facts = run(tmp_path, chats(4), selfplay=played.run)
    assert [row.system for row in facts.bots.selfplay.rows] == list(names)
