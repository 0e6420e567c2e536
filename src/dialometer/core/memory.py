"""How much memory is available, and a refusal with the size of what does not fit, before it is allocated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dialometer.core.errors import UsageError

GROUPS = Path("/sys/fs/cgroup")
UNLIMITED = 1 << 62  # cgroups of version 1 say a number near 2⁶³ where nothing is limited


def require_memory(needed: float, what: str, hint: str) -> None:
    """Refuse work that needs more bytes than are available; ``what`` is the subject of the sentence, ``hint`` says what to do."""
    there = available_bytes()
    if there is not None and needed > there:
        raise UsageError(f"{what} needs about {size(needed)} of memory, and {size(there)} are available", hint)


def available_bytes() -> int | None:
    """The least that the machine, the limit of this process and its control group leave; None where it is unknown."""
    found = [*_machine(), *_process(), *_group()]
    return max(0, min(found)) if found else None


def size(bytes_: float) -> str:
    """Bytes with a unit.

    >>> size(512), size(31.4e9), size(4.2e15)
    ('512 bytes', '31 GB', '4,200 TB')
    """
    for unit, one in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if bytes_ >= one:
            number = bytes_ / one
            return f"{number:.1f} {unit}" if number < 10 else f"{float(f'{number:.3g}'):,.0f} {unit}"
    return f"{bytes_:.0f} bytes"


def _machine() -> Iterator[int]:
    for line in _read(Path("/proc/meminfo")).splitlines():
        if line.startswith("MemAvailable:"):
            yield int(line.split()[1]) * 1024


def _process() -> Iterator[int]:
    try:
        import resource
    except ImportError:  # Windows
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    pages = _read(Path("/proc/self/statm")).split()
    if limit != resource.RLIM_INFINITY and pages:
        yield limit - int(pages[0]) * resource.getpagesize()


def _group() -> Iterator[int]:
    """What the control groups of version 2 and 1 leave, this process's own and that of the container."""
    own = [line.split(":", 2)[1:] for line in _read(Path("/proc/self/cgroup")).splitlines()]
    for kind, path in own:
        roots = {"": GROUPS, "memory": GROUPS / "memory"}
        names = {"": ("memory.max", "memory.current"), "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes")}
        if kind in roots:
            for folder in {roots[kind], roots[kind] / path.lstrip("/")}:
                limit, used = (_read(folder / name).strip() for name in names[kind])
                if limit.isdecimal() and used.isdecimal() and int(limit) < UNLIMITED:
                    yield int(limit) - int(used) + _reclaimable(folder)


def _reclaimable(folder: Path) -> int:
    """Bytes of cached files that count as used and are given up when they are needed."""
    lines = (line.split() for line in _read(folder / "memory.stat").splitlines())
    return next((int(line[1]) for line in lines if line[:1] == ["inactive_file"]), 0)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
