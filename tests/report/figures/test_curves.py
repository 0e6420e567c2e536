"""Curves: a picture of the size it should have, written whole or not at all."""

import struct
import sys

import pytest

from dialometer.core.errors import MissingResource
from dialometer.report.figures.curves import curve

LINES = {"AM": [0.1, 0.3, 0.2], "FM": [0.2, 0.2, 0.1]}


def draw(path, **more):
    curve(path, [1, 10, 100], LINES, setting="k", title="how many dimensions", **more)


@pytest.mark.parametrize("more", [{}, {"chosen": 10, "logarithmic": True}])
def test_a_picture_is_written(tmp_path, more):
    pytest.importorskip("matplotlib")
    path = tmp_path / "curve.png"
    draw(path, **more)
    raw = path.read_bytes()
    assert raw[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", raw[16:24]) == (520, 340)  # 5.2 by 3.4 inches of 100 dots
    assert [file.name for file in tmp_path.iterdir()] == ["curve.png"]


def test_the_same_numbers_give_the_same_bytes(tmp_path):
    pytest.importorskip("matplotlib")
    for name in ("one.png", "two.png"):
        draw(tmp_path / name)
    draw(tmp_path / "other.png", chosen=10)
    one, two, other = ((tmp_path / f"{name}.png").read_bytes() for name in ("one", "two", "other"))
    assert one == two != other


def test_nothing_is_left_where_drawing_fails(tmp_path):
    pytest.importorskip("matplotlib")
    with pytest.raises(ValueError, match="same first dimension"):
        curve(tmp_path / "curve.png", [1, 2], {"AM": [0.1]}, setting="k", title="")
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib(tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"] or ["matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingResource, match="matplotlib") as told:
        draw(tmp_path / "curve.png")
    assert told.value.hint == 'pip install "dialometer[report]"'
    assert list(tmp_path.iterdir()) == []
