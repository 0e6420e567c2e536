"""Every number carries its recipe: the metric's name, options, facts of the run and version, on one line.

The recipe is derived from the fields of the metric's dataclass, so no option can be forgotten.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from dialometer.core.capabilities import HasRecipeFacts


def recipe(metric: Any, facts: dict[str, object] | None = None) -> str:
    """The recipe of a metric.

    >>> from dialometer.core.registry import create
    >>> recipe(create("metric", "bleu(order=2)"), {"refs": 11})
    'bleu|variant:sacrebleu|order:2|smooth:exp|tok:words-1|refs:11|v:1'
    """
    shown = [f.name for f in dataclasses.fields(metric) if f.repr and f.metadata.get("recipe", True)]
    parts: dict[str, object] = {name: getattr(metric, name) for name in shown}
    if isinstance(metric, HasRecipeFacts):
        parts |= metric.recipe_facts()
    parts |= facts or {}
    parts["v"] = metric.version
    return "|".join([metric.name, *(f"{key}:{value}" for key, value in parts.items())])


def short(component: Any, content: str = "") -> str:
    """The recipe of an encoder, tokeniser or bot as one word: name-version, options that are not the default, hash of its content.

    A field's metadata says otherwise: ``{"recipe": "always"}`` is shown at its default too, ``{"recipe": False}`` never.

    >>> from dialometer.core.registry import create
    >>> short(create("tokeniser", "words(stopwords=drop)"), "1f2e")
    'words-1(stopwords=drop)@1f2e'
    """
    options = [
        f"{f.name}={getattr(component, f.name)}"
        for f in dataclasses.fields(component)
        if f.repr and f.metadata.get("recipe", getattr(component, f.name) != f.default)
    ]
    return (
        f"{component.name}-{component.version}"
        + (f"({','.join(options)})" if options else "")
        + (f"@{content}" if content else "")
    )
