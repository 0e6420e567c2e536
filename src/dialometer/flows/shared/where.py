"""``--where key=value`` and ``key!=value``: which items take part, by a field of theirs; those left out are counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dialometer.core.errors import UnknownName, UsageError
from dialometer.data import Item

OWN = ("id", "system", "group")


@dataclass(frozen=True)
class Condition:
    """A field, whether it must be equal, and to what."""

    key: str
    equal: bool
    value: str

    def holds(self, item: Item) -> bool:
        """Whether an item meets it; a missing field is equal to nothing."""
        return (_spelt(field_of(item, self.key)) == self.value) == self.equal

    @property
    def failing(self) -> str:
        """Those who do not meet it, in words."""
        return f"items {'without' if self.equal else 'with'} {self.key}={self.value}"

    def __str__(self) -> str:
        return f"{self.key}{'=' if self.equal else '!='}{self.value}"


def condition(text: str) -> Condition:
    """Read a condition.

    >>> condition("system != human")
    Condition(key='system', equal=False, value='human')
    """
    key, mark, value = text.partition("=")
    if not mark or not key.strip("! "):
        raise UsageError(f"a condition is key=value or key!=value, not {text!r}", '--where "system!=human"')
    return Condition(key.rstrip().removesuffix("!").strip(), not key.rstrip().endswith("!"), value.strip())


def field_of(item: Item, key: str) -> Any:
    """A field by its name: our own, or one that the file had besides."""
    return getattr(item, key) if key in OWN else item.extra.get(key)


def sieve(
    items: Iterable[Item], texts: Sequence[str], excluded: dict[str, str] | None = None
) -> tuple[list[Item], dict[str, int]]:
    """The items that meet every condition, and how many fail each (counted under the first that they fail).

    The ids of those who fail are added to ``excluded``, with their systems.
    """
    conditions = [condition(text) for text in texts]
    kept: list[Item] = []
    failed = {each.failing: 0 for each in conditions}
    known: set[str] = set(OWN)
    for item in items:
        known.update(item.extra)
        first = next((each for each in conditions if not each.holds(item)), None)
        if first is None:
            kept.append(item)
        else:
            failed[first.failing] += 1
            if excluded is not None:
                excluded[item.id] = item.system
    for each in conditions:
        if each.key not in known:
            raise UnknownName("field", each.key, known, hint=f'--where "{each}" names a field of the items')
    if not kept and conditions:
        raise UsageError(f"no item meets {' and '.join(map(str, conditions))}", "leave one --where out")
    return kept, failed


def _spelt(value: Any) -> str | None:
    """A value as it is typed: true and false as JSON has them."""
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)
