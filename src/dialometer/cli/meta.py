"""dialometer meta: do metrics say what people say?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from dialometer.cli.config import with_config

if TYPE_CHECKING:
    from dialometer.contracts.meta import MetaResult
    from dialometer.contracts.meta_tables import AdjustedCoefficient, CorrelationRow

EXAMPLES = """\b
Examples:
  dialometer meta rated.jsonl -m bleu -m rouge -m embedding -q overall
  dialometer meta rated.jsonl --scores runs/score-1a2b --scores mine.csv
  dialometer meta table.csv -q human
  dialometer meta talks.jsonl -m turns -m conversation -m hybrid -q fun
  dialometer meta rated.jsonl -m bleu --where "system!=human" --filter-raters --aggregate mace
  dialometer meta rated.jsonl -m bleu -m sentence --also references --also stress -o runs/trust
  dialometer meta rated.jsonl -m bleu --preferences choices.csv --systems systems.toml
"""


@click.command("meta", epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="FILE…")
@click.option("-m", "--metric", "metrics", multiple=True, metavar="SPEC", help="A metric, such as bleu(order=2); repeats.")
@click.option(
    "--scores", multiple=True, metavar="PATH", help="Scores: a run of `score`, or a table with id or system; repeats."
)
@click.option(
    "-c",
    "--column",
    "columns",
    multiple=True,
    metavar="NAME",
    help="A column of --scores (or of a table) to take; repeats; all but ratings and ids unless named.",
)
@click.option("-q", "--quality", multiple=True, metavar="NAME", help="A rated quality; repeats; all unless named.")
@click.option(
    "--ratings", default="", metavar="FILE", help="A table of judgements: item, rater, quality, value, seconds, check."
)
@click.option("--where", multiple=True, metavar="KEY=VALUE", help="Items that take part, also KEY!=VALUE; repeats.")
@click.option(
    "--level", multiple=True, metavar="NAME", help="item, context or system; repeats; what the data allow unless named."
)
@click.option(
    "--aggregate", default="mean", show_default=True, metavar="NAME", help="mean, median, z, mace or dawid-skene."
)
@click.option("--filter-raters", is_flag=True, help="Leave out raters with low κ or a failed check.")
@click.option("--min-kappa", default=0.2, show_default=True, type=float, help="Raters below this mean κ are set apart.")
@click.option("--weights", default="quadratic", show_default=True, metavar="NAME", help="Of κ: quadratic, linear or none.")
@click.option("--scale", default="", metavar="LOW,HIGH", help="The rating scale; ratings outside it are refused.")
@click.option(
    "--preferences", default="", metavar="FILE", help="A table of pairwise choices: item, a, b, rater, quality, choice."
)
@click.option("--systems", default="", metavar="FILE", help="TOML, a table of factors per system: analysis of variance.")
@click.option(
    "--also", multiple=True, metavar="NAME", help="references, retrieved, stopwords, speakers, stress or all; repeats."
)
@click.option(
    "--planned",
    multiple=True,
    metavar="A,B",
    help="Two columns to compare as planned: p is adjusted over these alone; repeats.",
)
@click.option("--tok", default="", metavar="SPEC", help="Tokeniser of metrics whose spec names none.")
@click.option("--resamples", default=1000, show_default=True, type=int, help="Bootstrap resamples behind the intervals.")
@click.option("--permutations", default=1000, show_default=True, type=int, help="Permutations behind the tests.")
@click.option("--from", "format", default="", metavar="FORMAT", help="How FILE is written; found out unless named.")
@click.option("--max-line", default=16 << 20, show_default=True, type=int, help="Longest line accepted, in bytes.")
@click.option("--engine", default="serial", show_default=True, metavar="ENGINE", help="serial, or processes:N.")
@click.option("--seed", default=0, show_default=True, type=int, help="Seed of every random draw.")
@click.option("-o", "--output", default="", metavar="DIR", help="Run directory; runs/meta-<hash> unless named.")
@click.option("--fresh", is_flag=True, help="Start over: use nothing of an earlier run of the same command.")
@click.option("--config", default="", metavar="FILE", help="A TOML file with the same keys as these options.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--quiet", is_flag=True, help="Print nothing but warnings and errors.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Set metrics beside people: correlation, ceiling, which metric is better, what it leans on; report.html to read.

    FILE holds rated items or conversations; or it is a table with a row per system (or id) whose columns are human means (-q) and
    scores. Conversations have the mean of their replies, and the report draws the best and the worst turn by turn. The same command
    again resumes an interrupted run, or reprints a finished one.
    """
    options = with_config(ctx, options)
    from dialometer.cli.progress import bar
    from dialometer.contracts.meta import MetaRequest
    from dialometer.flows.meta.meta import meta

    as_json, quiet = options.pop("as_json"), options.pop("quiet")
    lists: dict[str, Any] = {
        key: tuple(options.pop(key))
        for key in ("metrics", "scores", "columns", "quality", "where", "level", "also", "planned")
    }
    report = meta(MetaRequest(inputs=tuple(options.pop("files")), **lists, **options), progress=bar(quiet or as_json))
    if as_json:
        import orjson

        click.echo(orjson.dumps(report.to_json()).decode())
    elif not quiet:
        click.echo(render(report))


def render(result: MetaResult) -> str:
    """A table per level of the main quality, then what may be concluded."""
    from dialometer.cli.table import table

    blocks = []
    for level in dict.fromkeys(row.level for row in result.rows):
        rows = [row for row in result.rows if (row.level, row.quality) == (level, result.quality)]
        within = level == "context"  # there a context is a point
        header = ["metric", "contexts" if within else "n", *(f"{kind} [95%]" for kind in KINDS)]
        lines = [[row.metric, str(row.spearman.contexts if within else row.n), *_cells(row)] for row in rows]
        blocks.append(f"{result.quality}, {level} level\n" + table(header, lines))
    others = [name for name in dict.fromkeys(row.quality for row in result.rows) if name != result.quality]
    more = [f"also in the report and in --json: {', '.join(others)}"] if others else []
    legend = "* beyond chance: p below 0.05 after Holm's correction over the table, and an interval without 0"
    return "\n\n".join([*blocks, legend, *result.summary, *more, f"report: {result.run}/report.html"])


KINDS = ("pearson", "spearman", "kendall")


def _cells(row: CorrelationRow) -> list[str]:
    return [_cell(row.pearson), _cell(row.spearman), _cell(row.kendall)]


def _cell(one: AdjustedCoefficient) -> str:
    """A coefficient, its interval, and a star where it is beyond chance."""
    if one.r is None:
        return "–"
    if one.low is None or one.high is None:
        return f"{one.r:.3f}  [–]"
    significant = (one.low > 0 or one.high < 0) and one.holm is not None and one.holm < 0.05
    return f"{one.r:.3f}{'*' if significant else ' '} [{one.low:.2f}, {one.high:.2f}]"
