"""Small talk for trainings of seconds: 60 conversations about a few things, made by a rule; folders without checksums."""

import orjson

THINGS = ["tea", "coffee", "cake", "rain", "snow", "jazz", "chess", "trains", "cats", "dogs"]
SMALL_TALK = [
    [
        f"do you like {thing} ?",
        f"yes , {thing} is {word} .",
        f"i think {other} is {word} too .",
        "thank you , goodbye !",
    ]
    for thing, other in zip(THINGS, THINGS[3:] + THINGS[:3], strict=True)
    for word in ["nice", "great", "fine", "lovely", "awful", "odd"]
]


def without_checksums(folder):
    """The card of a fitted encoder as those without checksums are."""
    card = orjson.loads((folder / "artifact.json").read_bytes())
    del card["seal"]
    (folder / "artifact.json").write_bytes(orjson.dumps(card, option=orjson.OPT_INDENT_2))
