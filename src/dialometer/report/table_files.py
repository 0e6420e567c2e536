"""A table as files: CSV for programs (full precision, a gap for what is missing), LaTeX for papers."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence

from dialometer.report.blocks import Cell, Interval, Table
from dialometer.report.html.escape import clean
from dialometer.report.numbers import cell_forms, cell_text, is_numeric, rows_of

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    '"': r"\textquotedbl{}", "–": "--", "—": "---", "…": r"\ldots{}", "−": "$-$", "×": r"$\times$", "±": r"$\pm$",
    "≤": r"$\leq$", "≥": r"$\geq$", "≠": r"$\neq$", "≈": r"$\approx$", "∞": r"$\infty$", "→": r"$\rightarrow$",
    "·": r"$\cdot$", "√": r"$\surd$", "²": r"$^{2}$", "³": r"$^{3}$", "∆": r"$\Delta$", "α": r"$\alpha$", "β": r"$\beta$",
    "γ": r"$\gamma$", "δ": r"$\delta$", "Δ": r"$\Delta$", "ε": r"$\epsilon$", "η": r"$\eta$", "κ": r"$\kappa$",
    "λ": r"$\lambda$", "μ": r"$\mu$", "π": r"$\pi$", "ρ": r"$\rho$", "σ": r"$\sigma$", "τ": r"$\tau$", "φ": r"$\phi$",
    "χ": r"$\chi$", "ω": r"$\omega$", "†": r"\dag{}", "‡": r"\ddag{}", "\t": " ", "\n": " ", "\r": " ",
}  # fmt: skip
_HARD = re.compile("[" + re.escape("".join(_SPECIAL)) + "]")


def tex_text(text: str) -> str:
    r"""Text for LaTeX: its special characters escaped, signs that pdfLaTeX lacks written as commands.

    >>> print(tex_text("50% of a_b, κ ≥ 0.4"))
    50\% of a\_b, $\kappa$ $\geq$ 0.4
    """
    return _HARD.sub(lambda found: _SPECIAL[found[0]], clean(text))


def table_tex(table: Table) -> str:
    """A booktabs table; an interval is ``value [low, high]``, a missing number a dash."""
    rows = rows_of(table)
    columns = [[row[place] for row in rows] for place in range(len(table.header))]
    letters = "".join("r" if is_numeric(column) else "l" for column in columns)
    lines = [r"% \usepackage{booktabs}", r"\begin{table}", r"\centering"]
    if table.caption:
        lines.append(rf"\caption{{{tex_text(table.caption)}}}")
    lines += [rf"\begin{{tabular}}{{{letters}}}", r"\toprule", _row(table.header), r"\midrule"]
    lines += [
        _row([cell_text(cell, form.digits, form.fixed) for cell, form in zip(row, forms, strict=True)])
        for row, forms in zip(rows, cell_forms(table, rows), strict=True)
    ]
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\smallskip{{\footnotesize {tex_text(note)}\par}}" for note in table.notes]
    return "\n".join([*lines, r"\end{table}", ""])


def table_csv(table: Table) -> str:
    """Every number in full; a column of intervals has its ends, and p where there is one, beside it."""
    rows = rows_of(table)
    columns = [_spread(name, [row[place] for row in rows]) for place, name in enumerate(table.header)]
    wide = [column for group in columns for column in group]
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow([name for name, _ in wide])
    writer.writerows([cells[row] for _, cells in wide] for row in range(len(rows)))
    return clean(made.getvalue())


def _row(cells: Sequence[str]) -> str:
    texts = [tex_text(cell) for cell in cells]
    if texts and texts[0].startswith("["):  # after a line break LaTeX would read it as a length
        texts[0] = "{}" + texts[0]
    return " & ".join(texts) + r" \\"


def _spread(name: str, column: Sequence[Cell]) -> list[tuple[str, list[str]]]:
    """The columns that a column becomes."""
    if not any(isinstance(cell, Interval) for cell in column):
        return [(name, [_plain(cell) for cell in column])]
    whole = [cell if isinstance(cell, Interval) else None for cell in column]
    values = [_plain(cell.value if isinstance(cell, Interval) else cell) for cell in column]
    parts = [(name, values)]
    for part in ("low", "high", "p"):
        numbers = [_plain(getattr(cell, part)) if cell else "" for cell in whole]
        if part != "p" or any(numbers):
            parts.append((f"{name} {part}", numbers))
    return parts


def _plain(cell: Cell) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return repr(float(cell)) if isinstance(cell, float) else str(cell)
