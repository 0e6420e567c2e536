"""list: what there is of a kind, and the options of each."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from dialometer.contracts.result import Annotated, Record, doc

Default = str | int | float | bool | None


class ListRow(Record, frozen=True, kw_only=True):
    """One entry of the catalogue; what its kind does not have is absent."""

    name: Annotated[str, doc("its name in specs")]
    about: Annotated[str, doc("the first sentence of its documentation")]
    options: Annotated[dict[str, Default] | UnsetType, doc("its options with their defaults")] = UNSET
    ranges: Annotated[dict[str, str] | UnsetType, doc("the range of each numeric option")] = UNSET
    columns: Annotated[list[str] | UnsetType, doc("the columns of a metric")] = UNSET
    needs: Annotated[list[str] | UnsetType, doc("what a metric needs of an item: context, reference")] = UNSET
    variants: Annotated[list[str] | UnsetType, doc("the variants of a metric")] = UNSET
