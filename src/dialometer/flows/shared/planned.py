"""``--planned A,B``: comparisons that were decided on before the numbers were seen; p is adjusted over these alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dialometer.core.errors import UnknownName, UsageError

Pair = frozenset[str]


def check_planned(texts: Sequence[str]) -> None:
    """Refuse what cannot be a pair, before a file is read."""
    for text in texts:
        if not all(side.strip() for side in text.split(",")) or "," not in text:
            raise UsageError(
                f"a planned comparison is two names, A,B, not {text!r}", "--planned A,B, once for each comparison"
            )


def planned_pairs(texts: Sequence[str], names: Collection[str], what: str) -> list[Pair]:
    """The pairs that the texts name; names may have commas of their own.

    >>> [sorted(pair) for pair in planned_pairs(["f(x=1,y=2):b,rouge-l"], ["f(x=1,y=2):b", "rouge-l"], "column")]
    [['f(x=1,y=2):b', 'rouge-l']]
    """
    found: list[Pair] = []
    for text in texts:
        pair = frozenset(_sides(text, names, what))
        if len(pair) < 2:
            raise UsageError(f"a planned comparison is of two different {what}s, not {text!r}", "--planned A,B")
        if pair in found:
            raise UsageError(f"the comparison {text} is planned twice", "name each --planned once")
        found.append(pair)
    return found


def _sides(text: str, names: Collection[str], what: str) -> tuple[str, str]:
    parts = text.split(",")
    cuts = [(",".join(parts[:cut]).strip(), ",".join(parts[cut:]).strip()) for cut in range(1, len(parts))]
    for a, b in cuts:
        if a in names and b in names:
            return a, b
    unknown = next((side for side in cuts[0] if side not in names), cuts[0][0])
    raise UnknownName(what, unknown, names, hint=f"--planned A,B with two of: {', '.join(names)}")
