"""The documentation as a web site, in a real browser: wide and narrow, light and dark, without errors."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import chromium

ROOT = Path(__file__).parents[2]
PAGES = (
    "index",
    "start",
    "gallery",
    "cheat-sheet",
    "coming-from",
    "formats",
    "theory",
    "planar",
    "papers",
    "limits",
    "api",
    "notebooks/first-contact",
    "notebooks/cams",
    "_static/playground",
)
SIZES = {"phone": (390, 844), "desktop": (1280, 900)}

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("furo", reason="the site needs Sphinx and furo: pip install 'tangency[docs]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(ROOT / "docs"), str(folder)]
    subprocess.run(command, check=True)
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if chromium.program() is None:
        pytest.skip("no Chromium is installed; on Debian and Ubuntu: apt-get install chromium")
    with chromium.Chromium(tmp_path_factory.mktemp("profile")) as made:
        yield made


def test_pages_fit_and_have_no_errors(site, browser, tmp_path):
    page = browser.open("about:blank")
    for name in PAGES:
        for size, (width, height) in SIZES.items():
            light = {}
            for scheme in ("light", "dark"):
                where = f"{name}, {size}, {scheme}"
                page.call(
                    "Emulation.setDeviceMetricsOverride",
                    width=width,
                    height=height,
                    deviceScaleFactor=1,
                    mobile=size == "phone",
                )
                wanted = [{"name": "prefers-color-scheme", "value": scheme}]
                page.call("Emulation.setEmulatedMedia", features=wanted)
                page.call("Page.navigate", url=(site / f"{name}.html").as_uri())
                page.wait(lambda: page.evaluate("document.readyState") == "complete")
                assert page.evaluate("location.pathname").endswith(f"{name}.html")
                assert page.evaluate("document.documentElement.scrollWidth") <= width, where
                broken = "[...document.images].filter(i => i.loading !== 'lazy' && !i.naturalWidth).map(i => i.src)"
                assert page.evaluate(broken) == [], where
                light[scheme] = page.evaluate(
                    "getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).slice(0, 3)"
                    ".reduce((sum, part) => sum + Number(part), 0)"
                )
                assert page.errors == [], where
            assert light["dark"] < 300 < 600 < light["light"], (name, size, light)


def test_notebooks_can_be_downloaded(site):
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        (copy,) = (site / "_downloads").rglob(path.name)
        assert copy.read_bytes() == path.read_bytes()
        assert copy.relative_to(site).as_posix() in (site / "notebooks" / f"{path.stem}.html").read_text(
            encoding="utf-8"
        )


def test_the_site_loads_nothing_from_elsewhere(site):
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        found = re.findall(r"<(?:script|link|img|iframe|source)[^>]+(?:src|href)=\"(https?:[^\"]+)\"", text)
        assert not found, path.relative_to(site)
