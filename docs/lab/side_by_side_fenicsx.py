"""side_by_side_fenicsx.py SLAB.pts MODEL.mmt STEP END [--direct]: the benchmark of Niederer et al. by fenicsx-beat on a mesh of
`cardiac mesh slab`, with cells by Myokit from a model's text; started by side_by_side.py in an environment that has both.

Prints one line of JSON: nodes, ms and CPU ms a step of its loop (set-up and output left out), when P1 and P8 pass 0 mV, and the largest
difference of V after 10 ms from the same run with its direct solver in place of CG."""
import argparse
import time
from pathlib import Path

import basix.ufl
import beat
import dolfinx
import myokit
import numpy as np
import ufl
from mpi4py import MPI
from side_by_side_row import COMPARED, nearest, print_row

CHI, CM = 140, 0.01  # 1/mm, uF/mm^2


def indirect(state):
    """Whether another variable of a state's equation depends on that state"""
    seen, left = set(), [lhs.var() for lhs in state.rhs().references() if lhs.var() is not state]
    while left:
        var = left.pop()
        if var not in seen and not var.is_state():
            seen.add(var)
            left += [lhs.var() for lhs in var.rhs().references()]
        elif var is state:
            return True
    return False


def linear(state):
    """Whether a state's equation is linear in it, with no other variable between"""
    if indirect(state) or myokit.Name(state) not in state.rhs().references():
        return False
    at = [state.rhs().eval({myokit.Name(state): x}) for x in (0, 0.5, 1)]
    return bool(abs(at[0] - 2 * at[1] + at[2]) < 1e-9 * abs(at[2] - at[0]))


def cells(text):
    """A text as a function of fenicsx-beat, states at rest and V's index: equations in NumPy as Myokit writes them, Rush and Larsen's step for
    states in whose equation they alone are linear, Euler's for the others"""
    model = myokit.load_model(str(text))
    names = {var: var.qname().replace(".", "_") for var in model.variables(deep=True)}
    for var in model.variables(deep=True):
        if var.is_nested():
            names[var] = names[var.parent()] + "_" + var.name()
    index = {var: k for k, var in enumerate(model.states())}
    writer = myokit.numpy_writer()
    writer.set_lhs_function(lambda lhs: ("d_" if isinstance(lhs, myokit.Derivative) else "") + names[lhs.var()])
    lines = ["def step(states, t, parameters, dt):", "    new = states.copy()"]
    lines += [f"    {names[var]} = states[{k}]" for var, k in index.items()]
    bound = {"time": "t", "pace": "0.0"}
    lines += [f"    {names[var]} = {bound[var.binding()]}" for var in model.variables(deep=True) if var.binding()]
    for block in model.solvable_order().values():
        lines += ["    " + writer.eq(eq) for eq in block if not eq.lhs.var().binding()]
    for var, k in index.items():
        name = names[var]
        if linear(var):
            ends = [writer.ex(var.rhs().clone({myokit.Name(var): myokit.Number(x)})) for x in (1, 0)]
            lines += [f"    slope = {ends[0]} - ({ends[1]})", f"    new[{k}] = {name} + d_{name} * numpy.expm1(slope * dt) / slope"]
        else:
            lines.append(f"    new[{k}] = {name} + dt * d_{name}")
    made = {"numpy": np}
    exec("\n".join([*lines, "    return new"]), made)
    return made["step"], np.array(model.initial_values(as_floats=True)), index[model.label("membrane_potential")]


def mesh(path):
    points = np.loadtxt(path, skiprows=1) / 1000
    tets = np.loadtxt(path.with_suffix(".elem"), skiprows=1, usecols=(1, 2, 3, 4), dtype=np.int64)
    element = ufl.Mesh(basix.ufl.element("Lagrange", "tetrahedron", 1, shape=(3,)))
    return dolfinx.mesh.create_mesh(MPI.COMM_WORLD, tets, points, element)


def solver(slab, model, direct):
    when = dolfinx.fem.Constant(slab, 0.0)
    fast, slow = (intra * extra / (intra + extra) for intra, extra in ((0.17, 0.62), (0.019, 0.24)))
    tensor = ufl.as_tensor(np.diag([fast, slow, slow]) / CHI)
    # the box by its elements, as fenicsx-beat's own demonstration of the benchmark has it
    tissue = dolfinx.fem.functionspace(slab, ("DG", 0))
    box = dolfinx.fem.Function(tissue)
    box.interpolate(lambda p: np.all(p <= 1.5, axis=0).astype(float))
    current = ufl.conditional(ufl.lt(when, 2.0), 50 / CHI, 0.0) * box  # uA/mm^2
    params = beat.MonodomainModel.default_parameters("direct" if direct else "iterative")
    if not direct:
        params["petsc_options"] = {"ksp_type": "cg", "pc_type": "jacobi", "ksp_rtol": 1e-5}
    params["theta"] = 0.5
    pde = beat.MonodomainModel(time=when, mesh=slab, M=tensor, I_s=current, params=params, C_m=CM)
    step, start, at = model
    ode = beat.odesolver.DolfinODESolver(v_ode=dolfinx.fem.Function(pde.V), v_pde=pde.state, fun=step, init_states=start,
                                         parameters=np.empty(0), num_states=len(start), v_index=at)
    return beat.MonodomainSplittingSolver(pde=pde, ode=ode, theta=1), pde


def run(slab, model, step, end, direct):
    """V at the end, V of P1 and P8 after each step, and seconds of wall and CPU a step"""
    both, pde = solver(slab, model, direct)
    probes = nearest(pde.V.tabulate_dof_coordinates())
    count = round(end / step)
    traces, warm = np.empty((count, len(probes))), min(20, count // 2)
    for n in range(count):
        if n == warm:
            wall, cpu = time.perf_counter(), time.process_time()
        both.step((n * step, (n + 1) * step))
        traces[n] = pde.state.x.array[probes]
    return pde.state.x.array.copy(), traces, (time.perf_counter() - wall) / (count - warm), (time.process_time() - cpu) / (count - warm)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mesh", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("step", type=float)
    parser.add_argument("end", type=float)
    parser.add_argument("--direct", action="store_true")
    given = parser.parse_args()
    model, slab = cells(given.model), mesh(given.mesh)
    short = min(given.end, COMPARED)
    ours, exact = (run(slab, model, given.step, short, direct)[0] for direct in (given.direct, True))
    _, traces, wall, cpu = run(slab, model, given.step, given.end, given.direct)
    print_row("fenicsx-beat", slab.geometry.x.shape[0], wall, cpu, traces, given.step, ours, exact)


main()
