"""dialometer demo: the whole loop, offline."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from dialometer.flows.demo.demo import DemoReport


@click.command("demo", epilog="\b\nExamples:\n  dialometer demo\n  dialometer demo -n 5 --turns 4 -o runs/demo")
@click.option("-n", default=20, show_default=True, type=int, help="Conversations of each bot with itself and the partner.")
@click.option("--turns", default=10, show_default=True, type=int, help="Turns that are generated in each.")
@click.option("--seed", default=0, show_default=True, type=int, help="Seed of every random draw.")
@click.option("-o", "--output", default="", metavar="DIR", help="Run directory; runs/demo-<hash> unless named.")
@click.option("--fresh", is_flag=True, help="Start over: use nothing of an earlier run of the same command.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--quiet", is_flag=True, help="Print nothing but warnings and errors.")
def command(as_json: bool, quiet: bool, **options: Any) -> None:
    """Show the whole loop offline in about two minutes: bots learn and talk, metrics and judges score them, a page shows it.

    Five bots (retrieval, ELIZA, A.L.I.C.E., a small network trained on the spot, a re-ranked meta-bot) talk with themselves and
    with a fixed partner. What needs a package that is not installed is left out, with the line to type. The same command again
    goes on with an interrupted run, or reprints a finished one.
    """
    from dialometer.cli.progress import bar
    from dialometer.contracts.demo import DemoRequest
    from dialometer.flows.demo.demo import demo

    silent = quiet or as_json
    report = demo(DemoRequest(**options), tell=(lambda _: None) if silent else click.echo, progress=bar(silent))
    if as_json:
        import orjson

        click.echo(orjson.dumps(report.to_json()).decode())
    elif not quiet:
        click.echo(render(report))


def render(report: DemoReport) -> str:
    """Where the page is, and three commands to go on with."""
    run = shlex.quote(report.run)
    lines = ["", f"The report: {report.report}", "", "Next:"]
    chat = next((name for name in ("alice", "eliza") if any(bot["name"] == name for bot in report.results["bots"])), "")
    talk = chat or (f"{run}/tfidf" if "/" in report.run else f"./{run}/tfidf")
    judged = "autojudge" in next(iter(report.results["answers"].values()))
    lines += [
        f"  dialometer chat {talk}{' -m autojudge' if judged else ''}",
        f"  dialometer why {run}/data/constructed.jsonl --id question-00-shuffled -m bleu",
        f"  dialometer stress {run}/data/questions.jsonl -m {'autojudge' if judged else 'bleu'}",
    ]
    return "\n".join(lines)
