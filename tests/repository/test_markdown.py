"""The pages are plain Markdown: what a code host or an editor shows is what was meant, without Sphinx."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
FORMULA = re.compile(r"\$\$.+?\$\$|(?<![\\$\w])\$(?=\S)[^$]*?(?<=\S)\$(?!\w)", re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
DIRECTIVE = re.compile(r"^(```|~~~|:::)\s*\{|\{[\w:-]+\}`|^\([\w-]+\)=$|^: |^\.\. \w|^%", re.MULTILINE)

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def text_of(page):
    return COMMENT.sub("", page.read_text(encoding="utf-8"))


def slug(heading):
    """Of a heading, as code hosts make it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pages
def test_no_markup_of_sphinx(page):
    found = [match[0] for match in DIRECTIVE.finditer(FENCE.sub(lambda block: block[0].split("\n")[0], text_of(page)))]
    assert not found


@pages
def test_links_lead_somewhere(page):
    for target in LINK.findall(CODE.sub("", FENCE.sub("", text_of(page)))):
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        assert file.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", FENCE.sub("", text_of(file)), re.MULTILINE)
            assert anchor in map(slug, headings), target


@pages
def test_files_that_are_named_exist(page):
    """Paths in code, such as `contacts/query.py`, count from the project's folder or from src/tangency."""
    if page.name == "CHANGELOG.md":  # speaks of the past
        return
    code = "\n".join(CODE.findall(text_of(page)))
    named = re.findall(r"(?<![\w/<>-])((?:[\w.-]+/)+[\w-]+\.(?:py|toml|md|cpp))", code)
    roots = (ROOT, ROOT / "src" / "tangency", page.parent)
    assert not [path for path in named if not any((root / path).exists() for root in roots)]


@pages
def test_markdown_leaves_formulas_alone(page):
    r"""A \, or a pair of stars inside a formula is Markdown, and would be gone before the formula is set."""
    markdown = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table")
    for token in markdown.parse(text_of(page)):
        if token.type != "inline":
            continue
        words = [part for part in token.children if part.type != "code_inline"]
        seen = "".join(" " if part.type.endswith("break") else part.content for part in words)
        for formula in FORMULA.findall(CODE.sub("", token.content)):
            assert " ".join(formula.split()) in " ".join(seen.split()), formula


def test_tables_from_the_code():
    spec = importlib.util.spec_from_file_location("tables", ROOT / "docs" / "tables.py")
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    for page in tables.PAGES:
        assert tables.page(page) == page.read_text(encoding="utf-8"), f"run python docs/tables.py for {page.name}"
