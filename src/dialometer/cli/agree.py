"""dialometer agree: do the raters agree, and which of them?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from dialometer.cli.config import with_config

if TYPE_CHECKING:
    from dialometer.contracts.agree import AgreeResult

FEW = 12  # raters that the terminal lists
EXAMPLES = """\b
Examples:
  dialometer agree rated.jsonl
  dialometer agree rated.jsonl -q overall --weights linear --json
  dialometer agree judgements.csv --min-kappa 0.2 --scale 1,5
  dialometer agree rated.jsonl --ratings judgements.csv --flagged offensive=true
"""


@click.command("agree", epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="FILE…")
@click.option("-q", "--quality", multiple=True, metavar="NAME", help="A rated quality; repeats; all unless named.")
@click.option(
    "--ratings", default="", metavar="FILE", help="A table of judgements: item, rater, quality, value, seconds, check."
)
@click.option("--where", multiple=True, metavar="KEY=VALUE", help="Items that take part, also KEY!=VALUE; repeats.")
@click.option("--flagged", default="", metavar="KEY=VALUE", help="Items to set apart: agreement with and without them.")
@click.option("--weights", default="quadratic", show_default=True, metavar="NAME", help="Of κ: quadratic, linear or none.")
@click.option("--min-kappa", default=0.2, show_default=True, type=float, help="Raters below this mean κ are set apart.")
@click.option("--scale", default="", metavar="LOW,HIGH", help="The rating scale; ratings outside it are refused.")
@click.option("--from", "format", default="", metavar="FORMAT", help="How FILE is written; found out unless named.")
@click.option("--max-line", default=16 << 20, show_default=True, type=int, help="Longest line accepted, in bytes.")
@click.option("--resamples", default=1000, show_default=True, type=int, help="Bootstrap resamples behind the intervals.")
@click.option("--seed", default=0, show_default=True, type=int, help="Seed of every random draw.")
@click.option("-o", "--output", default="", metavar="DIR", help="Run directory; runs/agree-<hash> unless named.")
@click.option("--fresh", is_flag=True, help="Start over: use nothing of an earlier run of the same command.")
@click.option("--config", default="", metavar="FILE", help="A TOML file with the same keys as these options.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--quiet", is_flag=True, help="Print nothing but warnings and errors.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Agreement of raters: Krippendorff's α, Cohen's and Fleiss' κ, who to leave out, labels by MACE and Dawid–Skene.

    FILE holds rated items, or a table with a row per judgement. The run directory gets the labels of every item, a table of
    raters and report.html. The same command again resumes an interrupted run, or reprints a finished one.
    """
    options = with_config(ctx, options)
    from dialometer.cli.progress import bar
    from dialometer.contracts.agree import AgreeRequest
    from dialometer.flows.agree.agree import agree

    as_json, quiet = options.pop("as_json"), options.pop("quiet")
    lists: dict[str, Any] = {key: tuple(options.pop(key)) for key in ("quality", "where")}
    report = agree(AgreeRequest(inputs=tuple(options.pop("files")), **lists, **options), progress=bar(quiet or as_json))
    if as_json:
        import orjson

        click.echo(orjson.dumps(report.to_json()).decode())
    elif not quiet:
        click.echo(render(report))


def render(result: AgreeResult) -> str:
    """A line per quality, the raters set apart, and where the rest is."""
    from dialometer.cli.table import table

    lines = [
        [name, str(q.judgements), str(q.items), f"{_number(q.alpha.value)} [{_number(q.alpha.low)}, {_number(q.alpha.high)}]",
         _number(q.kappa.median), _number(q.kappa.spearman), _number(q.fleiss)]
        for name, q in result.qualities.items()
    ]  # fmt: skip
    header = ["quality", "judgements", "items", "α interval [95%]", "median κ", "median ρ", "Fleiss κ"]
    blocks = [table(header, lines), *_raters(result), *result.summary]
    return "\n\n".join([*blocks, f"report: {result.run}/report.html"])


def _raters(result: AgreeResult) -> list[str]:
    """The raters in a table, where they are few."""
    from dialometer.cli.table import table

    if not result.raters or len(result.raters) > FEW:
        return []
    quality = result.quality
    trusted = next((name for name in result.qualities if name not in result.mace), quality)
    rows = []
    for name, rater in result.raters.items():
        given = rater.qualities.get(quality)
        mean, sd = (given.mean, given.sd) if given else (None, None)
        cells = (mean, sd, rater.kappa, rater.mace.get(trusted))
        rows.append([name, str(rater.n), *map(_number, cells), "yes" if rater.kept else f"no: {rater.why}"])
    heading = "MACE" if trusted == quality else f"MACE {trusted}"
    return [table(["rater", "n", f"mean {quality}", "spread", "κ", heading, "kept"], rows)]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
