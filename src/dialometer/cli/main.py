"""dialometer: the command. Verbs are loaded when used, errors are printed here and nowhere else."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections import Counter
from contextlib import suppress
from importlib import import_module

import click

VERBS = {
    "score": "per-item scores, per-system means with intervals",
    "why": "one response under every variant, with the arithmetic shown",
    "agree": "do the raters agree, and which of them: κ, α, MACE",
    "meta": "do metrics say what people say: correlation, significance, bias, a report",
    "stress": "how a metric reacts to perturbed responses",
    "power": "how many items and raters separate two systems, or two metrics",
    "train": "fit a judge on ratings, or a bot, an encoder, a language model or amfm on text",
    "play": "let bots talk: self-play, cross-play, a fixed pool of partners",
    "chat": "talk to a bot in the terminal",
    "compare": "bots or runs side by side: paired tests, effect sizes, a human study",
    "serve": "bots over HTTP, OpenAI-compatible",
    "list": "metrics, encoders, word vectors, tokenisers, formats and the rest",
    "convert": "between file formats, or from the raw files of a public corpus",
    "demo": "the whole loop offline in about two minutes: bots, scores, judges, a report",
    "doctor": "what is installed, what is missing, the line to type",
}

# What torch's RuntimeErrors say when an allocation fails.
OUT_OF_MEMORY = ("not enough memory", "defaultcpuallocator", "out of memory", "cannot allocate memory")

EPILOG = """\b
Examples:
  dialometer score outputs.jsonl -m bleu -m "rouge(beta=1)"
  dialometer meta rated.jsonl -m bleu -m rouge -q overall
  dialometer why outputs.jsonl --id item-7 -m bleu
  dialometer list metrics --without reference
"""


class Verbs(click.Group):
    """A group that imports a verb only when it runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table above."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import the verb's file."""
        if name not in VERBS:
            return None
        command: click.Command = import_module(f"dialometer.cli.{name}").command
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Offer the nearest verb for an unknown one."""
        if args and args[0] not in VERBS:
            from dialometer.core.errors import UnknownName

            raise UnknownName("verb", args[0], VERBS, hint="dialometer --help")
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            _refuse_repeated(click.Context(command, info_name=name, parent=ctx), rest)
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without importing them."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


def _refuse_repeated(ctx: click.Context, args: list[str]) -> None:
    """Refuse an option of one value that was given several times: click would keep the last, without a word."""
    order: list[click.Parameter] = []
    with suppress(click.UsageError):  # what cannot be parsed is refused by the command itself
        order = ctx.command.make_parser(ctx).parse_args(args=list(args))[2]
    for option, times in Counter(one for one in order if isinstance(one, click.Option)).items():
        harmless = option.multiple or option.count or (option.is_flag and not option.secondary_opts)
        if times > 1 and not harmless:
            from dialometer.core.errors import UsageError

            spelt = max(option.opts, key=len)
            often = "twice" if times == 2 else f"{times} times"
            raise UsageError(f"{spelt} was given {often}, and takes one value", f"give {spelt} once")


@click.group(
    cls=Verbs, epilog=EPILOG, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="dialometer", prog_name="dialometer")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Dialometer measures open-domain dialogue systems."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main() -> None:
    """Run the command line; an error is one sentence on standard error and exit code 2."""
    from dialometer.cli.signals import exit_code, listen
    from dialometer.core.errors import DialometerError, UsageError

    listen()
    logging.basicConfig(format="%(levelname)s: %(message)s", level=logging.WARNING, stream=sys.stderr)
    logging.getLogger("dialometer").setLevel(logging.WARNING if "--quiet" in sys.argv else logging.INFO)
    try:
        for argument in sys.argv[1:]:
            if not argument.isascii() and any("\ud800" <= character <= "\udfff" for character in argument):
                raise UsageError(f"{argument!r} is not UTF-8 text", "rename the file, or set a UTF-8 locale")
        code = cli(standalone_mode=False)
    except DialometerError as error:
        code = _say(str(error), error.exit_code)
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "dialometer"
        code = _say(f"{error.format_message()}\n  → {path} --help", 2)
    except (KeyboardInterrupt, click.Abort) as error:
        code = _say("stopped; the same command goes on from here", exit_code(error))
    except (BrokenPipeError, SystemExit):  # the reader went away (head); click tells it by an exit of its own
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        folder = os.path.dirname(str(error.filename or "")) or "."
        what = (error.strerror or str(error)).lower()
        code = _say(f"{error.filename or 'the system'}: {what}\n  → df -h {folder} && ls -ld {folder}", 2)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        if not (folder := _unverified_run()):
            raise
        code = _say(f"the finished run {folder} is damaged\n  → rm -r {folder}, then the same command again", 2)
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and not any(sign in str(error).lower() for sign in OUT_OF_MEMORY):
            raise
        code = _say("there is not enough memory\n  → smaller pieces: --shard 5000 --resamples 1000 --engine serial", 2)
    sys.exit(_written(code if isinstance(code, int) else 0))


def _written(code: int) -> int:
    """Write out what standard output still holds: a full disk is an error here, and not while the interpreter goes down."""
    try:
        if sys.stdout is not None:  # a closed one is None
            sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not code and not isinstance(error, BrokenPipeError):
            code = _say(f"standard output: {(error.strerror or str(error)).lower()}\n  → df -h", 2)
    return code


def _unverified_run() -> str:
    """A finished run that was read without digests of its files; what fails after that fails for what it holds."""
    running = sys.modules.get("dialometer.flows.shared.runs")
    return str(running.unverified[-1]) if running and running.unverified else ""


def _say(message: str, code: int) -> int:
    with contextlib.suppress(OSError):  # a terminal that was closed takes no words
        click.echo(f"error: {message}", err=True)
    return code
