"""What the cases attack, without running them: everything in ten thousand, and the larger part in the first thousand."""

from __future__ import annotations

import pytest

from dialometer.cli.main import VERBS
from dialometer.core.catalog import CATALOG
from dialometer.core.registry import names
from tests.fuzz.cases import ATTACKS, case, readers
from tests.fuzz.catalogue import PLACES, classes, fields
from tests.fuzz.commands import options
from tests.fuzz.inputs import good_files
from tests.fuzz.scenes import scenes

WANTED = {
    "commands": lambda: {f"command {name}" for name in VERBS},
    "numeric options": lambda: {f"option {option.label}" for option in options() if option.number},
    "other options": lambda: {f"option {option.label}" for option in options() if not option.number},
    "numeric fields": lambda: {f"field {field.label}" for field in fields() if field.number},
    "other fields": lambda: {f"field {field.label}" for field in fields() if not field.number},
    "things": lambda: {f"thing {kind} {name}" for kind, name, _ in classes()},
    "formats": lambda: {f"format {name}" for name in names("format")},
    "forms of input": lambda: {f"form {path}" for path in good_files()},
    "paths": lambda: (
        {f"path {option.label}" for option in options() if option.path}
        | {f"path {command} standard output" for command in VERBS}
    ),
    "fitted things and runs": lambda: {f"scene {name}" for name in scenes()},
}
# The share that the first thousand cases reach; the others are met by ten thousand.
SHARE = {"other options": 0.2, "other fields": 0.25, "things": 0.6}


@pytest.fixture(scope="module")
def covered():
    """What each of ten thousand cases attacks."""
    return [set(case(number).covers) for number in range(10_000)]


@pytest.mark.parametrize("what", WANTED)
def test_everything_is_attacked(covered, what):
    wanted, whole, first = WANTED[what](), set().union(*covered), set().union(*covered[:1000])
    assert wanted
    assert wanted <= whole, sorted(wanted - whole)
    assert len(wanted & first) >= SHARE.get(what, 1.0) * len(wanted), sorted(wanted - first)


def test_every_kind_of_the_catalogue_has_a_place_to_stand():
    assert set(PLACES) == set(CATALOG)
    assert all(readers(path) for path in good_files())


def test_the_same_number_gives_the_same_case():
    for number in range(0, 400, 7):
        one, other = case(number), case(number)
        assert one == other
        assert one.files() == other.files()
    assert case(3) != case(3, seed="1")


def test_a_round_has_every_attack():
    assert [case(number).attack for number in range(len(ATTACKS))] == list(ATTACKS)
