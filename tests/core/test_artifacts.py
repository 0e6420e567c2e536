"""Folders of fitted things: what is written comes back, the card comes last, and what is damaged or foreign is refused."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import orjson
import pytest

from dialometer.core.artifacts import ARRAYS, digest, open_thing, save_thing
from dialometer.core.errors import MissingResource
from dialometer.core.registry import CARD

FOREIGN = [
    [],
    {"name": "pot", "version": 2},
    {"name": "kettle", "version": 1},
    {"name": "kettle", "version": 2, "options": {"spout": 1}},
]


@dataclass(frozen=True)
class Kettle:
    size: int = 3
    lid: str = "on"
    water: Any = field(default=None, repr=False)

    name: ClassVar[str] = "kettle"
    version: ClassVar[int] = 2


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "runs" / "kettle"
    turned = np.arange(6.0).reshape(2, 3).T  # not in one piece
    save_thing(
        place, "encoder", Kettle(size=5, water=object()), {"turned": turned, "seen": np.array([7], np.uint64)}, words=9
    )
    return place


def test_what_is_written_comes_back(folder):
    card, arrays = open_thing(folder, Kettle)
    options = {"size": 5, "lid": "on"}  # state is no option
    assert card == {"kind": "encoder", "name": "kettle", "version": 2, "options": options, "words": 9}
    assert arrays["turned"].tolist() == [[0, 3], [1, 4], [2, 5]]
    assert (arrays["seen"].dtype, arrays["seen"].tolist()) == (np.uint64, [7])
    assert sorted(path.name for path in folder.iterdir()) == [ARRAYS, CARD]


def test_a_card_means_the_folder_is_whole(tmp_path):
    class Unwritable:
        """No JSON can hold it."""

    with pytest.raises(TypeError):
        save_thing(tmp_path, "encoder", Kettle(), {"seen": np.zeros(1)}, odd=Unwritable())
    assert [path.name for path in tmp_path.iterdir()] == [ARRAYS]


@pytest.mark.parametrize("name", [ARRAYS, CARD])
@pytest.mark.parametrize("content", [None, b"", b"{", b"\xff" * 100])
def test_damage(folder, name, content):
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    with pytest.raises(MissingResource, match=r"the fitted kettle in .* cannot be read") as told:
        open_thing(folder, Kettle)
    assert told.value.hint == "dialometer train kettle FILE… makes it anew"


@pytest.mark.parametrize("card", FOREIGN)
def test_what_another_wrote(folder, card):
    (folder / CARD).write_bytes(orjson.dumps(card))
    with pytest.raises(MissingResource, match="was not written by kettle of version 2"):
        open_thing(folder, Kettle)


def test_digest():
    assert len(digest(b"tea")) == 8
    assert digest(b"tea") == digest(np.frombuffer(b"tea", np.uint8)) != digest(b"eat")
    assert digest(np.arange(4).reshape(2, 2).T) == digest(np.array([[0, 2], [1, 3]]))
