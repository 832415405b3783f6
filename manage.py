#!/usr/bin/env python
"""Django's command line: ``serve`` starts web and worker together, ``worker`` a worker alone."""

import os
import sys


def main() -> None:
    """Run one management command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    if sys.argv[1:2] == ["serve"]:
        # Before the settings are read: a laptop has neither a secret key nor a certificate.
        from webapp.local import prepare_environment

        prepare_environment()
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
