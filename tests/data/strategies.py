"""Items of every shape that a file may have to hold."""

from hypothesis import strategies as st

from dialometer.core.types import Dialogue, Example, Turn

ROW = [
    "id",
    "context",
    "response",
    "after",
    "own",
    "references",
    "reference",
    "system",
    "group",
    "ratings",
    "raters",
    "turns",
    "extra",
]
TURN = ["messages", "role", "content", "speaker", "text", "vote", "time"]
OTHER = ["Group", "Context", "RATINGS", "hypothesis", "ref", "ref_1", "reference 2", "References3", "rating:good"]
TAKEN = [*ROW, *TURN, *OTHER, "dialogue_id", "model", "annotations", "context_id", "conversation_id"]
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
name = text.filter(bool)
scalar = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False) | text
)
value = st.recursive(
    scalar, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3), max_leaves=5
)
extra = st.dictionaries(st.sampled_from(TAKEN) | text, value, max_size=4)
mark = st.none() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False) | text
turn = st.builds(Turn, text, text) | st.builds(Turn, text, text, mark, mark, extra)
turns = st.lists(turn, max_size=4).map(tuple)
plain_turns = st.lists(st.builds(Turn, st.just(""), text), max_size=3).map(tuple)
reference = text.filter(str.strip)
number = st.none() | st.integers(-(2**53), 2**53) | st.floats(-1e99, 1e99)


@st.composite
def rated(draw: st.DrawFn) -> dict:
    """Ratings and raters that belong together."""
    raters = tuple(draw(st.lists(text, max_size=3)))
    sizes = st.just(len(raters)) if raters else st.integers(0, 3)
    lists = sizes.flatmap(lambda size: st.lists(number, min_size=size, max_size=size).map(tuple))
    return {"raters": raters, "ratings": draw(st.dictionaries(text, lists, max_size=3))}


@st.composite
def examples(draw: st.DrawFn) -> Example:
    """Any Example."""
    return Example(
        draw(name),
        draw(turns | plain_turns),
        draw(text),
        tuple(draw(st.lists(reference, max_size=3))),
        draw(text),
        draw(text),
        extra=draw(extra),
        after=draw(turns | plain_turns),
        own=tuple(draw(st.lists(text, max_size=2))),
        **draw(rated()),
    )


@st.composite
def dialogues(draw: st.DrawFn) -> Dialogue:
    """Any Dialogue."""
    return Dialogue(draw(name), draw(text), draw(turns), draw(text), extra=draw(extra), **draw(rated()))


def lists_of(items: st.SearchStrategy) -> st.SearchStrategy:
    """A few items, each with an id of its own."""
    return st.lists(items, min_size=1, max_size=4, unique_by=lambda item: item.id)
