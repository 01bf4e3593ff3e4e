#!/usr/bin/env python3
"""foreign_meshes.py CARDIAC [--convert] [FOLDER]: meshes as other programs write them, read by `cardiac mesh info`.

Some 500 files of meshio, of VTK by PyVista, of Gmsh as a program, and by hand in openCARP's, TetGen's and VTK's own orders
of sections, of every type of cell. A file that is read must have the nodes and the length, area or volume of the mesh that
it was made from. A file that is refused must end with status 2 and the command in backticks that converts it; --convert
runs these, after which the file must be read. At least three quarters must be read as they are. What is not installed is
left out and named; exit status 77 without meshio."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings

try:
    import meshio
    import numpy as np
except ImportError as missing:
    print(missing)
    sys.exit(77)
try:
    import pyvista
    import vtk
except ImportError as missing:
    print('left out:', missing)
    pyvista = None

warnings.simplefilter('ignore')
cardiac = os.path.abspath(sys.argv[1])
convert = '--convert' in sys.argv
kept = [word for word in sys.argv[2:] if word != '--convert']
folder = os.path.abspath(kept[0]) if kept else tempfile.mkdtemp()
verbose = bool(kept)
SIDE = 2
CORNERS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]


def lattice(size):
    """Nodes of a bent block, and its cubes"""
    n = [s + 1 for s in size]
    points = np.array([[i, j, k] for k in range(n[2]) for j in range(n[1]) for i in range(n[0])], float)
    cubes = [[(i + a) + n[0] * ((j + b) + n[1] * (k + c)) for a, b, c in CORNERS]
             for k in range(size[2]) for j in range(size[1]) for i in range(size[0])]
    points[:, 0] += 0.1 * points[:, 1]
    return points, cubes


def bases():
    """name: (points, [(meshio's type, cells)], measure)"""
    points, cubes = lattice((SIDE, SIDE, SIDE))
    tets = [[c[k] for k in t] for c in cubes
            for t in ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6))]
    wedges = [[c[k] for k in w] for c in cubes for w in ((0, 1, 2, 4, 5, 6), (0, 2, 3, 4, 6, 7))]
    middle = np.array([points[c].mean(0) for c in cubes])
    pyramids = [[c[k] for k in f] + [len(points) + n] for n, c in enumerate(cubes)
                for f in ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))]
    skin = [[c[k] for k in t] for c in cubes if min(points[c, 2]) == 0 for t in ((0, 1, 2), (0, 2, 3))]
    flat, squares = sheet(3, 2)
    triangles = [[q[k] for k in t] for q in squares for t in ((0, 1, 2), (0, 2, 3))]
    line = np.array([[i, 0.5 * (i % 2), 0] for i in range(7)], float)
    edges = [[i, i + 1] for i in range(6)]
    volume = float(SIDE ** 3)
    yield 'tetra', points, [('tetra', tets)], volume
    yield 'hexa', points, [('hexahedron', cubes)], volume
    yield 'wedge', points, [('wedge', wedges)], volume
    yield 'pyramid', np.vstack((points, middle)), [('pyramid', pyramids)], volume
    yield 'mixed', points, [('hexahedron', cubes[:4]), ('wedge', wedges[8:12]), ('tetra', tets[36:])], volume
    yield 'skin', points, [('tetra', tets), ('triangle', skin)], volume
    yield 'triangle', flat, [('triangle', triangles)], 6.0
    yield 'quad', flat, [('quad', squares)], 6.0
    yield 'both', flat, [('triangle', triangles[:6]), ('quad', squares[3:])], 6.0
    yield 'line', line, [('line', edges)], float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())


def sheet(columns, rows):
    points = np.array([[i + 0.1 * j, j, 0] for j in range(rows + 1) for i in range(columns + 1)], float)
    squares = [[i + (columns + 1) * j + k for k in (0, 1, columns + 2, columns + 1)] for j in range(rows) for i in range(columns)]
    return points, squares


class Files:
    def __init__(self):
        self.list, self.absent = [], []

    def add(self, name, nodes, measure):
        self.list.append((os.path.join(folder, name), nodes, measure))

    def path(self, name):
        return os.path.join(folder, name)


files = Files()
BY_MESHIO = [('vtk', {'binary': True}), ('vtk', {'binary': False}), ('vtk42', {'binary': True}), ('vtk42', {'binary': False}),
             ('vtu', {'binary': True}), ('vtu', {'binary': False}), ('vtu', {'compression': None}),
             ('vtu', {'compression': 'lzma'}), ('gmsh22', {'binary': True}), ('gmsh22', {'binary': False}),
             ('gmsh', {'binary': True}), ('gmsh', {'binary': False}), ('tetgen', {}), ('abaqus', {}), ('medit', {}),
             ('nastran', {}), ('stl', {}), ('ply', {}), ('off', {}), ('obj', {}), ('su2', {}), ('ugrid', {}), ('xdmf', {}),
             ('dolfin-xml', {}), ('exodus', {}), ('med', {}), ('cgns', {}), ('avsucd', {}), ('mdpa', {}), ('netgen', {}),
             ('ansys', {}), ('permas', {}), ('tecplot', {}), ('h5m', {}), ('hmf', {}), ('flac3d', {})]
EXTENSION = {'vtk': '.vtk', 'vtk42': '.vtk', 'vtk51': '.vtk', 'vtu': '.vtu', 'gmsh22': '.msh', 'gmsh': '.msh', 'tetgen': '.node',
             'abaqus': '.inp', 'medit': '.mesh', 'nastran': '.bdf', 'stl': '.stl', 'ply': '.ply', 'off': '.off', 'obj': '.obj',
             'su2': '.su2', 'ugrid': '.ugrid', 'xdmf': '.xdmf', 'dolfin-xml': '.xml', 'exodus': '.e', 'med': '.med',
             'cgns': '.cgns', 'avsucd': '.avs', 'mdpa': '.mdpa', 'netgen': '.vol', 'ansys': '.msh', 'permas': '.post',
             'tecplot': '.dat', 'h5m': '.h5m', 'hmf': '.hmf', 'flac3d': '.f3grid'}


def same_cells(path, points, cells):
    """Whether meshio itself reads back what it wrote: some of its formats lose types of cells"""
    try:
        got = meshio.read(path)
    except BaseException:
        return False
    return len(got.points) == len(points) and sum(len(c) for _, c in cells) == sum(len(c.data) for c in got.cells)


def of_meshio():
    for base, points, cells, measure in bases():
        for n, (kind, options) in enumerate(BY_MESHIO):
            if (n >= 12 and base not in ('tetra', 'triangle')) or (kind == 'tetgen' and base != 'tetra'):
                continue
            name = f'meshio{n}_{base}_{kind}{EXTENSION[kind]}'
            arrays = {'region': [np.full(len(c), 5, np.int32) for _, c in cells]}
            mesh = meshio.Mesh(points, [(t, np.array(c)) for t, c in cells],
                               cell_data=arrays if kind in ('vtk', 'vtk42', 'vtu') else None)
            if verbose:
                print(name, flush=True)
            try:
                mesh.write(files.path(name), file_format=kind, **options)
            except (BaseException):
                continue
            if same_cells(files.path(name), points, cells):
                files.add(name, len(points), measure)


VTK_TYPES = {'tetra': 10, 'hexahedron': 12, 'wedge': 13, 'pyramid': 14, 'triangle': 5, 'quad': 9, 'line': 3}


def grid_of(points, cells):
    rows = [[len(c), *c] for _, block in cells for c in block]
    types = [VTK_TYPES[t] for t, block in cells for _ in block]
    grid = pyvista.UnstructuredGrid(np.concatenate(rows), np.array(types, np.uint8), points)
    grid.cell_data['region'] = np.full(len(types), 5, np.int32)
    return grid


def write_vtk(writer, data, name, setup):
    writer.SetInputData(data)
    writer.SetFileName(files.path(name))
    setup(writer)
    return writer.Write()


def of_vtk():
    compressors = {'zlib': vtk.vtkZLibDataCompressor, 'lz4': vtk.vtkLZ4DataCompressor, 'lzma': vtk.vtkLZMADataCompressor}
    for base, points, cells, measure in bases():
        grid = grid_of(points, cells)
        for version in (42, 51):
            for ascii in (True, False):
                def legacy(w):
                    w.SetFileVersion(version)
                    w.SetFileTypeToASCII() if ascii else w.SetFileTypeToBinary()
                name = f'vtk{version}_{base}_{"text" if ascii else "binary"}.vtk'
                write_vtk(vtk.vtkUnstructuredGridWriter(), grid, name, legacy)
                files.add(name, len(points), measure)
        for mode, encoded, compressor in ((0, 1, None), (1, 1, 'zlib'), (2, 1, 'zlib'), (2, 0, None), (2, 0, 'zlib'),
                                          (2, 0, 'lz4'), (2, 0, 'lzma')):
            if compressor in ('lz4', 'lzma') and base not in ('tetra', 'triangle'):
                continue

            def xml(w):
                w.SetDataMode(mode)
                w.SetEncodeAppendedData(encoded)
                w.SetCompressor(compressors[compressor]() if compressor else None)
            name = f'xml{mode}{encoded}{compressor}_{base}.vtu'
            write_vtk(vtk.vtkXMLUnstructuredGridWriter(), grid, name, xml)
            files.add(name, len(points), measure)
    for base, points, cells, measure in bases():
        if base in ('triangle', 'quad', 'line'):
            poly = grid_of(points, cells).extract_geometry() if base != 'line' else pyvista.PolyData(
                points, lines=np.concatenate([[2, *c] for c in cells[0][1]]))
            for name in (f'poly_{base}.vtp', f'poly_{base}.vtk'):
                poly.save(files.path(name))
                files.add(name, len(points), measure)
    others_of_vtk()


def others_of_vtk():
    block = {base: (points, cells, measure) for base, points, cells, measure in bases()}
    points, cells, measure = block['tetra']
    grid = grid_of(points, cells)
    writer = vtk.vtkXMLPUnstructuredGridWriter()
    write_vtk(writer, grid, 'pieces.pvtu', lambda w: w.SetNumberOfPieces(1))
    files.add('pieces.pvtu', len(points), measure)
    with open(files.path('series.pvd'), 'w') as out:
        out.write('<VTKFile type="Collection" version="0.1"><Collection>'
                  '<DataSet timestep="0" part="0" file="xml01None_tetra.vtu"/></Collection></VTKFile>\n')
    files.add('series.pvd', len(points), measure)
    pyvista.MultiBlock([grid]).save(files.path('blocks.vtm'))
    files.add('blocks.vtm', len(points), measure)
    image = pyvista.ImageData(dimensions=(3, 3, 3))
    for name in ('image.vti', 'image.vtk'):
        image.save(files.path(name))
        files.add(name, 27, 8.0)
    image.cast_to_rectilinear_grid().save(files.path('rectilinear.vtr'))
    image.cast_to_structured_grid().save(files.path('structured.vts'))
    image.cast_to_structured_grid().save(files.path('structured.vtk'))
    for name in ('rectilinear.vtr', 'structured.vts', 'structured.vtk'):
        files.add(name, 27, 8.0)
    for base in ('tetra', 'hexa', 'triangle', 'quad', 'line'):  # quadratic cells: a node in the middle of each edge
        points, cells, measure = block[base]
        for extension in ('.vtk', '.vtu'):
            quadratic(points, cells).save(files.path(f'quadratic_{base}{extension}'))
            files.add(f'quadratic_{base}{extension}', None, measure)
    points, cells, measure = block['hexa']
    faces = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
    poly = vtk.vtkUnstructuredGrid()
    poly.SetPoints(grid_of(points, cells).GetPoints())
    for c in cells[0][1]:
        stream = vtk.vtkIdList()
        for number in [6] + [n for f in faces for n in [4] + [c[k] for k in f]]:
            stream.InsertNextId(number)
        poly.InsertNextCell(42, stream)
    pyvista.wrap(poly).save(files.path('polyhedra.vtu'))
    files.add('polyhedra.vtu', None, measure)
    points, cells, measure = block['quad']
    five = pyvista.PolyData(np.array([[0, 0, 0], [2, 0, 0], [3, 1, 0], [1, 2, 0], [0, 1, 0]], float), faces=[5, 0, 1, 2, 3, 4])
    for name in ('polygon.vtp', 'polygon.vtk'):
        five.save(files.path(name))
        files.add(name, 5, 4.0)
    strip = pyvista.PolyData(np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]], float), strips=[4, 0, 1, 2, 3])
    for name in ('strip.vtp', 'strip.vtk'):
        strip.save(files.path(name))
        files.add(name, 4, 1.0)


QUADRATIC = {'tetra': (24, [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]),
             'hexahedron': (25, [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]),
             'triangle': (22, [(0, 1), (1, 2), (2, 0)]), 'quad': (23, [(0, 1), (1, 2), (2, 3), (3, 0)]), 'line': (21, [(0, 1)])}


def quadratic(points, cells):
    points, known, rows = list(map(tuple, points)), {}, []
    kind, edges = QUADRATIC[cells[0][0]]
    for c in cells[0][1]:
        row = list(c)
        for a, b in edges:
            key = (min(c[a], c[b]), max(c[a], c[b]))
            if key not in known:
                known[key] = len(points)
                points.append(tuple((np.array(points[c[a]]) + np.array(points[c[b]])) / 2))
            row.append(known[key])
        rows.append([len(row), *row])
    return pyvista.UnstructuredGrid(np.concatenate(rows), np.full(len(rows), kind, np.uint8), np.array(points, float))


GEO = {'box': ('SetFactory("Built-in"); Point(1) = {0,0,0,1}; Point(2) = {2,0,0,1}; Point(3) = {2,2,0,1}; Point(4) = {0,2,0,1};'
               'Line(1) = {1,2}; Line(2) = {2,3}; Line(3) = {3,4}; Line(4) = {4,1}; Line Loop(1) = {1,2,3,4};'
               'Plane Surface(1) = {1}; Extrude {0,0,2} { Surface{1}; LAYERS }\n', 3, 8.0),
       'plate': ('Point(1) = {0,0,0,1}; Point(2) = {3,0,0,1}; Point(3) = {3,2,0,1}; Point(4) = {0,2,0,1};'
                 'Line(1) = {1,2}; Line(2) = {2,3}; Line(3) = {3,4}; Line(4) = {4,1}; Line Loop(1) = {1,2,3,4};'
                 'Plane Surface(1) = {1};\n', 2, 6.0)}
GMSH = [('msh22', []), ('msh22', ['-bin']), ('msh22', ['-save_parametric']), ('msh22', ['-save_parametric', '-bin']),
        ('msh41', []), ('msh41', ['-bin']), ('msh41', ['-save_parametric']), ('msh41', ['-save_parametric', '-bin']),
        ('msh40', []), ('msh40', ['-bin']), ('msh1', []), ('vtk', []), ('vtk', ['-bin']), ('stl', []), ('mesh', []),
        ('unv', []), ('bdf', []), ('inp', []), ('su2', []), ('ply2', []), ('msh41', ['-order', '2']),
        ('msh22', ['-order', '2']), ('msh41', ['-part', '2']), ('msh22', ['-part', '2'])]


def of_gmsh():
    if not shutil.which('gmsh'):
        files.absent.append('gmsh')
        return
    for shape, (text, dimension, measure) in GEO.items():
        for cells in ('', 'Recombine Surface{1}; '):
            for all_too in ((), ('-save_all',)):
                for n, (kind, options) in enumerate(GMSH):
                    if (cells or all_too) and kind not in ('msh22', 'msh41', 'vtk'):
                        continue
                    if kind in ('stl', 'ply2') and dimension == 3:
                        continue
                    geo = files.path(f'{shape}.geo')
                    layers = 'Layers{2}; Recombine;' if cells else 'Layers{2};'
                    groups = '' if all_too else (f'Physical Volume("wall", 7) = {{1}}; Physical Surface("base", 3) = {{1}};'
                                                 if dimension == 3 else 'Physical Surface("wall", 7) = {1};')
                    with open(geo, 'w') as out:
                        out.write((text if not cells or dimension == 2 else text.replace('Extrude', cells + 'Extrude')).replace('LAYERS', layers)
                                  + (cells if dimension == 2 else '') + groups)
                    extension = '.msh' if kind.startswith('msh') else '.' + kind
                    name = f'gmsh{n}_{shape}{"_hexa" if cells else ""}{"_all" if all_too else ""}{extension}'
                    run = subprocess.run(['gmsh', geo, f'-{dimension}', '-format', kind, '-o', files.path(name), '-v', '1',
                                          *options, *all_too], capture_output=True, text=True)
                    if run.returncode == 0 and os.path.exists(files.path(name)):
                        files.add(name, None, measure)


def write(name, text):
    with open(files.path(name), 'w') as out:
        out.write(text)


CODE = {'tetra': 'Tt', 'hexahedron': 'Hx', 'wedge': 'Pr', 'pyramid': 'Py', 'triangle': 'Tr', 'quad': 'Qd', 'line': 'Ln'}
TURNED = {'hexahedron': [0, 1, 2, 3, 4, 7, 6, 5], 'wedge': [0, 1, 2, 3, 5, 4]}


def of_opencarp():
    for base, points, cells, measure in bases():
        rows = [(t, c) for t, block in cells for c in block]
        for turned in (False, True):
            for header in ('1\n', '2\n', '', None):
                if turned and header:
                    continue
                name = f'carp_{base}{"_turned" if turned else ""}_{ {"1" + chr(10): "one", "2" + chr(10): "two", "": "old", None: "none"}[header]}'
                write(name + '.pts', f'{len(points)}\n' + ''.join('%.17g %.17g %.17g\n' % tuple(1000 * p) for p in points))
                write(name + '.elem', f'{len(rows)}\n' + ''.join(
                    CODE[t] + ''.join(f' {c[k]}' for k in (TURNED.get(t) if turned and t in TURNED else range(len(c)))) + ' 1\n'
                    for t, c in rows))
                if header is not None:
                    write(name + '.lon', header + ('1 0 0 0 1 0\n' if header == '2\n' else '1 0 0\n') * len(rows))
                files.add(name + '.elem', len(points), measure)


def of_tetgen():
    kinds = {'tetra': 'ele', 'triangle': 'face', 'line': 'edge'}
    for base, points, cells, measure in bases():
        if base not in kinds:
            continue
        for first in (0, 1):
            for n, head in enumerate(('3 0 0', '0 0 0', '', '3 2 1', '3 0 1', '3 2 0')):
                extra = {'3 2 1': ' 0.5 0.25 1', '3 0 1': ' 1', '3 2 0': ' 0.5 0.25'}.get(head, '')
                name = f'tetgen_{base}_{first}_{n}'
                write(name + '.node', f'# nodes\n{len(points)} {head}\n' + ''.join(
                    '  %d  %.17g %.17g %.17g%s\n' % (first + i, *p, extra) for i, p in enumerate(points)) + '# end\n')
                heads = {'tetra': (' 4 0', ' 0 0', '', ' 4 1', ' 4 0', ' 4 2'), 'triangle': (' 0', '', ' 0', ' 1', ' 0', ' 1'),
                         'line': (' 0', '', ' 0', ' 1', ' 0', ' 1')}[base][n]
                tags = ' 7' * int((heads.split() or ['0'])[-1])
                write(f'{name}.{kinds[base]}', f'{len(cells[0][1])}{heads}\n' + ''.join(
                    f'{first + i} ' + ' '.join(str(first + c) for c in cell) + tags + '\n' for i, cell in enumerate(cells[0][1])))
                files.add(name + '.node', len(points), measure)


def sections_of_vtk():
    """The orders of sections of meshtool and of hand-made files"""
    for base, points, cells, measure in bases():
        rows = [c for _, block in cells for c in block]
        types = [VTK_TYPES[t] for t, block in cells for _ in block]
        part = {'P': f'POINTS {len(points)} double\n' + '\n'.join('%.17g %.17g %.17g' % tuple(p) for p in points) + '\n',
                'C': f'CELLS {len(rows)} {sum(len(r) + 1 for r in rows)}\n' + '\n'.join(
                    ' '.join(map(str, [len(r), *r])) for r in rows) + '\n',
                'T': f'CELL_TYPES {len(rows)}\n' + '\n'.join(map(str, types)) + '\n',
                'D': f'CELL_DATA {len(rows)}\nSCALARS elemTag int 1\nLOOKUP_TABLE default\n' + '5\n' * len(rows)
                     + 'VECTORS fiber float\n' + '1 0 0\n' * len(rows),
                'F': 'FIELD FieldData 1\nTIME 1 1 double\n0.5\n'}
        for order in ('PCTD', 'PTCD', 'FPCTD', 'CPTD', 'CTPD', 'TCPD'):
            name = f'sections_{base}_{order}.vtk'
            write(name, '# vtk DataFile Version 3.0\nmade by hand\nASCII\nDATASET UNSTRUCTURED_GRID\n' + ''.join(part[k] for k in order))
            files.add(name, len(points), measure)


NAMES = {'length': 1, 'area': 2, 'volume': 3}


def info(path):
    """(status, message, nodes, measure in units of the file)"""
    carp = path.endswith(('.elem', '.pts'))
    run = subprocess.run([cardiac, 'mesh', 'info', path] + ([] if carp else ['--scale', '1mm']), capture_output=True, text=True)
    nodes = re.search(r'^nodes +(\d+)', run.stdout, re.M)
    measure = re.search(r'^(?:length|area|volume) +(\S+)', run.stdout, re.M)
    return run.returncode, run.stderr.strip(), int(nodes[1]) if nodes else None, float(measure[1]) if measure else None


def right(path, nodes, measure, got):
    return got[0] == 0 and abs(got[3] - measure) <= 1e-5 * measure and (nodes is None or nodes == got[2])


def by_the_way(path, message):
    """What the command in backticks makes of a refused file"""
    for command in re.findall(r'`([^`]+)`', message):
        made = run_the_way(path, command)
        if made:
            return made
    return None


def run_the_way(path, command):
    made = path + '_converted' + ('.msh' if 'OUT.msh' in command else '.vtu')
    text = re.sub(r'OUT\.(vtu|msh)', made, command.replace('IN', path, 1))
    done = subprocess.run(['sh', '-c', text], capture_output=True, text=True, cwd=folder,
                          env=dict(os.environ, PATH=os.path.dirname(sys.executable) + ':' + os.environ['PATH']))
    if verbose and done.returncode:
        print(text, done.stderr[-300:])
    return made if os.path.exists(made) else None


def main():
    of_meshio()
    if pyvista:
        of_vtk()
    of_gmsh()
    of_opencarp()
    of_tetgen()
    sections_of_vtk()
    read, converted, wrong = 0, 0, []
    for path, nodes, measure in files.list:
        got = info(path)
        if right(path, nodes, measure, got):
            read += 1
            continue
        if got[0] == 2 and not convert and '`' in got[1]:
            converted += 1
            continue
        if got[0] == 2:
            made = by_the_way(path, got[1])
            if made and right(made, None, measure, info(made)):
                converted += 1
                continue
            if made:
                got = (*got, info(made))
        wrong.append((os.path.basename(path), nodes, measure, got))
    for name in files.absent:
        print('left out, not installed:', name)
    for name, nodes, measure, got in wrong:
        print(f'WRONG {name}: expected {nodes} nodes, {measure}; got {got}')
    print(f'{len(files.list)} files: {read} read, {converted} refused with a command that converts them'
          f'{", which was run" if convert else ""}, {len(wrong)} wrong')
    if not kept:
        shutil.rmtree(folder)
    return 1 if wrong or 4 * read < 3 * len(files.list) else 0


sys.exit(main())
