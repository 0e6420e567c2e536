"""One kernel source, two ways to run it: for every kernel, what plain Python writes is what compiled code writes."""

import inspect
from contextlib import contextmanager, suppress
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialometer.core.errors import NeedsError
from dialometer.core.registry import create, find, names
from dialometer.kernels import jit
from dialometer.text.meteor.phrase_trie import PhraseTrie
from dialometer.text.table import build_table
from dialometer.text.texts import Texts
from dialometer.text.tokenisers import byte_split as bytesplit
from dialometer.text.tokenisers.base import tokeniser
from tests.kernels.corpora import corpora
from tests.text.nasty import texts as text_lists

LOADED = jit._COMPILED
# Metrics over vectors of whole texts need no kernel of their own.
COUNTED = [name for name in names("metric") if not {"am", "encoder"} & {f.name for f in fields(find("metric", name))}]
METRICS = [*COUNTED, "bleu(smooth=m5)", "cider(variant=plain)", "meteor(variant=nltk)"]


def kernels():
    """Every function marked as a kernel, once all metrics and tokenisers are imported."""
    for kind in ("metric", "tokeniser", "vector"):
        for name in names(kind):
            find(kind, name)
    ours = {function for function, signature in jit._SIGNATURES.items() if signature}
    return {function for function in ours if function.__module__.startswith("dialometer.")}


def reached(function):
    """A kernel and the kernels and helpers that it calls, and so on down."""
    called = [value for name, value in function.__globals__.items() if name in function.__code__.co_names]
    inner = [value for value in called if inspect.isfunction(value) and value in jit._SIGNATURES]
    return {function}.union(*(reached(value) for value in inner))


@contextmanager
def both_ways(seen):
    """Run every kernel call in both ways and compare; ``seen`` collects the kernels that were called."""
    with pytest.MonkeyPatch.context() as patch:

        def both(function, *arguments):
            seen.add(function)
            patch.setattr(jit, "_COMPILED", LOADED)
            result = compare(function, arguments)
            patch.setattr(jit, "_COMPILED", {})
            return result

        patch.setattr(jit, "plain", both)
        patch.setattr(jit, "PLAIN_STEPS", 1 << 60)
        patch.setattr(jit, "_COMPILED", {})
        patch.setattr(bytesplit, "compiled", lambda function: lambda *arguments: both(function, *arguments))
        yield


def compare(function, arguments):
    """Both results and all ``out_…`` arrays are equal, and inputs may be read-only and stay as they were."""
    parameters = list(inspect.signature(function).parameters)
    lists = [a.tolist() if isinstance(a, np.ndarray) else a for a in arguments]
    theirs = [frozen(a, name) for name, a in zip(parameters, arguments, strict=True)]
    result = function(*lists)
    assert jit.compiled(function)(*theirs) == result
    for name, values, array, given_array in zip(parameters, lists, theirs, arguments, strict=True):
        if name.startswith("out_") and result != -1:
            np.testing.assert_array_equal(np.asarray(values, array.dtype), array, err_msg=f"{function.__name__}: {name}")
            given_array[:] = array
        elif isinstance(array, np.ndarray) and not name.startswith(("out_", "tmp_")):
            assert values == array.tolist(), f"{function.__name__} writes to its input {name}"
    return result


def frozen(argument, name):
    if not isinstance(argument, np.ndarray):
        return argument
    copy = argument.copy()
    copy.flags.writeable = name.startswith(("out_", "tmp_"))
    return copy


def test_every_kernel_gives_the_same_in_both_ways(tmp_path):
    seen = set()
    path = tmp_path / "vectors.txt"
    path.write_text("tea 0.25 -1.5e-3\nthe cup 1 2\nodd 1e3 7.0\n")

    for spec in METRICS:
        metric = create("metric", spec)
        if hasattr(metric, "build"):  # tables of millions of entries would take many minutes in plain Python
            metric.build(lambda stage, done, total: None)

    @settings(max_examples=25)
    @given(corpora, text_lists)
    def check(corpus, strings):
        with both_ways(seen):
            for spec in METRICS:
                metric = create("metric", spec)
                with suppress(NeedsError):  # too few documents, or no word that is known
                    if hasattr(metric, "prepare"):
                        facts = metric.prepare(corpus, np.arange(len(corpus)))
                        metric = metric.bind({"": metric.merge([facts, facts])})
                    if hasattr(metric, "measure"):
                        metric.measure(corpus)
            create("vector", f"glove(path={path},keep=needed)").look_up(strings)
            for name in names("tokeniser"):
                build_table(Texts.of(strings), tokeniser(name), small=-1)

    check()
    from tests.kernels.test_lasso import paths
    from tests.kernels.test_postings import retrievals  # inside the test: these files import this one
    from tests.kernels.test_ranks import statistics

    with both_ways(seen):
        statistics()
        retrievals()
        paths()
        trie = PhraseTrie(0)
        for size in (20, 400):  # the second block makes the tables grow
            trie.add(b"".join(b"0.5\nw%d tea\ntea w%d x\n" % (k, k % 3) for k in range(size)))
    untried = kernels() - set().union(*map(reached, seen))
    assert {function.__name__ for function in untried} == set()


def test_parameters_follow_the_convention():
    """Every kernel writes somewhere, and only where its parameters' names say so."""
    for function in kernels():
        assert any(name.startswith(("out_", "tmp_")) for name in inspect.signature(function).parameters), function


@jit.kernel("int64(int64[::1], int64[::1], int64[::1])")
def doubled(numbers, out_twice, tmp_seen):
    """A kernel for the tests of running: writes results, scratch, and nothing else."""
    for i in range(len(numbers)):
        tmp_seen[i] = 7
        out_twice[i] = 2 * numbers[i]
    return len(numbers)


@given(st.lists(st.integers(-9, 9), max_size=5))
def test_plain_copies_results_back_and_scratch_not(numbers):
    array = np.array(numbers, np.int64)
    out, scratch = np.zeros_like(array), np.zeros_like(array)
    assert jit.plain(doubled, array, out, scratch) == len(numbers)
    assert out.tolist() == [2 * number for number in numbers]
    assert not scratch.any()


def test_small_work_runs_plain_until_compiled_code_is_there(monkeypatch):
    array, out, scratch = np.arange(3), np.zeros(3, np.int64), np.zeros(3, np.int64)
    monkeypatch.setattr(jit, "_COMPILED", {})
    monkeypatch.setattr(jit, "_plain_steps", 0)
    assert jit.run(doubled, array, out, scratch, steps=10) == 3
    assert jit._COMPILED == {}
    monkeypatch.setitem(jit._COMPILED, doubled, lambda *arguments: -5)
    assert jit.run(doubled, array, out, scratch, steps=10) == -5


def test_many_small_pieces_of_work_are_worth_compiling(monkeypatch):
    monkeypatch.setattr(jit, "_COMPILED", {})
    monkeypatch.setattr(jit, "_plain_steps", 0)
    monkeypatch.setattr(jit, "PLAIN_STEPS", 100)
    assert [jit.worth_compiling(doubled, 30) for _ in range(5)] == [False, False, False, True, True]
