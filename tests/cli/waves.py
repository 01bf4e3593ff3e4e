"""The waves of a run by brute force, from V of every step and the elements of its result alone: what random_protocols.py compares with
what the run printed. Nodes, activations and times are gone through one by one; nothing is shared with the program but the definitions
in docs/user/reading-results.md and docs/user/maps-and-ecg.md."""
import collections
import math

import h5py
import numpy as np

SILENT = 3  # nodes without any activation that a wave may pass

Beat = collections.namedtuple("Beat", "node time down over peak rest")  # down: last through the threshold; over: 90 % repolarized; NaN = not yet
Pulse = collections.namedtuple("Pulse", "start stimulus number end")


class Wave:
    """What descends from the roots of its owners (pulses, in their order); none: of unknown cause"""

    def __init__(self, repeat):
        self.owners, self.repeat, self.beats, self.outside = [], repeat, [], []


class Fields:
    """V[times, nodes] at `dt`, elements, tags and points of a result with a frame for every step"""

    def __init__(self, path):
        with h5py.File(path) as file:
            root = file["VTKHDF"]
            self.point = root["Points"][:]
            times = root["Steps/Values"][:]
            offset = root["Steps/PointDataOffsets/V"][:]
            flat = root["PointData/V"]
            self.v = np.array([flat[k:k + len(self.point)] for k in offset], dtype=float)
            ends, corners = root["Offsets"][:], root["Connectivity"][:]
            self.element = [corners[a:b].tolist() for a, b in zip(ends[:-1], ends[1:])]
            self.tag = root["CellData/region"][:].tolist()
            self.maps = {name: root["PointData"][name][:] for name in root["PointData"] if root["PointData"][name].shape[0] == len(self.point)}
        self.dt, self.end, self.nodes = times[1] - times[0], times[-1], len(self.point)
        self.neighbours = [set() for _ in range(self.nodes)]
        for corners in self.element:
            for a in corners:
                self.neighbours[a].update(b for b in corners if b != a)


def crossing(level, n, v, u, dt):
    return (n + (level - v) / (u - v)) * dt


def beats_of_node(node, v, dt, threshold, rearm):
    """Its beats, from V of every step"""
    beats = []
    rise = np.flatnonzero((v[:-1] < threshold) & (v[1:] >= threshold)).tolist()
    starts = []
    for n in rise:  # those before which V fell below `rearm` since the last one
        if not starts or (v[starts[-1] + 1:n + 1] < rearm).any():
            starts.append(n)
    for k, n in enumerate(starts):
        last = starts[k + 1] if k + 1 < len(starts) else len(v) - 1
        first = starts[k - 1] + 1 if k else 0
        rest, of = v[first:n + 1].min(), v[n + 1:last + 1]
        peak = of.max() if len(of) and np.argmax(of) < len(of) - 1 else math.nan  # V still rises
        down = over = math.nan
        armed = np.flatnonzero(v[n + 1:] < rearm)
        until = n + 1 + armed[0] if len(armed) else len(v) - 1
        fallen = n + 1 + np.flatnonzero((v[n + 1:until] >= threshold) & (v[n + 2:until + 1] < threshold))
        if len(fallen) and v[until] < threshold:
            m = fallen[-1] + 1
            down = crossing(threshold, m - 1, v[m - 1], v[m], dt)
        level = peak - 0.9 * (peak - rest)
        top = n + 1 + int(np.argmax(of)) if len(of) else n
        fallen = np.flatnonzero(v[top:last + 1] <= level) if peak == peak else []
        if len(fallen):
            m = top + fallen[0]
            over = crossing(level, m - 1, v[m - 1], v[m], dt)
        beats.append(Beat(node, crossing(threshold, n, v[n], v[n + 1], dt), down, over, peak, rest))
    return beats


class Waves:
    """What activated what. stimuli: [{name, nodes, starts, length, current}]; excitable, region: of each node"""

    def __init__(self, fields, stimuli, excitable, threshold, rearm, speed):
        self.fields, self.stimuli, self.excitable, self.speed = fields, stimuli, excitable, speed
        self.beats = [beats_of_node(i, fields.v[:, i], fields.dt, threshold[i], rearm[i]) if excitable[i] else [] for i in range(fields.nodes)]
        self.all = sorted((b for beats in self.beats for b in beats), key=lambda b: (b.time, b.node))
        self.silent = [not beats for beats in self.beats]
        self.wave, self.cause, self.paired, self.members = {}, {}, {}, []
        for beat in self.all:
            self.add(beat, self.find(beat))

    def before(self, beat):
        earlier = [b for b in self.beats[beat.node] if b.time < beat.time]
        return earlier[-1] if earlier else None

    def pairs(self, i, j):
        """{later: earlier} of two nodes: an activation of one pairs with the next of both if that is the other's and it is unpaired and up"""
        if (i, j) not in self.paired:
            found, both = {}, sorted(self.beats[i] + self.beats[j], key=lambda b: (b.time, b.node))
            for a, b in zip(both, both[1:]):
                if a.node != b.node and a not in found and not a.down <= b.time:
                    found[b] = a
            self.paired[i, j] = self.paired[j, i] = found
        return self.paired[i, j]

    def up(self, node, time):
        """The latest activation of the node before `time` that is not repolarized by then"""
        earlier = [b for b in self.beats[node] if b.time < time]
        return earlier[-1] if earlier and not earlier[-1].down <= time else None

    def reach(self, node, silent):
        """Nodes at the ends of paths over so many silent ones"""
        here = {node}
        for _ in range(silent):
            here = {j for i in here for j in self.fields.neighbours[i] if self.silent[j]}
        return {j for i in here for j in self.fields.neighbours[i]} - {node}

    def nearest_cause(self, beat, paired):
        for silent in range(SILENT + 1):
            others = self.reach(beat.node, silent)
            found = [self.pairs(beat.node, j).get(beat) if paired else self.up(j, beat.time) for j in others]
            found = [up for up in found if up and up.time < beat.time]
            if found:
                return max(found, key=lambda b: (b.time, -b.node))
        return None

    def inside(self, wave, node):
        return any(node in self.stimuli[p.stimulus]["set"] for p in wave.owners)

    def pulses(self, of):
        """Those with a positive current of these stimuli, by their start"""
        return sorted(Pulse(start, s, k, start + stimulus["length"]) for s, stimulus in enumerate(self.stimuli) if stimulus["current"] > 0 and of(stimulus)
                      for k, start in enumerate(stimulus["starts"]))

    def felt(self, node, until):
        return [p for p in self.pulses(lambda stimulus: node in stimulus["set"]) if p.start <= until]

    def risen(self, beat, wave):
        return any(b.node == beat.node for b in wave.beats)

    def find(self, beat):
        """The wave, new ones with their owners"""
        self.cause[beat] = self.nearest_cause(beat, True)
        if self.cause[beat]:
            return self.wave[self.cause[beat]]
        felt = self.felt(beat.node, beat.time)
        owners = [p for p in felt if p.end >= beat.time]
        if not owners:
            since = felt[-1].start if felt else math.inf
            owners = [p for p in felt if p.end >= since and not any(since <= b.time < beat.time for b in self.beats[beat.node])] or self.late(beat)
        if not owners:
            self.cause[beat] = self.nearest_cause(beat, False)
            return self.wave[self.cause[beat]] if self.cause[beat] else Wave(0)
        newest = [wave for wave in self.members if any(p in wave.owners for p in owners)][-1:]
        wave = newest[0] if newest and not self.risen(beat, newest[0]) else Wave(newest[0].repeat + 1 if newest else 0)
        self.own(wave, owners)
        return wave

    def own(self, wave, pulses):
        wave.owners = sorted(set(wave.owners) | set(pulses))

    def add(self, beat, wave):
        if not wave.beats:
            self.members.append(wave)
        if not self.inside(wave, beat.node):
            if not wave.outside and wave.owners:
                begin = wave.beats[0].time if wave.beats else beat.time
                self.own(wave, [p for b in wave.beats for p in self.felt(b.node, beat.time) if p.end >= begin])
            wave.outside.append(beat)
        wave.beats.append(beat)
        self.wave[beat] = wave

    def late(self, beat):
        """[The pulse whose late response it is: of the only site that can reach it, while no wave of others is running]"""
        found = []
        for s, stimulus in enumerate(self.stimuli):
            last = [p for p in self.pulses(lambda other: other is stimulus) if p.start <= beat.time][-1:]
            box = self.fields.point[sorted(stimulus["set"])]
            gap = np.maximum(0, np.maximum(box.min(0) - self.fields.point[beat.node], self.fields.point[beat.node] - box.max(0)))
            if last and (beat.time <= last[0].end or not any(last[0].start <= b.time < beat.time for b in self.beats[beat.node])) and \
                    np.linalg.norm(gap) <= self.speed * (beat.time - last[0].start):
                found += last
        running = any(self.running(wave, beat.time) for wave in self.members if self.longest(wave) > 0 and found[0] not in wave.owners) if len(found) == 1 else True
        return [] if running else found

    # ---- outcomes ----

    def rest(self, nodes, time):
        """(nodes, up at that time, rested less long than they had been up)"""
        up = early = 0
        for i in nodes:
            before = [b for b in self.beats[i] if b.time < time]
            up += bool(before) and not before[-1].down <= time
            early += bool(before) and before[-1].down <= time and time - before[-1].down < before[-1].down - before[-1].time
        return len(nodes), up, early

    def again(self, wave):
        """The activations of nodes that the wave had activated before, each with the one before"""
        seen, again = {}, []
        for b in wave.beats:
            if b.node in seen:
                again.append((b, seen[b.node]))
            seen[b.node] = b
        return again

    def running(self, wave, time=None):
        """Whether its last activation is no longer ago than the longest delay of one of them after what it pairs with"""
        return (self.fields.end if time is None else time) - wave.beats[-1].time <= self.longest(wave)

    def longest(self, wave):
        """The longest delay of an activation after the cause with which it pairs"""
        delays = [b.time - cause.time for b, cause in ((b, self.cause[b]) for b in wave.beats) if cause and self.pairs(b.node, cause.node).get(b) is cause]
        return max(delays, default=0.0)

    def blocked(self, wave):
        """[(activation, neighbour)] whose edge the wave did not take"""
        return [(a, j) for a in wave.beats for j in self.fields.neighbours[a.node] if self.excitable[j] and a not in self.pairs(a.node, j) and
                not any((b.time, j) > (a.time, a.node) and not a.down <= b.time for b in self.beats[j])]


def quartiles(values):
    """(count, low, median, high) as the run takes them"""
    values = sorted(values)
    n = len(values)
    return (n, *(values[k * (n - 1) // 4] for k in (1, 2, 3))) if n else (0, math.nan, math.nan, math.nan)


def intervals(table):
    """(begin, QRS, QT, when T is highest) of a table of time and leads: the definitions of maps-and-ecg.md"""
    time, lead = table[:, 0], table[:, 1:]
    none = math.nan
    if len(time) < 2:
        return none, none, none, none
    steep = np.sqrt((np.diff(lead, axis=0) ** 2).sum(axis=1)) / np.diff(time)
    if not steep.max() > 0:
        return none, none, none, none

    def spread(k, by, limit):  # over gaps of 12 ms
        last = k
        while k != limit and abs(time[k] - time[last]) <= 12:
            last = k if steep[k] >= 0.05 * steep.max() else last
            k += by
        return last
    seeds = np.flatnonzero(steep >= 0.5 * steep.max())
    last, first = spread(seeds[0], 1, len(time) - 1) + 1, spread(seeds[0], -1, -1)
    later = [k for k in seeds if time[k] > time[last] + 100]
    end = spread(later[0], -1, last) if later else len(time) - 1
    qrs = time[last] - time[first] if last < len(time) - 1 else none
    start = next((k for k in range(last, end) if time[k] >= time[last] + 20), end)
    away = np.abs(lead[start:end + 1] - lead[first])
    top, c = np.unravel_index(np.argmax(away), away.shape)
    top += start
    if away.max() == 0 or top in (start, end):
        return time[first], qrs, none, none
    height = np.sign(lead[top, c] - lead[first, c]) * (lead[:, c] - lead[first, c])
    fall = -np.diff(height[top:end + 1]) / np.diff(time[top:end + 1])
    k = int(np.argmax(fall))
    over = (time[top + k] + time[top + k + 1] + (height[top + k] + height[top + k + 1]) / fall[k]) / 2 if fall[k] > 0 else math.inf
    return time[first], qrs, over - time[first] if over <= time[end] else none, time[top]


def velocities(fields, time, elements):
    """1 / |grad t| of each of the elements, grad t averaged over the elements around their nodes"""
    sums = np.zeros((fields.nodes, 4))
    top = max(len(corners) for corners in fields.element)
    for corners in fields.element:
        edges = fields.point[corners[1:]] - fields.point[corners[0]]
        rise = time[corners[1:]] - time[corners[0]]
        if not np.isfinite(rise).all():
            continue
        gradient = edges.T @ np.linalg.solve(edges @ edges.T, rise)
        size = math.sqrt(np.linalg.det(edges @ edges.T)) / math.factorial(len(edges)) * (1 if len(corners) == top else 1e-9)
        for i in corners:
            sums[i] += np.append(gradient, 1) * size
    with np.errstate(invalid="ignore", divide="ignore"):
        node = np.where(np.isnan(time)[:, None], np.nan, sums[:, :3] / sums[:, 3:])
    found = []
    for e in elements:
        corners = fields.element[e]
        edge = fields.point[corners[-1]] - fields.point[corners[0]]
        g = edge * (time[corners[1]] - time[corners[0]]) / (edge @ edge) if len(corners) == 2 and top > 2 else node[corners].mean(axis=0)
        if np.isfinite(g).all() and (g != 0).any():
            found.append(1 / np.linalg.norm(g))
    return found
