#!/usr/bin/env python3
"""usage: scripts/make_site.py FOLDER [--api FOLDER]

Writes the documents as pages that open offline: README.md is FOLDER/index.html, docs/guide.md is
FOLDER/docs/guide.html. Files that they link are copied; --api names the folder of Doxygen's pages
(target `docs`). Needs pandoc. A link to a file or heading that does not exist is an error.
"""

import argparse
import html
import os
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r'\b(href|src)="([^"]*)"')
IDENTIFIER = re.compile(r'\bid="([^"]*)"')

STYLE = """
:root { color-scheme: light dark; --line: #8884; --shade: #8882; }
body { font: 16px/1.55 system-ui, sans-serif; margin: 0 auto; max-width: 56rem; padding: 0 1rem 4rem; }
nav { border-bottom: 1px solid var(--line); padding: .8rem 0; }
nav a { margin-right: 1.2rem; }
pre, code { font-family: ui-monospace, monospace; font-size: .9em; background: var(--shade); }
pre { overflow-x: auto; padding: .7rem; line-height: 1.35; }
pre code { background: none; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; vertical-align: top; }
img { max-width: 100%; background: white; }
"""

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<nav><a href="{up}index.html">adacvar</a><a href="{up}docs/index.html">Documentation</a>{api}<a href="{up}CHANGELOG.html">Changelog</a></nav>
<main>
{body}
</main>
</body>
</html>
"""


def fail(message):
    sys.exit(f"make_site: {message}")


def documents():
    """Markdown files of the repository, relative to its root."""
    top = sorted(path.name for path in ROOT.glob("*.md"))
    folders = ("docs", "experiments", "bench", "examples", "tests/fuzz")
    below = (path for folder in folders for path in sorted((ROOT / folder).rglob("*.md")))
    return top + [path.relative_to(ROOT).as_posix() for path in below]


def page_of(document):
    """Where the page of a document is, relative to the site."""
    folder, name = posixpath.split(document)
    stem = "index" if name == "README.md" else name.removesuffix(".md")
    return posixpath.join(folder, stem + ".html")


def converted(document):
    """The document as HTML; its headings have the identifiers that GitHub gives them."""
    command = ["pandoc", "--from=gfm", "--to=html5", "--no-highlight", "--wrap=preserve",
               str(ROOT / document)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Site:
    """The pages, and the files that they link."""

    def __init__(self, out, api):
        self.out = out
        self.api = api
        self.bodies = {document: converted(document) for document in documents()}
        self.identifiers = {document: set(IDENTIFIER.findall(body))
                            for document, body in self.bodies.items()}
        self.copied = set()
        self.errors = []

    def target_of(self, path, anchor, place):
        """Where a link to `path`, relative to the root, leads in the site."""
        if (ROOT / path).is_dir() and path + "/README.md" in self.bodies:
            path += "/README.md"
        if path in self.bodies:
            if anchor and anchor not in self.identifiers[path]:
                self.errors.append(f"{place} links #{anchor}, which {path} does not have")
            return page_of(path)
        if path == "include/adacvar" and self.api:
            return "api/index.html"
        if (ROOT / path).is_file():
            self.copied.add(path)
            return path
        if (ROOT / path).is_dir():
            return None  # a folder of the sources: no page
        self.errors.append(f"{place} links {path}, which does not exist")
        return None

    def with_links(self, document):
        page = page_of(document)
        folder = posixpath.dirname(document)

        def replaced(match):
            kind, link = match.group(1), html.unescape(match.group(2))
            if re.match(r"[a-z]+:", link):
                if kind == "src":
                    self.errors.append(f"{document} loads {link}: the site must open offline")
                return match.group(0)
            path, _, anchor = link.partition("#")
            path = posixpath.normpath(posixpath.join(folder, path)) if path else document
            target = self.target_of(path, anchor, document)
            if target is None:
                return ""
            relative = posixpath.relpath(target, posixpath.dirname(page) or ".")
            return f'{kind}="{html.escape(relative + ("#" + anchor if anchor else ""))}"'

        return LINK.sub(replaced, self.bodies[document])

    def write(self):
        for document in self.bodies:
            body = self.with_links(document)
            page = page_of(document)
            title = re.search(r"<h1[^>]*>(.*?)</h1>", body, re.DOTALL)
            up = "../" * page.count("/")
            api = f'<a href="{up}api/index.html">C++</a>' if self.api else ""
            text = PAGE.format(
                title=re.sub("<[^>]*>", "", title.group(1)) if title else document,
                style=STYLE, up=up, api=api, body=body)
            path = self.out / page
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for file in sorted(self.copied):
            (self.out / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / file, self.out / file)
        if self.api:
            shutil.copytree(self.api, self.out / "api", dirs_exist_ok=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n", 1)[0].removeprefix("usage: "))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--api", type=Path)
    options = parser.parse_args()
    if shutil.which("pandoc") is None:
        print("make_site: pandoc is not found: scripts/install-deps.sh docs", file=sys.stderr)
        sys.exit(77)  # a test that is skipped
    if options.api and not (options.api / "index.html").is_file():
        fail(f"{options.api} has no pages of Doxygen: build the target docs first")
    site = Site(options.folder, options.api)
    site.write()
    if site.errors:
        fail("\n".join(["broken links:", *site.errors]))


if __name__ == "__main__":
    main()
