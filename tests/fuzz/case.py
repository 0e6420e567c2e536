"""A case: a command line, the files it stands on, and what it attacks."""

from __future__ import annotations

import os
import shlex
import stat
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.fuzz.damage import damaged
from tests.fuzz.inputs import good_files, needed

DEVICES = {"full": (1, 7), "null": (1, 3)}


@dataclass(frozen=True)
class Case:
    """All of it follows from the number; ``covers`` says which options, fields, forms and commands it attacks."""

    number: int
    attack: str
    argv: tuple[str, ...]
    covers: tuple[str, ...]
    hurt: tuple[str, ...] = ()  # good files that are damaged
    odd: tuple[tuple[str, str], ...] = ()  # (path, what it is) of odd things in the folder
    texts: tuple[tuple[str, str], ...] = ()  # (path, content) of files of its own
    scenes: tuple[str, ...] = ()  # prepared folders that are copied
    damaged_scene: bool = False
    stdout: str = ""  # a file of its folder that standard output goes to
    env: tuple[tuple[str, str], ...] = ()
    seed: str = field(default="0")

    @property
    def command(self) -> str:
        """The verb."""
        return self.argv[0]

    def files(self) -> dict[str, bytes]:
        """The files of the case, good and damaged."""
        chance = Random(f"files {self.seed} {self.number}")
        made = needed(self.argv) | {path: good_files()[path] for path in self.hurt}
        if self.command == "chat":
            made["said.txt"] = made.get("said.txt", good_files()["said.txt"])
        made |= {path: damaged(path, content, chance) for path, content in made.items() if path in self.hurt}
        return made | {path: text.encode("utf-8", "surrogatepass") for path, text in self.texts}

    def write(self, folder: Path) -> None:
        """Write everything but the prepared scenes."""
        for path, content in self.files().items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        for path, what in self.odd:
            make_odd(folder / path, what)

    def shell(self, folder: Path) -> str:
        """The case as shell commands, for a folder where its files are."""
        given = f" < {self.stdin}" if self.stdin else " < /dev/null"
        out = f" > {self.stdout}" if self.stdout else ""
        env = "".join(f"{name}={shlex.quote(value)} " for name, value in self.env)
        return f"cd {shlex.quote(str(folder))}\n{env}dialometer {shlex.join(self.argv)}{given}{out}"

    @property
    def stdin(self) -> str:
        """The file that is read as standard input."""
        return "said.txt" if self.command == "chat" else ""


def make_odd(path: Path, what: str) -> None:
    """Something at a path that is no good file. Devices are nodes of its own: nothing outside the folder can be replaced."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if what == "folder":
        path.mkdir()
    elif what == "fifo":
        os.mkfifo(path)
    elif what == "loop":
        path.symlink_to(path.name)
    elif what == "dangling":
        path.symlink_to("nowhere")
    elif what == "empty":
        path.write_bytes(b"")
    elif what == "unreadable":
        path.write_bytes(good_files()["items.jsonl"])
        path.chmod(0)
    elif what == "good":
        path.write_bytes(good_files()["items.jsonl"])
    elif what in DEVICES:
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(*DEVICES[what]))
        except PermissionError:  # not the superuser, who alone could replace the true one
            path.symlink_to(f"/dev/{what}")
