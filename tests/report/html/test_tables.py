"""Tables as HTML, CSV and LaTeX: escaped, complete, gaps shown."""

import csv
import io
import re

import numpy as np
import pytest

from dialometer.report.blocks import Interval, Table
from dialometer.report.html.tables import table_html
from dialometer.report.table_files import table_csv, table_tex, tex_text
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


def shown(table):
    """The rows of a table as a reader sees them, without tags."""
    rows = re.findall(r"<tr>(.*?)</tr>", table_html(table), re.DOTALL)[1:]
    return [[re.sub(r"<[^>]*>", " ", cell).split() for cell in re.findall(r"<t[dh]\b.*?</t[dh]>", row)] for row in rows]


def test_a_small_number_among_others_is_nought_and_a_small_p_is_told():
    rows = [["a", Interval(0.25, -0.00018, 0.5), 3e-9], ["b", 0.00029, 0.02], ["c", -0.0002, 0.5], ["d", 0.4, 1.0]]
    made = shown(Table("t", ["metric", "r", "Holm p"], [*rows, ["e", 0.1, None]]))
    assert [cells[1] for cells in made] == [["0.250", "[0.000,", "0.500]"], ["0.000"], ["0.000"], ["0.400"], ["0.100"]]
    assert [cells[2] for cells in made] == [["3.0e−09"], ["0.020"], ["0.500"], ["1.000"], ["–"]]
    assert "0.250 [0.000, 0.500] & 3.0e" in table_tex(Table("t", ["metric", "r", "p"], [*rows, ["e", 0.1, 0.1]]))


def test_a_column_of_small_numbers_keeps_its_exponents():
    made = shown(Table("t", ["x"], [[0.00002], [-0.0003], [0.001]]))
    assert made == [[["2.0e−05"]], [["−3.0e−04"]], [["0.001"]]]


def test_rows_of_different_kinds_have_decimals_of_their_own():
    rows = [["words", Interval(23.456, 20.1, 27.8), 5.5], ["cosine", Interval(0.2345, 0.2, 0.3), 0.117]]
    header = ["column", "mean", "sd"]
    assert [cells[1:] for cells in shown(Table("t", header, rows, by_row=True))] == [
        [["23.46", "[20.10,", "27.80]"], ["5.50"]],
        [["0.234", "[0.200,", "0.300]"], ["0.117"]],
    ]
    assert shown(Table("t", header, rows))[1][1] == ["0.23", "[0.20,", "0.30]"]
