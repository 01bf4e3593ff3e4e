"""named.py SOURCE: every function and file that docs/dev and docs/theory name in backticks or in a diagram, and every `name()` of a comment, exists."""
import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1]).resolve()
CODE, ENDINGS = {".c", ".h", ".cu", ".cuh"}, r"(?:cuh|cu|c|h|py|sh|mmt)"
FILE = re.compile(rf"(?<![\w./<-])(?:\./)?(\w[\w./-]*\.{ENDINGS})(?![\w.])")
NAME = re.compile(r"(?<![\w./<-])[a-z][a-z0-9]+(?:_[a-z0-9]+)+(?![\w./>*-])")
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', re.S)


def comments(text):
    return [found for found in COMMENT.findall(text) if found[0] == "/"]


def blocks(page):
    """Texts of a page that name code: between backticks, and blocks without a language, such as diagrams"""
    inside, prose, fence = [], [], None
    for line in page.splitlines():
        if line.startswith("```"):
            fence = line[3:] if fence is None else None
        else:
            (prose if fence is None else inside if fence == "" else []).append(line)
    return inside + re.findall(r"`([^`]+)`", "\n".join(prose))


def main():
    files = {path.relative_to(SOURCE).as_posix(): path for folder in ("app", "solver", "kernels", "tests", "docs", "meshes", "configs", ".ci", "")
             for path in ((SOURCE / folder).rglob("*") if folder else SOURCE.glob("*")) if path.is_file() and "__pycache__" not in path.parts}
    known, said = {path.stem for path in files.values()}, []  # tests are called as their files
    for name, path in files.items():
        if path.suffix in CODE:
            text = path.read_text(encoding="utf-8", errors="replace")
            known.update(re.findall(r"[A-Za-z_]\w*", COMMENT.sub(lambda found: found.group() if found.group()[0] == '"' else " ", text)))
            said += [(name, word) for comment in comments(text) for word in re.findall(r"([A-Za-z_]\w*)\(\)", comment)]
        elif path.suffix == ".py" or path.name == "CMakeLists.txt":
            known.update(re.findall(r"[A-Za-z_]\w*", re.sub(r"#[^\n]*", "", path.read_text(encoding="utf-8"))))
    found, missing = 0, [f"{name}: {word}() does not exist" for name, word in said if word not in known]
    for page in sorted([*(SOURCE / "docs/dev").rglob("*.md"), *(SOURCE / "docs/theory").rglob("*.md")]):
        for block in blocks(page.read_text(encoding="utf-8")):
            for name in FILE.findall(block):
                found += 1
                if not any(path == name or path.endswith("/" + name) for path in files):
                    missing.append(f"{page.relative_to(SOURCE)}: {name} is not there")
            for name in NAME.findall(FILE.sub(" ", block)):
                found += 1
                if name not in known:
                    missing.append(f"{page.relative_to(SOURCE)}: {name} does not exist")
    print("\n".join(missing + [f"{found} names in pages, {len(said)} in comments"]))
    return 1 if missing or found < 150 else 0


if __name__ == "__main__":
    sys.exit(main())
