"""The operations of the document, each a method under its own name."""

from __future__ import annotations

import random as chance
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, cast, overload

from . import schema
from .attempt import Transport
from .call import CallInput, Connection, call
from .filters import DepositFilter, OrderFilter, TransactionFilter, WithdrawalFilter
from .errors import BureauConnectionError, BureauError
from .retry import Clock, RetryLimits
from .stream import EventsMessage, StatusMessage, Streaming, TickersMessage, follow
from .transport import send
from .web_socket import OpenSocket, open_socket as open_web_socket

_ENDPOINTS = "/api/v1/webhook-endpoints"
_ENDPOINT = f"{_ENDPOINTS}/{{id}}"


class BureauClient:
    """
    A client of Bureau. Each method returns the body that the document promises, with amounts as decimal strings. It
    raises `BureauError` when the exchange refuses, and `BureauConnectionError` when no word of it arrived.

    A client keeps no state: threads may share one. Without a key it reads what is public.
    """

    def __init__(
        self,
        origin: str,
        api_key: str | None = None,
        *,
        limits: RetryLimits = RetryLimits(),
        transport: Transport = send,
        clock: Clock = Clock(),
        random: Callable[[], float] = chance.random,
        create_key: Callable[[], str] = lambda: str(uuid.uuid4()),
        open_socket: OpenSocket = open_web_socket,
    ) -> None:
        """
        `origin` is where the exchange is, such as `https://exchange.example`. `create_key` makes an Idempotency-Key:
        unique, 1 to 255 visible ASCII characters.
        """
        self._connection = Connection(origin, api_key, limits, transport, clock, random, create_key)
        self._open_socket = open_socket

    def __repr__(self) -> str:
        return f"BureauClient({self._connection.origin!r})"

    def call(
        self,
        method: str,
        path: str,
        *,
        places: Mapping[str, str] | None = None,
        query: Mapping[str, str | int | None] | None = None,
        body: object = None,
        idempotency_key: str | None = None,
        request_id: str | None = None,
        limits: RetryLimits | None = None,
    ) -> Any:
        """Makes any request by its method and path, such as `GET` and `/api/v1/orders/{id}`, and returns the body."""
        header = {"Idempotency-Key": idempotency_key, "X-Request-Id": request_id}
        return call(self._connection, method, path, CallInput(places or {}, query or {}, header, body), limits)

    def list_balances(
        self, *, request_id: str | None = None, limits: RetryLimits | None = None
    ) -> schema.ListBalancesResult:
        """Returns what the account holds, every asset."""
        body = self.call("GET", "/api/v1/wallet/balances", request_id=request_id, limits=limits)
        return cast(schema.ListBalancesResult, body)

    def list_addresses(
        self, *, request_id: str | None = None, limits: RetryLimits | None = None
    ) -> schema.ListAddressesResult:
        """Returns where the account receives, one address per network."""
        body = self.call("GET", "/api/v1/wallet/addresses", request_id=request_id, limits=limits)
        return cast(schema.ListAddressesResult, body)

    def list_transactions(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        filter: TransactionFilter | None = None,
        request_id: str | None = None,
        limits: RetryLimits | None = None,
    ) -> schema.ListTransactionsResult:
        """Returns a page of the activity feed; `transactions` walks through all of it."""
        query = _query_page(filter, limit, cursor)
        body = self.call("GET", "/api/v1/wallet/transactions", query=query, request_id=request_id, limits=limits)
        return cast(schema.ListTransactionsResult, body)

    def transactions(
        self, *, page_size: int | None = None, filter: TransactionFilter | None = None
    ) -> Iterator[schema.Transaction]:
        """Walks through the activity of the account, newest first, a page at a time."""
        return _walk(
            lambda cursor: self.list_transactions(limit=page_size, cursor=cursor, filter=filter), "transactions"
        )

    def create_withdrawal(
        self,
        withdrawal: schema.CreateWithdrawal,
        *,
        idempotency_key: str | None = None,
        request_id: str | None = None,
        limits: RetryLimits | None = None,
    ) -> schema.CreateWithdrawalResult:
        """Withdraws to an address, once however often it is sent."""
        body = self.call(
            "POST",
            "/api/v1/wallet/withdrawals",
            body=withdrawal,
            idempotency_key=idempotency_key,
            request_id=request_id,
            limits=limits,
        )
        return cast(schema.CreateWithdrawalResult, body)

    def list_withdrawals(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        filter: WithdrawalFilter | None = None,
        request_id: str | None = None,
        limits: RetryLimits | None = None,
    ) -> schema.ListWithdrawalsResult:
        """Returns a page of the withdrawals; `withdrawals` walks through all of them."""
        query = _query_page(filter, limit, cursor)
        body = self.call("GET", "/api/v1/wallet/withdrawals", query=query, request_id=request_id, limits=limits)
        return cast(schema.ListWithdrawalsResult, body)

    def withdrawals(
        self, *, page_size: int | None = None, filter: WithdrawalFilter | None = None
    ) -> Iterator[schema.Withdrawal]:
        """Walks through the withdrawals of the account, newest first, a page at a time."""
        return _walk(lambda cursor: self.list_withdrawals(limit=page_size, cursor=cursor, filter=filter), "withdrawals")

    def get_withdrawal(
        self, id: str, *, request_id: str | None = None, limits: RetryLimits | None = None
    ) -> schema.GetWithdrawalResult:
        """Returns a withdrawal of the account."""
        path = "/api/v1/wallet/withdrawals/{id}"
        body = self.call("GET", path, places={"id": id}, request_id=request_id, limits=limits)
        return cast(schema.GetWithdrawalResult, body)

    def list_deposits(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        filter: DepositFilter | None = None,
        request_id: str | None = None,
        limits: RetryLimits | None = None,
    ) -> schema.ListDepositsResult:
        """Returns a page of the deposits; `deposits` walks through all of them."""
        query = _query_page(filter, limit, cursor)
        body = self.call("GET", "/api/v1/wallet/deposits", query=query, request_id=request_id, limits=limits)
        return cast(schema.ListDepositsResult, body)

    def deposits(
        self, *, page_size: int | None = None, filter: DepositFilter | None = None
    ) -> Iterator[schema.AccountDeposit]:
        """Walks through the deposits of the account, newest first, a page at a time."""
        return _walk(lambda cursor: self.list_deposits(limit=page_size, cursor=cursor, filter=filter), "deposits")

    def get_deposit(
        self, id: str, *, request_id: str | None = None, limits: RetryLimits | None = None
    ) -> schema.GetDepositResult:
        """Returns a deposit of the account."""
        path = "/api/v1/wallet/deposits/{id}"
        body = self.call("GET", path, places={"id": id}, request_id=request_id, limits=limits)
        return cast(schema.GetDepositResult, body)

    def place_order(
        self,
        order: schema.PlaceOrder,
        *,
        idempotency_key: str | None = None,
        request_id: str | None = None,
        limits: RetryLimits | None = None,
    ) -> schema.PlaceOrderResult:
        """
        Places an order, which fills at once and whole or not at all, once however often it is sent. Give your own
        `idempotency_key`, written down before, to have an intent survive the end of the process.
        """
        body = self.call(
            "POST",
            "/api/v1/orders",
            body=order,
            idempotency_key=idempotency_key,
            request_id=request_id,
            limits=limits,
        )
        return cast(schema.PlaceOrderResult, body)

    def preview_order(
        self, order: schema.PlaceOrder, *, request_id: str | None = None, limits: RetryLimits | None = None
    ) -> schema.PreviewOrderResult:
        """Returns what an order would fill at now. It does nothing; an order fills at the price of its own moment."""
        body = self.call("POST", "/api/v1/orders/preview", body=order, request_id=request_id, limits=limits)
        return cast(schema.PreviewOrderResult, body)

    def list_orders(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        filter: OrderFilter | None = None,
        request_id: str | None = None,
        limits: RetryLimits | None = None,
    ) -> schema.ListOrdersResult:
        """Returns a page of the orders; `orders` walks through all of them."""
        query = _query_page(filter, limit, cursor)
        body = self.call("GET", "/api/v1/orders", query=query, request_id=request_id, limits=limits)
        return cast(schema.ListOrdersResult, body)

    def orders(
        self, *, page_size: int | None = None, filter: OrderFilter | None = None
    ) -> Iterator[schema.Order]:
        """Walks through the orders of the account, newest first, a page at a time."""
        return _walk(lambda cursor: self.list_orders(limit=page_size, cursor=cursor, filter=filter), "orders")

    def get_order(
        self, id: str, *, request_id: str | None = None, limits: RetryLimits | None = None
    ) -> schema.GetOrderResult:
        """Returns an order of the account."""
        body = self.call("GET", "/api/v1/orders/{id}", places={"id": id}, request_id=request_id, limits=limits)
        return cast(schema.GetOrderResult, body)

    def list_tickers(self, *, request_id: str | None = None, limits: RetryLimits | None = None) -> schema.TickerList:
        """Returns every market's price. A `degraded` one is a static fallback, at which nothing ever fills."""
        body = self.call("GET", "/api/v1/markets/tickers", request_id=request_id, limits=limits)
        return cast(schema.TickerList, body)

    def get_ticker(
        self, symbol: str, *, request_id: str | None = None, limits: RetryLimits | None = None
    ) -> schema.TickerAnswer:
        """Returns the price of one market."""
        path = "/api/v1/markets/{symbol}"
        body = self.call("GET", path, places={"symbol": symbol}, request_id=request_id, limits=limits)
        return cast(schema.TickerAnswer, body)

    def list_candles(
        self,
        symbol: str,
        *,
        interval: str | None = None,
        limit: int | None = None,
        start_time: str | None = None,
        end_time: str | None = None,
        request_id: str | None = None,
        limits: RetryLimits | None = None,
    ) -> schema.CandleList:
        """Returns candles in ascending order; the last may still be running."""
        path = "/api/v1/markets/{symbol}/candles"
        query = {"interval": interval, "limit": limit, "startTime": start_time, "endTime": end_time}
        body = self.call("GET", path, places={"symbol": symbol}, query=query, request_id=request_id, limits=limits)
        return cast(schema.CandleList, body)

    def list_assets(self, *, request_id: str | None = None, limits: RetryLimits | None = None) -> schema.AssetList:
        """Returns assets, the networks that carry them, fees and minimums."""
        return cast(schema.AssetList, self.call("GET", "/api/v1/assets", request_id=request_id, limits=limits))

    def get_exchange_info(
        self, *, request_id: str | None = None, limits: RetryLimits | None = None
    ) -> schema.ExchangeInfo:
        """Returns markets with their steps and bounds, intervals, rate limits."""
        return cast(schema.ExchangeInfo, self.call("GET", "/api/v1/exchange-info", request_id=request_id, limits=limits))

    def get_server_time(self, *, request_id: str | None = None, limits: RetryLimits | None = None) -> schema.ServerTime:
        """Returns the exchange's clock."""
        return cast(schema.ServerTime, self.call("GET", "/api/v1/time", request_id=request_id, limits=limits))

    def get_status(self, *, request_id: str | None = None, limits: RetryLimits | None = None) -> schema.Status:
        """Returns whether trading, withdrawals and prices are as they should be."""
        return cast(schema.Status, self.call("GET", "/api/v1/status", request_id=request_id, limits=limits))

    def get_api_key(
        self, *, request_id: str | None = None, limits: RetryLimits | None = None
    ) -> schema.GetApiKeyResult:
        """Returns what the key of this client may do, and how often."""
        body = self.call("GET", "/api/v1/account/api-key", request_id=request_id, limits=limits)
        return cast(schema.GetApiKeyResult, body)

    def get_statement(
        self,
        from_time: str,
        to_time: str | None = None,
        *,
        request_id: str | None = None,
        limits: RetryLimits | None = None,
    ) -> schema.Statement:
        """Returns what the account held, every movement, and what it holds after them; one a minute and account."""
        query = {"from": from_time, "to": to_time}
        body = self.call("GET", "/api/v1/account/statement", query=query, request_id=request_id, limits=limits)
        return cast(schema.Statement, body)

    def list_events(
        self,
        *,
        after: int | None = None,
        types: str | None = None,
        limit: int | None = None,
        request_id: str | None = None,
        limits: RetryLimits | None = None,
    ) -> schema.EventPage:
        """Returns a page of the events of the account, oldest first; `events` walks through all of them."""
        query = {"after": after, "types": types, "limit": limit}
        body = self.call("GET", "/api/v1/events", query=query, request_id=request_id, limits=limits)
        return cast(schema.EventPage, body)

    def events(
        self,
        *,
        after: int | None = None,
        types: Iterable[str] | None = None,
        page_size: int | None = None,
        pause_s: float | None = None,
    ) -> Iterator[schema.Event]:
        """
        Walks through what happened to the account, oldest first, each event once. Store the `sequence` of each event
        that you have dealt with, and begin `after` it next time. With `pause_s` it does not end at the newest event,
        but asks again after so many seconds. The first call ever makes the account listen: earlier events do not exist.
        """
        wanted = None if types is None else ",".join(types)
        while True:
            page = self.list_events(after=after, types=wanted, limit=page_size)
            yield from page["events"]
            # Of a feed that is narrowed to some types, a page may be empty before the end.
            is_at_end = not page["events"] and page["nextAfter"] == after
            after = page["nextAfter"]
            if not is_at_end:
                continue
            if pause_s is None:
                return
            self._connection.clock.sleep(pause_s)

    @overload
    def stream(self, channel: Literal["events"], *, after: int | None = None) -> Iterator[EventsMessage]: ...

    @overload
    def stream(
        self, channel: Literal["tickers"], *, symbols: Iterable[str] | None = None
    ) -> Iterator[TickersMessage]: ...

    @overload
    def stream(self, channel: Literal["status"]) -> Iterator[StatusMessage]: ...

    def stream(
        self, channel: str, *, after: int | None = None, symbols: Iterable[str] | None = None
    ) -> Iterator[Any]:
        """
        Follows events and balances, tickers or the status as they change, without an end: it connects again after every
        cut, and leaves out no event and gives none twice. Store the `sequence` of a message that you have dealt with, and
        begin `after` it; without it you are told what happens from now on. Raises `BureauError` only for what is refused
        for good, such as a revoked key.
        """
        connection = self._connection
        path = "/api/v1/account/stream" if channel == "events" else "/api/v1/stream"
        headers = {} if connection.api_key is None else {"Authorization": f"Bearer {connection.api_key}"}
        params: dict[str, object] = {"channel": channel}
        if symbols is not None:
            params["symbols"] = list(symbols)

        def ask_why() -> None:
            try:
                self.call("GET", path, limits=RetryLimits(attempts=1))
            except BureauConnectionError:
                return
            except BureauError as refusal:
                # Of a request that is no upgrade this is the answer when all is well.
                if not refusal.retryable and refusal.code != "invalid_request":
                    raise

        url = connection.origin.rstrip("/").replace("http", "ws", 1) + path
        means = Streaming(
            lambda: self._open_socket(url, headers, connection.limits.timeout_s),
            connection.clock,
            connection.random,
            ask_why,
        )
        return follow(params, after, means)

    def create_webhook_endpoint(
        self,
        endpoint: schema.CreateWebhookEndpoint,
        *,
        request_id: str | None = None,
        limits: RetryLimits | None = None,
    ) -> schema.CreateWebhookEndpointResult:
        """Has events sent to an address. The secret that signs them is in this answer alone."""
        body = self.call("POST", _ENDPOINTS, body=endpoint, request_id=request_id, limits=limits)
        return cast(schema.CreateWebhookEndpointResult, body)

    def list_webhook_endpoints(
        self, *, request_id: str | None = None, limits: RetryLimits | None = None
    ) -> schema.ListWebhookEndpointsResult:
        """Returns the addresses that events are sent to."""
        body = self.call("GET", _ENDPOINTS, request_id=request_id, limits=limits)
        return cast(schema.ListWebhookEndpointsResult, body)

    def get_webhook_endpoint(
        self, id: str, *, request_id: str | None = None, limits: RetryLimits | None = None
    ) -> schema.GetWebhookEndpointResult:
        """Returns one endpoint, without its secret."""
        body = self.call("GET", _ENDPOINT, places={"id": id}, request_id=request_id, limits=limits)
        return cast(schema.GetWebhookEndpointResult, body)

    def change_webhook_endpoint(
        self,
        id: str,
        change: schema.ChangeWebhookEndpoint,
        *,
        request_id: str | None = None,
        limits: RetryLimits | None = None,
    ) -> schema.ChangeWebhookEndpointResult:
        """Changes what is given, and leaves the rest."""
        body = self.call("PATCH", _ENDPOINT, places={"id": id}, body=change, request_id=request_id, limits=limits)
        return cast(schema.ChangeWebhookEndpointResult, body)

    def delete_webhook_endpoint(
        self, id: str, *, request_id: str | None = None, limits: RetryLimits | None = None
    ) -> schema.DeleteWebhookEndpointResult:
        """Sends nothing more to an address."""
        body = self.call("DELETE", _ENDPOINT, places={"id": id}, request_id=request_id, limits=limits)
        return cast(schema.DeleteWebhookEndpointResult, body)

    def rotate_webhook_secret(
        self, id: str, *, request_id: str | None = None, limits: RetryLimits | None = None
    ) -> schema.RotateWebhookSecretResult:
        """Makes a new secret. For 24 hours each delivery is signed with the old one as well."""
        path = f"{_ENDPOINT}/rotate-secret"
        body = self.call("POST", path, places={"id": id}, request_id=request_id, limits=limits)
        return cast(schema.RotateWebhookSecretResult, body)

    def test_webhook_endpoint(
        self, id: str, *, request_id: str | None = None, limits: RetryLimits | None = None
    ) -> schema.TestWebhookEndpointResult:
        """Sends one event that says nothing, and returns how the attempt ended."""
        body = self.call("POST", f"{_ENDPOINT}/test", places={"id": id}, request_id=request_id, limits=limits)
        return cast(schema.TestWebhookEndpointResult, body)

    def resend_event(
        self,
        id: str,
        resend: schema.ResendEvent,
        *,
        request_id: str | None = None,
        limits: RetryLimits | None = None,
    ) -> schema.ResendEventResult:
        """Sends one event again at once, out of its order, and returns how the attempt ended."""
        path = f"{_ENDPOINT}/resend"
        body = self.call("POST", path, places={"id": id}, body=resend, request_id=request_id, limits=limits)
        return cast(schema.ResendEventResult, body)

    def replay_events(
        self,
        id: str,
        replay: schema.ReplayEvents,
        *,
        request_id: str | None = None,
        limits: RetryLimits | None = None,
    ) -> schema.ReplayEventsResult:
        """Sends every event after a number again, or all that are kept, in order."""
        path = f"{_ENDPOINT}/replay"
        body = self.call("POST", path, places={"id": id}, body=replay, request_id=request_id, limits=limits)
        return cast(schema.ReplayEventsResult, body)

    def list_webhook_deliveries(
        self, id: str, *, request_id: str | None = None, limits: RetryLimits | None = None
    ) -> schema.ListWebhookDeliveriesResult:
        """Returns the newest attempts of an endpoint, and how far it is."""
        path = f"{_ENDPOINT}/deliveries"
        body = self.call("GET", path, places={"id": id}, request_id=request_id, limits=limits)
        return cast(schema.ListWebhookDeliveriesResult, body)

    def get_open_api(self, *, request_id: str | None = None, limits: RetryLimits | None = None) -> schema.OpenApi:
        """Returns the document of the API, as the exchange serves it."""
        return cast(schema.OpenApi, self.call("GET", "/api/v1/openapi.json", request_id=request_id, limits=limits))

    def get_async_api(self, *, request_id: str | None = None, limits: RetryLimits | None = None) -> schema.AsyncApi:
        """Returns the document of the streams, as the exchange serves it."""
        return cast(schema.AsyncApi, self.call("GET", "/api/v1/asyncapi.json", request_id=request_id, limits=limits))


def _query_page(
    filter: Mapping[str, object] | None, limit: int | None, cursor: str | None
) -> dict[str, str | int | None]:
    """The query of a page of a list: all members of a filter are texts."""
    return {**cast("Mapping[str, str]", filter or {}), "limit": limit, "cursor": cursor}


def _walk(read_page: Callable[[str | None], Any], rows: str) -> Iterator[Any]:
    """
    Walks a list page by page. Every row that was there when the walk began comes exactly once; a page is asked for when
    its first row is.
    """
    cursor: str | None = None
    while True:
        page = read_page(cursor)
        yield from page[rows]
        cursor = page["nextCursor"]
        if cursor is None:
            return
