"""A command line, carried out twice by the same process: under torchrun the second time finds everything done."""

import sys

from dialometer.cli.main import cli

if __name__ == "__main__":
    for _ in range(2):
        cli(sys.argv[1:], standalone_mode=False)
