#!/usr/bin/env python3
"""scaling.py [--check]: timing.csv and what an exchange was measured to take -> the tables of docs/theory/scaling.md.

--check: status 1 if the page holds other tables."""
import pathlib
import sys

from pages import LAB, replaced
from plot_accuracy import differences, load, table, three

PAGE = LAB.parent / "theory" / "scaling.md"
KIND = ("jacobi", "mixed", "mixed, tables", "hybrid")
SWEEPS = 6  # of a step, as 0.1 mm and 1e-4 mV take them
WAYS = {"peer stores": 6, "NCCL, no test": 9, "NCCL, tested": 12.5}  # us an exchange, two H200 of one host, up to 32,000 values
NETWORK = (25, 50)  # us, of cards in several hosts: not measured
CARDS = (2, 4, 8, 64)
RKL2 = {1: 1.089, 2: 0.660}  # ms a step of 3,449,001 nodes, 3 sweeps and two maxima (docs/lab/steps.md)


def curve(points):
    """n -> the straight lines through [(n, value)], the first and last of them for ever"""
    def value(n):
        k = next((k for k in range(1, len(points) - 1) if n < points[k][0]), len(points) - 1)
        (a, low), (b, high) = points[k - 1], points[k]
        return low + (n - a) * (high - low) / (b - a)
    return value


class Card:
    def __init__(self):
        rows = [(same[0], 1e3 * each, 1e3 * once) for same, each, once in differences(load("timing.csv")) if same[2:] == KIND]
        self.nodes = [row[0] for row in rows]
        self.sweep = curve([(n, each) for n, each, _ in rows])
        self.once = curve([(n, once) for n, _, once in rows])

    def step(self, nodes, cards=1, us=0.0, sweeps=SWEEPS):
        """us"""
        part = nodes / cards
        return self.once(part) + sweeps * self.sweep(part) + (us * (sweeps + 1) if cards > 1 else 0)

    def efficiency(self, nodes, cards, us):
        return self.step(nodes) / cards / self.step(nodes, cards, us)

    def least(self, cards, us, share=0.8):
        """Nodes of a card from which on the efficiency stays at that share"""
        low, high = 1e3, 1e8
        while high / low > 1.001:
            middle = (low * high) ** 0.5
            low, high = (low, middle) if self.efficiency(middle * cards, cards, us) >= share else (middle, high)
        return high


def millions(nodes):
    return f"{nodes / 1e6:g} M"


def steps_table(card):
    out = []
    for nodes in (1e6, 1e7, 1e8):
        for way, us in WAYS.items():
            out.append([millions(nodes), way, three(card.step(nodes) / 1e3)] +
                       [f"{three(card.step(nodes, cards, us) / 1e3)}, {card.efficiency(nodes, cards, us):.0%}" for cards in (8, 64)])
    return table(["nodes", "exchange", "one card", "8 cards", "64 cards"], out)


def least_table(card):
    ways = [(f"{way}, {us:g} us", us) for way, us in WAYS.items()] + [(f"{us} us", us) for us in NETWORK]
    return table(["exchange"] + [f"{cards} cards" for cards in CARDS],
                 [[name] + [f"{card.least(cards, us) / 1e3:.0f} k" for cards in CARDS] for name, us in ways])


def host_table(card):
    rows = [r for r in load("timing.csv") if r["nodes"] == card.nodes[-1] and r["tolerance_mV"] == 1e-4 and
            (r["method"], r["precision"], r["tables"], r["update"]) == ("jacobi", "mixed", "on", "hybrid")]
    sweeps, one = rows[0]["sweeps_per_step"], rows[0]["ms_per_step"]
    out = [[f"jacobi, {sweeps:g} sweeps", f"{three(one)}"] +
           [three(card.step(card.nodes[-1], cards, WAYS["NCCL, tested"], sweeps) / 1e3) for cards in CARDS[:3]],
           ["`rkl2`, 3 sweeps", f"{three(RKL2[1])}"] +
           [three(RKL2[1] / cards + (3 + 1) * WAYS["NCCL, tested"] / 1e3) for cards in CARDS[:3]],
           ["`rkl2`, measured", f"{three(RKL2[1])}", three(RKL2[2]), "", ""]]
    return table([f"{card.nodes[-1]:.0f} nodes, ms a step", "one card"] + [f"{cards} of a host" for cards in CARDS[:3]], out)


def tables():
    card = Card()
    return "\n\n".join([
        f"Steps of {SWEEPS} sweeps: ms a step, and its efficiency.", steps_table(card),
        "Thousands of nodes a card from which on the efficiency stays above 80 %; the last two rows stand for a network between hosts, of which nothing "
        "was measured.", least_table(card),
        "The slab of 0.05 mm on the cards of one host, to be compared when it is measured:", host_table(card)])


def main():
    page = PAGE.read_text()
    made = replaced(page, "scaling", tables())
    if "--check" in sys.argv[1:]:
        if made != page:
            print("docs/theory/scaling.md is not what docs/lab/timing.csv and docs/lab/scaling.py say: run docs/lab/scaling.py")
        return int(made != page)
    PAGE.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
