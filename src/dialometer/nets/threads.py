"""One thread inside torch: work shared out between threads rounds otherwise, and small work is slower by it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

import torch

_one_at_a_time = RLock()  # part of torch's setting is the whole process's; blocks may lie inside each other


@contextmanager
def one_thread() -> Iterator[None]:
    """Torch works on one thread inside; the caller's number comes back."""
    with _one_at_a_time:
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(before)
