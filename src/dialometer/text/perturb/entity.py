"""Another place, day, number or name of the same kind: Ireland for Serbia."""

from __future__ import annotations

from random import Random

from dialometer.core.types import Example
from dialometer.text.entities import entities
from dialometer.text.perturb.kinds import Others, Perturbation
from dialometer.text.perturb.names import spelt_names


def _swap(item: Example, others: Others, seed: int) -> str | None:
    """One name of the response, everywhere in it, becomes one that neither item, context nor references mention."""
    mentions = list(spelt_names(item.response))
    known = [entities(text) for text in (item.response, *item.references, *(turn.text for turn in item.context))]
    rng = Random(seed)
    chosen = sorted({(mention.kind, mention.name) for mention in mentions})
    rng.shuffle(chosen)
    for kind, name in chosen:
        here = frozenset[str]().union(*(names.get(kind, frozenset()) for names in known))
        offered = [spelling for other, spelling in others.names.get(kind, ()) if other not in here]
        if offered:
            return _replace(item.response, [m[3:] for m in mentions if m[:2] == (kind, name)], rng.choice(offered))
    return None


def _replace(text: str, places: list[tuple[int, int]], new: str) -> str:
    """The text with new words at these places, in the case of what stood there."""
    for start, end in reversed(places):
        spelt = new[:1].upper() + new[1:] if text[start].isupper() else new.lower()
        text = text[:start] + spelt + text[end:]
    return text


ENTITY = Perturbation(
    "entity-swapped", "drop", "one place, time, number or name becomes another item's of the same kind",
    "it states something else (D'Haro et al. 2019, table 4: Ireland for Serbia)", _swap,
)  # fmt: skip
