"""The types of the API's document. Written by `npm run openapi`: do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Union


class AccountDeposit(TypedDict):
    id: str
    """UUIDv7; the three digits after its 7 are the ledger that holds it"""
    ts: str
    """ISO 8601, UTC, milliseconds"""
    type: Literal["ONCHAIN_DEPOSIT", "INTERNAL_DEPOSIT"]
    """From a chain; or a credit, or a payment from another account of this exchange"""
    asset: str
    """Asset symbol"""
    amount: str
    """What the account is credited"""
    usdValue: str
    """At the time of the deposit"""
    network: str | None
    """null for an internal deposit"""
    address: str | None
    """The deposit address that received it; null for an internal deposit"""
    txHash: str | None
    """null for an internal deposit"""
    confirmations: int | None
    """Those of the report that brought it into its present state; null for an internal deposit"""
    confirmationsNeeded: int | None
    """After which it is credited; null for an internal deposit"""
    status: Literal["PENDING", "COMPLETED", "FAILED"]
    """Waits for confirmations; credited; reverted on its chain"""


class AccountEventData(TypedDict):
    account: EventAccount


class AccountEvent(TypedDict):
    id: str
    """Unique: the same event always has the same id, however often it is delivered"""
    type: Literal[
        "account.frozen",
        "account.thawed",
        "security.totp_on",
        "security.totp_off",
    ]
    timestamp: str
    """ISO 8601, UTC, milliseconds"""
    sequence: int
    """The number of the event: 1, 2, 3 and so on, without a gap"""
    data: AccountEventData
    """The record as it is now, which may be newer than the event"""


class AllowlistEntry(TypedDict):
    id: str
    """UUIDv7; the three digits after its 7 are the ledger that holds it"""
    network: str
    address: str
    """In its canonical form"""
    label: str
    createdAt: str
    """ISO 8601, UTC, milliseconds"""
    usableAt: str
    """When the cooling period is over"""


class AllowlistEventData(TypedDict):
    allowlistEntry: AllowlistEntry


class AllowlistEvent(TypedDict):
    id: str
    """Unique: the same event always has the same id, however often it is delivered"""
    type: Literal["allowlist.added", "allowlist.removed"]
    timestamp: str
    """ISO 8601, UTC, milliseconds"""
    sequence: int
    """The number of the event: 1, 2, 3 and so on, without a gap"""
    data: AllowlistEventData
    """The record as it is now, which may be newer than the event"""


class AssetListAsset(TypedDict):
    asset: Literal[
        "USDT",
        "USDC",
        "BTC",
        "ETH",
        "AVAX",
        "MATIC",
        "BNB",
        "LTC",
        "DOGE",
    ]
    name: str
    scale: int
    """Decimals that an amount may have here"""
    networks: list[AssetOnNetwork]


class AssetList(TypedDict):
    assets: list[AssetListAsset]


class AssetOnNetwork(TypedDict):
    network: Literal[
        "BTC",
        "BEP20",
        "TRC20",
        "SOL",
        "ETH",
        "ARBITRUM",
        "OPTIMISM",
        "BASE",
        "AVAX",
        "POLYGON",
        "LTC",
        "DOGE",
    ]
    contractAddress: str | None
    """Contract or mint; null for the network’s own coin"""
    decimals: int
    """Decimals on the chain"""
    depositEnabled: bool
    """Whether to send deposits; `deposits` says why not"""
    deposits: Literal["OPEN", "PAUSED", "UNSERVED"]
    """PAUSED: switched off by the operator for now. UNSERVED: nobody watches the network, so a deposit would not be seen. What arrives on a paused network is credited all the same"""
    minDeposit: str
    """In the asset; a smaller deposit is not credited"""
    withdrawEnabled: bool
    withdrawFee: str
    """In the asset, on top of the amount"""
    minWithdrawal: str
    """In the asset"""
    confirmations: int
    """After which a deposit is credited"""
    addressPattern: str
    """A regular expression that every address of the network matches; some other texts do, too"""


class AsyncApi(TypedDict):
    asyncapi: str


class Balance(TypedDict):
    asset: str
    """Asset symbol"""
    amount: str
    """Plain decimal"""


class Candle(TypedDict):
    ts: str
    """Start of the candle"""
    open: str
    """In USDT"""
    high: str
    """In USDT"""
    low: str
    """In USDT"""
    close: str
    """In USDT"""
    volume: str
    """In the base asset"""


class CandleList(TypedDict):
    symbol: Literal[
        "USDC",
        "BTC",
        "ETH",
        "AVAX",
        "MATIC",
        "BNB",
        "LTC",
        "DOGE",
    ]
    pair: str
    interval: Literal[
        "1m",
        "3m",
        "5m",
        "15m",
        "30m",
        "1h",
        "2h",
        "4h",
        "6h",
        "12h",
        "1d",
        "1w",
        "1M",
    ]
    candles: list[Candle]


class ChangeWebhookEndpoint(TypedDict):
    url: NotRequired[str]
    """Where events are sent: https, to a public name, on port 443 or 8443"""
    types: NotRequired[list[Literal[
        "order.filled",
        "deposit.completed",
        "deposit.pending",
        "deposit.failed",
        "deposit.quarantined",
        "withdrawal.completed",
        "withdrawal.pending",
        "withdrawal.processing",
        "withdrawal.failed",
        "settlement.completed",
        "account.frozen",
        "account.thawed",
        "security.totp_on",
        "security.totp_off",
        "security.signed_in",
        "security.passkey_added",
        "security.passkey_removed",
        "security.recovery_codes_drawn",
        "security.recovery_allowed",
        "security.recovered",
        "key.created",
        "key.revoked",
        "allowlist.added",
        "allowlist.removed",
        "endpoint.disabled",
        "endpoint.test",
    ]]]
    """The types that are sent; empty: all"""
    description: NotRequired[str]
    status: NotRequired[Literal["enabled", "disabled"]]


class CreateWebhookEndpoint(TypedDict):
    url: str
    """Where events are sent: https, to a public name, on port 443 or 8443"""
    types: NotRequired[list[Literal[
        "order.filled",
        "deposit.completed",
        "deposit.pending",
        "deposit.failed",
        "deposit.quarantined",
        "withdrawal.completed",
        "withdrawal.pending",
        "withdrawal.processing",
        "withdrawal.failed",
        "settlement.completed",
        "account.frozen",
        "account.thawed",
        "security.totp_on",
        "security.totp_off",
        "security.signed_in",
        "security.passkey_added",
        "security.passkey_removed",
        "security.recovery_codes_drawn",
        "security.recovery_allowed",
        "security.recovered",
        "key.created",
        "key.revoked",
        "allowlist.added",
        "allowlist.removed",
        "endpoint.disabled",
        "endpoint.test",
    ]]]
    """The types that are sent; empty: all"""
    description: NotRequired[str]


class CreateWithdrawal(TypedDict):
    asset: Literal[
        "USDT",
        "USDC",
        "BTC",
        "ETH",
        "AVAX",
        "MATIC",
        "BNB",
        "LTC",
        "DOGE",
    ]
    network: str
    """One that carries the asset: see GET /api/v1/assets"""
    amount: str
    """What the address is to receive; the fee comes on top"""
    address: str
    """Destination on the chain"""
    totpCode: NotRequired[str | None]
    """Six digits. Needed, and new for every withdrawal, where two-factor authentication is on; null or empty is as if absent"""
    clientOrderId: NotRequired[str]
    """Your own name for it: 1 to 64 visible ASCII characters. Each account uses one once, for good. A second use is `client_order_id_reused`, and a repetition with the same `Idempotency-Key` is still answered as the first"""


class DepositAddress(TypedDict):
    network: Literal[
        "BTC",
        "BEP20",
        "TRC20",
        "SOL",
        "ETH",
        "ARBITRUM",
        "OPTIMISM",
        "BASE",
        "AVAX",
        "POLYGON",
        "LTC",
        "DOGE",
    ]
    address: str
    primaryAsset: str
    """The asset most often deposited there"""


class DepositEventData(TypedDict):
    deposit: EventDeposit


class DepositEvent(TypedDict):
    id: str
    """Unique: the same event always has the same id, however often it is delivered"""
    type: Literal[
        "deposit.completed",
        "deposit.pending",
        "deposit.failed",
        "deposit.quarantined",
    ]
    timestamp: str
    """ISO 8601, UTC, milliseconds"""
    sequence: int
    """The number of the event: 1, 2, 3 and so on, without a gap"""
    data: DepositEventData
    """The record as it is now, which may be newer than the event"""


class EndpointEventDataWebhookEndpoint(TypedDict):
    id: str
    """UUIDv7; the three digits after its 7 are the ledger that holds it"""
    url: str
    reason: Literal["gone", "failing", "key_revoked", None]
    """Why it was switched off; null in a test"""


class EndpointEventData(TypedDict):
    webhookEndpoint: EndpointEventDataWebhookEndpoint


class EndpointEvent(TypedDict):
    id: str
    """Unique: the same event always has the same id, however often it is delivered"""
    type: Literal["endpoint.disabled", "endpoint.test"]
    timestamp: str
    """ISO 8601, UTC, milliseconds"""
    sequence: int
    """The number of the event: 1, 2, 3 and so on, without a gap"""
    data: EndpointEventData
    """The record as it is now, which may be newer than the event"""


class EventAccount(TypedDict):
    id: str
    """UUIDv7; the three digits after its 7 are the ledger that holds it"""
    status: Literal["active", "frozen"]
    twoFactor: bool
    """Whether withdrawals need a two-factor code"""


class EventDeposit(TypedDict):
    id: str
    """UUIDv7; the three digits after its 7 are the ledger that holds it"""
    ts: str
    """ISO 8601, UTC, milliseconds"""
    type: Literal["ONCHAIN_DEPOSIT", "INTERNAL_DEPOSIT"]
    """From a chain; or a credit, or a payment from another account of this exchange"""
    asset: str
    """Asset symbol"""
    amount: str
    """What the account is credited"""
    usdValue: str
    """At the time of the deposit"""
    network: str | None
    """null for an internal deposit"""
    address: str | None
    """The deposit address that received it; null for an internal deposit"""
    txHash: str | None
    """null for an internal deposit"""
    confirmations: int | None
    """Those of the report that brought it into its present state; null for an internal deposit"""
    confirmationsNeeded: int | None
    """After which it is credited; null for an internal deposit"""
    status: Literal["PENDING", "COMPLETED", "FAILED", "QUARANTINED"]
    """Waits for confirmations; credited; reverted on its chain; held for the operator"""


class EventPage(TypedDict):
    events: list[Event]
    nextAfter: int
    """Send it as `after` for what comes next, also when `events` is empty"""
    since: int
    """Every event with a higher number is kept; an `after` below it is refused"""
    newest: int
    """The number of the newest event. Sent as `after`, it gives only what happens from now on"""


class ExchangeInfoSymbol(TypedDict):
    symbol: Literal[
        "USDC",
        "BTC",
        "ETH",
        "AVAX",
        "MATIC",
        "BNB",
        "LTC",
        "DOGE",
    ]
    pair: str
    base: Literal[
        "USDT",
        "USDC",
        "BTC",
        "ETH",
        "AVAX",
        "MATIC",
        "BNB",
        "LTC",
        "DOGE",
    ]
    quote: Literal[
        "USDT",
        "USDC",
        "BTC",
        "ETH",
        "AVAX",
        "MATIC",
        "BNB",
        "LTC",
        "DOGE",
    ]
    status: Literal["TRADING", "HALTED"]
    baseStep: str
    """Smallest step of a quantity"""
    quoteStep: str
    """Smallest step of an amount in USDT"""
    minNotional: str
    """Smallest order, in USDT"""
    maxNotional: str
    """Largest order, in USDT"""
    spreadBps: int
    """The exchange’s spread in force, in hundredths of a percent. A fill adds half of the range that the agreeing venues span: POST /api/v1/orders/preview tells both"""


class ExchangeInfoRateLimit(TypedDict):
    bucket: Literal["read", "trade", "withdraw"]
    perMinute: int
    perDay: int


class ExchangeInfo(TypedDict):
    symbols: list[ExchangeInfoSymbol]
    intervals: list[Literal[
        "1m",
        "3m",
        "5m",
        "15m",
        "30m",
        "1h",
        "2h",
        "4h",
        "6h",
        "12h",
        "1d",
        "1w",
        "1M",
    ]]
    """Of candles"""
    rateLimits: list[ExchangeInfoRateLimit]
    """Of a key without limits of its own"""
    serverTime: str
    """When the answer was made; the clock itself is GET /api/v1/time"""


class KeyEventData(TypedDict):
    apiKey: OwnApiKey


class KeyEvent(TypedDict):
    id: str
    """Unique: the same event always has the same id, however often it is delivered"""
    type: Literal["key.created", "key.revoked"]
    timestamp: str
    """ISO 8601, UTC, milliseconds"""
    sequence: int
    """The number of the event: 1, 2, 3 and so on, without a gap"""
    data: KeyEventData
    """The record as it is now, which may be newer than the event"""


class OpenApi(TypedDict):
    openapi: str


class Order(TypedDict):
    id: str
    """UUIDv7; the three digits after its 7 are the ledger that holds it"""
    ts: str
    """ISO 8601, UTC, milliseconds"""
    coin: str
    """Base symbol"""
    side: Literal["BUY", "SELL"]
    executedPrice: str
    """In USDT, the spread included"""
    coinAmount: str
    """Exactly what moved of the coin"""
    usdtAmount: str
    """Exactly what moved of USDT"""
    status: Literal["COMPLETED", "FAILED"]
    """There is no other state"""
    keyId: str
    """The API key that placed it"""
    midPrice: NotRequired[str]
    """The middle of the market that it fills at, in USDT, without the spread"""
    spreadBps: NotRequired[float]
    """How far `executedPrice` is from `midPrice`, in hundredths of a percent with two decimals: the exchange’s spread, and half of the range that the agreeing venues span. There is no other fee"""
    clientOrderId: NotRequired[str]
    """The client’s own name for it"""


class OrderEventData(TypedDict):
    order: Order


class OrderEvent(TypedDict):
    id: str
    """Unique: the same event always has the same id, however often it is delivered"""
    type: Literal["order.filled"]
    timestamp: str
    """ISO 8601, UTC, milliseconds"""
    sequence: int
    """The number of the event: 1, 2, 3 and so on, without a gap"""
    data: OrderEventData
    """The record as it is now, which may be newer than the event"""


class OrderPreview(TypedDict):
    ts: str
    """ISO 8601, UTC, milliseconds"""
    coin: str
    """Base symbol"""
    side: Literal["BUY", "SELL"]
    executedPrice: str
    """In USDT, the spread included"""
    coinAmount: str
    """What would move of the coin"""
    usdtAmount: str
    """What would move of USDT"""
    midPrice: NotRequired[str]
    """The middle of the market that it fills at, in USDT, without the spread"""
    spreadBps: NotRequired[float]
    """How far `executedPrice` is from `midPrice`, in hundredths of a percent with two decimals: the exchange’s spread, and half of the range that the agreeing venues span. There is no other fee"""


class OwnApiKeyLimitsRead(TypedDict):
    perMinute: int
    perDay: int


class OwnApiKeyLimitsTrade(TypedDict):
    perMinute: int
    perDay: int


class OwnApiKeyLimitsWithdraw(TypedDict):
    perMinute: int
    perDay: int


class OwnApiKeyLimits(TypedDict):
    read: OwnApiKeyLimitsRead
    trade: OwnApiKeyLimitsTrade
    withdraw: OwnApiKeyLimitsWithdraw


class OwnApiKey(TypedDict):
    id: str
    """UUIDv7; the three digits after its 7 are the ledger that holds it"""
    label: str
    scopes: list[Literal["read", "trade", "withdraw", "webhooks"]]
    ipAllowlist: list[str] | None
    """Addresses and CIDR ranges that the key may be used from; null allows every address"""
    createdAt: str
    """ISO 8601, UTC, milliseconds"""
    expiresAt: str | None
    """ISO 8601, UTC, milliseconds"""
    limits: OwnApiKeyLimits
    """The limits of each bucket of the key"""


class PlaceOrder(TypedDict):
    coin: str
    """Base symbol, in any case; the order is against USDT"""
    side: Literal["BUY", "SELL"]
    mode: Literal["COIN_QTY", "USDT_AMOUNT"]
    """What `value` is: a quantity of the coin, or USDT"""
    value: str
    """Never a JSON number; no more decimals than the asset has"""
    limitPrice: NotRequired[str]
    """The worst `executedPrice` to accept, with at most 8 decimals: the highest for a BUY, the lowest for a SELL. If the price is worse, nothing fills and the order does not wait"""
    clientOrderId: NotRequired[str]
    """Your own name for it: 1 to 64 visible ASCII characters. Each account uses one once, for good. A second use is `client_order_id_reused`, and a repetition with the same `Idempotency-Key` is still answered as the first"""


class FieldError(TypedDict):
    pointer: str
    code: str
    """Stable; there may be more in time. `missing`: it is not there; `wrong_type`: it has another JSON type; `wrong_format`: its text is not written as the schema says; `unknown_value`: it is none of the values that are allowed; `below_minimum`: the number is too small, or the time too early; `above_maximum`: the number is too large; `too_short`: the text or the list is too short; `too_long`: the text or the list is too long; `unknown_member`: the body takes no member of this name; `unknown_parameter`: the operation takes no parameter of this name; `repeated`: it comes more than once; `not_valid`: anything else, which `detail` says"""
    detail: str


class Problem(TypedDict):
    type: str
    """The page that explains the code"""
    title: str
    status: int
    detail: str
    """For the person who must act on it; its wording may change"""
    instance: str
    """The path of the request"""
    code: str
    """Stable; each response lists those that it may have"""
    requestId: str
    """The same as in X-Request-Id"""
    retryable: bool
    """Whether the same request may succeed later without a change"""
    errors: NotRequired[list[FieldError]]
    """Every invalid field: a JSON pointer into the body, or the name of a parameter"""


class ReplayEvents(TypedDict):
    after: NotRequired[int]
    """Events with a higher number are sent again; all that are kept unless told"""


class ResendEvent(TypedDict):
    eventId: str
    """The `id` of the event, which is its `webhook-id`"""


class SecurityEventDataSecurity(TypedDict):
    accountId: str
    """UUIDv7; the three digits after its 7 are the ledger that holds it"""
    passkey: str | None
    """The name of a passkey"""
    browser: str | None
    """A browser, as it names itself"""
    proof: Literal["totp", "recovery_code", "allowed", None]
    """What a recovery showed: a code of the second factor, a recovery code, or that two of the exchange’s people agreed"""


class SecurityEventData(TypedDict):
    security: SecurityEventDataSecurity


class SecurityEvent(TypedDict):
    id: str
    """Unique: the same event always has the same id, however often it is delivered"""
    type: Literal[
        "security.signed_in",
        "security.passkey_added",
        "security.passkey_removed",
        "security.recovery_codes_drawn",
        "security.recovery_allowed",
        "security.recovered",
    ]
    timestamp: str
    """ISO 8601, UTC, milliseconds"""
    sequence: int
    """The number of the event: 1, 2, 3 and so on, without a gap"""
    data: SecurityEventData
    """The record as it is now, which may be newer than the event"""


class ServerTime(TypedDict):
    serverTime: str
    """ISO 8601, UTC, milliseconds"""


class SettlementEventData(TypedDict):
    transaction: Transaction


class SettlementEvent(TypedDict):
    id: str
    """Unique: the same event always has the same id, however often it is delivered"""
    type: Literal["settlement.completed"]
    timestamp: str
    """ISO 8601, UTC, milliseconds"""
    sequence: int
    """The number of the event: 1, 2, 3 and so on, without a gap"""
    data: SettlementEventData
    """The record as it is now, which may be newer than the event"""


class StatementOpening(TypedDict):
    asset: str
    """Asset symbol"""
    amount: str
    """Plain decimal"""


class StatementMovement(TypedDict):
    transfer: int
    """The number of the movement in the ledger"""
    ts: str
    """When the balance changed"""
    id: str
    """The order, deposit, withdrawal or settlement"""
    type: str
    """As in the activity feed; `ONCHAIN_WITHDRAWAL_RETURNED` and `INTERNAL_WITHDRAWAL_RETURNED` give money back"""
    asset: str
    amount: str
    """What the balance gained, or lost where there is a minus"""


class StatementClosing(TypedDict):
    asset: str
    """Asset symbol"""
    amount: str
    """Plain decimal"""


class StatementSpread(TypedDict):
    month: str
    """In UTC"""
    usdt: str
    """The sum of all orders of that month"""


Statement = TypedDict(
    "Statement",
    {
        "from": "str",
        "to": "str",
        "opening": "list[StatementOpening]",
        "movements": "list[StatementMovement]",
        "closing": "list[StatementClosing]",
        "spread": "list[StatementSpread]",
    },
)


class Status(TypedDict):
    status: Literal["OK", "DEGRADED", "HALTED"]
    """The worst of the parts"""
    trading: Literal["OK", "DEGRADED", "HALTED"]
    """HALTED by the operator; DEGRADED while no order could fill: the ledger cannot be read, or no market has a price to fill at"""
    withdrawals: Literal["OK", "DEGRADED", "HALTED"]
    """HALTED by the operator; DEGRADED while the ledger cannot be read, the custodian does not answer, or a payout is late"""
    prices: Literal["OK", "DEGRADED"]
    """DEGRADED when any market lacks a price to fill at"""


class Ticker(TypedDict):
    symbol: Literal[
        "USDC",
        "BTC",
        "ETH",
        "AVAX",
        "MATIC",
        "BNB",
        "LTC",
        "DOGE",
    ]
    pair: str
    name: str
    price: str
    """In USDT"""
    change24h: float
    """A fraction: 0.0234 is +2.34 %"""
    volume24h: str
    """In the base asset"""
    ts: str
    """Time of the data"""
    sources: list[str]
    """The venues that the price is made of; none for a fallback"""
    degraded: NotRequired[Literal[True]]
    """Present only when no source answers and the price is the last one or a fallback"""


class TickerAnswer(TypedDict):
    ticker: Ticker
    degraded: bool
    """Whether any ticker in the answer is degraded"""


class TickerList(TypedDict):
    tickers: list[Ticker]
    ts: str
    """ISO 8601, UTC, milliseconds"""
    degraded: bool
    """Whether any ticker in the answer is degraded"""


class Transaction(TypedDict):
    id: str
    """The id of the order, deposit or withdrawal"""
    ts: str
    """ISO 8601, UTC, milliseconds"""
    category: Literal[
        "TRADE",
        "DEPOSIT",
        "WITHDRAWAL",
        "P2P",
        "QUICK_TRADE",
    ]
    type: Literal[
        "SPOT_BUY",
        "SPOT_SELL",
        "ONCHAIN_DEPOSIT",
        "INTERNAL_DEPOSIT",
        "ONCHAIN_WITHDRAWAL",
        "INTERNAL_WITHDRAWAL",
        "P2P_BUY",
        "P2P_SELL",
        "QUICK_BUY",
        "QUICK_SELL",
    ]
    asset: str
    """Asset symbol; for a trade the coin"""
    amount: str
    """Without any fee"""
    fee: NotRequired[str]
    """The fee of a withdrawal, in its asset, on top of the amount; absent where none was charged"""
    usdValue: str
    """At the time of the activity"""
    status: Literal["PENDING", "PROCESSING", "COMPLETED", "FAILED"]
    keyId: str | None
    """The API key that placed the order or requested the withdrawal; else null"""
    reason: Literal["rejected", "refused", "settled", None]
    """Why a withdrawal FAILED; else null"""


class WebhookDelivery(TypedDict):
    eventId: str
    """The `id` of the event, which is its `webhook-id`"""
    type: str
    at: str
    """ISO 8601, UTC, milliseconds"""
    outcome: Literal["DELIVERED", "FAILED"]
    status: int | None
    """Of the answer; null when none came"""
    fault: Literal["timed_out", "unreachable", None]
    """Why no answer came"""
    durationMs: int
    answer: str | None
    """How the body of a failure’s answer began, as one line of at most 200 characters; null for a taken event, and where no body came. It is the receiver’s text: show it as text, never as HTML"""


class WebhookEndpoint(TypedDict):
    id: str
    """UUIDv7; the three digits after its 7 are the ledger that holds it"""
    url: str
    """Where events are sent: https, to a public name, on port 443 or 8443"""
    description: str
    types: list[Literal[
        "order.filled",
        "deposit.completed",
        "deposit.pending",
        "deposit.failed",
        "deposit.quarantined",
        "withdrawal.completed",
        "withdrawal.pending",
        "withdrawal.processing",
        "withdrawal.failed",
        "settlement.completed",
        "account.frozen",
        "account.thawed",
        "security.totp_on",
        "security.totp_off",
        "security.signed_in",
        "security.passkey_added",
        "security.passkey_removed",
        "security.recovery_codes_drawn",
        "security.recovery_allowed",
        "security.recovered",
        "key.created",
        "key.revoked",
        "allowlist.added",
        "allowlist.removed",
        "endpoint.disabled",
        "endpoint.test",
    ]]
    """The types that are sent; empty: all"""
    status: Literal["enabled", "disabled"]
    reason: Literal["gone", "failing", "key_revoked", None]
    """Why the exchange switched it off: it answered 410, failed for five days, or the API key that set it up was revoked; else null"""
    createdAt: str
    """ISO 8601, UTC, milliseconds"""
    previousSecretUntil: str | None
    """Until when the secret before the last rotation signs as well; null if none was rotated"""


class Withdrawal(TypedDict):
    id: str
    """UUIDv7; the three digits after its 7 are the ledger that holds it"""
    ts: str
    """ISO 8601, UTC, milliseconds"""
    status: Literal["PENDING", "PROCESSING", "COMPLETED", "FAILED"]
    """Waits for a review; with the custodian; paid; money back"""
    txHash: str | None
    """null until broadcast, and for one inside the exchange"""
    fee: str
    """Charged on top of the amount"""
    amount: str
    """What the address receives"""
    asset: str
    """Asset symbol"""
    network: str
    address: str
    """In its canonical form"""
    keyId: str | None
    """The API key that asked for it; null where none was recorded"""
    note: str | None
    """What the exchange told the holder about a rejection, else null"""
    clientOrderId: NotRequired[str]
    """The client’s own name for it"""
    reason: Literal["rejected", "refused", "settled", None]
    """Why it is FAILED, else null: the operator’s review rejected it, the custodian refused it, or the operator settled it by hand"""


class WithdrawalEventData(TypedDict):
    withdrawal: Withdrawal


class WithdrawalEvent(TypedDict):
    id: str
    """Unique: the same event always has the same id, however often it is delivered"""
    type: Literal[
        "withdrawal.completed",
        "withdrawal.pending",
        "withdrawal.processing",
        "withdrawal.failed",
    ]
    timestamp: str
    """ISO 8601, UTC, milliseconds"""
    sequence: int
    """The number of the event: 1, 2, 3 and so on, without a gap"""
    data: WithdrawalEventData
    """The record as it is now, which may be newer than the event"""


class ListBalancesResult(TypedDict):
    balances: list[Balance]
    ts: str
    """ISO 8601, UTC, milliseconds"""


class ListAddressesResult(TypedDict):
    addresses: list[DepositAddress]
    pending: NotRequired[list[Literal[
        "BTC",
        "BEP20",
        "TRC20",
        "SOL",
        "ETH",
        "ARBITRUM",
        "OPTIMISM",
        "BASE",
        "AVAX",
        "POLYGON",
        "LTC",
        "DOGE",
    ]]]
    """Networks on which the account has no address yet, and gets one without doing anything; absent when there are none. Only an account that was opened before the exchange had Solana addresses can have one"""


class ListTransactionsResult(TypedDict):
    transactions: list[Transaction]
    nextCursor: str | None
    """Opaque; null when there is no further page"""


class CreateWithdrawalResult(TypedDict):
    withdrawal: Withdrawal


class ListWithdrawalsResult(TypedDict):
    withdrawals: list[Withdrawal]
    nextCursor: str | None
    """Opaque; null when there is no further page"""


class GetWithdrawalResult(TypedDict):
    withdrawal: Withdrawal


class ListDepositsResult(TypedDict):
    deposits: list[AccountDeposit]
    nextCursor: str | None
    """Opaque; null when there is no further page"""


class GetDepositResult(TypedDict):
    deposit: AccountDeposit


class PlaceOrderResult(TypedDict):
    order: Order


class ListOrdersResult(TypedDict):
    orders: list[Order]
    nextCursor: str | None
    """Opaque; null when there is no further page"""


class PreviewOrderResult(TypedDict):
    preview: OrderPreview


class GetOrderResult(TypedDict):
    order: Order


class GetApiKeyResult(TypedDict):
    apiKey: OwnApiKey


class CreateWebhookEndpointResult(TypedDict):
    webhookEndpoint: WebhookEndpoint
    secret: str
    """Signs every delivery. Shown this once"""


class ListWebhookEndpointsResult(TypedDict):
    webhookEndpoints: list[WebhookEndpoint]


class GetWebhookEndpointResult(TypedDict):
    webhookEndpoint: WebhookEndpoint


class ChangeWebhookEndpointResult(TypedDict):
    webhookEndpoint: WebhookEndpoint


class DeleteWebhookEndpointResult(TypedDict):
    webhookEndpoint: WebhookEndpoint


class RotateWebhookSecretResult(TypedDict):
    webhookEndpoint: WebhookEndpoint
    secret: str
    """Signs every delivery. Shown this once"""


class TestWebhookEndpointResult(TypedDict):
    delivery: WebhookDelivery


class ResendEventResult(TypedDict):
    delivery: WebhookDelivery


class ReplayEventsResult(TypedDict):
    webhookEndpoint: WebhookEndpoint


class ListWebhookDeliveriesResult(TypedDict):
    deliveries: list[WebhookDelivery]
    setAside: list[WebhookDelivery]
    deliveredTo: int
    """The number of the event: 1, 2, 3 and so on, without a gap"""
    nextAttemptAt: str | None
    """ISO 8601, UTC, milliseconds"""


Event = Union[
    OrderEvent,
    DepositEvent,
    WithdrawalEvent,
    SettlementEvent,
    AccountEvent,
    SecurityEvent,
    KeyEvent,
    AllowlistEvent,
    EndpointEvent,
]


ProblemCode = Literal[
    "account_frozen",
    "account_recovered",
    "address_not_allowlisted",
    "amount_above_maximum",
    "amount_below_minimum",
    "api_key_expired",
    "client_order_id_reused",
    "daily_limit_exceeded",
    "events_expired",
    "idempotency_key_reused",
    "insufficient_balance",
    "insufficient_scope",
    "internal_error",
    "invalid_address",
    "invalid_api_key",
    "invalid_cursor",
    "invalid_idempotency_key",
    "invalid_request",
    "invalid_state",
    "ip_not_allowed",
    "missing_api_key",
    "network_not_supported",
    "not_found",
    "order_rejected",
    "outcome_unknown",
    "payload_too_large",
    "precision_exceeded",
    "price_limit_exceeded",
    "price_unavailable",
    "rate_limited",
    "service_unavailable",
    "symbol_not_supported",
    "totp_invalid",
    "totp_required",
    "trading_halted",
    "unsupported_media_type",
    "upstream_unavailable",
    "withdrawals_locked",
    "withdrawals_suspended",
]
