"""chat: a conversation with a bot, turn by turn, with the scores of each reply where they are asked for."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field

from dialometer.bots._shared.ask import ask
from dialometer.contracts.chat import ChatRequest
from dialometer.core.errors import BotError, UsageError
from dialometer.core.protocols import Bot
from dialometer.core.seeds import derived
from dialometer.core.types import Dialogue, Turn
from dialometer.flows.chat.scorer import Scorer
from dialometer.flows.chat.transcript import Keeper
from dialometer.flows.shared.bots import load

USER, BOT = "user", "bot"


@dataclass(frozen=True, slots=True)
class Exchange:
    """What was said, what the bot replied, and with which try and seed it did so."""

    said: str
    reply: str
    scores: dict[str, float | None] = field(default_factory=dict)
    attempt: int = 0
    seed: int = 0
    times: tuple[float, float] = (0.0, 0.0)

    def turns(self) -> tuple[Turn, Turn]:
        """Both sides."""
        more = {"scores": self.scores} if self.scores else {}
        return Turn(USER, self.said, time=self.times[0]), Turn(BOT, self.reply, time=self.times[1], extra=more)


def chat(request: ChatRequest) -> Conversation:
    """A conversation that can begin: bot, metrics and file are there."""
    if not request.bot:
        raise UsageError("no bot was named", "dialometer chat eliza")
    scorer = Scorer(request.metrics, request.tok) if request.metrics else None
    keeper = Keeper(request.output) if request.output else None
    return Conversation(load(request.bot), name=request.bot, scorer=scorer, seed=request.seed, keeper=keeper)


class Conversation:
    """Exchanges with a bot; each draws from ``derived(seed, number, attempt)``, so undone and said again it is the same.

    >>> from dialometer.core.registry import create
    >>> talk = Conversation(create("bot", "parrot"))
    >>> talk.say("Tea ?").reply, talk.say("Now ?").reply, len(talk.turns)
    ('Tea ?', 'Now ?', 4)
    >>> talk.undo().said, [turn.text for turn in talk.turns]
    ('Now ?', ['Tea ?', 'Tea ?'])
    """

    def __init__(
        self, bot: Bot, *, name: str = "", scorer: Scorer | None = None, seed: int = 0, keeper: Keeper | None = None
    ) -> None:
        self.bot, self.name, self.scorer, self.seed, self.keeper = bot, name or bot.name, scorer, seed, keeper
        self.exchanges: list[Exchange] = []
        self._unanswered = ("", -1)  # what the bot failed at last, and at which try
        self.id = _new_id()

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All that was said."""
        return tuple(turn for exchange in self.exchanges for turn in exchange.turns())

    @property
    def dialogue(self) -> Dialogue:
        """The conversation as a file keeps it."""
        facts = {"recipe": self.bot.recipe, "seed": self.seed}
        recipes = {"recipes": self.scorer.recipes} if self.scorer else {}
        return Dialogue(self.id, self.name, self.turns, extra=facts | recipes)

    def say(self, text: str) -> Exchange:
        """The bot's reply; where it fails, nothing was said, and ``retry`` says it again."""
        self._add(self._exchange(text, 0))
        return self.exchanges[-1]

    def retry(self) -> Exchange:
        """Another reply to what was said last."""
        if self._unanswered[0]:
            said, attempt = self._unanswered
            self._add(self._exchange(said, attempt + 1))
        else:
            last = self.undo()
            try:
                self._add(self._exchange(last.said, last.attempt + 1))
            except BaseException:  # also when the user stops waiting: the reply that was there is there again
                self._add(last)
                raise
        return self.exchanges[-1]

    def undo(self) -> Exchange:
        """Take the last exchange back."""
        if not self.exchanges:
            raise UsageError("nothing has been said yet", "say something")
        last = self.exchanges.pop()
        self._unanswered = ("", -1)
        self._keep()
        return last

    def reset(self) -> None:
        """Begin another conversation; the one before stays where it is kept."""
        self.exchanges, self._unanswered, self.id = [], ("", -1), _new_id()
        if self.keeper:
            self.keeper.next()

    def save(self, path: str) -> None:
        """Add the conversation to a file."""
        if not self.exchanges:
            raise UsageError("nothing has been said yet", "say something")
        try:
            Keeper(path).keep(self.dialogue)
        except OSError as error:  # the conversation goes on, and another file may do
            raise UsageError(f"cannot write {path}: {(error.strerror or str(error)).lower()}", "/save FILE") from None

    def close(self) -> None:
        """End what the bot has started."""
        getattr(self.bot, "close", lambda: None)()

    def _exchange(self, said: str, attempt: int) -> Exchange:
        context = (*self.turns, Turn(USER, said, time=_now()))
        seed = derived(self.seed, len(self.exchanges), attempt)
        (answer,) = ask(self.bot, [context], seed=[seed])
        if answer.error:
            self._unanswered = (said, attempt)
            raise BotError(answer.error, "say it again (/retry), or something else")
        reply = answer.replies[0]
        scores = self.scorer.score(context, reply) if self.scorer else {}
        return Exchange(said, reply, scores, attempt, seed, (float(context[-1].time or 0), _now()))

    def _add(self, exchange: Exchange) -> None:
        self.exchanges.append(exchange)
        self._unanswered = ("", -1)
        self._keep()

    def _keep(self) -> None:
        if self.keeper:
            self.keeper.keep(self.dialogue)


def _new_id() -> str:
    return f"chat-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"


def _now() -> float:
    return round(time.time(), 3)
