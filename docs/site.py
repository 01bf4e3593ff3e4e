"""site.py: hooks of mkdocs.yml. The first page is the README.md of the source, and meshes/README.md the page of formats. The navigation is the
table of docs/README.md; links to other files beside docs/ become names, since a site has only pages."""
import os
import posixpath
import re

from mkdocs.structure.files import File

ROW = re.compile(r"^\| *([^|]*?) *\| *\[([^]]+)\]\(([^)]+)\)")
LINK = re.compile(r"(!?)\[([^]]*)\]\(([^):#]+)((?:#[^)]*)?)\)")
KEY = re.compile(r"<td><code>[^<]*</code></td>")
STYLE = "<style>.md-typeset td code { word-break: normal; }</style>\n"
MOVED = {"README.md": "index.md", "docs/README.md": "pages.md", "meshes/README.md": "formats.md"}  # of the source, to the site


def on_config(config):
    navigation = [{"Start": "index.md"}, {"The pages": "pages.md"}]
    with open(os.path.join(config["docs_dir"], "README.md"), encoding="utf-8") as file:
        for group, title, path in (found.groups() for found in map(ROW.match, file) if found):
            if group:
                navigation.append({group[0].upper() + group[1:]: []})
            next(iter(navigation[-1].values())).append({title[0].upper() + title[1:]: path})
            if path == "user/heart.md":
                next(iter(navigation[-1].values())).append({"Formats of meshes": "formats.md"})
    config["nav"] = navigation
    return config


def on_files(files, config):
    source = os.path.dirname(config["docs_dir"])
    files.remove(files.get_file_from_path("README.md"))
    for path, page in MOVED.items():
        with open(os.path.join(source, path), encoding="utf-8") as file:
            files.append(File.generated(config, page, content=file.read()))
    return files


def on_page_markdown(markdown, page, config, files):
    here = {new: old for old, new in MOVED.items()}.get(page.file.src_uri, "docs/" + page.file.src_uri)

    def link(found):
        picture, text, path, anchor = found.groups()
        path = posixpath.normpath(posixpath.join(posixpath.dirname(here), path))
        if path in MOVED or path.startswith("docs/"):
            to = MOVED.get(path, path[5:])
            return "%s[%s](%s%s)" % (picture, text, posixpath.relpath(to, posixpath.dirname(page.file.src_uri) or "."), anchor)
        return text if text.strip("`").rstrip("/") == path.rstrip("/") else "%s (`%s`)" % (text, path)

    return LINK.sub(link, re.sub("(?m)^```([a-z]+) .*$", r"```\1", markdown))  # a fence has one word


def on_page_content(html, page, config, files):
    """A key in a table breaks after its dots alone, however narrow the window is."""
    return STYLE + KEY.sub(lambda key: key[0].replace(".", ".<wbr>"), html) if KEY.search(html) else html
