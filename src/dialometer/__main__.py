"""``python -m dialometer``: the same as the command ``dialometer``."""

from dialometer.cli.main import main

if __name__ == "__main__":
    main()
