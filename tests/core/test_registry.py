"""Specs are read, nested and written back; names are found, guests are welcome, built-in names are not for taking."""

import importlib.metadata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialometer.core import registry
from dialometer.core.catalog import CATALOG
from dialometer.core.errors import MissingResource, SpecError, UnknownName
from dialometer.core.registry import Spec, create, find, names, parse, spec_of


def bare(spec):
    """A spec without options is a plain value."""
    return spec if spec.options else spec.name


def pairs(options):
    return tuple(options.items())


word = st.text("abcdefgh-_./:+0123456789é", min_size=1, max_size=8)
specs = st.recursive(
    word.map(Spec),
    lambda inner: st.builds(Spec, word, st.dictionaries(word, inner.map(bare), min_size=1, max_size=3).map(pairs)),
    max_leaves=6,
)


@given(specs)
def test_what_is_written_is_read_back(spec):
    assert parse(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("bleu", Spec("bleu")),
        ("bleu()", Spec("bleu")),
        (" bleu ( order = 2 ) ", Spec("bleu", (("order", "2"),))),
        ("amfm(am=lsi(k=10),weight=0.8)", Spec("amfm", (("am", Spec("lsi", (("k", "10"),))), ("weight", "0.8")))),
        ("a(b=c(d=e(f=g)))", Spec("a", (("b", Spec("c", (("d", Spec("e", (("f", "g"),))),))),))),
        ('cider(idf="my file (2).txt")', Spec("cider", (("idf", "my file (2).txt"),))),
        ("rerank(bot=hred,metric=runs/train-19c2)", Spec("rerank", (("bot", "hred"), ("metric", "runs/train-19c2")))),
    ],
)
def test_specs(text, wanted):
    assert parse(text) == wanted


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "a name is missing"),
        ("   ", "a name is missing"),
        ("(order=2)", "a name is missing"),
        ("bleu(order=2", "a bracket is not closed"),
        ("bleu(order=2))", "unexpected"),
        ("bleu order=2", "unexpected"),
        ("bleu(order)", "option 'order' has no value"),
        ("bleu(order=)", "a name is missing"),
        ("bleu(order=2,order=3)", "sets 'order' twice"),
        ('bleu(tok="x)', "cannot read the spec"),
    ],
)
def test_bad_specs_say_what_is_wrong(text, why):
    with pytest.raises(SpecError, match=why) as error:
        parse(text)
    assert error.value.hint


@given(st.text('ab(),=" ', max_size=12))
def test_any_text_is_read_or_refused(text):
    try:
        spec = parse(text)
    except SpecError:
        return
    assert isinstance(spec, Spec)


def test_an_empty_name_is_refused():
    with pytest.raises(SpecError, match="a name is missing"):
        parse('""')


def test_options_take_the_type_of_their_field():
    made = create("metric", "rouge(beta=1,kinds=l,tok=words(stopwords=drop))")
    assert (made.beta, made.kinds, made.tok) == (1.0, "l", "words(stopwords=drop)")
    assert isinstance(create("metric", "bleu(order=2)").order, int)


@pytest.mark.parametrize("spec", ["bleu(order=two)", "bleu(order=2.5)", "rouge(beta=high)"])
def test_values_of_the_wrong_type(spec):
    with pytest.raises(SpecError, match=r"wants a (whole )?number, not"):
        create("metric", spec)


@pytest.mark.parametrize(("text", "value"), [("true", True), ("No", False), ("1", True)])
def test_yes_and_no(text, value):
    assert registry.convert("bool", text, "x(y=…)") is value


def test_maybe_is_not_an_answer():
    with pytest.raises(SpecError, match="wants true or false, not 'maybe'"):
        registry.convert("bool", "maybe", "x(y=…)")


def test_unknown_names_offer_the_nearest():
    with pytest.raises(UnknownName, match="no metric named 'blue'; did you mean bleu"):
        create("metric", "blue")
    with pytest.raises(UnknownName, match="no option of bleu named 'ordre'; did you mean order") as error:
        create("metric", "bleu(ordre=2)")
    assert error.value.hint == "dialometer list metrics bleu"
    with pytest.raises(UnknownName, match="no kind named 'metrics'; did you mean metric"):
        names("metrics")


def test_facts_are_not_options():
    with pytest.raises(UnknownName, match="no option of cider named 'facts'"):
        create("metric", "cider(facts=1)")


def test_defaults_fill_what_the_spec_leaves_open():
    assert create("metric", "bleu", tok="13a", colour="red").tok == "13a"
    assert create("metric", "bleu(tok=words)", tok="13a").tok == "words"


@pytest.mark.parametrize(
    "spec",
    [
        "bleu",
        "bleu(variant=coco)",
        'bleu(tok="13a")',
        "rouge(beta=0.5,kinds=l)",
        "bleu(tok=words(stopwords=drop,punctuation=drop))",
        'cider(idf="my documents (2), new=er.txt")',
    ],
)
def test_round_trip(spec):
    made = create("metric", spec)
    assert create("metric", spec_of(made, made.name)) == made


@pytest.mark.parametrize("kind", CATALOG)
def test_catalogue(kind):
    assert names(kind) == sorted(names(kind))
    for target in CATALOG[kind].values():
        module, attribute = target.split(":")
        assert module.startswith("dialometer.")
        assert attribute.isidentifier()


@pytest.fixture
def guests(monkeypatch):
    """A callable that installs entry points for a test."""

    def install(**targets):
        points = [importlib.metadata.EntryPoint(name, value, "dialometer.metrics") for name, value in targets.items()]
        monkeypatch.setattr(registry, "entry_points", lambda group: points if group == "dialometer.metrics" else [])
        registry._menu.cache_clear()

    yield install
    registry._menu.cache_clear()


def test_a_guest_joins_under_its_own_name(guests):
    guests(mine="dialometer.metrics.length:Length")
    assert "mine" in names("metric")
    assert "mine" not in names("tokeniser")
    assert create("metric", "mine(tok=13a)").tok == "13a"


def test_a_guest_may_not_take_a_built_in_name(guests):
    guests(bleu="dialometer.metrics.length:Length")
    with pytest.raises(SpecError, match="registers the built-in metric name 'bleu'"):
        names("metric")


def test_a_guest_whose_package_is_missing(guests):
    guests(mine="no_such_package.metric:Mine")
    with pytest.raises(MissingResource, match="'mine' needs a package that is not installed") as error:
        find("metric", "mine")
    assert error.value.hint == "dialometer doctor"


def test_a_bot_without_likelihoods_is_no_likelihood(tmp_path):
    """A trained bot with likelihoods will do (tests/bots/_generative/test_base.py); one that cannot is refused."""
    create("bot", "random").fit([["tea ?", "yes ."]]).save(tmp_path)
    with pytest.raises(SpecError, match="holds random, kind bot; wanted here is one of the kind likelihood") as error:
        create("likelihood", str(tmp_path))
    assert error.value.hint == f"dialometer chat {tmp_path}"
    with pytest.raises(SpecError, match="wanted here is one of the kind encoder"):
        create("encoder", str(tmp_path))


def test_a_name_too_long_for_the_file_system_is_an_unknown_name():
    with pytest.raises(UnknownName) as error:
        create("metric", "a" * 5000)
    assert len(error.value.message) < 800
    assert error.value.hint
