"""myokit_units.py: every name of a unit that Myokit (PyPI) knows, as rows of C: name, powers of g, m, s, A, K, cd, mol,
log10 of the factor."""
import myokit


def main():
    print(f'/* myokit_units.txt: by myokit_units.py, Myokit {myokit.__version__} */')
    for name, unit in myokit.Unit._units.items():
        powers = ', '.join(str(int(power)) for power in unit._x)
        print(f'{{"{name}", {{{powers}}}, {unit._m!r}}},')


if __name__ == '__main__':
    main()
