"""dialometer doctor: what is installed, what is missing, the line to type."""

from __future__ import annotations

import click


@click.command("doctor", epilog="\b\nExamples:\n  dialometer doctor\n  dialometer doctor --json")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(as_json: bool) -> None:
    """Say what is installed, what is missing, and the line to type."""
    from dialometer.flows.doctor import doctor

    findings = doctor()
    if as_json:
        from dialometer.contracts.doctor import DoctorResult
        from dialometer.contracts.result import encode

        click.echo(encode(DoctorResult(findings=findings)).decode())
        return
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        state = finding.found or f"missing → {finding.install}"
        click.echo(f"{'✓' if finding.found else '–'} {finding.name:{width}}  {state}  ({finding.used_for})")
