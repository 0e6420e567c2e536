"""A report as one file that needs no network, with its tables and figures beside it."""

from __future__ import annotations

from pathlib import Path

from dialometer.core.atomic import replacing
from dialometer.report.blocks import Examples, Page, Scatter, Table
from dialometer.report.charts.chart import picture
from dialometer.report.html.anchors import named_blocks
from dialometer.report.html.frame import document
from dialometer.report.html.payload import everything, pack
from dialometer.report.html.sections import body
from dialometer.report.html.style import standalone
from dialometer.report.table_files import table_csv, table_tex

LIMIT = 4_900_000  # bytes of the page


def write_page(page: Page, folder: Path) -> Path:
    """Write ``report.html``, ``tables/`` and ``figures/`` into the folder; the page comes last, so where it is, all is.

    Everything is made before anything is written, and equal pages give equal bytes.
    """
    blocks = named_blocks(page)
    _check(page)
    plots = [(name, block) for name, block in blocks if isinstance(block, Scatter)]
    without = document(page, body(page, blocks, everything(page.items)), "")
    payload = pack(page.items, plots, LIMIT - len(without.encode()))
    html = document(page, body(page, blocks, payload), payload.encoded)
    made: dict[str, str] = {}
    for name, block in blocks:
        if isinstance(block, Table):
            made[f"tables/{name}.csv"], made[f"tables/{name}.tex"] = table_csv(block), table_tex(block)
        elif (drawing := picture(block, page.items, payload)) is not None:
            made[f"figures/{name}.svg"] = standalone(drawing)
    made["report.html"] = html
    paths = [folder / name for name in made]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(*paths) as files:
        for file, text in zip(files, made.values(), strict=True):
            file.write(text.encode("utf-8"))
    return folder / "report.html"


def _check(page: Page) -> None:
    """Refuse a block whose items the page does not have."""
    for section in page.sections:
        for block in section.blocks:
            if isinstance(block, Scatter | Examples) and len(block.items):
                first, last = min(block.items), max(block.items)
                if first < 0 or last >= len(page.items):
                    raise ValueError(f"{block.name!r} speaks of item {last}, and the page has {len(page.items)}")
