"""Reactions as a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import astuple, fields

from dialometer.flows.stress.reactions import Reaction


def csv_bytes(rows: Sequence[Reaction]) -> bytes:
    """One line per reaction; an absent number is an empty cell."""
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(field.name for field in fields(Reaction))
    writer.writerows(["" if value != value else value for value in astuple(row)] for row in rows)
    return made.getvalue().encode()
