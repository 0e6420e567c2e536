"""dialometer chat: talk to a bot in the terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from dialometer.cli.config import with_config
from dialometer.cli.signals import Terminated, listen

if TYPE_CHECKING:
    from dialometer.flows.chat.chat import Conversation, Exchange

EXAMPLES = """\b
Examples:
  dialometer chat eliza
  dialometer chat runs/hred -m length -o talks.jsonl
  printf 'Hello\\nI need tea\\n' | dialometer chat eliza --json
"""
HELP = """\
/undo          take the last exchange back
/retry         another reply to what you said last
/reset         begin another conversation
/history       all that was said
/scores [SPEC] the scores of every reply, by the metrics of -m or by another one
/save FILE     add the conversation to a file
/quit          the end, as Ctrl-D
//text         say /text"""

WIDTH = 40  # letters of a reply beside its scores


@click.command("chat", epilog=EXAMPLES)
@click.argument("bot", default="", metavar="BOT")
@click.option("-m", "--metric", "metrics", multiple=True, metavar="SPEC", help="Scores to show beside each reply; repeats.")
@click.option("--tok", default="", metavar="SPEC", help="Tokeniser of metrics whose spec names none.")
@click.option("--seed", default=0, show_default=True, type=int, help="Seed of every random draw.")
@click.option("-o", "--output", default="", metavar="FILE", help="Keep the conversation here (JSONL), turn by turn.")
@click.option("--config", default="", metavar="FILE", help="A TOML file with the same keys as these options.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per reply on standard output.")
@click.option("--quiet", is_flag=True, help="Print no greeting.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Talk to BOT: a spec such as eliza, or the folder of a trained one.

    Lines that come from a pipe are answered one by one, without a prompt. /help lists the commands; Ctrl-D ends it.
    """
    options = with_config(ctx, options)
    from dialometer.contracts.chat import ChatRequest
    from dialometer.flows.chat.chat import chat

    as_json, quiet = options.pop("as_json"), options.pop("quiet")
    terminal = sys.stdin is not None and sys.stdin.isatty()  # a closed one is None
    with contextlib.closing(chat(ChatRequest(**options))) as talk:
        if terminal and not quiet:
            click.echo(f"{talk.name}: /help lists the commands, Ctrl-D ends it", err=as_json)
        for line in _typed() if terminal else _piped():
            if line == "/quit":
                break
            if line:
                _heed(talk, line, as_json, terminal)


def _typed() -> Iterator[str]:
    """Lines of a terminal, to be edited and called back; Ctrl-C drops the line, Ctrl-D ends."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  its import alone gives ``input`` a history
    while True:
        try:
            yield input("you> ").strip()
        except Terminated:
            raise
        except KeyboardInterrupt:
            listen()
            click.echo("\n(Ctrl-D or /quit ends it)")
        except EOFError:
            click.echo()
            return


def _piped() -> Iterator[str]:
    """Lines of a pipe or a file, whatever bytes they hold."""
    for line in sys.stdin.buffer if sys.stdin else ():
        yield line.decode("utf-8", "replace").strip()


def _heed(talk: Conversation, line: str, as_json: bool, terminal: bool) -> None:
    """Say a line or carry out a command; what goes wrong is told, and the conversation goes on."""
    from dialometer.core.errors import DialometerError

    name, _, rest = line.partition(" ")
    try:
        if not line.startswith("/") or line.startswith("//"):
            _show(talk, talk.say(line.removeprefix("/") if line.startswith("//") else line), as_json, terminal)
        elif name == "/retry":
            _show(talk, talk.retry(), as_json, terminal)
        else:
            click.echo(_carry_out(talk, name, rest.strip()), err=as_json)
    except DialometerError as error:
        if as_json:
            _dump({"said": line, "error": error.message})
        click.echo(f"error: {error}", err=True)
    except KeyboardInterrupt as error:
        if not terminal or isinstance(error, Terminated):
            raise
        listen()
        click.echo("\n(stopped waiting; what you said was not kept)")


def _carry_out(talk: Conversation, name: str, rest: str) -> str:
    """A command that asks the bot for nothing: what there is to tell."""
    from dialometer.core.errors import UnknownName, UsageError

    if name == "/undo":
        return f"(taken back: {talk.undo().said})"
    if name == "/reset":
        talk.reset()
        return "(another conversation begins)"
    if name == "/history":
        return "\n".join(f"{turn.speaker}: {turn.text}" for turn in talk.turns) or "(nothing has been said yet)"
    if name == "/scores":
        return _scores(talk, rest)
    if name == "/save":
        if not rest:
            raise UsageError("no file was named", "/save talks.jsonl")
        talk.save(rest)
        return f"(added to {rest})"
    if name == "/help":
        return HELP
    known = ["/help", *(row.split()[0] for row in HELP.splitlines()[:-1])]
    raise UnknownName("command", name, known, hint="/help lists them; //text says /text")


def _scores(talk: Conversation, spec: str) -> str:
    """A table of all replies."""
    from dialometer.cli.table import table
    from dialometer.core.errors import UsageError
    from dialometer.flows.chat.scorer import Scorer

    scorer = Scorer((spec,)) if spec else talk.scorer
    if scorer is None:
        raise UsageError("no metric was asked for", "/scores length")
    if not talk.exchanges:
        return "(nothing has been said yet)"
    rows = []
    for number, exchange in enumerate(talk.exchanges, 1):
        found = scorer.score(talk.turns[: 2 * number - 1], exchange.reply)
        rows.append([exchange.reply[:WIDTH], *map(_number, found.values())])
    return table(["reply", *scorer.recipes], rows)


def _show(talk: Conversation, exchange: Exchange, as_json: bool, terminal: bool) -> None:
    if as_json:
        row = {"turn": len(talk.exchanges), "said": exchange.said, "reply": exchange.reply, "scores": exchange.scores}
        _dump({**row, "seed": exchange.seed, "seconds": round(exchange.times[1] - exchange.times[0], 3)})
        return
    click.echo(f"{talk.name}: {exchange.reply}" if terminal else exchange.reply)
    if exchange.scores:
        shown = [f"{column} {_number(value)}" for column, value in exchange.scores.items() if value is not None]
        click.echo(f"  {' · '.join(shown)}")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _dump(row: dict[str, Any]) -> None:
    import orjson

    click.echo(orjson.dumps(row).decode())
