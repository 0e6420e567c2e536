"""dialometer list: metrics, tokenisers, formats, builders, engines."""

from __future__ import annotations

from typing import Any

import click

EXAMPLES = """\b
Examples:
  dialometer list metrics
  dialometer list metrics --without reference
  dialometer list metrics bleu
"""


@click.command("list", epilog=EXAMPLES)
@click.argument("kind", default="metrics", metavar="[KIND]")
@click.argument("name", default="", metavar="[NAME]")
@click.option("--without", default="", metavar="NEED", help="Only metrics that do without it: reference, context.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(kind: str, name: str, without: str, as_json: bool) -> None:
    """List what there is: metrics, tokenisers, formats, builders, engines; or one thing with its options."""
    from dialometer.flows.listing import describe, kinds, listing

    rows = [describe(kind.removesuffix("s"), name)] if name and kind in kinds() else listing(kind, without=without)
    if as_json:
        import orjson

        click.echo(orjson.dumps({kind: rows}).decode())
        return
    width = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        click.echo(f"{row['name']:{width}}  {row['about']}")
        for line in _details(row) if name or kind == "metrics" else ():
            click.echo(f"{'':{width}}    {line}")


def _details(row: dict[str, Any]) -> list[str]:
    lines = []
    if row.get("columns"):
        lines.append(f"columns: {', '.join(row['columns'])}")
    if row.get("variants"):
        lines.append(f"variants: {', '.join(row['variants'])}")
    if row.get("needs"):
        lines.append(f"needs: {', '.join(row['needs'])}")
    if row.get("options"):
        lines.append("options: " + ", ".join(f"{key}={value}" for key, value in row["options"].items()))
    return lines
