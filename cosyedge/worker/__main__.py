"""``python -m cosyedge.worker --fd N``: the worker process, started by cosyedge itself."""

import argparse
import os


def main() -> None:
    """Protect the frames from stray prints, then serve the socket ``--fd``."""
    parser = argparse.ArgumentParser(prog="cosyedge.worker", description=__doc__)
    parser.add_argument("--fd", type=int, required=True, help="the inherited end of a socketpair")
    arguments = parser.parse_args()
    # Whatever a library prints goes to the log, from here on.
    os.dup2(2, 1)
    # One thread decides the speed here, and each of OpenBLAS's takes memory; before numpy comes.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.set_inheritable(arguments.fd, False)
    from cosyedge.worker.main import serve

    serve(arguments.fd)


if __name__ == "__main__":
    main()
