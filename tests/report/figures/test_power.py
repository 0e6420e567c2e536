"""Pictures of power: written whole, with names as they are."""

from dialometer.report.figures.power import powers

POINTS = [(25, 0.2, 0.18, 0.22), (100, 0.6, 0.58, 0.62)]


def test_panels_are_drawn(tmp_path):
    many = {f"{k} raters": POINTS for k in range(1, 9)}
    powers(tmp_path / "p.png", {"items per system": many, "items": {"_a$b$_\nor $\\frac": POINTS}}, goal=0.8, title="$x_")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in tmp_path.iterdir()] == ["p.png"]


def test_the_same_numbers_give_the_same_bytes(tmp_path):
    for name in ("a.png", "b.png"):
        powers(tmp_path / name, {"items": {"x": POINTS}}, goal=0.9, title="t")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
