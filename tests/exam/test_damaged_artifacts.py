"""Every fitted thing of the catalogue: a folder that is damaged, foreign or made by hand is refused by a sentence, or it works.

Each is fitted on a few lines. A sealed folder is refused for any change. Without its seal, as folders were written before there was
one, types and shapes are checked: what is loaded all the same must work, or say in a sentence why not, when it is used.
"""

import copy
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import orjson
import pytest
from safetensors.numpy import load_file, save_file

from dialometer.core.artifacts import ARRAYS
from dialometer.core.errors import DialometerError, MissingResource, PartlyFailed
from dialometer.core.registry import CARD, Spec, create, find, load, names
from dialometer.core.types import Example
from dialometer.text.corpus import Corpus
from tests.exam.test_every_bot import CONTEXTS, SMALL, TALKS

TEXTS = [text for talk in TALKS for text in talk]
SIZES = f"{SMALL},dim=8,inner=8,k=2"
JUDGES = {
    "adem": ["adem(encoder=lsi(k=2,text={0}))", "adem(encoder=lsi(k=2,text={0}),censor=true,spread=true,pca=2,features=length)",
             "adem(encoder=lsi(k=2,text={0}),prior=zero,pca=2)"],
    "autojudge": ["autojudge(encoder=lsi(k=2,text={0}),negatives=empty)"],
    "humanlike": ["humanlike(encoder=lsi(k=2,text={0}))"],
    "stack": ["stack(features=length)", "stack(features=length,model=trees)"],
    "hybrid": ["hybrid(features=length)", "hybrid(features=length,model=ols)"],
}  # fmt: skip
ODD = [None, True, -1, 1e300, "", "zzz", [], [[]], {}, {"a": [1]}]


def fitted_specs():
    """(kind, spec) of everything that can be fitted."""
    for kind in ("encoder", "likelihood", "bot", "metric"):
        for name in names(kind):
            made = find(kind, name)
            if name in JUDGES:
                yield from (("metric", spec) for spec in JUDGES[name])
            elif hasattr(made, "fit") and hasattr(made, "load"):
                fields = {name for name, field in made.__dataclass_fields__.items() if field.repr}
                small = ",".join(part for part in SIZES.split(",") if part.split("=")[0] in fields)
                options = "am=lsi(k=2),fm=ngram(order=2)" if name == "amfm" else small
                yield kind, f"{name}({options})" if options else name


def replies(n=48):
    """Rated replies in conversations of two systems."""
    return [
        Example(
            f"{i // 3}#{i}", CONTEXTS[i % len(CONTEXTS)], TEXTS[i % len(TEXTS)], (TEXTS[(i + 5) % len(TEXTS)],),
            system="ab"[i // 3 % 2], group=str(i // 3),
        )
        for i in range(n)
    ]  # fmt: skip


def fit(kind, spec):
    thing = create(kind, spec)
    if kind != "metric" or thing.name == "amfm":
        return thing.fit(TALKS, seed=1)
    rows = replies()
    target = [int(row.id.partition("#")[0]) % 4 + 1 for row in rows]
    target = [value % 2 for value in target] if thing.name == "humanlike" else target
    return thing.fit(Corpus.build(rows), np.array(target, float), seed=1)


@cache
def saved(kind, spec, folder):
    place = Path(folder) / "fitted"
    text = Path(folder) / "text.txt"
    text.write_text("\n".join(TEXTS), encoding="utf-8")
    fit(kind, spec.format(text)).save(place)
    return place


def use(kind, thing):
    """Everything that a fitted thing of this kind is asked for."""
    if kind == "encoder":
        return thing.recipe, thing.encode(TEXTS[:3]), thing.coverage(TEXTS[:3]), thing.seen()
    if kind == "likelihood":
        return thing.recipe, thing.logprob([[]] * 3, TEXTS[:3]), thing.seen()
    if kind == "bot":
        try:
            return thing.recipe, thing.reply(CONTEXTS[:3], n=2), thing.seen()
        except PartlyFailed as error:
            return str(error)
    corpus = Corpus.build(replies(9))
    caution = getattr(thing, "caution", lambda corpus: "")(corpus)
    return thing.finish(thing.measure(corpus), level="item"), caution, thing.seen(), getattr(thing, "facts", {})


def refused_or_used(kind, folder):
    """Whether it was refused, by a sentence with a way out; another exception ends the test."""
    try:
        use(kind, load(kind, Spec(str(folder))))
    except DialometerError as error:
        return bool(error.hint) or pytest.fail(f"no way out: {error}")
    return False


def unsealed(folder):
    """As it was written before there were seals."""
    for path in [folder / CARD, *folder.glob(f"*/{CARD}")]:
        card = orjson.loads(path.read_bytes())
        del card["seal"]
        path.write_bytes(orjson.dumps(card))


def places(value, path=()):
    """Paths of all entries of a card, two levels of objects deep and a few entries of each."""
    for key in list(value)[:40]:
        yield (*path, key)
        if isinstance(value[key], dict) and len(path) < 2:
            yield from places(value[key], (*path, key))


def changed(card, path, value):
    made = copy.deepcopy(card)
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    if value is KeyError:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return orjson.dumps(made)


def odd_arrays(array):
    """Other shapes and types of an array."""
    yield from (array[None], array.ravel()[:0], array.reshape(-1)[:1].copy(), np.concatenate([array, array]))
    with np.errstate(all="ignore"):
        yield from (array.astype(np.float16), array.astype(np.int8))
    yield from (np.zeros((2, 3, 4)), np.full(array.shape, -1, np.int64))
    yield np.full(array.shape, np.nan, np.float64)
    yield np.flip(array).copy()


@pytest.fixture(scope="module", params=list(fitted_specs()), ids=lambda pair: pair[1].format("T"))
def artifact(request, tmp_path_factory):
    kind, spec = request.param
    return kind, saved(kind, spec, str(tmp_path_factory.mktemp("fitted")))


@pytest.fixture
def copied(artifact, tmp_path):
    kind, folder = artifact
    return kind, Path(shutil.copytree(folder, tmp_path / "copy"))


def test_a_whole_folder_works_with_and_without_its_seal(copied):
    kind, folder = copied
    assert "seal" in orjson.loads((folder / CARD).read_bytes())
    assert not refused_or_used(kind, folder)
    unsealed(folder)
    assert not refused_or_used(kind, folder)


def test_any_change_of_a_sealed_card_is_refused(copied):
    kind, folder = copied
    whole = (folder / CARD).read_bytes()
    card = orjson.loads(whole)
    for path in places(card):
        for value in (KeyError, 0.5, "zzz", [[]]):
            if path == ("seal",) and value is KeyError:
                continue
            (folder / CARD).write_bytes(changed(card, path, value))
            with pytest.raises(DialometerError):
                load(kind, Spec(str(folder)))
    (folder / CARD).write_bytes(whole)
    assert not refused_or_used(kind, folder)


def test_other_arrays_than_those_of_the_seal_are_refused(copied):
    kind, folder = copied
    data = (folder / ARRAYS).read_bytes()
    middle = len(data) // 2
    flipped = data[:-1] + bytes([data[-1] ^ 1])
    for damaged in (b"", data[:middle], data + b"\0", flipped, data[:middle] + bytes(len(data) - middle)):
        if damaged == data:
            continue
        (folder / ARRAYS).write_bytes(damaged)
        with pytest.raises(MissingResource, match="cannot be read") as told:
            load(kind, Spec(str(folder)))
        assert told.value.hint.startswith("dialometer train ")


def test_a_card_without_seal_is_refused_or_works(copied):
    kind, folder = copied
    unsealed(folder)
    card = orjson.loads((folder / CARD).read_bytes())
    refused = 0
    for path in places(card):
        for value in (KeyError, *ODD, *([] if path[0] == "options" else [2**62])):  # any limit may be an option
            (folder / CARD).write_bytes(changed(card, path, value))
            refused += refused_or_used(kind, folder)
    assert refused > 10


def test_arrays_without_seal_are_refused_or_work(copied):
    kind, folder = copied
    unsealed(folder)
    refused = 0
    for path in [folder / ARRAYS, *folder.glob(f"*/{ARRAYS}")]:  # amfm has those of its parts alone
        arrays = load_file(path)
        for name in sorted(arrays)[:30]:
            without = {other: array for other, array in arrays.items() if other != name}
            for variant in (without, *(without | {name: odd} for odd in odd_arrays(arrays[name]))):
                save_file({key: np.ascontiguousarray(array) for key, array in variant.items()}, path)
                refused += refused_or_used(kind, folder)
        save_file(arrays, path)
    assert refused
