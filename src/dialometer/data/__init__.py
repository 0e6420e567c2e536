"""Reading and writing items; everything is validated at the door (``open_items``)."""

from dialometer.data.detect import detect
from dialometer.data.door import examples, open_items
from dialometer.data.format import Format, Item
from dialometer.data.limits import Limits

__all__ = ["Format", "Item", "Limits", "detect", "examples", "open_items"]
