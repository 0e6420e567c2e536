"""dialometer demo: a first look, offline."""

from __future__ import annotations

import click


@click.command("demo", epilog="\b\nExamples:\n  dialometer demo\n  dialometer demo -o runs/demo")
@click.option("-o", "--output", default="", metavar="DIR", help="Run directory; runs/score-<hash> unless named.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def command(output: str, quiet: bool) -> None:
    """Score a small sample of three invented bots and print the tables."""
    from dialometer.cli.progress import bar
    from dialometer.cli.score import render
    from dialometer.flows.demo import demo, sample_path

    report = demo(output=output, progress=bar(quiet))
    if quiet:
        return
    click.echo(render(report))
    click.echo(
        f"\nNext:\n  dialometer why {sample_path()} --id tea-careful -m bleu\n"
        "  dialometer list metrics\n  dialometer score YOUR.jsonl -m bleu -m rouge"
    )
