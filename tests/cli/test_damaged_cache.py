"""A damaged cache entry: the numbers are right all the same, and one warning says so."""

import json

import pytest

from tests.cli.conftest import Done


@pytest.fixture
def scored(spawn, items, tmp_path):
    """A callable: output → Done of a score with a cache folder of this test's own."""
    cache = tmp_path / "cache"

    def run(output: str) -> Done:
        return spawn("score", items, "-m", "rouge", "-o", output, "--json", env={"DIALOMETER_CACHE": str(cache)})

    return run


@pytest.mark.parametrize("damage", ["cut", "flipped", "gone", "index", "entry"])
def test_numbers_are_right_and_one_warning_says_so(scored, tmp_path, damage):
    first = scored("one")
    assert (first.code, first.err) == (0, "")
    (entry,) = (tmp_path / "cache" / "tables").iterdir()
    target = entry / ("arrays.json" if damage in ("index", "entry") else "ids.npy")
    data = bytearray(target.read_bytes())
    if damage == "gone":
        target.unlink()
    elif damage == "entry":  # an array that the index does not name
        index, digest = json.loads(data)
        target.write_text(json.dumps([{name: own for name, own in index.items() if name != "starts"}, digest]))
    else:
        data[-1] ^= 1
        target.write_bytes(data[: len(data) // 2] if damage == "cut" else b"{" if damage == "index" else data)
    second = scored("two")
    assert second.code == 0
    assert len(second.err.splitlines()) == 1
    assert second.err.startswith("WARNING: the cache entry ")
    assert str(entry) in second.err
    assert "damaged" in second.err
    wanted, got = json.loads(first.out), json.loads(second.out)
    assert got | {"run": ""} == wanted | {"run": ""}
    assert scored("three").err == ""


def test_a_cache_that_cannot_be_written_is_one_warning(spawn, items):
    done = spawn("score", items, "-m", "rouge", "-o", "r", "--json", env={"DIALOMETER_CACHE": str(items)})
    assert done.code == 0
    assert len(done.err.splitlines()) == 1
    assert "cannot keep" in done.err
    assert json.loads(done.out)["n"] == 4
