"""dialometer stress: how a metric reacts to perturbed responses."""

from __future__ import annotations

import math
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from dialometer.cli.config import with_config

if TYPE_CHECKING:
    from dialometer.flows.stress.reactions import Reaction
    from dialometer.flows.stress.stress import StressReport

WIDTH = 118
EXAMPLES = """\b
Perturbations, and what a careful human would do:
  rise       copy-reference
  same       no-punctuation, lower-case
  no better  typos, padding, generic
  drop       said-twice, no-stop-words, reversed-words, shuffled-words, truncated,
             negated, entity-swapped, copy-context, other-response, empty

\b
Examples:
  dialometer stress outputs.jsonl -m bleu -m rouge -m embedding
  dialometer stress outputs.jsonl -m meteor --perturb negated --perturb entity-swapped
  dialometer stress outputs.jsonl.gz -m runs/train-amfm --limit 0 --engine processes:8 --json
"""


@click.command("stress", epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="FILE…")
@click.option("-m", "--metric", "metrics", multiple=True, metavar="SPEC", help="A metric, such as bleu(order=2); repeats.")
@click.option("--perturb", multiple=True, metavar="NAME", help="A perturbation; repeats; all of them unless named.")
@click.option("--limit", default=1000, show_default=True, type=int, help="Items that are stressed, drawn by id; 0 for all.")
@click.option("--tok", default="", metavar="SPEC", help="Tokeniser of metrics whose spec names none.")
@click.option("--from", "format", default="", metavar="FORMAT", help="How FILE is written; found out unless named.")
@click.option("--allow-empty-references", is_flag=True, help="Keep references without text.")
@click.option("--max-line", default=16 << 20, show_default=True, type=int, help="Longest line accepted, in bytes.")
@click.option("--resamples", default=1000, show_default=True, type=int, help="Bootstrap resamples behind the intervals.")
@click.option("--engine", default="serial", show_default=True, metavar="ENGINE", help="serial, or processes:N.")
@click.option("--seed", default=0, show_default=True, type=int, help="Seed of every random draw.")
@click.option("-o", "--output", default="", metavar="DIR", help="Run directory; runs/stress-<hash> unless named.")
@click.option("--fresh", is_flag=True, help="Start over: use nothing of an earlier run of the same command.")
@click.option("--no-cache", is_flag=True, help="Keep no token tables and vectors for later.")
@click.option("--config", default="", metavar="FILE", help="A TOML file with the same keys as these options.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--quiet", is_flag=True, help="Print nothing but warnings and errors.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Spoil responses on purpose and see whether metrics notice.

    Sixteen perturbations, each with what a careful human would do about it. Items that a perturbation does not change are
    left out of its row and counted. The same command again resumes an interrupted run, or reprints a finished one.
    """
    options = with_config(ctx, options)
    from dialometer.cli.progress import bar
    from dialometer.contracts.stress import StressRequest
    from dialometer.flows.stress.stress import stress

    as_json, quiet, keep = options.pop("as_json"), options.pop("quiet"), not options.pop("no_cache")
    inputs = tuple(options.pop("files"))
    lists = {key: tuple(options.pop(key)) for key in ("metrics", "perturb")}
    request = StressRequest(inputs=inputs, cache=keep, **(options | lists))
    report = stress(request, progress=bar(quiet or as_json))
    if as_json:
        import orjson

        click.echo(orjson.dumps(report.to_json()).decode())
    elif not quiet:
        click.echo(render(report))


def render(report: StressReport) -> str:
    """Perturbations down and metrics across, as many as fit; then what the marks mean."""
    from dialometer.cli.table import table

    names = list(dict.fromkeys(row.perturbation for row in report.rows))
    columns = list(dict.fromkeys(row.metric for row in report.rows))
    cell = {(row.metric, row.perturbation): row for row in report.rows}
    first = [cell[columns[0], name] for name in names]
    head = [["perturbation", *names], ["a human", *(row.expected for row in first)], ["changed", *map(_share, first)]]
    numbers = [[column, *(_shown(cell[column, name]) for name in names)] for column in columns]
    blocks = []
    for chosen in _fitting(head, numbers):
        rows = list(zip(*head, *chosen, strict=True))
        blocks.append(table(rows[0], rows[1:]))
    return "\n\n".join([*blocks, _legend(report), _closing(report)])


def _fitting(head: list[list[str]], columns: list[list[str]]) -> list[list[list[str]]]:
    """Columns in blocks no wider than a terminal, at least one each."""
    taken = sum(max(map(len, column)) + 2 for column in head)
    blocks: list[list[list[str]]] = []
    used = WIDTH
    for column in columns:
        width = max(map(len, column)) + 2
        if used + width > WIDTH:
            blocks.append([])
            used = taken
        blocks[-1].append(column)
        used += width
    return blocks


def _share(row: Reaction) -> str:
    return str(row.changed) if row.changed < row.n else "all"


def _shown(row: Reaction) -> str:
    """The effect with its mark; for a number of a whole set the change itself."""
    from dialometer.flows.stress.verdict import MARKS

    if math.isnan(row.delta):
        return "– "
    whole = math.isnan(row.effect)
    number = f"{row.delta:+.3f}" if whole else f"{row.effect:+.2f}"
    if not float(number):
        number = number[1:]  # nothing has no sign
    return f"{'Δ' * whole}{number.replace('-', '−')} {MARKS[row.verdict] or ' '}"


def _legend(report: StressReport) -> str:
    from dialometer.flows.stress.verdict import MARKS, MEANING

    lines = ["mean change over the changed items, in sd of the scores before"]
    if any(math.isnan(row.effect) and not math.isnan(row.delta) for row in report.rows):
        lines += ["Δ the change itself: a number of a whole set, or scores without spread"]
    used = {row.verdict for row in report.rows}
    lines += [f"{mark} {word}: {MEANING[word]}" for word, mark in MARKS.items() if word and word in used]
    marked = {row.metric for row in report.rows if row.verdict}
    if silent := [name for name in dict.fromkeys(row.metric for row in report.rows) if name not in marked]:
        lines.append(f"without a mark, because it judges no quality or has no interval: {', '.join(silent)}")
    return "\n".join(_wrapped(line) for line in lines)


def _closing(report: StressReport) -> str:
    drawn = f" of {report.total}, drawn by id (--limit 0 takes all)" if report.n < report.total else ""
    fewer = dict.fromkeys(row.metric for row in report.rows if row.scored < row.changed)
    missing = f"not every changed item has a score under {', '.join(fewer)}: see scored in stress.csv"
    notes = [_wrapped(missing)] if fewer else []
    recipes = list(dict.fromkeys(report.recipes.values()))
    count = f"{report.n} item{'s' * (report.n != 1)}{drawn}"
    return "\n".join([*recipes, *notes, f"{count} → {report.run}/report.html"])


def _wrapped(line: str) -> str:
    return fill(line, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
