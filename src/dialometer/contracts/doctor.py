"""doctor: what was looked for, and what was found."""

from __future__ import annotations

from dialometer.contracts.result import Annotated, Record, doc


class Finding(Record, frozen=True, kw_only=True):
    """One package, resource or folder."""

    name: Annotated[str, doc("what was looked for")]
    found: Annotated[str, doc("its version or place; empty if it is missing")]
    used_for: Annotated[str, doc("what needs it: an extra of the package, or a feature")]
    install: Annotated[str, doc("the command that installs it")] = ""


class DoctorResult(Record, frozen=True, kw_only=True):
    """Everything that was looked for."""

    findings: Annotated[list[Finding], doc("in the order of the table")]
