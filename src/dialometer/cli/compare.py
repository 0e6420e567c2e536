"""dialometer compare: bots or runs side by side."""

from __future__ import annotations

import shlex
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from dialometer.cli.config import with_config

if TYPE_CHECKING:
    from dialometer.flows.compare.compare import CompareReport

WIDTH = 118
MOST = 15  # pairs of systems that a terminal is filled with
EXAMPLES = """\b
Examples:
  dialometer compare runs/play-1a2b runs/play-3c4d
  dialometer compare outputs.jsonl -m bleu -m length --against human
  dialometer compare runs/score-1a2b runs/score-3c4d
  dialometer compare --a eliza --a "rerank(bots=eliza;alice,metric=autojudge)" --openers talks.jsonl -n 100 --turns 10
  dialometer compare runs/play-1a2b runs/play-3c4d --study study -q overall -q fluency
  dialometer compare runs/play-1a2b runs/play-3c4d --study study --ratings filled-in.csv
"""
LISTS = ("a", "partners", "where", "metrics", "planned", "quality", "ratings")


@click.command("compare", epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="RUN…")
@click.option("--a", "a", multiple=True, metavar="BOT", help="A bot that talks first, as in play; repeats.")
@click.option("--b", "b", default="", metavar="BOT", help="The partner of every such bot; itself unless named.")
@click.option("--partners", multiple=True, metavar="BOT", help="A fixed pool of partners, met in turn; repeats.")
@click.option("--openers", default="", metavar="FILE", help="What conversations begin with; small talk unless named.")
@click.option(
    "--where", multiple=True, metavar="KEY=VALUE", help="Items of --openers that count, also KEY!=VALUE; repeats."
)
@click.option(
    "--context", default=0, show_default=True, type=int, help="Begin with the first so many turns of conversations."
)
@click.option("-n", "n", default=100, show_default=True, type=int, help="Conversations of each bot that talks.")
@click.option("--turns", default=10, show_default=True, type=int, help="Turns that are generated, after the opener's.")
@click.option("--batch", default=100, show_default=True, type=int, help="Conversations that go on together.")
@click.option(
    "-m", "--metric", "metrics", multiple=True, metavar="SPEC", help="A metric; repeats; counts and features unless named."
)
@click.option("--tok", default="", metavar="SPEC", help="Tokeniser of metrics whose spec names none.")
@click.option("--against", default="", metavar="SYSTEM", help="Compare each with this one; every two unless named.")
@click.option(
    "--planned",
    multiple=True,
    metavar="A,B",
    help="Two systems to compare as planned: p is adjusted over these alone; repeats.",
)
@click.option("--test", default="mean", show_default=True, metavar="NAME", help="Of means, or of ranks: mean or rank.")
@click.option("--study", default="", metavar="DIR", help="Write these conversations as a study for raters.")
@click.option(
    "-q", "--quality", multiple=True, default=("overall",), metavar="NAME", help="What raters are asked; repeats."
)
@click.option("--scale", default="1,5", show_default=True, metavar="LOW,HIGH", help="The scale of ratings.")
@click.option("--checks", default=20, show_default=True, type=int, help="An attention check in so many items; 0 for none.")
@click.option(
    "--ratings", multiple=True, metavar="FILE", help="Ratings of the study: a filled-in sheet or a table; repeats."
)
@click.option("--weights", default="quadratic", show_default=True, metavar="NAME", help="Of κ: quadratic, linear or none.")
@click.option("--resamples", default=1000, show_default=True, type=int, help="Bootstrap resamples behind the intervals.")
@click.option("--permutations", default=10_000, show_default=True, type=int, help="Sign flips behind the paired tests.")
@click.option("--from", "format", default="", metavar="FORMAT", help="How the files are written; found out unless named.")
@click.option("--max-line", default=16 << 20, show_default=True, type=int, help="Longest line accepted, in bytes.")
@click.option("--engine", default="serial", show_default=True, metavar="ENGINE", help="serial, or processes:N.")
@click.option("--seed", default=0, show_default=True, type=int, help="Seed of every random draw.")
@click.option("-o", "--output", default="", metavar="DIR", help="Run directory; runs/compare-<hash> unless named.")
@click.option("--fresh", is_flag=True, help="Start over: use nothing of an earlier run of the same command.")
@click.option("--no-cache", is_flag=True, help="Keep no token tables and vectors for later.")
@click.option("--config", default="", metavar="FILE", help="A TOML file with the same keys as these options.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--quiet", is_flag=True, help="Print nothing but warnings and errors.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Compare bots or runs: differences with intervals, effect sizes, tests adjusted over the table.

    RUN is a run of play or of score, a file with conversations or items, or a bot. Systems are compared in pairs where they share
    openers or contexts. Bots talk first, from openers that no judge among them saw in training; their conversations are a run of
    play. What a re-ranker chose its replies by is marked. --study writes the conversations for raters, under blind codes; with
    --ratings the same command reads what they said. The same command again resumes an interrupted run, or reprints a finished one.
    """
    options = with_config(ctx, options)
    from dialometer.cli.progress import bar
    from dialometer.contracts.compare import CompareRequest
    from dialometer.flows.compare.compare import compare

    as_json, quiet, keep = options.pop("as_json"), options.pop("quiet"), not options.pop("no_cache")
    inputs, lists = tuple(options.pop("files")), {key: tuple(options.pop(key)) for key in LISTS}
    report = compare(CompareRequest(inputs, cache=keep, **(options | lists)), progress=bar(quiet or as_json))
    if as_json:
        import orjson

        click.echo(orjson.dumps(report.to_json()).decode())
    elif not quiet:
        click.echo(render(report))


def render(report: CompareReport) -> str:
    """Means, then differences, then what people say, then all of it in sentences."""
    found = report.results
    people = found["human"]
    blocks = [_means(found["systems"], found["independent"]), _pairs(found["pairs"])]
    if people:
        means = {name: {"units": found["systems"][name]["units"], "columns": own} for name, own in people["means"].items()}
        blocks += [f"people\n{_means(means, {})}", _pairs(people["pairs"]), _agreement(people)]
    said = [*(people["conclusions"][:MOST] if people else ()), *found["conclusions"][:MOST], *found["notes"]]
    blocks += ["\n".join(_wrapped(line) for line in said), "\n".join([*_legend(found), *_closing(report)])]
    return "\n\n".join(blocks)


def _means(systems: dict[str, Any], independent: dict[str, bool]) -> str:
    """Columns down, systems across; or the other way where there are more systems than that."""
    from dialometer.cli.table import table

    columns = list(dict.fromkeys(column for own in systems.values() for column in own["columns"]))
    rows = [
        [
            f"{column}{'' if independent.get(column, True) else ' °'}",
            *(_cell(own["columns"][column]) for own in systems.values()),
        ]
        for column in columns
    ]
    header = ["mean", *systems]
    turned = [list(row) for row in zip(*[header, *rows], strict=True)]
    if _breadth([header, *rows]) <= max(WIDTH, _breadth(turned)):
        return table(header, rows)
    return table(turned[0], turned[1:])


def _breadth(rows: list[list[str]]) -> int:
    return sum(max(map(len, column)) + 2 for column in zip(*rows, strict=True))


def _cell(cell: dict[str, Any]) -> str:
    return f"{_number(cell['mean'])} [{_number(cell['low'])}, {_number(cell['high'])}]"


def _pairs(rows: list[dict[str, Any]]) -> str:
    """A table per pair of systems."""
    from dialometer.cli.table import table

    pairs: dict[tuple[str, str], list[list[str]]] = {}
    for row in sorted(rows, key=lambda row: not row["planned"]):
        pairs.setdefault((row["a"], row["b"]), []).append(_pair_cells(row))
    exploratory = {(row["a"], row["b"]) for row in rows if not row["planned"]}
    header = ["difference", "a − b", "95%", "effect", "higher", "p", "Holm", "n", "test"]
    shown = [
        f"a {a}, b {b}{' (exploratory)' * ((a, b) in exploratory)}\n{table(header, cells)}"
        for (a, b), cells in list(pairs.items())[:MOST]
    ]
    more = [f"{len(pairs) - MOST} more pairs: --json and report.html have them, --against SYSTEM makes them fewer"]
    return "\n\n".join(shown + more * (len(pairs) > MOST))


def _pair_cells(row: dict[str, Any]) -> list[str]:
    n = str(row["n_a"]) if row["paired"] else f"{row['n_a']}, {row['n_b']}"
    return [
        f"{row['metric']}{' °' * bool(row['depends'])}",
        _number(row["difference"]),
        f"[{_number(row['low'])}, {_number(row['high'])}]",
        "–" if row["effect"] is None else f"{row['measure']} {_number(row['effect'], 2)}",
        "–" if row["superiority"] is None else f"{100 * row['superiority']:.0f}%",
        _p(row["p"]),
        _p(row["p_holm"]),
        n,
        f"{row['test']}{'' if row['paired'] else ', unpaired'}",
    ]


def _agreement(people: dict[str, Any]) -> str:
    lines = [
        f"{name}: {own['judgements']} judgements of {own['items']}; α {_number(own['alpha']['value'])} "
        f"[{_number(own['alpha']['low'])}, {_number(own['alpha']['high'])}], median κ {_number(own['kappa']['median'])}"
        for name, own in people["agreement"].items()
    ]
    return "\n".join([*lines, *(_wrapped(note) for note in people["notes"])])


def _legend(found: dict[str, Any]) -> list[str]:
    family = "the planned comparisons" if found["planned"] else "the table"
    lines = [f"95% intervals; d_z of pairs, Hedges' g otherwise; higher: chance that a is the higher; Holm over {family}"]
    if not all(found["independent"].values()):
        lines.append("° a re-ranker among the two chose its replies by this metric or its kin: no independent evidence")
    if found["unscored"]:
        lines.append(f"no value here: {', '.join(found['unscored'])}")
    return lines


def _closing(report: CompareReport) -> list[str]:
    found = report.results
    lines = [f"conversations: {found['play']}"] if found["play"] else []
    if (study := report.study) and not found["human"]:
        lines.append(
            f"study: {study['items']} items and {study['checks']} attention checks → {study['folder']}; then the same command "
            f"with --ratings {shlex.quote(study['folder'] + '/sheet.csv')}"
        )
    return [*lines, f"{found['n']} {found['unit']}s of {len(found['systems'])} systems → {report.run}/report.html"]


def _number(value: float | None, digits: int = 3) -> str:
    from dialometer.report.numbers import number

    return "–" if value is None else number(value, digits)


def _p(p: float | None) -> str:
    return "–" if p is None else "<.001" if p < 0.001 else f"{p:.3f}"


def _wrapped(line: str) -> str:
    return fill(line, WIDTH, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)
