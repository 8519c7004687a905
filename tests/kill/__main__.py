"""The long profile: ``python -m tests.kill [--seed N] [--moments 300] [SCENARIO...]``. Exit 1 if anything was wrong."""

from __future__ import annotations

import argparse
import sys
import time

from tests.kill.rounds import by_phase, long_round


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.kill", description="Kill runs at every change and at random."
    )
    parser.add_argument("scenario", nargs="*", help="default: all")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--moments", type=int, default=300, help="random moments, shared among the scenarios")
    options = parser.parse_args()
    print(f"seed {options.seed}")
    print(f"{'scenario':22}{'kills':>6}{'wrong':>6}  how far the killed runs had come")
    total = failed = 0
    for scenario, kills, reason in long_round(options.seed, options.moments, options.scenario):
        wrong = [kill for kill in kills if kill.wrong]
        print(f"{scenario.name:22}{len(kills):6}{len(wrong):6}  {reason or by_phase(kills)}", flush=True)
        for kill in wrong:
            print(f"    {kill.moment} ({kill.phase}): " + "; ".join(kill.wrong))
        total, failed = total + len(kills), failed + len(wrong)
    print(f"{total} kills, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
