"""Negation: a "not" removed or inserted, yes for no. Rules for plain English; other sentences are left unchanged.

Questions are left alone: "don't you like tea ?" asks what "do you like tea ?" asks.
"""

from __future__ import annotations

import re

from dialometer.core.types import Example
from dialometer.text.perturb.kinds import Others, Perturbation

_AUXILIARY = "am is are was were do does did have has had can could will would shall should must may might".split()
_IRREGULAR = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
_BASE = (
    "like love think know want need see feel hope believe agree understand guess mean remember live work go play watch read eat "
    "drink enjoy hate prefer wish try use listen speak talk care expect suppose trust drive travel sing dance study"
).split()
_OWNING = {"have": "do not have", "has": "does not have", "had": "did not have"}
_MARK = r"\s?['’]\s?"  # tokenised texts stand off the apostrophe on either side
_NEGATION = re.compile(
    rf"\b(?P<stem>{'|'.join([*_AUXILIARY, *_IRREGULAR])})\s?n{_MARK}t\b"
    r"|\b(?P<glued>ca|do|wo|does|did|is|are|was|were|could|should|would|have|has|had)nt\b"
    r"|\b(?P<cannot>can)\s?not\b"
    r"|\s?\b(?:not|never)\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?P<owning>have|has|had)(?=\s+(?:an?|the|some|any|my|your|our|his|her|their|to|\d+)\b)"
    rf"|\b(?:{'|'.join(_AUXILIARY)})\b(?:\s+(?:i|you|he|she|it|we|they)\b)?(?!['’])"
    rf"|\b(?:i{_MARK}m|(?:you|we|they){_MARK}re|(?:he|she|it|that|there){_MARK}s|\w+{_MARK}(?:ll|ve|d))\b"
    rf"|\b(?P<who>i|you|we|they)(?P<gap>\s+(?:(?:really|also|just|always|still)\s+)?)(?P<verb>{'|'.join(_BASE)})\b",
    re.IGNORECASE,
)
_ANSWER = re.compile(r"^(\W*)(yes|yeah|yep|yup|no|nope|nah)(?=\s*(?:$|[,.!?;]))", re.IGNORECASE)
_END = re.compile(r"[.!?…](?=\s|$)")


def flip_negation(text: str) -> str | None:
    """The text with its first negation taken away, else with one put in; None where no rule fits.

    >>> flip_negation("no , i do n't like tea ."), flip_negation("Yes, it's raining."), flip_negation("do you like tea ?")
    ('yes , i do like tea .', "No, it's not raining.", None)
    >>> flip_negation("I really love it!"), flip_negation("You can't."), flip_negation("we had a dog .")
    ('I do not really love it!', 'You can.', 'we did not have a dog .')
    """
    answer = _ANSWER.match(text)
    start = answer.end() if answer else 0
    body = text[start:]
    if found := _match_statement(_NEGATION, body):
        body = body[: found.start()] + _affirm(found) + body[found.end() :]
    elif found := _match_statement(_PLACE, body):
        body = body[: found.start()] + _deny(found) + body[found.end() :]
    elif not answer:
        return None
    return f"{answer[1]}{_opposite(answer[2])}{body}" if answer else body


def _match_statement(rule: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The first match in a sentence that is no question."""
    for found in rule.finditer(text):
        end = _END.search(text, found.end())
        if end is None or end[0] != "?":
            return found
    return None


def _affirm(found: re.Match[str]) -> str:
    """What is left of a negation."""
    word = found["stem"] or found["glued"] or found["cannot"]
    return _match_case(_IRREGULAR.get(word.lower(), word.lower()), word) if word else ""


def _deny(found: re.Match[str]) -> str:
    """The same words with a "not"."""
    if found["verb"]:
        return f"{found['who']} do not{found['gap']}{found['verb']}"
    if found["owning"]:
        return _match_case(_OWNING[found["owning"].lower()], found["owning"])
    return f"{found[0]} not"


def _opposite(word: str) -> str:
    return _match_case("no" if word[0] in "yY" else "yes", word)


def _match_case(new: str, old: str) -> str:
    return new[0].upper() + new[1:] if old[0].isupper() else new


def _negate(item: Example, others: Others, seed: int) -> str | None:
    return flip_negation(item.response)


NEGATED = Perturbation(
    "negated", "drop", "a negation taken away, or put in; yes for no; questions are left alone",
    "it says the opposite (D'Haro et al. 2019, table 4: yes where the answer is no)", _negate,
)  # fmt: skip
