"""Artifacts: what is written is read back, the manifest is written last, damaged and foreign folders are refused."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import orjson
import pytest

from dialometer.core.artifacts import ARRAYS, digest, open_artifact, save_artifact
from dialometer.core.errors import MissingResource
from dialometer.core.registry import CARD, OLD_MANIFEST, manifest_path

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
    save_artifact(
        place, "encoder", Kettle(size=5, water=object()), {"turned": turned, "seen": np.array([7], np.uint64)}, words=9
    )
    return place


def test_what_is_written_comes_back(folder):
    manifest, arrays = open_artifact(folder, Kettle)
    options = {"size": 5, "lid": "on"}  # state is no option
    assert manifest == {"kind": "encoder", "name": "kettle", "version": 2, "options": options, "words": 9}
    assert arrays["turned"].tolist() == [[0, 3], [1, 4], [2, 5]]
    assert (arrays["seen"].dtype, arrays["seen"].tolist()) == (np.uint64, [7])
    assert sorted(path.name for path in folder.iterdir()) == [ARRAYS, CARD]


def test_a_manifest_means_that_the_folder_is_complete(tmp_path):
    class Unwritable:
        """No JSON can hold it."""

    with pytest.raises(TypeError):
        save_artifact(tmp_path, "encoder", Kettle(), {"seen": np.zeros(1)}, odd=Unwritable())
    assert [path.name for path in tmp_path.iterdir()] == [ARRAYS]


@pytest.mark.parametrize("name", [ARRAYS, CARD])
@pytest.mark.parametrize("content", [None, b"", b"{", b"\xff" * 100])
def test_damage(folder, name, content):
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    with pytest.raises(MissingResource, match=r"the fitted kettle in .* cannot be read") as refused:
        open_artifact(folder, Kettle)
    assert refused.value.hint == "dialometer train kettle FILE… makes it anew"


@pytest.mark.parametrize("manifest", FOREIGN)
def test_folders_of_other_classes_are_refused(folder, manifest):
    (folder / CARD).write_bytes(orjson.dumps(manifest))
    with pytest.raises(MissingResource, match="was not written by kettle of version 2"):
        open_artifact(folder, Kettle)


def as_older_versions_wrote_it(folder):
    """The same folder with its manifest under the old name, and with the seal's old key."""
    manifest = orjson.loads((folder / CARD).read_bytes())
    manifest["seal"]["card"] = manifest["seal"].pop("manifest")
    (folder / OLD_MANIFEST).write_bytes(orjson.dumps(manifest))
    (folder / CARD).unlink()


def test_folders_of_older_versions_are_read(folder):
    written = open_artifact(folder, Kettle)[0]
    as_older_versions_wrote_it(folder)
    assert sorted(path.name for path in folder.iterdir()) == [ARRAYS, "thing.json"]
    assert manifest_path(folder).name == "thing.json"
    assert open_artifact(folder, Kettle)[0] == written


def test_folders_of_older_versions_are_verified(folder):
    as_older_versions_wrote_it(folder)
    manifest = orjson.loads((folder / OLD_MANIFEST).read_bytes())
    manifest["options"]["size"] = 6
    (folder / OLD_MANIFEST).write_bytes(orjson.dumps(manifest))
    with pytest.raises(MissingResource, match=r"thing\.json is not what was written"):
        open_artifact(folder, Kettle)


def test_saving_again_replaces_the_manifest_of_an_older_version(folder):
    as_older_versions_wrote_it(folder)
    save_artifact(folder, "encoder", Kettle(size=7), {"seen": np.zeros(1)})
    assert sorted(path.name for path in folder.iterdir()) == [ARRAYS, "artifact.json"]
    assert open_artifact(folder, Kettle)[0]["options"]["size"] == 7


def test_digest():
    assert len(digest(b"tea")) == 8
    assert digest(b"tea") == digest(np.frombuffer(b"tea", np.uint8)) != digest(b"eat")
    assert digest(np.arange(4).reshape(2, 2).T) == digest(np.array([[0, 2], [1, 3]]))
