"""Which block is drawn by whom."""

from __future__ import annotations

from collections.abc import Sequence

from dialometer.report.blocks import Block, Dots, HeatMap, Item, Labelled, LineChart, Scatter, Strips
from dialometer.report.charts.dots import draw_dots
from dialometer.report.charts.heatmap import draw_heat
from dialometer.report.charts.labelled import draw_labelled
from dialometer.report.charts.lines import draw_lines
from dialometer.report.charts.scatter import draw_scatter
from dialometer.report.charts.strips import draw_strips
from dialometer.report.charts.svg import WIDTH, Drawing
from dialometer.report.html.payload import Payload


def chart(block: Block, width: float = WIDTH) -> Drawing | None:
    """The drawing of a block that is drawn in the page itself; None for others. A heat map is as wide as its cells."""
    match block:
        case Dots():
            return draw_dots(block, width)
        case HeatMap():
            return draw_heat(block)
        case Labelled():
            return draw_labelled(block, width)
        case LineChart():
            return draw_lines(block, width)
        case Strips():
            return draw_strips(block, width)
    return None


def picture(block: Block, items: Sequence[Item], payload: Payload) -> Drawing | None:
    """The drawing of any block that has one, scatter plots too."""
    return draw_scatter(block, items, payload) if isinstance(block, Scatter) else chart(block)
