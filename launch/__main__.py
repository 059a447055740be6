"""`python -m launch`: the command `emu`."""

from launch.cli import main

if __name__ == "__main__":
    main()
