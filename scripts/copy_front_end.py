"""Copy the few front-end files that the pages use from node_modules into the static folder that git ignores."""

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENDOR = ROOT / "webapp" / "static" / "vendor"
FILES = {
    "@tabler/core/dist/css/tabler.min.css": "tabler/tabler.min.css",
    "@tabler/core/dist/js/tabler.min.js": "tabler/tabler.min.js",
    "echarts/dist/echarts.min.js": "echarts/echarts.min.js",
}
FONTS = ("inter", "noto-sans-sc", "noto-sans-kr")


def main() -> None:
    """Copy every file; a missing one is an error that names it."""
    for source, target in FILES.items():
        destination = VENDOR / target
        destination.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / "node_modules" / source, destination)
    for name in FONTS:
        package, target_folder = ROOT / "node_modules" / "@fontsource-variable" / name, VENDOR / "fonts" / name
        shutil.copytree(package / "files", target_folder / "files", dirs_exist_ok=True)
        shutil.copyfile(package / "index.css", target_folder / "index.css")


if __name__ == "__main__":
    main()
