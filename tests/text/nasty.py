"""Strings that tokenisers get wrong: odd white space, marks, emoji sequences, entities, digits with points and dashes."""

from hypothesis import strategies as st

PIECES = (
    list("aZé9_0.,-'’\"!?&;<>@#$%*/\\ ()[]{}^~`|+=:")
    + ["\t", "\n", "\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x1f", "\x00", "\x01", "\x7f"]
    + ["\u0085", "\u00a0", "\u1680", "\u2009", "\u2028", "\u202f", "\u205f", "\u3000", "\u200b", "\u200d", "\ufeff"]
    + [
        "\u0301",
        "\u0345",
        "\u093f",
        "\ufe0f",
        "\u20e3",
        "👍",
        "🏽",
        "👩",
        "❤",
        "🇫",
        "🇷",
        "我",
        "か",
        "ゔ",
        "अ",
        "ب",
        "İ",
        "ß",
        "K",
    ]
    + ["&quot;", "&amp;", "&lt;", "&gt;", "&amp;quot;", "<skipped>", "-\n", "1-2", "3.5", "...", ",,", ".5", "5.", "a.b"]
    + ["n't", "cannot", "gonna", "<url>", "@user", "#tag", "<first_speaker>", "don't", "the", "'s", "--"]
)
nasty = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
plain = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
ascii_text = st.text(st.characters(max_codepoint=127), max_size=20)
any_text = nasty | plain | ascii_text
texts = st.lists(any_text, max_size=8)
word_lists = st.lists(st.lists(st.sampled_from(list("abcdefg")), max_size=9).map(" ".join), min_size=1, max_size=6)
