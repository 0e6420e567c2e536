"""Reading and writing items; everything is validated by ``open_items``."""

from dialometer.data.formats.detect import detect
from dialometer.data.formats.protocol import Format, Item
from dialometer.data.reader import examples, open_items
from dialometer.data.row_errors import Limits

__all__ = ["Format", "Item", "Limits", "detect", "examples", "open_items"]
