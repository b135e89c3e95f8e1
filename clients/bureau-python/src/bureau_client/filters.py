"""Which rows of a list are asked for. What is left out narrows nothing. `from` and `to` are times, ISO 8601 in UTC."""

from __future__ import annotations

from typing import TypedDict

TransactionFilter = TypedDict(
    "TransactionFilter", {"from": str, "to": str, "asset": str, "type": str, "status": str}, total=False
)
OrderFilter = TypedDict("OrderFilter", {"from": str, "to": str, "coin": str, "side": str, "status": str}, total=False)
WithdrawalFilter = TypedDict(
    "WithdrawalFilter", {"from": str, "to": str, "asset": str, "type": str, "status": str}, total=False
)
DepositFilter = TypedDict(
    "DepositFilter", {"from": str, "to": str, "asset": str, "type": str, "status": str}, total=False
)
