"""Ranges of numeric options, declared with the type of a dataclass field and checked before anything is computed.

A field says ``order: Order = 4`` or ``k: Annotated[int, Range(1, 100)] = 10``. ``registry.create`` checks the options of a spec,
``artifacts.open_artifact`` those of a saved artifact, and a request checks its own when it is constructed. A numeric field without
a range has that of its type: 64-bit integers, finite floats.

>>> print(Range(1, 9), Range(0, 1, below=True), Range(0, 2, unset=-1), sep="; ")
1 to 9; at least 0 and below 1; 0 to 2, or -1
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from numbers import Integral, Real
from typing import Annotated, Any, get_args, get_origin

from dialometer.core.errors import SpecError, UsageError

DIGITS = 40  # of a number in an error message


@dataclasses.dataclass(frozen=True)
class Range:
    """Numbers from ``low`` to ``high``; ``above`` and ``below`` exclude the ends, ``unset`` is one more that means: not set."""

    low: float
    high: float
    above: bool = False
    below: bool = False
    unset: float | None = None

    def __contains__(self, value: float) -> bool:
        low = self.low < value if self.above else self.low <= value
        high = value < self.high if self.below else value <= self.high
        return (low and high) or (self.unset is not None and value == self.unset)

    def __str__(self) -> str:
        low, high = shown(self.low), shown(self.high)
        text = f"{low} to {high}"
        if self.above or self.below:
            text = f"{'above' if self.above else 'at least'} {low} and {'below' if self.below else 'at most'} {high}"
        return text if self.unset is None else f"{text}, or {shown(self.unset)}"


Order = Annotated[int, Range(1, 9)]  # of n-grams
Width = Annotated[int, Range(1, 16_384)]  # of a layer or a vector
TwoWayWidth = Annotated[int, Range(2, 16_384)]  # of a layer that two directions share
VocabularySize = Annotated[int, Range(1, 10_000_000)]  # different words or symbols
Epochs = Annotated[int, Range(0, 100_000)]
Size = Annotated[int, Range(1, 1_000_000_000)]  # how many of something there are at least and at most
Count = Annotated[int, Range(0, 1_000_000_000)]  # the same where 0 means none, all or chosen
Batch = Annotated[int, Range(1, 65_536)]  # what is computed together
Conversations = Annotated[int, Range(1, 1_000_000)]
Turns = Annotated[int, Range(1, 10_000)]
Retries = Annotated[int, Range(0, 1000)]
Parallel = Annotated[int, Range(1, 1024)]  # requests, threads or processes at the same time
Share = Annotated[float, Range(0, 1)]
BelowOne = Annotated[float, Range(0, 1, below=True)]
Fraction = Annotated[float, Range(0, 1, above=True)]
Inside = Annotated[float, Range(0, 1, above=True, below=True)]
Positive = Annotated[float, Range(1e-12, 1e12)]
Nonnegative = Annotated[float, Range(0, 1e12)]
Rating = Annotated[float, Range(-1e100, 1e100)]  # as the readers of ratings accept them
Seconds = Annotated[float, Range(0, 1_000_000, above=True)]
Seed = Annotated[int, Range(-(2**63), 2**63 - 1)]
Draws = Annotated[int, Range(0, 1_000_000)]  # resamples or permutations
Bytes = Annotated[int, Range(1, 1 << 40)]
TYPES = {int: Range(-(2**63), 2**63 - 1), float: Range(-sys.float_info.max, sys.float_info.max)}


@dataclasses.dataclass(frozen=True)
class Number:
    """What a numeric field accepts: its type, its range, and whether the field declares the range itself.

    A text with a range is a list of whole numbers with commas between, each of them in the range.
    """

    type: type[int] | type[float] | type[str]
    range: Range
    declared: bool

    def problem(self, value: object) -> str:
        """What is wrong with a value, as the end of a sentence; nothing if it is in range."""
        if self.type is str:
            right = not value or all(number is not None and number in self.range for number in whole_numbers(str(value)))
            return "" if right else f"wants whole numbers with commas between, each {self.range}, not {shown(value)}"
        wanted = Integral if self.type is int else Real
        if not isinstance(value, wanted) or isinstance(value, bool):
            kind = "a whole number" if self.type is int else "a number"
            return f"is {kind}, {self.range}, not {shown(value)}"
        return "" if value in self.range else f"is {self.range}, not {shown(value)}"  # type: ignore[operator]


def numbers_of(made: Any) -> dict[str, Number]:
    """The numeric fields of a dataclass by name."""
    return _numbers(made)


@cache
def _numbers(made: type) -> dict[str, Number]:
    found = {field.name: _number(_hint(made, field)) for field in dataclasses.fields(made) if field.init}
    return {name: number for name, number in found.items() if number is not None}


def check_options(made: type, options: Mapping[str, object], name: str) -> None:
    """Refuse options of a spec, or of a saved artifact, that are out of range."""
    for option, value, number in _numeric_options(made, options):
        if problem := number.problem(value):
            raise SpecError(f"{name}({option}=…) {problem}", f"{name}({option}={_valid_value(made, option, number)})")


def check_fields(component: Any) -> None:
    """Refuse an object whose options are out of range, for classes that are also constructed without a spec."""
    made = type(component)
    check_options(made, {option: getattr(component, option) for option in numbers_of(made)}, component.name)


def check_request(request: Any) -> None:
    """Refuse a request with a number out of range, by the name of its command-line option."""
    made = type(request)
    for option, _, number in _numeric_options(made, {name: getattr(request, name) for name in numbers_of(made)}):
        if problem := number.problem(getattr(request, option)):
            flag = f"--{option.replace('_', '-')}" if len(option) > 1 else f"-{option}"
            raise UsageError(f"{flag} {problem}", f"{flag} {_valid_value(made, option, number)}")


def whole_numbers(text: str) -> list[int | None]:
    """The numbers of a list with commas between; nothing for what is not a whole number of at most 64 bits.

    >>> whole_numbers("12,1.5," + "9" * 5000)
    [12, None, None]
    """
    found: list[int | None] = []
    for part in text.split(","):
        try:
            value = int(part)
        except ValueError:  # also of thousands of digits, which Python refuses to read
            found.append(None)
        else:
            found.append(value if value in TYPES[int] else None)
    return found


def shown(value: object) -> str:
    """A value in an error message, cut if it is long.

    >>> shown(16384), shown(0.5), shown(1e12), shown(10**30 + 1)
    ('16384', '0.5', '1000000000000', '1000000000000000000000000000001')
    """
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 3 * DIGITS:
        return f"a number of {value.bit_length()} bits"
    text = f"{value:.15g}" if isinstance(value, float) else str(value) if isinstance(value, int) else repr(value)
    return text if len(text) <= DIGITS else f"{text[:DIGITS]}…"


def _numeric_options(made: type, options: Mapping[str, object]) -> Iterator[tuple[str, object, Number]]:
    known = numbers_of(made)
    return ((option, value, known[option]) for option, value in options.items() if option in known)


def _valid_value(made: type, option: str, number: Number) -> str:
    """A value to type instead: the default, or the lowest one."""
    default = next(field.default for field in dataclasses.fields(made) if field.name == option)
    return shown(number.range.low if default is dataclasses.MISSING else default)


def _hint(made: type, field: dataclasses.Field[Any]) -> Any:
    """The type of a field, evaluated where its class was written; nothing for names that only type checkers import."""
    if not isinstance(field.type, str):
        return field.type
    owner = next(each for each in made.__mro__ if field.name in inspect.get_annotations(each))
    try:
        return eval(field.type, vars(sys.modules[owner.__module__]))
    except (NameError, TypeError):
        return None


def _number(hint: Any) -> Number | None:
    """The range that a type declares; ``None`` may be among its alternatives."""
    base, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if base in (int, float):
        declared = next((note for note in notes if isinstance(note, Range)), None)
        return Number(base, declared or TYPES[base], declared is not None)
    if base is str:
        return next((Number(str, note, True) for note in notes if isinstance(note, Range)), None)
    parts = [part for part in get_args(base) if part is not type(None)]
    return _number(parts[0]) if len(parts) == 1 and type(None) in get_args(base) else None
