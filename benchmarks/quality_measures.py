"""What a bot is worth on test conversations: likelihood, latents, heads, replies, recall. Used by quality_bots.py."""

from typing import Any

import numpy as np

from dialometer.bots._retrieval.recall import candidates, recall_at
from dialometer.core.registry import create
from dialometer.core.seeds import derived
from dialometer.core.types import Example, Turn
from dialometer.nets.dialogue.subwords import words_of
from dialometer.text.corpus import Corpus

SAMPLES = 10  # draws of an importance-weighted estimate
REPLIES = 1000  # test contexts that are answered


def measure(name: str, run: str, talks: list[list[str]], training: list[list[str]]) -> dict[str, Any]:
    """Every number of one row; what does not apply is absent."""
    met = set(words_of([text for talk in training for text in talk]).spellings())
    if name == "katz":
        return _trigrams(run, talks, met)
    bot = create("bot", run)
    found: dict[str, Any] = {}
    if hasattr(bot, "net"):
        found |= _likelihood(bot, talks, met)
        if getattr(bot, "ei", "") not in ("", "input"):
            found["heads"] = _heads(bot, talks)
    return found | _replies(bot, talks) | _recall(bot, talks)


def _trigrams(run: str, talks: list[list[str]], met: set[str]) -> dict[str, Any]:
    """A word never met costs the model's unknown word and its spelling, by trigrams of letters learnt from the words met.

    Without the spelling it would not be a model of texts, and could not be compared with bots that spell.
    """
    replies = [text for talk in talks for text in talk[1:]]
    sums, events = create("likelihood", run).logprob([[]] * len(replies), replies)
    letters = create("likelihood", "ngram(order=3,prune=0,tok=space)").fit([[" ".join(word) for word in sorted(met)]])
    table = words_of(replies)
    spelt = letters.logprob([[]] * len(table.words), [" ".join(word) for word in table.spellings()])[0]
    new = np.array([word not in met for word in table.spellings()])
    owner = np.repeat(np.arange(len(replies)), table.lengths())
    sums = sums + np.bincount(owner, (spelt * new)[table.ids], minlength=len(replies))
    return _perplexities(-sums, events, replies, met) | {"turns": len(replies), "words": int(events.sum())}


def _perplexities(nats: np.ndarray, events: np.ndarray, replies: list[str], met: set[str]) -> dict[str, Any]:
    """Per word and end: of all replies, and of those without a word that training never met."""
    table = words_of(replies)
    new = np.array([word not in met for word in table.spellings()])
    owner = np.repeat(np.arange(len(replies)), table.lengths())
    known = np.bincount(owner, new[table.ids], minlength=len(replies)) == 0
    return {
        "perplexity": float(np.exp(nats.sum() / events.sum())),
        "perplexity_known": float(np.exp(nats[known].sum() / events[known].sum())),
        "replies_known": int(known.sum()),
    }


def _likelihood(bot: Any, talks: list[list[str]], met: set[str]) -> dict[str, Any]:
    from dialometer.nets.dialogue.likelihood import likelihoods

    data, latent = bot.data(talks), bot.name in ("vhred", "vhcr")
    own = likelihoods(bot.net(), data, samples=SAMPLES if latent else 1)
    found = own.summary(data)
    replies = [text for talk in talks for text in talk[1:]]
    found |= _perplexities(own.bound[data.replies], data.events[data.replies], replies, met)
    if not latent:
        found.pop("kl"), found.pop("perplexity_estimate")
    else:
        estimate = _perplexities(own.estimate[data.replies], data.events[data.replies], replies, met)
        found["estimate_known"] = estimate["perplexity_known"]
    if latent or bot.name == "mrrnn":
        swapped = likelihoods(bot.net(), data, swap=True)
        found |= {"own": own.nll[data.replies].mean(), "swapped": swapped.nll[data.replies].mean()}
    return found


def _heads(bot: Any, talks: list[list[str]]) -> dict[str, float]:
    """Mean distances of the heads on test utterances, and those of the mean of the test utterances themselves."""
    import torch

    from dialometer.bots._generative.ei_targets import EMOTIONS
    from dialometer.nets.dialogue.data import Batch

    data = bot.felt(talks)
    sums = {"emotion": 0.0, "vector": 0.0}
    with torch.inference_mode():
        for part in data.parts(np.arange(len(data))):
            told = bot.net()(Batch(data, part, tuple(part.tolist())))
            for key in sums:
                sums[key] += float(getattr(told, key)) if getattr(told, key) is not None else np.nan
    felt, meant = data.facts[:, :EMOTIONS].astype(float), data.facts[:, EMOTIONS:].astype(float)
    return {key: value / len(felt) for key, value in sums.items() if np.isfinite(value)} | {
        "emotion_mean": float(-(felt * np.log(felt.mean(axis=0))).sum(axis=1).mean()),
        "vector_mean": float(((meant - meant.mean(axis=0)) ** 2).mean()),
    }


def _replies(bot: Any, talks: list[list[str]]) -> dict[str, Any]:
    """One context of each test conversation answered: metrics against what was said there, and diversity."""
    items = []
    for number, talk in enumerate(talks[:REPLIES]):
        if len(talk) > 1:
            turn = 1 + derived(0, "turn", number) % (len(talk) - 1)
            context = tuple(Turn("ab"[i % 2], text) for i, text in enumerate(talk[:turn]))
            items.append(Example(str(number), context, "", (talk[turn],)))
    said = [replies[0] for replies in bot.reply([item.context for item in items], n=1, seed=0)]
    corpus = Corpus.build([Example(i.id, i.context, text, i.references) for i, text in zip(items, said, strict=True)])
    found: dict[str, Any] = {"replies": len(items), "sample": said[:20]}
    for spec in ("embedding", "length"):
        metric = create("metric", spec)
        values = metric.finish(metric.measure(corpus), level="item")
        found |= dict(zip(metric.columns, np.nanmean(values, axis=0).tolist(), strict=True))
    found["words_said"] = found.pop("words")
    distinct = create("metric", "distinct")
    values = distinct.score(corpus, np.arange(len(items)))
    return found | dict(zip(distinct.columns, values.tolist(), strict=True))


def _recall(bot: Any, talks: list[list[str]]) -> dict[str, Any]:
    """How often the true reply ranks first, second or fifth among ten, where a bot can rank replies."""
    if not hasattr(bot, "scores"):
        return {}
    pairs = [(talk[:at], talk[at]) for talk in talks for at in range(1, len(talk))]
    numbers = np.unique([reply for _, reply in pairs], return_inverse=True)[1]
    choices = [[pairs[row][1] for row in rows] for rows in candidates(numbers).tolist()]  # the true reply comes first
    contexts = [tuple(Turn("ab"[i % 2], text) for i, text in enumerate(context)) for context, _ in pairs]
    return {"recall": list(recall_at(bot.scores(contexts, choices), 0).values())}
