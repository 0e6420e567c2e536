"""dialometer play: let bots talk."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from dialometer.cli.config import with_config

if TYPE_CHECKING:
    from dialometer.flows.play.play import PlayReport

EXAMPLES = """\b
Examples:
  dialometer play --a eliza
  dialometer play --a eliza --a alice --a runs/hred -n 100 --turns 10
  dialometer play --a runs/hred --b eliza --openers openers.txt
  dialometer play --a runs/a1 --a runs/a2 --name hred --name vhred
  dialometer play --a runs/hred --a runs/vhred --partners eliza --partners alice
  dialometer play --a runs/hred --openers talks.jsonl.gz --where split=test --context 3 \\
                  --training talks.jsonl.gz --training-where split=train
"""
ANY, FAILED = -1, 3  # failures that are allowed; the exit code of more than were allowed
COLUMNS = {"words": "words", "distinct-1": "distinct-1", "distinct-2": "distinct-2"}
WINDOWS = {"pairs_3": "shared 3", "pairs_5": "shared 5", "training_2": "training 2", "training_3": "training 3"}


@click.command("play", epilog=EXAMPLES)
@click.option(
    "--a", "a", multiple=True, metavar="BOT", help="A bot or a folder that train wrote; repeats: one after another."
)
@click.option(
    "--name", "names", multiple=True, metavar="NAME", help="Name of a bot of --a, in order; its spec unless named."
)
@click.option("--b", "b", default="", metavar="BOT", help="Its partner; itself unless named.")
@click.option("--partners", multiple=True, metavar="BOT", help="A fixed pool of partners, met in turn; repeats.")
@click.option("--openers", default="", metavar="FILE", help="What conversations begin with; small talk unless named.")
@click.option(
    "--context", default=0, show_default=True, type=int, help="Begin with the first so many turns of conversations."
)
@click.option(
    "--where", multiple=True, metavar="KEY=VALUE", help="Items of --openers that count, also KEY!=VALUE; repeats."
)
@click.option("--repeat", is_flag=True, help="Use openers again when there are fewer than conversations.")
@click.option("-n", "n", default=100, show_default=True, type=int, help="Conversations of each bot.")
@click.option("--turns", default=10, show_default=True, type=int, help="Turns that are generated, after the opener's.")
@click.option("--training", multiple=True, metavar="FILE", help="What bots were trained on, to look for it; repeats.")
@click.option("--training-where", multiple=True, metavar="KEY=VALUE", help="Items of --training that count; repeats.")
@click.option("--from", "format", default="", metavar="FORMAT", help="How the files are written; found out unless named.")
@click.option("--max-line", default=16 << 20, show_default=True, type=int, help="Longest line accepted, in bytes.")
@click.option("--batch", default=100, show_default=True, type=int, help="Conversations that go on together.")
@click.option(
    "--allow-failures", default=0, show_default=True, type=int, metavar="N",
    help="Exit with 0 although up to N conversations failed; -1: any number of them.",
)  # fmt: skip
@click.option("--seed", default=0, show_default=True, type=int, help="Seed of every random draw.")
@click.option("-o", "--output", default="", metavar="DIR", help="Run directory; runs/play-<hash> unless named.")
@click.option("--fresh", is_flag=True, help="Start over: use nothing of an earlier run of the same command.")
@click.option("--config", default="", metavar="FILE", help="A TOML file with the same keys as these options.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--quiet", is_flag=True, help="Print nothing but warnings and errors.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Let bots talk: each with itself, with a partner, or with a fixed pool of partners.

    Conversation i has the same opener for every bot. FILE of --openers holds lines of text (.txt), items (their contexts) or
    conversations (their first turns). Conversations go to dialogues.jsonl, which score, meta and train read. A bot that fails ends
    its conversation, the others go on; then all are kept, the failures are counted on standard error, and the exit code is 3 (2
    where nobody said a word). The same command again resumes an interrupted run, asks anew where an openai, command or callable
    bot had failed, and reprints a finished run; --fresh plays everything anew.
    """
    options = with_config(ctx, options)
    from dialometer.cli.progress import bar
    from dialometer.contracts.play import PlayRequest
    from dialometer.flows.play.play import play

    as_json, quiet, allowed = options.pop("as_json"), options.pop("quiet"), options["allow_failures"]
    lists = {key: tuple(options.pop(key)) for key in ("a", "names", "partners", "where", "training", "training_where")}
    report = play(PlayRequest(**(options | lists)), progress=bar(quiet or as_json))
    if as_json:
        import orjson

        click.echo(orjson.dumps(report.to_json()).decode())
    elif not quiet:
        click.echo(render(report))
    if not report.total("turns"):  # every conversation failed at once: whoever waits for them must not go on
        from dialometer.core.errors import BotError

        raise BotError(*_silence(report))
    if allowed != ANY and report.total("failed") > allowed:
        ctx.exit(FAILED)


def render(report: PlayReport) -> str:
    """Bots down, numbers across; then what stopped, what the columns mean, and what to type next."""
    from dialometer.cli.table import table

    windows = {key: name for key, name in WINDOWS.items() if any(key in bot["overlap"] for bot in report.bots.values())}
    header = ["bot", "talks", "turns", "failed", *COLUMNS.values(), "repeated", *windows.values()]
    rows = [
        [
            label,
            *(str(bot[column]) for column in ("conversations", "turns", "failed")),
            *("–" if bot[column] is None else f"{bot[column]:.3g}" for column in COLUMNS),
            _percent(bot["repeated"]),
            *(_percent(bot["overlap"].get(key, {}).get("share")) for key in windows),
        ]
        for label, bot in report.bots.items()
    ]
    return "\n".join([table(header, rows), *_stopped(report), *_legend("training_2" in windows), *_closing(report)])


def _stopped(report: PlayReport) -> list[str]:
    """One line per bot that failed: how often, where first, and why most often."""
    lines = []
    for label, bot in report.bots.items():
        if bot["failed"]:
            reason, times = next(iter(bot["reasons"].items()))
            often = f" ({times} times)" if times > 1 else ""
            lines.append(f"{label}: {bot['failed']} stopped early, first {bot['first_failed']}: {reason}{often}")
        if bot["unanswered"]:
            lines.append(f"{label}: the same command asks again for {bot['unanswered']} of them")
        if bot["cleaned"]:
            lines.append(f"{label}: control characters were taken out of {bot['cleaned']} turns")
    return lines


def _silence(report: PlayReport) -> tuple[str, str]:
    """What to say of a run in which every bot failed at once, and what to type next."""
    label, bot = next(iter(report.bots.items()))
    reason = next(iter(bot["reasons"]), "no reason was given")
    n = report.total("conversations")
    return (
        f"nobody said a word in {n} conversation{'s' * (n != 1)}; {label}: {reason}",
        f"dialometer chat {shlex.quote(label)}",
    )


def _legend(training: bool) -> list[str]:
    lines = [
        "words per turn; repeated: turns said before in the same conversation",
        "shared 3, 5: pairs of conversations with 3 or 5 consecutive turns exactly the same; opener left out",
    ]
    more = "training 2, 3: conversations with 2 or 3 consecutive turns of the training set"
    return [*lines, more] if training else lines


def _closing(report: PlayReport) -> list[str]:
    n = report.total("conversations")
    lines = [f"{n} conversation{'s' * (n != 1)} → {report.dialogues}", f"read them: {report.run}/report.html"]
    if not report.total("turns"):
        return [*lines, "nobody said a word: there is nothing to score"]
    return [*lines, f"next: dialometer score {shlex.quote(report.dialogues)} -m length -m distinct"]


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}%"
