"""The hyper-parameters of Ghandeharioun et al. 2019, table A.5, by corpus and version; learning rate .0001 throughout (§A.12).

The row of the Cornell VHRED baseline is blurred in the copy at hand: its drops are read as those printed beside VHCR's.
"""

from __future__ import annotations

from typing import Any

from dialometer.core.errors import UnknownName

# batch, dropout, hidden (encoder and decoder), context, embedding, word drop, utterance drop, beam
_BASE = {
    ("cornell", "hred"): (80, 0.2, 400, 1000, 300, 0.0, 0.0, 5),
    ("cornell", "vhred"): (80, 0.0, 1000, 1000, 400, 0.25, 0.0, 5),
    ("cornell", "vhcr"): (80, 0.0, 1000, 1000, 500, 0.25, 0.25, 5),
    ("cornell-ei", "hred"): (64, 0.2, 1000, 1000, 500, 0.0, 0.0, 1),
    ("cornell-ei", "vhred"): (80, 0.2, 1250, 1000, 600, 0.0, 0.0, 1),
    ("cornell-ei", "vhcr"): (32, 0.2, 1000, 1250, 600, 0.0, 0.0, 1),
    ("reddit", "hred"): (64, 0.2, 1000, 1000, 500, 0.0, 0.0, 1),
    ("reddit", "vhred"): (32, 0.2, 1250, 1000, 600, 0.0, 0.0, 1),
    ("reddit", "vhcr"): (32, 0.2, 1000, 1250, 600, 0.0, 0.25, 1),
    ("reddit-ei", "hred"): (64, 0.2, 1000, 1000, 500, 0.0, 0.0, 1),
    ("reddit-ei", "vhred"): (32, 0.2, 1250, 1250, 600, 0.0, 0.0, 1),
    ("reddit-ei", "vhcr"): (32, 0.2, 1000, 1250, 600, 0.0, 0.0, 1),
}
# weight and width of the emotion head, weight and width of the sentence-vector head
_HEADS = {
    ("cornell-ei", "hred"): (25.0, 128, 100_000.0, 4000),
    ("cornell-ei", "vhred"): (25.0, 128, 30_000.0, 128),
    ("cornell-ei", "vhcr"): (25.0, 128, 25_000.0, 4000),
    ("reddit-ei", "hred"): (25.0, 128, 25_000.0, 2000),
    ("reddit-ei", "vhred"): (25.0, 128, 100_000.0, 4000),
    ("reddit-ei", "vhcr"): (25.0, 128, 100_000.0, 4000),
}
NAMES = tuple(dict.fromkeys(corpus for corpus, _ in _BASE))


def preset(name: str, bot: str) -> dict[str, Any]:
    """The options of one row.

    >>> preset("cornell", "hred")["hidden"], preset("reddit-ei", "vhcr")["vector_weight"]
    (400, 100000.0)
    """
    if (name, bot) not in _BASE:
        raise UnknownName(f"preset of {bot}", name, NAMES, hint=f"{bot}(preset={NAMES[0]})")
    batch, dropout, hidden, context, embedding, word_drop, utterance_drop, beam = _BASE[name, bot]
    options: dict[str, Any] = {
        "batch": batch, "dropout": dropout, "hidden": hidden, "context": context, "embedding": embedding,
        "word_drop": word_drop, "beam": beam, "rate": 0.0001, "decode": "beam" if beam > 1 else "greedy",
    }  # fmt: skip
    if bot == "vhcr":
        options["utterance_drop"] = utterance_drop
    if (name, bot) in _HEADS:
        names = ("emotion_weight", "emotion_head", "vector_weight", "vector_head")
        options |= dict(zip(names, _HEADS[name, bot], strict=True)) | {"ei": "both"}
    return options


def take_preset(bot: Any) -> None:
    """Give a bot the options of its preset, where they were left at their defaults; it then has options and no preset.

    A name that stayed would come back over what is set later: ``decode=greedy`` of a trained bot looks like the default.
    """
    if not bot.preset:
        return
    for option, value in preset(bot.preset, bot.name).items():
        if getattr(bot, option) == type(bot).__dataclass_fields__[option].default:
            object.__setattr__(bot, option, value)
    object.__setattr__(bot, "preset", "")
