"""dialometer list: metrics, vectors, encoders and every other kind of the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dialometer.core.catalog import CATALOG

if TYPE_CHECKING:
    from dialometer.contracts.list import ListRow

HELP = f"""List what there is of a kind, or one thing with its options.

KIND is metrics unless named, or one of {", ".join(f"{kind}s" for kind in CATALOG if kind != "metric")}.
"""
EXAMPLES = """\b
Examples:
  dialometer list metrics
  dialometer list metrics --without reference
  dialometer list metrics bleu
  dialometer list encoders
  dialometer list judges
"""


@click.command("list", help=HELP, epilog=EXAMPLES)
@click.argument("kind", default="metrics", metavar="[KIND]")
@click.argument("name", default="", metavar="[NAME]")
@click.option("--without", default="", metavar="NEED", help="Only metrics that do without it: reference, context.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(kind: str, name: str, without: str, as_json: bool) -> None:
    """A line per thing, with its details where one thing or metrics were asked for."""
    from dialometer.flows.list import describe, kinds, listing

    rows = [describe(kind.removesuffix("s"), name)] if name and kind in kinds() else listing(kind, without=without)
    if as_json:
        import orjson

        click.echo(orjson.dumps({kind: [row.to_json() for row in rows]}).decode())
        return
    width = max((len(row.name) for row in rows), default=0)
    for row in rows:
        click.echo(f"{row.name:{width}}  {row.about}")
        for line in _details(row) if name or kind in ("metrics", "judges") else ():
            click.echo(f"{'':{width}}    {line}")
        if name and row.ranges:
            ranges = "; ".join(f"{option} is {range_}" for option, range_ in row.ranges.items())
            click.echo(f"{'':{width}}    ranges: {ranges}")


def _details(row: ListRow) -> list[str]:
    lines = []
    if row.columns:
        lines.append(f"columns: {', '.join(row.columns)}")
    if row.variants:
        lines.append(f"variants: {', '.join(row.variants)}")
    if row.needs:
        lines.append(f"needs: {', '.join(row.needs)}")
    if row.options:
        lines.append("options: " + ", ".join(f"{key}={value}" for key, value in row.options.items()))
    return lines
