"""``manage.py web``: the web server alone."""

import os
import threading
import time
from typing import Any

import uvicorn
from django.core.management.base import BaseCommand, CommandParser

from webapp.home.translations import compile_catalogues


class Command(BaseCommand):
    """Serve the pages with uvicorn."""

    help = "Serve the web application (without a worker)."

    def add_arguments(self, parser: CommandParser) -> None:
        """Host and port."""
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--parent", type=int, default=None, help="stop when this process is gone")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until told to stop."""
        compile_catalogues()
        config = uvicorn.Config(
            "webapp.asgi:application", host=options["host"], port=options["port"], log_level="warning", lifespan="off"
        )
        server = uvicorn.Server(config)
        if options["parent"]:
            threading.Thread(target=_stop_with, args=(server, options["parent"]), daemon=True).start()
        server.run()


def _stop_with(server: uvicorn.Server, parent_id: int) -> None:
    while os.getppid() == parent_id:
        time.sleep(1)
    server.should_exit = True
