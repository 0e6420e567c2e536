"""Functions of users as bots: sync, async, in batches; and what can be wrong with them."""

import gc
import linecache
import pickle
import sys
import warnings
from types import ModuleType

import pytest

from dialometer.bots._shared.ask import ask
from dialometer.bots.callable import Callable
from dialometer.core.errors import BotError, PartlyFailed, SpecError
from dialometer.core.registry import create, spec_of
from dialometer.core.seeds import seeds_for
from dialometer.core.types import Turn

SOURCE = """
import asyncio
import sys

inside = most = 0
loops = set()

def plain(context):
    return f"after {len(context)}: {context[-1] if context else 'hello'}"

def seeded(context, *, seed):
    return f"{context[-1]} {seed}"

def speaker(context):
    return context[-1].speaker

def batch(contexts, n, seed):
    return [[f"{context[-1]} {one} {k}" for k in range(n)] for context, one in zip(contexts, seed, strict=True)]

async def slow_batch(contexts, n, seed):
    await asyncio.sleep(0)
    return batch(contexts, n, seed)

async def slow(context):
    global inside, most
    loops.add(id(asyncio.get_running_loop()))
    inside += 1
    most = max(most, inside)
    await asyncio.sleep(0.001 * (7 - int(context[-1]) % 7))
    inside -= 1
    return context[-1]

class Robot:
    def __call__(self, context):
        return "beep"
    def talk(self, context):
        return "boop"

robot = Robot()
number = 3

def moody(context):
    if context[-1] == "raise":
        raise RuntimeError("not today")
    return None if context[-1] == "none" else context[-1]

async def moody_too(context):
    return moody(context)

def quits(context):
    if context[-1] == "exit":
        sys.exit(3)
    return context[-1]

async def quits_too(context):
    return quits(context)

def wrapped(context):  # as decorators leave an async function
    return quits_too(context)

async def quits_all(contexts, n, seed):
    sys.exit(3)

def few(contexts, n, seed):
    return [["x"]]

def flat(contexts, n, seed):
    return ["x" for _ in contexts]

def broken(contexts, n, seed):
    raise KeyError("k")
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with modules of a user, where the command is typed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    (tmp_path / "users_bot.py").write_text(SOURCE)
    (tmp_path / "needy_bot.py").write_text("import no_package_of_this_name\n")
    (tmp_path / "faulty_bot.py").write_text("1 / 0\n")
    for name in ("users_bot", "needy_bot", "faulty_bot"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield tmp_path
    sys.modules.pop("users_bot", None)


def talk(*texts):
    return tuple(Turn("ab"[i % 2], text) for i, text in enumerate(texts))


def bot(name, **options):
    return Callable(f"users_bot:{name}", **options)


def test_a_function_of_texts(here):
    assert bot("plain").reply([talk("hi"), talk("hi", "ho"), ()]) == [["after 1: hi"], ["after 2: ho"], ["after 0: hello"]]
    assert bot("plain").reply([talk("hi")], n=2) == [["after 1: hi"] * 2]
    assert bot("plain").reply([]) == []
    assert bot("speaker", turns=True).reply([talk("hi", "ho")]) == [["b"]]


def test_things_that_can_be_called(here):
    assert bot("robot").reply([talk("hi")]) == [["beep"]]
    assert bot("robot.talk").reply([talk("hi")]) == [["boop"]]


def test_seeds_reach_a_function_that_takes_one(here):
    contexts = [talk("hi"), talk("hi"), talk("ho")]
    said = bot("seeded").reply(contexts, n=2, seed=4)
    assert [replies[0] for replies in said] == [
        f"{context[-1].text} {seed}" for context, seed in zip(contexts, seeds_for(4, contexts), strict=True)
    ]
    assert len({text for replies in said for text in replies}) == 6
    assert bot("seeded").reply(contexts, n=2, seed=4) == said
    assert bot("seeded").reply([contexts[2]], n=2, seed=4) == said[2:]


@pytest.mark.parametrize("name", ["batch", "slow_batch"])
def test_a_function_of_everything(here, name):
    made = bot(name, batch=True)
    assert made.reply([talk("hi"), talk("ho")], n=2, seed=[5, 6]) == [["hi 5 0", "hi 5 1"], ["ho 6 0", "ho 6 1"]]
    made.close()


def test_async_functions_run_side_by_side_on_one_loop(here):
    made = bot("slow", concurrency=4)
    assert made.reply([talk(f"{i}") for i in range(40)]) == [[f"{i}"] for i in range(40)]
    assert made.reply([talk("1")]) == [["1"]]
    module = sys.modules["users_bot"]
    assert 2 <= module.most <= 4
    assert len(module.loops) == 1
    made.close()


@pytest.mark.parametrize("name", ["moody", "moody_too"])
def test_a_failure_costs_its_own_context(here, name):
    with pytest.raises(PartlyFailed) as caught:
        bot(name).reply([talk("fine"), talk("raise"), talk("none")])
    assert caught.value.replies == [["fine"], None, None]
    assert caught.value.reasons == {
        1: f"users_bot:{name} raised RuntimeError: not today",
        2: f"users_bot:{name} gave NoneType, not a text",
    }


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", ["quits", "quits_too", "wrapped"])
def test_a_function_that_calls_exit_costs_its_own_context(here, name):
    """On the loop's thread an exit would end the loop, and the caller would wait for ever."""
    made = bot(name)
    for _ in range(2):
        with pytest.raises(PartlyFailed) as caught:
            made.reply([talk("fine"), talk("exit")])
        assert caught.value.replies == [["fine"], None]
        assert caught.value.reasons == {1: f"users_bot:{name} raised SystemExit: 3"}
    made.close()
    with pytest.raises(BotError, match="gave SystemExit for 1 contexts"):
        bot("quits_all", batch=True).reply([talk("hi")])


def test_a_wrapped_async_function_is_waited_for(here):
    made = bot("wrapped")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert made.reply([talk("hi"), talk("ho")]) == [["hi"], ["ho"]]
        gc.collect()
    made.close()


def test_wrong_batches_are_named(here):
    contexts = [talk("a"), talk("b")]
    with pytest.raises(BotError, match="gave 1 answers for 2 contexts"):
        bot("few", batch=True).reply(contexts)
    with pytest.raises(BotError, match="not a list of texts"):
        bot("flat", batch=True).reply(contexts)
    with pytest.raises(BotError, match="raised KeyError: 'k'"):
        bot("broken", batch=True).reply(contexts)
    with pytest.raises(BotError, match="gave 1 replies where 2 were asked for"):
        bot("few", batch=True).reply(contexts[:1], n=2)
    assert [answer.replies for answer in ask(bot("few", batch=True), contexts)] == [("x",), ("x",)]


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("", "is module:function, not ''"),
        ("users_bot", "is module:function, not 'users_bot'"),
        ("users_bot:", "is module:function"),
        ("no_such_bot:reply", "there is no module 'no_such_bot'"),
        ("no_such.bot:reply", "there is no module 'no_such.bot'"),
        ("users_bot:nothing", "has no 'nothing'; its functions are: plain, seeded"),
        ("users_bot:robot.sing", "has no 'robot.sing'"),
        ("users_bot:number", "is int, and not something that can be called"),
        ("needy_bot:reply", "needs 'no_package_of_this_name', which is not installed"),
        ("faulty_bot:reply", "cannot be imported: ZeroDivisionError"),
    ],
)
def test_a_wrong_target_has_a_way_out(here, target, reason):
    made = create("bot", f'callable(target="{target}")')
    with pytest.raises(SpecError) as caught:
        made.reply([talk("hi")])
    assert reason in caught.value.message
    assert caught.value.hint
    with pytest.raises(SpecError):
        made.recipe  # noqa: B018


def test_the_recipe_changes_with_the_file(here):
    made = create("bot", "callable(target=users_bot:plain)")
    before = made.recipe
    assert before.startswith("callable-1(target=users_bot:plain)@")
    (here / "users_bot.py").write_text(SOURCE + "# changed\n")
    assert made.recipe != before
    assert made == pickle.loads(pickle.dumps(made)) == create("bot", spec_of(made, "callable"))


def test_the_recipe_knows_where_a_function_comes_from(here, monkeypatch):
    (here / "front_bot.py").write_text("from users_bot import plain\n")
    made = Callable("front_bot:plain")
    before = made.recipe
    (here / "users_bot.py").write_text(SOURCE + "# changed\n")
    assert made.recipe != before
    monkeypatch.delitem(sys.modules, "front_bot")


@pytest.mark.parametrize("kept", [True, False])
def test_the_recipe_changes_with_a_function_of_a_notebook(monkeypatch, kept):
    """Cells have no file of a module; a notebook keeps their source by name, a bare interpreter keeps none."""
    notebook = ModuleType("a_notebook")
    monkeypatch.setitem(sys.modules, "a_notebook", notebook)

    def recipe(cell, number):
        name = f"<cell {number}>"
        if kept:
            monkeypatch.setitem(linecache.cache, name, (len(cell), None, cell.splitlines(True), name))
        exec(compile(cell, name, "exec"), vars(notebook))
        return Callable("a_notebook:talk").recipe

    first = "def talk(context):\n    return [word for word in ['tea']][0]\n"
    assert recipe(first, 1) == recipe(first, 2)
    assert recipe(first.replace("tea", "coffee"), 3) != recipe(first, 4)
    assert Callable("a_notebook:talk").reply([talk("hi")]) == [["tea"]]


def test_a_file_here_does_not_hide_an_installed_package(here):
    (here / "json.py").write_text("raise RuntimeError('hidden')")
    assert Callable("json:dumps").reply([talk("hi")]) == [['["hi"]']]


def test_concurrency_is_checked():
    with pytest.raises(SpecError):
        Callable("a:b", concurrency=0)
