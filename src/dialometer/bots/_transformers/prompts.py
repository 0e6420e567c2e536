"""Contexts as token ids: by the model's chat template, or turn by turn with an end after each (as in DialoGPT)."""

from __future__ import annotations

from dialometer.bots._shared.messages import Context, halved, messages, sendable
from dialometer.bots._transformers.model import CausalModel
from dialometer.core.errors import BotError, SpecError


def prompt_ids(model: CausalModel, context: Context, system: str, room: int) -> list[int]:
    """The ids of a context in at most ``room`` (0: any number of) tokens: its oldest turns leave first, then half of the last."""
    while True:
        ids = _ids(model, context, system)
        if not room or len(ids) <= room:
            return ids
        shorter = context[1:] if len(context) > 1 else halved(context)
        if shorter is None:
            raise BotError(
                f"{model.where} looks at {model.limit} tokens, and the context takes {len(ids)} even when it is cut",
                "a smaller max_tokens, or a shorter system prompt",
            )
        context = shorter


def response_ids(model: CausalModel, response: str) -> tuple[list[int], int]:
    """The ids that a reply consists of, its end included, and how many of the first are given rather than said."""
    body = _plain(model, response)
    if not model.encoder:
        return [*body, *model.ends[:1]], 0
    before, after = _around(model)
    return [*before, *body, *(after or model.ends[:1])], len(before)


def _ids(model: CausalModel, context: Context, system: str) -> list[int]:
    if model.templated:
        return _by_template(model, context, system)
    if system:
        raise SpecError(
            f"the model in {model.where} has no chat template, so that it takes no system prompt", "leave it out"
        )
    before, after = _around(model)
    end = model.ends[:1]
    turns = [_plain(model, turn.text) for turn in context]
    if model.encoder:
        between = [number for i, ids in enumerate(turns) for number in (*(end if i else []), *ids)]
        return [*before, *between, *(after or end)]
    ids = [*before, *(number for turn in turns for number in (*turn, *end))]
    return ids or [*end] or [model.pad]


def _by_template(model: CausalModel, context: Context, system: str) -> list[int]:
    from jinja2 import TemplateError

    try:
        made = model.tokens.apply_chat_template(
            messages(context, system), add_generation_prompt=True, tokenize=True, return_dict=False
        )
    except TemplateError as error:
        raise BotError(
            f"the chat template of {model.where} refuses this context ({error})",
            "a context that the user opens, no system prompt",
        ) from None
    return list(made)


def _plain(model: CausalModel, text: str) -> list[int]:
    """A text as ids, without what a tokeniser puts around it; signs that look like special tokens are plain text."""
    return list(model.tokens(sendable(text), add_special_tokens=False, split_special_tokens=True)["input_ids"])


def _around(model: CausalModel) -> tuple[list[int], list[int]]:
    """What the tokeniser puts before and after a text."""
    ids = list(model.tokens("")["input_ids"])
    return (ids[:-1], ids[-1:]) if ids and ids[-1] in model.ends else (ids, [])
