"""Every chart draws every degenerate input as a well-formed picture without a NaN in it."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from dialometer.report.blocks import Dots, HeatMap, Interval, Labelled, LineChart, Strips
from dialometer.report.charts.chart import chart
from dialometer.report.charts.heatmap import shade
from dialometer.report.charts.labelled import draw_labelled
from dialometer.report.charts.svg import NARROW, AxisScale, fit, ticks, value_range
from dialometer.report.html.style import SCRIPTS, asset, colours, script, standalone
from tests.report.pages import EVIL, NAN

NONE = Interval(NAN)
INF = float("inf")
CASES = {
    "all-NaN heat map": HeatMap("h", ["a"], ["x", "y"], np.full((1, 2), NAN)),
    "empty heat map": HeatMap("h", [], [], np.empty((0, 0))),
    "one-sided heat map": HeatMap("h", ["a"], ["x"], np.array([[INF]]), low=0, high=0),
    "evil heat map": HeatMap("h", [EVIL], [EVIL], np.array([[0.5]]), EVIL, marks=[[EVIL]]),
    "no dots": Dots("d", [], [], []),
    "NaN dots": Dots("d", ["a", "b"], [NAN, NAN], [(NAN, NAN)] * 2),
    "a dot without intervals": Dots("d", ["a" * 300], [3.0], []),
    "a constant": Dots("d", ["a", "b"], [0.5, 0.5], [(0.5, 0.5)] * 2, x_label=EVIL),
    "huge and tiny": Dots("d", ["a", "b"], [1e308, -1e308], [(5e-324, 0.0), (-INF, INF)]),
    "one system": Labelled("l", ["only"], [Interval(1.0)], [Interval(2.0, 1.0, 3.0)]),
    "no system": Labelled("l", [], [], []),
    "systems without means": Labelled("l", [EVIL, "b"], [NONE, Interval(1.0)], [Interval(1.0), NONE]),
    "a line of one point": LineChart("n", [5], {"a": [Interval(0.5)]}),
    "no line": LineChart("n", [], {}),
    "NaN lines": LineChart("n", [1, 2], {"a": [NONE, NONE], EVIL: [NONE, NONE]}),
    "logarithm of nothing": LineChart("n", [0, -1, 10], {"a": [Interval(0.1)] * 3}, logarithmic=True),
    "crowded settings": LineChart("n", [1000 + k for k in range(200)], {"a": [Interval(0.1)] * 200}),
    "counts of few and of none": LineChart(
        "n", [1, NAN, 3], {"a": [NONE] * 3, EVIL: [Interval(1.0)] * 3}, counts={EVIL: [0, 10**9, 2]}
    ),
    "empty strips": Strips("s", {"a": np.array([]), "b": np.array([NAN, INF])}),
    "no strips": Strips("s", {}),
    "a constant strip": Strips("s", {"a": np.full(500, 2.0)}),
    "a mark without a place": Strips("s", {"a": np.arange(50.0)}, mark=("here", NAN)),
    "a mark alone": Strips("s", {}, mark=(EVIL, 0.5)),
    "a constant among many": Strips("s", {"a": np.full(500, 2.0), "b": np.arange(50.0)}, mark=("here", 99.0)),
    "many values": Strips("s", {EVIL: np.random.default_rng(0).normal(size=10_000)}),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("width", [780.0, NARROW])
def test_degenerate_input_is_drawn(name, width):
    drawing = chart(CASES[name], width)
    made = standalone(drawing)
    tree = ElementTree.fromstring(made)
    assert tree.tag.endswith("svg")
    assert not re.search(r'="[^"]*\b(nan|inf)', made)
    assert "<script" not in made
    assert drawing.width > 0
    assert drawing.height > 0
    assert len(made) < 60_000  # ten thousand values are not ten thousand shapes


def texts(block):
    return [
        "".join(node.itertext())
        for node in ElementTree.fromstring(standalone(chart(block))).iter()
        if node.tag.endswith("text")
    ]


def test_a_missing_number_is_a_dash():
    assert "–" in texts(CASES["NaN dots"])
    assert texts(CASES["all-NaN heat map"]).count("–") == 2
    assert "n = 0" in texts(CASES["empty strips"])


def test_a_heat_map_shows_number_and_mark():
    block = HeatMap("h", ["a"], ["x", "y"], np.array([[-0.256, 0.5]]), marks=[["**", ""]])
    assert texts(block) == ["x", "y", "a", "−0.26**", "0.50"]


def test_shades_go_both_ways_from_nought():
    assert [shade(value, -1, 1) for value in (-1, -0.5, 0, 0.5, 1)] == ["m8", "m4", "h0", "h4", "h8"]
    assert [shade(value, 0, 2) for value in (0, 1, 2, 3)] == ["h0", "h4", "h8", "h8"]
    assert [shade(value, -1, 3) for value in (-3, 3)] == ["m8", "h8"]  # one scale for both sides


def test_a_gap_breaks_a_line():
    points = [Interval(v) for v in (0.1, 0.2, NAN, 0.4, 0.5)]
    made = standalone(chart(LineChart("n", [1, 2, 3, 4, 5], {"a": points})))
    curve = re.search(r'd="([^"]*)" class="s1 curve"', made)[1]
    assert curve.count("M") == 2
    assert curve.count("L") == 2


def test_settings_are_ticks_while_they_fit():
    assert {"5", "20", "360"} <= set(texts(LineChart("n", [5, 20, 360], {"a": [Interval(0.1)] * 3})))
    assert len(texts(CASES["crowded settings"])) < 30


def test_names_do_not_cover_each_other():
    names = [f"system {k}" for k in range(6)]
    near = [Interval(1 + 0.02 * k) for k in range(5)] + [Interval(2.0)]
    drawing = draw_labelled(Labelled("l", names, near, near))
    places = re.findall(r'<text x="([\d.]+)" y="([\d.]+)" class="ink halo"', drawing.body)
    assert len(set(places)) == 6


def test_ticks_are_round_and_inside():
    for low, high in [(0, 1), (-3, 7), (0.001, 0.0042), (1e6, 5e6), (-1e-9, 1e-9)]:
        marks = ticks(low, high)
        assert 3 <= len(marks) <= 14
        assert low - 1e-12 <= marks[0] < marks[-1] <= high * (1 + 1e-12)


def test_an_axis_always_has_a_width():
    for values in ([], [NAN], [5], [5, 5], [0, 5e-324], [1e308, -1e308], [INF, 1]):
        low, high = value_range(values)
        assert high > low
        assert np.isfinite(AxisScale(low, high, 0, 100)(low))


def test_long_names_are_cut_and_kept_as_tooltips():
    assert fit("a very long name, first", 100) != fit("a very long name, other", 100)
    assert [fit("x" * 100, room) for room in (0, 22)] == ["…", "x…"]
    made = standalone(chart(Dots("d", ["long " * 40], [1.0], [])))
    assert "<title>" + "long " * 40 + "</title>" in made


def light(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """WCAG 2.1, relative luminance and contrast ratio."""
    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_contrast(theme):
    colour = colours(theme)
    pairs = [("ink", back) for back in ("paper", "card", "hover", "mine", "good-back", "caution-back", "bad-back")]
    pairs += [("soft", back) for back in ("paper", "card", "hover", "mine")] + [("accent", "paper"), ("accent", "card")]
    pairs += [(tone, f"{tone}-back") for tone in ("good", "caution", "bad")]
    pairs += [(f"{name}-ink", name) for name in colour if re.fullmatch(r"[hm]\d", name)]
    assert len(pairs) == 16 + 17
    low = {pair: contrast(colour[pair[0]], colour[pair[1]]) for pair in pairs}
    assert {pair: ratio for pair, ratio in low.items() if ratio < 4.5} == {}
    for series in range(1, 9):
        assert contrast(colour[f"s{series}"], colour["card"]) >= 3  # shapes need 3 : 1 (WCAG 1.4.11)


def test_themes_have_the_same_names_and_no_variable_is_missing():
    assert colours("light").keys() == colours("dark").keys()
    used = {
        name
        for sheet in ("page", "parts", "chart", "narrow")
        for name in re.findall(r"var\(--([\w-]+)\)", asset(f"{sheet}.css"))
    }
    assert used <= colours("light").keys()


def test_scripts_can_stand_inside_a_page():
    whole = script() + asset("theme.js")
    assert "</script" not in whole
    assert "<!--" not in whole
    assert "innerHTML" not in whole
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", whole)
    assert len(SCRIPTS) == len(set(SCRIPTS))


def test_counts_stand_under_their_points_evenly_spaced():
    points, n = [Interval(0.1)] * 30, [100 + k for k in range(30)]
    block = LineChart("n", list(range(30)), {"a": points, "b": points}, counts={"b": n})
    wide = [text for text in texts(block) if re.fullmatch("1[0-9][0-9]", text)]
    steps = np.diff([n.index(int(text)) for text in wide])
    assert len(set(steps)) == 1
    assert len(wide) > 10
    plain = chart(LineChart("n", list(range(30)), {"a": points, "b": points}))
    assert chart(block).height > plain.height


def test_an_outline_ends_where_its_values_end_and_a_mark_crosses_it():
    made = standalone(chart(Strips("s", {"a": np.linspace(0, 1, 100)}, mark=("here", 2.0))))
    outline = re.search(r'<path d="M([^"]*)z"', made) or re.search(r'd="M([^"]*)z"', made)
    places = [float(pair.split()[0]) for pair in outline[1].split("L")]
    mark = float(re.search(r'<line x1="([\d.]+)"[^>]*class="s2 curve"', made)[1])
    assert max(places) - min(places) == pytest.approx(mark - max(places), rel=0.02)
    assert "here: 2.000" in made


def test_differences_have_a_line_at_nought_wherever_they_are():
    dots = {"labels": ["a"], "values": [5.0], "outer": [(4.0, 6.0)]}
    assert 'class="zero"' in standalone(chart(Dots("d", **dots, zero=True)))
    assert 'class="zero"' not in standalone(chart(Dots("d", **dots)))


def test_small_numbers_of_a_map_and_among_dots_have_no_exponent():
    heat = standalone(chart(HeatMap("h", ["a"], ["x", "y"], np.array([[0.00029, 0.4]]))))
    dots = standalone(chart(Dots("d", ["a", "b", "c"], [0.00029, 0.4, -0.3], [])))
    assert not any("e−04" in made for made in (heat, dots))
    assert "a, x: 0.000" in heat
