"""Dialect `tile`: what all levels say of tiles, as attributes; it has no operations."""

from __future__ import annotations

from xdsl.ir import Dialect

from compiler.dialects.boxes import BoxesAttr, FormAttr, FormsAttr
from compiler.dialects.parts import PlacesAttr, RangesAttr
from compiler.dialects.rows import RowsAttr

TileDialect = Dialect("tile", [], [BoxesAttr, FormAttr, FormsAttr, PlacesAttr, RangesAttr, RowsAttr])
