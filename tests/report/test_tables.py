"""Tables as HTML, CSV and LaTeX: escaped, complete, gaps shown."""

import csv
import io
import re

import numpy as np
import pytest

from dialometer.report.blocks import Interval, Table
from dialometer.report.tablefiles import table_csv, table_tex, tex_text
from dialometer.report.tables import table_html
from tests.report.pages import EVIL, NAN, table


def test_csv_has_every_number_in_full():
    value = 0.1 + 0.2
    rows = [["a", Interval(value, 0.1, 0.5, 1e-9), np.float64(1 / 3)], ["b", Interval(NAN), None], ["c", 2.0, np.int64(7)]]
    read = list(csv.reader(io.StringIO(table_csv(Table("t", ["m", "r", "x"], rows)))))
    assert read == [
        ["m", "r", "r low", "r high", "r p", "x"],
        ["a", repr(value), "0.1", "0.5", "1e-09", repr(1 / 3)],
        ["b", "", "", "", "", ""],
        ["c", "2.0", "", "", "", "7"],
    ]


def test_csv_without_p_has_no_such_column():
    assert table_csv(Table("t", ["r"], [[Interval(1.0, 0.0, 2.0)]])).splitlines()[0] == "r,r low,r high"


def test_csv_quotes():
    read = list(csv.reader(io.StringIO(table_csv(Table("t", ['a"b', "c,d"], [["x\ny", EVIL]])))))
    assert read == [['a"b', "c,d"], ["x\ny", EVIL]]


def test_latex():
    assert table_tex(table()).splitlines() == [
        r"% \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        r"\caption{Correlation with 50\% of raters}",
        r"\begin{tabular}{lrrrl}",
        r"\toprule",
        r"metric & n & r & share & kept \\",
        r"\midrule",
        r"bleu & 12 & 0.250 [0.100, 0.400], p \textless{} 0.001 & 0.50 & yes \\",
        r"length & 11 & $-$0.125 [$-$0.300, --] & -- & no \\",
        r"$\alpha$\_50\% \& more & -- & -- & 12.50 & yes \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\par\smallskip{\footnotesize $\rho$ $\geq$ 0.3\par}",
        r"\end{table}",
    ]


def test_latex_is_balanced_whatever_comes():
    awkward = r"""{ } $ & % # _ ~ ^ \ < > | " – … − [x] ' ` """ + EVIL
    made = table_tex(Table("t", [awkward], [[awkward], ["[0.1]"]], awkward, [awkward]))
    bare = re.sub(r"\\[{}$&%#_\\]", "", made)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    for line in bare.splitlines()[1:]:
        assert not re.search(r"[%#&_~^]", line.replace("\\\\", "").removesuffix(" "))
    assert "{}[0.1] \\\\" in made  # else LaTeX takes it for the argument of the line break above


@pytest.mark.parametrize(
    ("text", "made"), [("a\\b", r"a\textbackslash{}b"), ("x^2~", r"x\textasciicircum{}2\textasciitilde{}")]
)
def test_letters_that_latex_reads_as_commands(text, made):
    assert tex_text(text) == made


def test_html_aligns_numbers_and_keeps_what_sorting_needs():
    made = table_html(table())
    assert made.count('<th class="num"') == 0
    assert made.count('aria-sort="none"') == 5
    assert 'data-v="0.25"' in made
    assert "<small>[0.100, 0.400]</small>" in made
    assert 'title="p &lt; 0.001">0.250<sup>***</sup>' in made
    assert "*** p &lt; 0.001" in made  # what the stars mean
    assert "−0.125" in made
    assert made.count("data-v") == 2 + 2 + 2  # n, r and share; gaps have none
    assert "α_50% &amp; more" in made


def test_html_escapes():
    made = table_html(Table("t", [EVIL], [[EVIL], [EVIL]], EVIL, [EVIL]))
    assert "<script" not in made
    assert "<img" not in made


def test_an_empty_table():
    nothing = Table("t", ["a", "b"], [])
    assert "no rows" in table_html(nothing)
    assert "<button" not in table_html(nothing)
    assert table_csv(nothing) == "a,b\n"
    assert r"\midrule" in table_tex(nothing)


def test_a_ragged_table_is_refused():
    with pytest.raises(ValueError, match="row 1 of table 't' has 1 cells, its header 2"):
        table_html(Table("t", ["a", "b"], [[1, 2], [1]]))
