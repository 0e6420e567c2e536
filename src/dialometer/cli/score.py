"""dialometer score: per-item scores, per-system means with intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from dialometer.cli.config import with_config

if TYPE_CHECKING:
    from dialometer.contracts.score import ScoreResult

EXAMPLES = """\b
Examples:
  dialometer score outputs.jsonl -m bleu -m rouge -m distinct
  dialometer score outputs.jsonl.gz -m "bleu(variant=coco)" --tok whitespace --json
  dialometer score --hyp bot.txt --ref human1.txt --ref human2.txt -m "meteor(variant=nltk)"
  dialometer score --hyp bot1.txt --hyp bot2.txt --ref human.txt -m bleu
  dialometer score outputs.jsonl -m embedding -m sentence -m bertscore -m runs/train-amfm
  dialometer score talks.jsonl -m conversation -m turns -m hybrid
  dialometer score big.jsonl -m bleu --engine processes:8 -o runs/big
"""


@click.command("score", epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="FILE…")
@click.option("-m", "--metric", "metrics", multiple=True, metavar="SPEC", help="A metric, such as bleu(order=2); repeats.")
@click.option("--tok", default="", metavar="SPEC", help="Tokeniser of metrics whose spec names none.")
@click.option("--from", "format", default="", metavar="FORMAT", help="How FILE is written; found out unless named.")
@click.option("--hyp", multiple=True, metavar="FILE", help="Parallel text: a system's responses, one a line; repeats.")
@click.option("--ref", "references", multiple=True, metavar="FILE", help="Parallel text: references, one a line; repeats.")
@click.option("--skip-incomplete", is_flag=True, help="Leave items without a needed reference or context unscored.")
@click.option("--allow-empty-references", is_flag=True, help="Keep references without text.")
@click.option("--max-line", default=16 << 20, show_default=True, type=int, help="Longest line accepted, in bytes.")
@click.option("--items", default="parquet", show_default=True, metavar="FORMAT", help="Per-item scores: parquet or jsonl.")
@click.option("--resamples", default=1000, show_default=True, type=int, help="Bootstrap resamples behind the intervals.")
@click.option("--shard", default=50_000, show_default=True, type=int, help="Examples per piece of work.")
@click.option("--engine", default="serial", show_default=True, metavar="ENGINE", help="serial, or processes:N.")
@click.option("--seed", default=0, show_default=True, type=int, help="Seed of every random draw.")
@click.option("-o", "--output", default="", metavar="DIR", help="Run directory; runs/score-<hash> unless named.")
@click.option("--fresh", is_flag=True, help="Start over: use nothing of an earlier run of the same command.")
@click.option("--no-cache", is_flag=True, help="Keep no token tables and vectors for later.")
@click.option("--config", default="", metavar="FILE", help="A TOML file with the same keys as these options.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--quiet", is_flag=True, help="Print nothing but warnings and errors.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Score responses and conversations: word overlap, embeddings, AM-FM, length, diversity, features by turn, trained judges.

    FILE holds responses or whole conversations, of which every reply of the system is scored; conversation and hybrid score a
    conversation once. The same command again resumes an interrupted run, or reprints a finished one.
    """
    options = with_config(ctx, options)
    from dialometer.cli.progress import bar
    from dialometer.contracts.score import ScoreRequest
    from dialometer.core.errors import UsageError
    from dialometer.flows.score.score import score

    hyp, files, references = (tuple(options.pop(key)) for key in ("hyp", "files", "references"))
    as_json, quiet, keep = options.pop("as_json"), options.pop("quiet"), not options.pop("no_cache")
    if bool(hyp) != bool(references) or (hyp and files):
        raise UsageError("parallel text is given by --hyp and --ref alone", "--hyp bot.txt --ref human.txt")
    if not hyp and not files:
        raise UsageError("no file was given", "dialometer score FILE -m bleu")
    options |= {"format": "parallel" if hyp else options["format"], "metrics": tuple(options["metrics"])}
    request = ScoreRequest(inputs=hyp or files, references=references, cache=keep, **options)
    report = score(request, progress=bar(quiet or as_json))
    if as_json:
        from dialometer.contracts.result import encode

        click.echo(encode(report).decode())
    elif not quiet:
        click.echo(render(report))


def render(report: ScoreResult) -> str:
    """A table per metric: means of items with 95% intervals, then the corpus values."""
    groups: dict[str, list[str]] = {}
    for column, recipe in report.recipes.items():
        groups.setdefault(recipe, []).append(column)
    blocks = [f"{_block(report, columns)}\n{recipe}" for recipe, columns in groups.items()]
    notes = [
        f"{spec} was fitted on text that holds {shares['references']:.1%} of these references and {shares['responses']:.1%} of "
        "these responses"
        for spec, shares in report.overlap.items()
        if max(shares.values()) > 0
    ]
    return "\n\n".join([*blocks, *notes, f"{report.n} item{'s' * (report.n != 1)} → {report.items}"])


def _block(report: ScoreResult, columns: list[str]) -> str:
    """The table of one metric; corpus lines only where they say something else than the means."""
    from dialometer.cli.table import table

    cells = {system: [row[c] for c in columns] for system, row in report.cells.items()}
    every = [cell for row in cells.values() for cell in row]
    floors = any(not math.isnan(cell.floor) for cell in every)
    corpora = any(_number(cell.corpus) != _number(cell.mean) for cell in every)
    lines = []
    for system, row in cells.items():
        ns = sorted({cell.n for cell in row if cell.n}) or [0]  # a column without any, for want of references, is a dash
        n = str(ns[0]) if len(ns) == 1 else f"{ns[0]}–{ns[-1]}"
        numbers = [f"{_number(c.mean)} [{_number(c.low)}, {_number(c.high)}]" for c in row]
        lowest = max((c.floor for c in row if not math.isnan(c.floor)), default=math.nan)
        floor = ["–" if math.isnan(lowest) else f"{100 * lowest:.1f}%"] if floors else []
        lines.append([system or "(none)", n, *numbers, *floor])
        if corpora:
            lines.append(["  corpus", "", *(_number(c.corpus) for c in row), *[""] * floors])
    return table(["system", "n", *columns, *["at floor"] * floors], lines)


def _number(value: float) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:.4f}" if abs(value) < 100 else f"{value:.1f}"
