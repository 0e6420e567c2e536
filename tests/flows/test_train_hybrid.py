"""train hybrid: bots left out, chance, stability, the chain to self-play with simulated raters, and bad input."""

import numpy as np
import pytest

from dialometer.data.jsonl import Jsonl
from dialometer.errors import NeedsError, UsageError
from dialometer.flows.judging import bots as tables
from dialometer.flows.train import TrainRequest, train
from dialometer.types import Dialogue, Example, Turn
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
    """Every turn is the bot's own."""
    rng = np.random.default_rng(seed)
    for bot in range(count):
        for number in range(each):
            turns = [Turn(f"bot{bot}", " ".join(["tea"] * int(rng.integers(1 + bot, 5 + bot)))) for _ in range(6)]
            yield Dialogue(f"play{bot}-{number}", f"bot{bot}", tuple(turns))


def written(folder, name, items):
    path = folder / f"{name}.jsonl"
    Jsonl().write(items, path)
    return str(path)


def run(tmp_path, items, spec=SPEC, **options):
    file = written(tmp_path, "chats", items)
    options = {"quick": True, "quality": "simulated", "output": str(tmp_path / "run")} | options
    return train(TrainRequest(spec, (file,), **options)).facts


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
    chain = facts["bots"]["selfplay"]
    assert [row["system"] for row in chain["rows"]] == [f"bot{number}" for number in range(9)]
    assert chain["over_bots"]["pearson"]["r"] > 0.9
    assert chain["over_bots"]["pearson"]["test"] == "exact"
    assert (chain["only_played"], chain["only_rated"]) == (["stranger"], ["bot9"])
    page = (folder / "run" / "report.html").read_text()
    for title in ("Bots left out one by one", "Are the weights stable?", "What chance gives", "From chats to self-play"):
        assert title in page


def test_every_bot_has_a_fold_of_its_own_and_a_row(chained):
    found = chained[1]["bots"]
    assert found["count"] == len(found["rows"]) == 10
    assert len(chained[1]["folds"]["system"]["each"]) == 10
    assert found["over_bots"]["lead"]["pearson"]["r"] > 0.9
    assert found["start_only"] == pytest.approx(-1)
    assert found["chance"]["bots"]["p"] == pytest.approx(1 / 20)
    assert set(found["stability"]) == {"curved", "ridge", "ols"}
    assert len(found["features"]) == len(found["stability"]["ols"]["rows"])
    assert any("orders these 10 bots" in words for words in chained[1]["summary"])


def test_few_bots_are_told_with_caution(tmp_path):
    facts = run(tmp_path, chats(5))
    told = [
        (words, tone) for words, tone in zip(facts["summary"], facts["tones"], strict=True) if "5 bots are few" in words
    ]
    assert [tone for _, tone in told] == ["caution"]


def test_three_bots_claim_nothing(tmp_path):
    facts = run(tmp_path, chats(3, each=8))
    assert "bots" not in facts["bots"]["chance"]
    assert any("too few" in words for words in facts["summary"])


def test_one_bot_has_no_table_of_bots(tmp_path):
    facts = run(tmp_path, chats(1, each=24))
    assert facts["bots"]["why"] == "all conversations are of bot0"
    assert any("No bot can be left out" in words for words in facts["summary"])


def test_bots_that_are_all_equal(tmp_path):
    """The same conversations under every name, each bot with the same ratings."""
    base = list(chats(1, each=8))
    items = [Dialogue(f"{one.id}-{bot}", f"bot{bot}", one.turns, ratings=one.ratings) for bot in range(5) for one in base]
    facts = run(tmp_path, items)
    assert facts["bots"]["over_bots"]["lead"]["pearson"]["r"] is None or np.isnan(
        facts["bots"]["over_bots"]["lead"]["pearson"]["r"]
    )
    assert any("does not vary" in words for words in facts["summary"])


def test_conversations_of_one_turn_are_counted(tmp_path):
    lonely = Dialogue("lonely", "bot1", (Turn("user", "hello"),), ratings={"simulated": (3.0,)})
    facts = run(tmp_path, [*chats(4), lonely])
    assert sum(facts["left_out"].values()) == 1


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
