"""`python -m bot` is `niannian`."""

from bot.cli import main

if __name__ == "__main__":
    main()
