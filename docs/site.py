"""site.py: hooks of mkdocs.yml. The navigation is the table of README.md; links to files beside docs/ become names, since a site has only pages."""
import os
import re

ROW = re.compile(r"^\| *([^|]*?) *\| *\[([^]]+)\]\(([^)]+)\)")


def on_config(config):
    navigation = [{"The pages": "README.md"}]
    with open(os.path.join(config["docs_dir"], "README.md"), encoding="utf-8") as file:
        for group, title, path in (found.groups() for found in map(ROW.match, file) if found):
            if group:
                navigation.append({group[0].upper() + group[1:]: []})
            next(iter(navigation[-1].values())).append({title[0].upper() + title[1:]: path})
    config["nav"] = navigation
    return config


def on_page_markdown(markdown, page, config, files):
    def link(found):
        path = os.path.normpath(os.path.join(os.path.dirname(page.file.src_uri), found.group(2).split("#")[0]))
        return "%s (`%s`)" % (found.group(1), path[3:]) if path.startswith("../") else found.group(0)

    return re.sub(r"\[([^]]+)\]\((\.\.[^)]+)\)", link, markdown)
