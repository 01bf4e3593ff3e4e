"""recipes.py SOURCE: the recipes of packages parse, and every option that they give to CMake is one; Spack's class by a stand-in of its API.
Those of a release hold the address and the digest of its archive; its lines that set a version set it everywhere. Zenodo is told what CITATION.cff says."""
import hashlib
import json
import re
import subprocess
import sys
import tempfile
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
directives = ["conflicts", "depends_on", "license", "test_part", "which", "working_dir"]
versions = []  # of the recipe: name, and what it is fetched by
spack = types.ModuleType("spack.package")
spack.__dict__.update({name: lambda *_, **__: None for name in directives})
spack.__dict__.update(version=lambda name, **how: versions.append((name, how)), variant=lambda name, **_: variants.add(name))
systems = "spack_repo.builtin.build_systems"  # of Spack 1.0 and newer
for name, made_of in (("cmake", {"CMakePackage": Base}), ("cuda", {"CudaPackage": type("CudaPackage", (), {})})):
    sys.modules[f"{systems}.{name}"] = types.ModuleType(name)
    sys.modules[f"{systems}.{name}"].__dict__.update(made_of)
sys.modules.update({name: types.ModuleType(name) for name in ("spack", "spack_repo", "spack_repo.builtin", systems)} | {"spack.package": spack})
made = {}
exec(compile((root / "app/package/package.py").read_text(), "package.py", "exec"), made)
assert versions.pop() == ("main", {"branch": "main"})
given = made["Cardiac"]().cmake_args()
known("package.py", [name for name, _ in given])
assert ("CMAKE_CUDA_ARCHITECTURES", ("90",)) in given and ("NCCL_ROOT", "/nccl") in given, given

for name in ("Containerfile", "recipe.yaml"):
    known(name, re.findall(r"-D(\w+)=", (root / "app/package" / name).read_text()))
container = (root / "app/package/Containerfile").read_text()
assert container.count("\nUSER ") == 1 and "openmpi" in container, "Containerfile: a user and MPI"
with tempfile.TemporaryDirectory() as folder:
    archive = Path(folder) / "cardiac-1.2.3.tar.gz"
    archive.write_bytes(b"an archive")
    (Path(folder) / "out").mkdir()
    subprocess.run(["sh", root / "app/package/recipes.sh", archive, "https://github.com/releases/", archive.parent / "out"], check=True)
    recipe, package = ((archive.parent / "out" / name).read_text() for name in ("recipe.yaml", "package.py"))
address, digest = "https://github.com/releases/cardiac-1.2.3.tar.gz", hashlib.sha256(b"an archive").hexdigest()
assert f"\nsource:\n  url: {address}\n  sha256: {digest}\n" in recipe and "path:" not in recipe, recipe
exec(compile(package, "package.py", "exec"), made)
assert made["Cardiac"].url == address and versions == [("1.2.3", {"sha256": digest})] and '"main"' not in package, (package, versions)

with tempfile.TemporaryDirectory() as folder:
    for name in ("CMakeLists.txt", "CITATION.cff", "CHANGELOG.md", "app/config/keys.c", "app/package/recipe.yaml", "app/python/pyproject.toml",
                 "app/python/cardiac/__init__.py", "tests/tree/versions.sh"):
        copy = Path(folder) / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = (root / name).read_text()
        if name == "CHANGELOG.md" and "\n## Unreleased\n" not in text:  # just after a release
            text = text.replace("\n## ", "\n## Unreleased\n\n## ", 1)
        copy.write_text(text)
    lines = re.findall(r"^ +(sed -i .*)$", (root / "app/package/release.sh").read_text(), re.M)
    subprocess.run(["sh", "-ec", "\n".join(["version=97.8.6 day=2031-02-03", *lines, "sh tests/tree/versions.sh ."])], cwd=folder, check=True)
    assert "97.8.6" in (Path(folder) / "CMakeLists.txt").read_text()
    assert "\n## 97.8.6 (2031-02-03)\n" in (Path(folder) / "CHANGELOG.md").read_text()

cited, zenodo = (root / "CITATION.cff").read_text(), json.loads((root / ".zenodo.json").read_text())
assert zenodo["title"] == re.search(r'^title: "(.*)"$', cited, re.M).group(1), zenodo["title"]
assert zenodo["license"] == re.search(r"^license: (.*)$", cited, re.M).group(1)
assert zenodo["description"] == " ".join(re.search(r"^abstract: >-\n((?:  .*\n)+)", cited, re.M).group(1).split()), zenodo["description"]
assert zenodo["keywords"] == re.findall(r"^  - (.*)$", re.search(r"^keywords:\n((?:  .*\n)+)", cited, re.M).group(1), re.M), zenodo["keywords"]
authors = re.search(r"^authors:\n((?:  .*\n)+)", cited, re.M).group(1)
assert len(zenodo["creators"]) == authors.count("\n  - ") + 1, "authors of CITATION.cff and creators of .zenodo.json"
for creator in zenodo["creators"]:  # "Family, Given", or the name of a group
    assert all(part in authors for part in creator["name"].split(", ")), creator
try:
    import yaml
except ImportError:
    sys.exit(0)
recipe = yaml.safe_load((root / "app/package/recipe.yaml").read_text())
assert {"package", "source", "build", "requirements", "tests", "about"} <= set(recipe), sorted(recipe)
