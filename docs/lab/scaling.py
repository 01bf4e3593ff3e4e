#!/usr/bin/env python3
"""scaling.py [--check]: timing.csv and scaling.csv, which docs/lab/scaling.sh measures -> the tables of docs/theory/scaling.md, its
figure, and the line of README.md.

--check: status 1 if any of them is another."""
import sys

from pages import LAB, replaced
from plot_accuracy import Axis, differences, drawing, grid, load, table, text_at, three

PAGE, FIGURE, README = (LAB.parent / "theory" / name for name in ("scaling.md", "scaling.svg", "../../README.md"))
KIND = ("jacobi", "mixed", "mixed, tables", "hybrid")
SWEEPS = 6  # of a step, as 0.1 mm and 1e-4 mV take them
NETWORK = (25, 50)  # us, of cards in several hosts: not measured
CARDS = (2, 4, 8, 64)
BEAT, STEP = 1000, 0.02  # ms
RUNS = load("scaling.csv")


def ways():
    """us an exchange among the GPUs of a host"""
    run = next(run for run in RUNS if run["case"] == "strong" and run["method"] == "jacobi" and run["gpus"] == 2)
    return {"stores": run["stores_tested_us"], "NCCL, no test": run["nccl_us"], "NCCL, tested": run["nccl_tested_us"]}


WAYS = ways()


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


def one_of(run):
    """The run of one card that a run of several is compared with, if there was one"""
    return next((one for one in RUNS if (one["case"], one["method"], one["gpus"]) == (run["case"], run["method"], 1)), None)


def predicted(one, cards, weak):
    """ms"""
    return one["ms_per_step"] / (1 if weak else cards) + (one["sweeps_per_step"] + 1) * WAYS["stores"] / 1e3


def gain(one, ms, weak):
    return f"{one['ms_per_step'] / ms:.0%}" if weak else f"{one['ms_per_step'] / ms:.2f} x"


def measured_table():
    out = []
    for run in RUNS:
        if run["gpus"] == 1:
            continue
        weak, one, ms = run["case"].startswith("weak"), one_of(run), run["ms_per_step"]
        ahead = predicted(one, run["gpus"], weak) if one else None
        out.append([f"{run['nodes']:.0f}" + (f", {run['nodes'] / run['gpus'] / 1e6:.3g} M a card" if weak else ""),
                    f"`{run['method']}`, {run['sweeps_per_step']:.3g} sweeps", f"{run['gpus']:.0f}"] +
                   ([three(one["ms_per_step"]), f"{three(ahead)}, {gain(one, ahead, weak)}", f"{three(ms)}, {gain(one, ms, weak)}"] if one
                    else ["–", "–", three(ms)]))
    return table(["nodes", "method", "cards", "one card, ms a step", "predicted", "measured"], out)


def ahead_table():
    """Cards that were not there"""
    out = []
    for one in RUNS:
        if one["gpus"] == 1:
            weak = one["case"].startswith("weak")
            out.append([f"{one['nodes'] / 1e6:.3g} M" + (" a card" if weak else ""), f"`{one['method']}`"] +
                       [f"{three(predicted(one, cards, weak))}, {gain(one, predicted(one, cards, weak), weak)}" for cards in (4, 8)])
    return table(["nodes", "method", "4 of a host", "8 of a host"], out)


def largest():
    """The largest slab that was stepped, and the one that 32-bit numbers of elements allow, six tetrahedra a node"""
    most, one = max(RUNS, key=lambda run: run["nodes"]), next(run for run in RUNS if (run["case"], run["method"], run["gpus"]) == ("strong", "rkl2", 1))
    nodes = 2 ** 31 / 6
    ms = predicted(one | {"ms_per_step": one["ms_per_step"] * nodes / one["nodes"]}, 8, False)
    beat = BEAT / STEP / 6e4  # steps, and minutes a millisecond
    return (f"The largest slab tried on two has {most['nodes'] / 1e6:.1f} million nodes: {three(most['ms_per_step'])} ms a step by `{most['method']}`, {three(most['ms_per_step'] * beat)} "
            f"minutes a beat of {BEAT} ms in steps of {STEP}. A mesh has 2^31 elements at most, a slab then some {nodes / 1e6:.0f} million nodes: with the {one['sweeps_per_step']:.0f} sweeps "
            f"of edges of 0.05 mm {three(ms)} ms a step on eight cards, {three(ms * beat)} minutes a beat.")


def real_time():
    """Of a million nodes 0.2 mm apart, in steps of 0.05 ms"""
    ms = {int(run["gpus"]): run["ms_per_step"] for run in RUNS if (run["case"], run["method"]) == ("million", "rkl2")}
    ahead = {cards: predicted(next(run for run in RUNS if (run["case"], run["method"], run["gpus"]) == ("million", "rkl2", 1)), cards, False)
             for cards in (4, 8)}
    return (f"A million nodes 0.2 mm apart take {', '.join(f'{three(ms[cards])} ms on {cards}' for cards in sorted(ms))} a step of 0.05 ms by `rkl2`; "
            f"by the formula {', '.join(f'{three(value)} on {cards}, {0.05 / value:.1f} x real time' for cards, value in ahead.items())}.")


def tables():
    card = Card()
    return "\n\n".join([
        f"Steps of {SWEEPS} sweeps: ms a step, and its efficiency.", steps_table(card),
        "Thousands of nodes a card from which on the efficiency stays above 80 %; the last two rows stand for a network between hosts, of which nothing "
        "was measured.", least_table(card),
        "Measured on two cards of a host, beside the formula with what one card took:", measured_table(), "And what it says of more:", ahead_table(), real_time(), largest()])


# Of which the figure tells, and how
NAMES = {"small": "0.44 M nodes", "million": "1 M, 0.05 ms", "strong": "3.4 M", "heart": "heart, 5.1 M", "strong27": "27 M", "strong80": "81 M"}
COLOURS = dict(zip(NAMES, ("#c03028", "#b08820", "#2060a8", "#802080", "#308048", "#404040")))


def figure():
    ones = [run for run in RUNS if run["gpus"] == 1 and run["case"] in NAMES]
    ahead = {id(one): [(cards, predicted(one, cards, False) if cards > 1 else one["ms_per_step"]) for cards in (1, *CARDS)] for one in ones}
    x = Axis(CARDS + (1,), 70, 640, [2.0 ** k for k in range(7)])
    y = Axis([ms for points in ahead.values() for _, ms in points], 420, 40)
    body = grid(x, y, "GPUs: lines and rings by the formula with exchanges by stores, dots measured", "ms a step; solid: rkl2, dashed: jacobi and, of the heart, chebyshev")
    for one in ones:
        points, colour = [(x.place(cards), y.place(ms)) for cards, ms in ahead[id(one)]], COLOURS[one["case"]]
        dashed = ' stroke-dasharray="4 3"' if one["method"] != "rkl2" else ""
        body.append(f'<polyline points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in points)}" fill="none" stroke="{colour}"{dashed}/>')
        body += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="none" stroke="{colour}"/>' for a, b in points[1:]]
        body += [f'<circle cx="{x.place(run["gpus"]):.1f}" cy="{y.place(run["ms_per_step"]):.1f}" r="3" fill="{colour}"/>'
                 for run in RUNS if (run["case"], run["method"]) == (one["case"], one["method"])]
    shown = [case for case in NAMES if any(one["case"] == case for one in ones)]
    body += [text_at(632, 58 + 16 * k, NAMES[case], "end", f' fill="{COLOURS[case]}"') for k, case in enumerate(shown)]
    return drawing("Steps of slabs and of a heart on NVIDIA H200, tolerance 1e-3 mV", body)


def sentence():
    """What two cards gain"""
    gains = {run["method"]: one_of(run)["ms_per_step"] / run["ms_per_step"] for run in RUNS if run["case"] == "strong" and run["gpus"] == 2}
    return (f"- **Several GPUs as one.** Two H200 step 3.4 million nodes {min(gains.values()):.1f} to {max(gains.values()):.1f} times as fast as one,\n"
            "  with bit-identical V and states ([where it stops](docs/theory/scaling.md)).")


def main():
    made = {PAGE: replaced(PAGE.read_text(), "scaling", tables()), FIGURE: figure(), README: replaced(README.read_text(), "scaling", sentence())}
    stale = [path for path, text in made.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        if "--check" in sys.argv[1:]:
            print(f"{path.name} is not what docs/lab/timing.csv and docs/lab/scaling.csv say: run docs/lab/scaling.py")
        else:
            path.write_text(made[path])
    return int("--check" in sys.argv[1:] and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
