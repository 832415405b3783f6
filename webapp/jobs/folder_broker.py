"""A broker without a server: kombu's folder of messages, made safe against half-written files.

kombu writes a message in place, so that a reader can see half of it; here it is written aside and renamed. A file that
cannot be read all the same is dropped: the job row is the truth, and the sweeper sends it again.
"""

import logging
import os
import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import filesystem
from kombu.utils.json import dumps

logger = logging.getLogger(__name__)


class Channel(filesystem.Channel):
    """Writes messages whole or not at all."""

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{time.time_ns()}_{uuid.uuid4()}"
        folder = Path(self.data_folder_out)
        aside = folder / f".{name}"
        try:
            aside.write_text(str(dumps(payload)), encoding="utf-8")  # type: ignore[no-untyped-call]
            aside.replace(folder / f"{name}.{queue}.msg")
        except OSError as error:
            aside.unlink(missing_ok=True)
            message = f"Cannot add a message to {folder}"
            raise ChannelError(message) from error

    def _get(self, queue: str) -> Any:  # type: ignore[override]
        try:
            return super()._get(queue)  # type: ignore[no-untyped-call]
        except ValueError as error:
            logger.warning("a message in the queue %s could not be read and was dropped: %s", queue, error)
            raise Empty from error


class Transport(filesystem.Transport):
    """The transport behind ``filesystem://``."""

    Channel = Channel

    def __init__(self, client: Any, **kwargs: Any) -> None:
        for option in ("data_folder_in", "data_folder_out", "control_folder", "processed_folder"):
            os.makedirs(client.transport_options[option], exist_ok=True)  # noqa: PTH103 - kombu keeps texts
        super().__init__(client, **kwargs)  # type: ignore[no-untyped-call]
