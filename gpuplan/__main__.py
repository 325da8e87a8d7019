"""`python -m gpuplan`."""

from gpuplan.cli import main

if __name__ == "__main__":
    main()
