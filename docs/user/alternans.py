"""Paces a cable ever faster until its action potentials alternate, and repeats the last stretch from a copy of the state in smaller steps."""
import cardiac
import numpy as np
PULSES, BOUND = 30, 2  # at each cycle length; ms between even and odd beats that count as alternans
config = {
    "mesh": {"cable": {"length": 8, "spacing": 0.2}},  # mm
    "tissue": {"surface_to_volume": "140 /mm", "regions": [{"model": "bueno-orovio-tnnp", "conductivity": "0.14 S/m"}]},
    "stimuli": [{"name": "S1", "where": "x < 1 mm", "duration": 2, "current": "50 uA/uF"}],
    "time": {"step": 0.1}, "activation": {"beats": 1000}, "output": {"maps": ["apd90"]},
}

def pace(sim, cycle):
    """ms between the last even and odd APD90 in the middle of the cable; None: not every pulse has its beat."""
    middle = sim.node([4, 0, 0])
    before = np.count_nonzero(sim["apd90"][middle] > 0)
    for _ in range(PULSES):
        sim.move("S1", sim.time)  # the pulse comes again, now
        sim.advance(until=sim.time + cycle)
    apd90 = sim["apd90"][middle]
    beats = apd90[apd90 > 0][before:]
    if len(beats) < PULSES:
        print("%d ms: %d beats of %d pulses" % (cycle, len(beats), PULSES))
        return None
    even, odd = np.median(beats[-6::2]), np.median(beats[-5::2])
    print("%d ms: APD90 %.1f and %.1f ms" % (cycle, even, odd))
    return abs(even - odd)

with cardiac.Simulation(config) as sim:
    for cycle in range(400, 200, -20):
        state = sim.copy()
        difference = pace(sim, cycle)
        if difference is None or difference > BOUND:
            break
    sim.restore(state)  # before that cycle length: to it, and beyond, in smaller steps
    onset = None
    for cycle in range(cycle + 15, 200, -5):
        difference = pace(sim, cycle)
        if difference is None:
            break
        if difference > BOUND and not onset:
            onset = cycle
    print("alternans begins at", onset, "ms, and block at", cycle, "ms")
