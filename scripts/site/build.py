# SPDX-License-Identifier: Apache-2.0
"""The site from the documents, with a search that works from a disk: scripts/site.sh calls this.

Pages come from five places, none of which is written twice:
  README.md, docs/*.md    as they are; links that leave docs/ are turned to where the page lies in the site;
  man/dcsim-scene.5       one page for each key of a scene: the manual's section, then the options of the kinds that the key
                          has (dcsim list --json), then its shortest use in a shipped scene or the cookbook, which tests run;
  man/*.1                 one page for each command;
  src/**/*.c              what the program says when something is wrong (messages.py);
  include/dcsim.h, python the interface of the library, and the docstrings of the module.
Steps: write the pages to SOURCE, let mkdocs make SITE of them, put the search index into a script (a page that is opened
from a disk may not fetch files), then check that every link within the site leads somewhere.

Usage: build.py TREE BUILD SOURCE SITE
"""
import ast
import glob
import html
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.parse

import messages

tree, build, source, site = (os.path.abspath(argument) for argument in sys.argv[1:5])

# Which registry of dcsim list describes the kinds of a scene's key.
KINDS = {"contact": "models", "shapes": "shapes", "bodies": "joints", "control": "controls", "objective": "objectives",
         "design": "designs", "optimizer": "optimizers"}
def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def write(name, text):
    path = os.path.join(source, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def titled(text, otherwise):
    found = re.search(r"^# (.+)$", text, re.M)
    return found.group(1) if found else otherwise


# Documents.

def turn_links(text, folder):
    """Links of a page that lies in folder of the tree, for a site whose root is docs/."""
    def turn(match):
        target = match.group(2)
        if re.match(r"[a-z]+:|#", target):
            return match.group(0)
        path, _, anchor = target.partition("#")
        where = os.path.normpath(os.path.join(folder, path))
        if where.startswith("docs/") or where == "docs":
            here = os.path.relpath(where, folder if folder.startswith("docs") else "docs")
            here = here if folder.startswith("docs") else os.path.relpath(where, "docs")
        elif os.path.basename(where) in ("CONTRIBUTING.md", "CHANGELOG.md"):
            here = os.path.relpath(os.path.join("docs", os.path.basename(where)), folder if folder.startswith("docs") else "docs")
        elif where == "README.md":
            here = os.path.relpath(os.path.join("docs", "index.md"), folder)
        else:
            return match.group(1) if not match.group(0).startswith("!") else match.group(0)
        return f"{match.group(0).split('](')[0]}]({here}{'#' + anchor if anchor else ''})"
    return re.sub(r"!?\[([^\]]*)\]\(([^)\s]+)\)", turn, text)


def plain_fences(text):
    """Fences as mkdocs knows them: the name of a file stands before its block, words that only tests read go."""
    text = re.sub(r"^```json (\S+)$", r"`\1`:\n\n```json", text, flags=re.M)
    return re.sub(r"^```sh \S.*$", "```sh", text, flags=re.M)


def link_names(text, folder):
    """Names of pages that stand as code outside of a fence, `docs/limits.md`, become links to these pages."""
    def link(match):
        return f"[{match.group(0)}]({os.path.relpath(match.group(1), folder or '.')})" if os.path.exists(os.path.join(tree, match.group(1))) else match.group(0)
    parts = re.split(r"(^```.*?^```)", text, flags=re.M | re.S)
    return "".join(part if i % 2 else re.sub(r"(?<!\[)`(docs/[\w/-]+\.md)`(?!\])", link, part) for i, part in enumerate(parts))


def document(path, folder):
    return plain_fences(turn_links(link_names(read(path), folder), folder))


def documents():
    for path in sorted(glob.glob(os.path.join(tree, "docs", "**", "*"), recursive=True)):
        name = os.path.relpath(path, os.path.join(tree, "docs"))
        if path.endswith(".md"):
            write(name, document(path, os.path.join("docs", os.path.dirname(name)).rstrip("/")))
        elif path.endswith((".png", ".gif", ".svg")):
            os.makedirs(os.path.dirname(os.path.join(source, name)), exist_ok=True)
            shutil.copyfile(path, os.path.join(source, name))
    write("index.md", document(os.path.join(tree, "README.md"), ""))
    for name in ("CONTRIBUTING.md", "CHANGELOG.md"):
        write(name, document(os.path.join(tree, name), ""))


# Keys of a scene.

def manual(path):
    text = run("mandoc", "-T", "html", "-O", "fragment,man=../commands/%N.html", path)
    text = text.replace("../commands/dcsim-scene.html", "../scene/index.html")
    # Pages of others are not part of the site.
    text = re.sub(r'<a class="Xr" href="../commands/(?!dcsim)[^"]*">(.*?)</a>', r"\1", text, flags=re.S)
    text = re.sub(r'<table class="(head|foot)">.*?</table>', "", text, flags=re.S)
    return re.sub(r'<a class="permalink" href="#[^"]*">(.*?)</a>', r"\1", text, flags=re.S)


def sections(text):
    """(title, body) of the manual's sections; subsections of DESCRIPTION and others stand on their own."""
    pieces = re.split(r'<h[12] class="S[hs]" id="[^"]*">(.*?)</h[12]>', text, flags=re.S)
    for title, body in zip(pieces[1::2], pieces[2::2]):
        yield re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", title)), re.sub(r"</?section[^>]*>", "", body).strip()


def options_table(options):
    rows = ["| option | type | default | |", "|---|---|---|---|"]
    for option in options:
        default = "must be given" if option.get("required") else json.dumps(option.get("default"))
        default = {"null": ""}.get(default, default)
        unit = f" ({option['unit']})" if option.get("unit") else ""
        cells = [f"`{option['name']}`", option["type"] + unit, f"`{default}`" if default and default != "must be given" else default,
                 option.get("help", "")]
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def without_comments(text):
    return json.loads(re.sub(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', lambda match: match.group(1) or "", text, flags=re.S))


def compact(value, indent=""):
    """JSON that breaks only what does not fit on a line of 100 characters."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + len(indent) <= 100 or not isinstance(value, (dict, list)) or not value:
        return line
    inner = indent + "  "
    if isinstance(value, dict):
        items = [f"{inner}{json.dumps(key)}: {compact(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(items) + "\n" + indent + "}"
    return "[\n" + ",\n".join(inner + compact(item, inner) for item in value) + "\n" + indent + "]"


def uses():
    """For each key the scenes that have it, shipped ones and those of the cookbook, the shortest use first: (text, where)."""
    scenes = [(f"`scenes/{os.path.basename(path)}`", read(path)) for path in sorted(glob.glob(os.path.join(tree, "scenes", "*.json")))]
    fences = re.findall(r"^```json (\S+)\n(.*?)^```$", read(tree, "docs", "cookbook.md"), re.M | re.S)
    scenes += [(f"`{name}` of the [cookbook](../cookbook.md)", text) for name, text in fences]
    found = {}
    for where, text in scenes:
        for key, value in without_comments(text).items():
            shown = compact(value)
            if shown not in ("[]", "{}"):
                found.setdefault(key, []).append((len(shown), shown, where))
    return {key: [(shown, where) for _, shown, where in sorted(places)] for key, places in found.items()}


def scene_pages(registries):
    text = manual(os.path.join(tree, "man", "dcsim-scene.5"))
    pages, home, titles, files = [], {}, set(), {}
    for title, body in sections(text):
        if title == "NAME":
            continue
        name = "index" if title == "DESCRIPTION" else re.sub(r"[^a-z0-9.]+", "-", title.lower())
        pages.append((title, name, body))
        home[title.replace(" ", "_")] = name
        titles.add(title.replace(" ", "_"))
        for place in re.findall(r'id="([^"]+)"', body):
            home.setdefault(html.unescape(place), name)
    shipped = uses()
    for title, name, body in pages:
        own = set(re.findall(r'id="([^"]+)"', body))

        def turn(match, own=own, name=name):
            place = html.unescape(match.group(1))
            if place in own:
                return match.group(0)
            return f'href="{home.get(place, "index")}.html{"" if place in titles or place not in home else "#" + place}"'
        body = re.sub(r'href="#([^"]*)"', turn, body)
        heading = "Scenes" if title == "DESCRIPTION" else title.capitalize() if title.isupper() else title
        parts = [f"# {heading}\n", '<div class="manual">\n' + body + "\n</div>\n"]
        if title in KINDS:
            for kind in registries[KINDS[title]]:
                parts.append(f"## {title}: {kind['name']}\n\n{kind['summary']}" +
                             (f" ({kind['reference']})" if kind.get("reference") else "") + "\n")
                if kind["options"]:
                    parts.append(options_table(kind["options"]) + "\n")
        else:
            for section in registries["sections"]:
                if section["name"] == title:
                    parts.append(f"## Options\n\n{options_table(section['options'])}\n")
        if title in shipped:
            use, where = shipped[title][0]
            more = ", ".join(sorted({other for _, other in shipped[title][1:]} - {where})[:6])
            parts.append(f"## In a scene\n\n{where}:\n\n```json\n\"{title}\": {use}\n```\n" +
                         (f"\nAlso in {more}.\n" if more else ""))
        write(f"scene/{name}.md", "\n".join(parts))
        files[heading] = f"scene/{name}.md"
    return files


def command_pages():
    files = {}
    for path in [os.path.join(tree, "man", "dcsim.1")] + sorted(glob.glob(os.path.join(build, "man", "*.1"))):
        name = os.path.basename(path)[:-2]
        if name == "dcsim" and "dcsim" in files:
            continue
        write(f"commands/{name}.md", f"# {name.replace('-', ' ', 1)}\n\n<div class=\"manual\">\n{manual(path)}\n</div>\n")
        files[name.replace("-", " ", 1)] = f"commands/{name}.md"
    return files


# Messages.

MEANINGS = ["a condition that was asked for does not hold", "wrong usage", "a scene, mesh or robot file", "a step or a solve failed", "reading or writing failed",
            "out of memory or over a limit", "a checkpoint that cannot be used"]


def group_place(group):
    return re.sub(r"[^a-z]+", "-", group.lower())


def messages_page(said):
    parts = ["# Messages\n", "What `dcsim` says when something is wrong or left out, and the exit status that goes with it; … is filled in. Paste a message into the search to find it here and wherever "
             "a page speaks of it. What a run that missed its task is told, and what helps, is [advice](advice.md).\n", "| exit status | |", "|---|---|"]
    parts += [f"| {status} | {meaning} |" for status, meaning in enumerate(MEANINGS, 1)] + [""]
    for group, texts in said.items():
        parts.append(f"## {group}\n")
        parts += [f"* <code>{html.escape(text)}</code>{f' ({status})' if status else ''}" for text, status in sorted(texts.items())] + [""]
    write("messages.md", "\n".join(parts))


# Interfaces.

def python_page():
    parts = ["# Python\n", "The module `dcsim`; [the tour](../embedding.md#python) shows it at work.\n"]
    for name in ("__init__.py", "run.py", "torch.py"):
        module = ast.parse(read(tree, "python", "dcsim", name))
        heading = {"__init__.py": "dcsim", "run.py": "dcsim.run", "torch.py": "dcsim.torch"}[name]
        parts.append(f"## {heading}\n\n{ast.get_docstring(module) or ''}\n")
        for node in module.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                described(parts, node, node.name, "###")
                for member in getattr(node, "body", []) if isinstance(node, ast.ClassDef) else []:
                    if isinstance(member, ast.FunctionDef) and not member.name.startswith("_") and ast.get_docstring(member):
                        described(parts, member, f"{node.name}.{member.name}", "####")
    write("api/python.md", "\n".join(parts))


def described(parts, node, name, level):
    signature = f"({ast.unparse(node.args)})" if isinstance(node, ast.FunctionDef) else ""
    parts.append(f"{level} {name}\n\n`{name}{signature}`\n\n{ast.get_docstring(node) or ''}\n")


def c_page():
    write("api/c.md", "# C\n\n`<dcsim.h>` is its own documentation; [the tour](../embedding.md) shows it at work.\n\n```c\n" +
          read(tree, "include", "dcsim.h") + "```\n")


# The site.

def navigation(scene, commands):
    def chapter(title, entries):
        return {title: [{label: path} for label, path in entries]}
    def pages(names):
        return [(titled(read(source, name + ".md"), name), name + ".md") for name in names]
    below = {name: sorted(os.path.relpath(path, source)[:-3] for path in glob.glob(os.path.join(source, name, "*.md")))
             for name in ("theory", "results")}
    entries = [{"dcsim": "index.md"}]
    entries.append(chapter("Learn", pages(["install", "tutorial", "cookbook", "dataset", "gallery", "features", "robots", "automatic", "advice", "messages"])))
    entries.append(chapter("Scene keys", list(scene.items())))
    entries.append(chapter("Commands", list(commands.items())))
    entries.append(chapter("Interfaces", [("C", "api/c.md"), ("Python", "api/python.md")] + pages(["embedding"])))
    entries.append(chapter("Theory", pages(["theory"] + below["theory"])))
    entries.append(chapter("Results", pages(["results", "papers"] + below["results"] + ["limits", "benchmarks"])))
    entries.append(chapter("Use", pages(["run-directory", "checkpoints", "scaling", "security"])))
    entries.append(chapter("Carry on", [("Contributing", "CONTRIBUTING.md")] + pages(["architecture", "adding", "licensing"]) +
                           [("Changes", "CHANGELOG.md")]))
    return entries


def configure(entries):
    write("style.css", read(tree, "scripts", "site", "style.css"))
    settings = {
        "site_name": "dcsim", "site_description": "Trajectory optimization through contact", "docs_dir": source, "site_dir": site,
        "use_directory_urls": False, "nav": entries, "plugins": ["search"], "extra_css": ["style.css"],
        "theme": {"name": "readthedocs", "highlightjs": False, "navigation_depth": 2, "titles_only": True},
        "markdown_extensions": ["tables", "fenced_code", "sane_lists", {"toc": {"permalink": True}}],
    }
    path = os.path.join(os.path.dirname(source), "mkdocs.json")         # YAML is a superset of JSON
    with open(path, "w", encoding="utf-8") as file:
        json.dump(settings, file, indent=1)
    return path


def theme_scripts():
    """Debian's theme asks for scripts by other names than it has them."""
    folder = os.path.join(site, "js")
    for wanted in set(re.findall(r'src="[./]*js/([^"]+)"', read(site, "index.html"))):
        if not os.path.exists(os.path.join(folder, wanted)):
            alike = sorted(glob.glob(os.path.join(folder, wanted.split("-")[0] + "-*.js")))
            if alike:
                shutil.copyfile(alike[-1], os.path.join(folder, wanted))
            else:
                open(os.path.join(folder, wanted), "w", encoding="utf-8").close()


def terms(path):
    """Entries of the index for what a manual's page defines: keys of scenes as key.option, options of commands as they are written."""
    name = os.path.relpath(path, site)
    page = os.path.basename(path)[:-5]
    for place, term, text in re.findall(r'<dt id="([^"]+)">(.*?)</dt>\s*<dd>(.*?)</dd>', read(path), flags=re.S):
        word, text = (re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", part))).strip() for part in (term, text))
        before = page + "." if name.startswith("scene/") and page != "index" else "" if name.startswith("scene/") else page.replace("-", " ") + " "
        yield {"location": f"{name}#{html.unescape(place)}", "title": before + word, "text": text}


def offline_search(said):
    """The index as a script, and a search that needs no worker: browsers forbid both to pages that come from a disk.  Each message is an entry of its own."""
    folder = os.path.join(site, "search")
    entries, seen = [], set()
    # Tables of docs/measured stand in pages of results, too; the later one goes.
    for entry in sorted(json.loads(read(folder, "search_index.json"))["docs"], key=lambda one: one["location"].startswith("measured/")):
        if (entry["title"], entry["text"]) not in seen and not entry["location"].startswith("messages.html"):
            seen.add((entry["title"], entry["text"]))
            entries.append({name: entry[name] for name in ("location", "title", "text")})
    for path in sorted(glob.glob(os.path.join(site, "scene", "*.html")) + glob.glob(os.path.join(site, "commands", "*.html"))):
        entries += terms(path)
    entries.append({"location": "messages.html", "title": "Messages", "text": "What dcsim says when something is wrong, and exit statuses."})
    for group, texts in said.items():
        entries += ({"location": f"messages.html#{group_place(group)}", "title": text, "text": f"message: {group}" + (f", exit status {status}" if status else "")}
                    for text, status in sorted(texts.items()))
    with open(os.path.join(folder, "search_index.js"), "w", encoding="utf-8") as file:
        file.write("var searchIndex = " + json.dumps({"docs": entries}, ensure_ascii=False) + ";\n")
    shutil.copyfile(os.path.join(tree, "scripts", "site", "search.js"), os.path.join(folder, "main.js"))
    for name in ("worker.js", "search_index.json"):
        os.remove(os.path.join(folder, name))


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.places = [], set()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.places.add(value)


def broken_links():
    pages = {}
    for path in glob.glob(os.path.join(site, "**", "*.html"), recursive=True):
        if os.path.basename(path) == "404.html":
            continue
        pages[path] = Links()
        pages[path].feed(read(path))
    for path, page in sorted(pages.items()):
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                if page.links and parts.scheme != "data" and link.endswith((".js", ".css")):
                    yield path, link
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path))) if parts.path else path
            if not os.path.exists(target) or (parts.fragment and target in pages and
                                              urllib.parse.unquote(parts.fragment) not in pages[target].places):
                yield path, link


def main():
    shutil.rmtree(source, ignore_errors=True)
    registries = json.loads(run(os.path.join(build, "dcsim"), "list", "--json"))
    documents()
    scene, commands = scene_pages(registries), command_pages()
    python_page()
    c_page()
    said = messages.collect(tree)
    messages_page(said)
    settings = configure(navigation(scene, commands))
    ended = subprocess.run(["mkdocs", "build", "--quiet", "--clean", "-f", settings], check=False, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"site: mkdocs failed\n{ended.stderr}")
    theme_scripts()
    offline_search(said)
    broken = sorted(set(broken_links()))
    for path, link in broken:
        print(f"site: {os.path.relpath(path, site)}: broken link {link}", file=sys.stderr)
    pages = len(glob.glob(os.path.join(site, "**", "*.html"), recursive=True))
    print(f"site: {pages} pages in {site}, {len(broken)} broken links")
    sys.exit(1 if broken else 0)


main()
