"""recipes.py SOURCE: the recipes of packages parse, and every option that they give to CMake is one; Spack's class by a stand-in of its API."""
import re
import sys
import types
from pathlib import Path

root = Path(sys.argv[1])
options = set(re.findall(r"^(?:option|set)\((CARDIAC_\w+|YAML_ROOT)", (root / "CMakeLists.txt").read_text(), re.M))
options |= {"CMAKE_BUILD_TYPE", "CMAKE_INSTALL_PREFIX", "CMAKE_CUDA_ARCHITECTURES", "NCCL_ROOT"}


def known(place, names):
    for name in names:
        assert name in options, f"{place}: CMake has no option {name}"


class Spec:
    """Of Spack, what cmake_args asks for: every variant on, one card"""
    variants = {"cuda_arch": types.SimpleNamespace(value=("90",))}

    def satisfies(self, _):
        return True

    def __getitem__(self, name):
        return types.SimpleNamespace(prefix="/" + name)


class Base:
    spec = Spec()

    def define(self, name, value):
        return (name, value)

    def define_from_variant(self, name, variant):
        assert variant in variants, f"package.py: no variant {variant}"
        return (name, True)


variants = {"cuda"}  # of CudaPackage
directives = ["conflicts", "depends_on", "license", "test_part", "version", "which", "working_dir"]
spack = types.ModuleType("spack.package")
spack.__dict__.update({name: lambda *_, **__: None for name in directives})
spack.__dict__.update(variant=lambda name, **_: variants.add(name), CMakePackage=Base, CudaPackage=type("CudaPackage", (), {}))
sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": spack})
made = {}
exec(compile((root / "app/package/package.py").read_text(), "package.py", "exec"), made)
given = made["Cardiac"]().cmake_args()
known("package.py", [name for name, _ in given])
assert ("CMAKE_CUDA_ARCHITECTURES", ("90",)) in given and ("NCCL_ROOT", "/nccl") in given, given

for name in ("Containerfile", "recipe.yaml"):
    known(name, re.findall(r"-D(\w+)=", (root / "app/package" / name).read_text()))
container = (root / "app/package/Containerfile").read_text()
assert container.count("\nUSER ") == 1 and "openmpi" in container, "Containerfile: a user and MPI"
try:
    import yaml
except ImportError:
    sys.exit(0)
recipe = yaml.safe_load((root / "app/package/recipe.yaml").read_text())
assert {"package", "source", "build", "requirements", "tests", "about"} <= set(recipe), sorted(recipe)
