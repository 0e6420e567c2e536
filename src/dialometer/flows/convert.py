"""convert: from any format, or from the raw files of a corpus, to any format, without loss unless loss is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from dialometer.contracts.convert import ConvertRequest, ConvertResult
from dialometer.core.errors import UsageError
from dialometer.core.registry import create
from dialometer.data.conversion_losses import fitting
from dialometer.data.corpora.placeholders import checked_kinds, masked_item
from dialometer.data.corpora.protocol import conversations
from dialometer.data.formats.detect import ending
from dialometer.data.formats.parallel import Parallel
from dialometer.data.formats.protocol import Format, Item
from dialometer.data.reader import ItemReader, sources
from dialometer.data.row_errors import limits


def convert(request: ConvertRequest) -> ConvertResult:
    """Read, mask, check that everything fits, write whole or not at all."""
    if not request.inputs:
        raise UsageError("nothing to convert: no file was given", "dialometer convert FILE -o OUT.jsonl")
    kinds, counts = checked_kinds(request.placeholders), Counter[str]()
    to, form = _target(request)
    origin, items = _items(request, counts)
    output = Path(request.output)
    masked = (masked_item(item, kinds) for item in items)
    written = form.write(fitting(masked, form, output, lossy=request.lossy), output)
    return ConvertResult(output=request.output, n=written, format_in=origin, format_out=to, counts=dict(counts))


def _target(request: ConvertRequest) -> tuple[str, Format]:
    """The format to write: named, or promised by the output's name."""
    if not request.output:
        raise UsageError("no output was named", f"dialometer convert {request.inputs[0]} -o OUT.jsonl")
    name = request.format_out or ending(Path(request.output))
    if name == "parquet" and request.output.endswith(".gz"):
        raise UsageError(
            "parquet packs its own columns and is not written as .gz", f"-o {request.output.removesuffix('.gz')}"
        )
    if not name:
        hint = "name it: --to jsonl, csv, tsv, parquet, parallel, chat or dstc10"
        raise UsageError(f"cannot tell from the name {request.output} which format to write", hint)
    return name, Parallel(pad=request.lossy) if name == "parallel" else create("format", name)


def _items(request: ConvertRequest, counts: Counter[str]) -> tuple[str, Iterator[Item]]:
    """Where the items come from, in a word, and the items."""
    accepted = limits(request.max_line, request.allow_empty_references)
    if request.builder:
        if request.format_in or request.references:
            raise UsageError(
                "a builder reads raw files: it takes no --from, --hyp or --ref", f"--builder {request.builder} PATH"
            )
        return request.builder, conversations(request.builder, [Path(path) for path in request.inputs], accepted, counts)
    if request.references and request.format_in != "parallel":
        raise UsageError("references in files of their own belong to parallel text", "--hyp RESPONSES --ref REFERENCES")
    reader = ItemReader(sources(request.inputs, request.format_in or None, request.references), accepted)
    return ", ".join(sorted({str(getattr(form, "name", "plugin")) for form, _ in reader.sources})), reader.items()
