"""dialometer power: how large a study must be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from dialometer.cli.config import with_config

if TYPE_CHECKING:
    from dialometer.flows.power.power import PowerReport

EXAMPLES = """\b
Examples:
  dialometer power rated.jsonl -q overall --effect 0.3
  dialometer power rated.jsonl -q overall --a eliza --b parry --effect 0.2sd --paired
  dialometer power rated.jsonl -q overall --effect 0.3 --items 50,100,200 --raters 1,3,5,10 --panel
  dialometer power rated.jsonl -q overall --scores scores.csv -m bleu-2 -m rouge-l --json
"""


@click.command("power", epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="FILE…")
@click.option("-q", "--quality", default="", metavar="NAME", help="The rated quality; needed where there are several.")
@click.option(
    "--effect", default="", metavar="N", help="Difference of means: 0.3 points, or 0.3sd; that of b and a unless named."
)
@click.option("--a", default="", metavar="SYSTEM", help="A system; with --b, only these two are drawn from.")
@click.option("--b", default="", metavar="SYSTEM", help="The other system.")
@click.option("--items", default="25,50,100,200,400", show_default=True, metavar="LIST", help="Items per system to try.")
@click.option("--raters", default="1,2,3,5", show_default=True, metavar="LIST", help="Raters per item to try.")
@click.option("--paired", is_flag=True, help="Both systems answer the same contexts.")
@click.option("--panel", is_flag=True, help="The same people rate every item; else each item has raters of its own.")
@click.option("--test", default="t", show_default=True, metavar="NAME", help="The test of a study: t or permutation.")
@click.option(
    "--scores", default="", metavar="FILE", help="Scores by item id, or a run of `score`: tell two columns apart."
)
@click.option("-m", "--metric", "metrics", multiple=True, metavar="COLUMN", help="A column of --scores; twice.")
@click.option("--kind", default="pearson", show_default=True, metavar="NAME", help="Of the metrics: pearson or spearman.")
@click.option("--level", default=0.05, show_default=True, type=float, help="The level of significance.")
@click.option("--goal", default=0.8, show_default=True, type=float, help="The power aimed at.")
@click.option("--simulations", default=2000, show_default=True, type=int, help="Simulated studies behind each number.")
@click.option("--ratings", default="", metavar="FILE", help="A table of judgements: item, rater, quality, value.")
@click.option("--where", multiple=True, metavar="KEY=VALUE", help="Items that take part, also KEY!=VALUE; repeats.")
@click.option("--scale", default="", metavar="LOW,HIGH", help="The rating scale; ratings outside it are refused.")
@click.option("--from", "format", default="", metavar="FORMAT", help="How FILE is written; found out unless named.")
@click.option("--max-line", default=16 << 20, show_default=True, type=int, help="Longest line accepted, in bytes.")
@click.option("--seed", default=0, show_default=True, type=int, help="Seed of every random draw.")
@click.option("-o", "--output", default="", metavar="DIR", help="Run directory; runs/power-<hash> unless named.")
@click.option("--fresh", is_flag=True, help="Start over: use nothing of an earlier run of the same command.")
@click.option("--config", default="", metavar="FILE", help="A TOML file with the same keys as these options.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--quiet", is_flag=True, help="Print nothing but warnings and errors.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """How many items and raters tell two systems apart, or how many items two metrics.

    Studies are simulated from the ratings of FILE: items and ratings that are there, or, where more raters are asked for than
    items have, from how much items, raters and the rest vary. The same command again reprints a finished run.
    """
    options = with_config(ctx, options)
    from dialometer.cli.progress import bar
    from dialometer.contracts.power import PowerRequest
    from dialometer.flows.power.power import power

    as_json, quiet = options.pop("as_json"), options.pop("quiet")
    options |= {"inputs": tuple(options.pop("files")), **{key: tuple(options[key]) for key in ("metrics", "where")}}
    report = power(PowerRequest(**options), progress=bar(quiet or as_json))
    if as_json:
        import orjson

        click.echo(orjson.dumps(report.to_json()).decode())
    elif not quiet:
        click.echo(render(report))


def render(report: PowerReport) -> str:
    """A table of power per question, what the ratings' spread is made of, and where the picture is."""
    found = report.results
    blocks = [_systems(found)] if found["systems"] else []
    blocks += [_metrics(found)] if found["metrics"] else []
    left = [f"left out: {count} {why}" for why, count in found["left_out"].items() if count]
    return "\n\n".join([*blocks, "\n".join([*left, f"power.png, power.csv and power.json → {report.run}"])])


def _systems(found: dict[str, Any]) -> str:
    from dialometer.cli.table import table

    plan = found["systems"]
    sizes = sorted({cell["items"] for cell in plan["cells"]})
    power = {(cell["raters"], cell["items"]): cell for cell in plan["cells"]}
    rows = []
    for k, needed in plan["needed"].items():
        cells = [power[int(k), n] for n in sizes]
        mark = "*" if cells[0]["method"] == "components" else ""
        rows.append([f"{k}{mark}", *(f"{cell['power']:.2f}" for cell in cells), _needed(needed, sizes[-1])])
    goal = f"items for {found['goal']:.0%}"
    parts = plan["components"]
    shared = "" if parts["context"] is None else f" (of which contexts {parts['context']:.2f})"
    known = {"item": f"items{shared}", "rater": "raters", "residual": "the rest"}
    spread = ", ".join(f"{parts[key]:.2f} {word}" for key, word in known.items() if parts[key] is not None)
    how = f"{'paired' if plan['paired'] else 'unpaired'}, {plan['test']} test at {found['level']:g}"
    said = [
        f"{_difference(plan)} in {found['quality']}, {how}; power by raters per item and items per system:",
        table(["raters", *map(str, sizes), goal], rows),
    ]
    if any(cell["method"] == "components" for cell in plan["cells"]):
        said.append("* too few items have that many ratings: from the variances, not from ratings")
    said.append(f"variance of a rating: {spread} ({parts['ratings']} ratings of {parts['items']} items)")
    if plan["from_data"]:
        said.append("the difference is the one seen in these ratings: a study planned for it may well be too small")
    return "\n".join(said)


def _metrics(found: dict[str, Any]) -> str:
    from dialometer.cli.table import table

    plan = found["metrics"]
    sizes = [str(cell["items"]) for cell in plan["cells"]]
    row = [
        "power",
        *(f"{cell['power']:.2f}" for cell in plan["cells"]),
        _needed(plan["needed"], plan["cells"][-1]["items"]),
    ]
    ours, theirs = (f"{plan[key]} ({plan[f'r_{key}']:.3f})" for key in "ab")
    people = f"{plan['kind']} correlation with {found['quality']} (n = {plan['n']}; {plan['r_ab']:.3f} with each other)"
    said = [
        f"{ours} or {theirs} by {people}, Williams' test at {found['level']:g}; power by items:",
        table(["items", *sizes, f"items for {found['goal']:.0%}"], [row]),
    ]
    said.append("the correlations are those seen in these ratings: a study planned for them may well be too small")
    if plan["strangers"]:
        said.append(f"left out: {plan['strangers']} scored ids that are none of the items")
    return "\n".join(said)


def _difference(plan: dict[str, Any]) -> str:
    size = "" if plan["effect_sd"] is None else f" ({plan['effect_sd']:.2f} sd of a rating)"
    who = f" between {plan['a']} and {plan['b']}" if plan["a"] else ""
    return f"a difference of {plan['effect']:.3g} points{size}{who}"


def _needed(cell: dict[str, Any] | None, most: int) -> str:
    return f"more than {most}" if cell is None else str(cell["items"])
