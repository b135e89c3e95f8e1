/** The operator's API, by its document. Written by `npm run openapi`: do not edit. */

export type Account = { readonly id: string; readonly label: string; readonly externalId: string | null; readonly status: "active" | "frozen"; readonly dailyWithdrawalLimit: string; readonly createdAt: string };

export type AccountDetail = Account & { readonly ledger: number; readonly apiKeys: readonly (UsedApiKey)[]; readonly balances: readonly (Balance & { readonly usdValue: string })[]; readonly usdValue: string; readonly dailyWithdrawals: { readonly limit: string; readonly used: string; readonly remaining: string }; readonly totp: { readonly enabled: boolean; readonly lockedUntil: string | null }; readonly allowlist: readonly (AllowlistEntry)[] };

export type AllowlistEntry = { readonly id: string; readonly network: string; readonly address: string; readonly label: string; readonly createdAt: string; readonly usableAt: string };

export type ApiKey = { readonly id: string; readonly accountId: string; readonly label: string; readonly scopes: readonly ("read" | "trade" | "withdraw" | "webhooks")[]; readonly ipAllowlist: readonly (string)[] | null; readonly rateLimits: { readonly read?: { readonly perMinute: number; readonly perDay: number }; readonly trade?: { readonly perMinute: number; readonly perDay: number }; readonly withdraw?: { readonly perMinute: number; readonly perDay: number } }; readonly createdAt: string; readonly expiresAt: string | null; readonly revokedAt: string | null };

export type AuditEntry = { readonly id: string; readonly ledger: number; readonly ts: string; readonly actor: string; readonly role: string; readonly action: string; readonly target: string; readonly detail: { readonly [name: string]: unknown } };

export type AuditEvent = { readonly id: string; readonly type: "audit.added"; readonly timestamp: string; readonly sequence: number; readonly data: { readonly entry: AuditEntry } };

export type Balance = { readonly asset: string; readonly amount: string };

export type ChangeAccount = { readonly status?: "active" | "frozen"; readonly dailyWithdrawalLimit?: string; readonly reason?: string };

export type ChangeOperatorWebhookEndpoint = { readonly url?: string; readonly types?: readonly ("audit.added" | "deposit.completed" | "deposit.pending" | "deposit.failed" | "deposit.quarantined" | "withdrawal.completed" | "withdrawal.pending" | "withdrawal.processing" | "withdrawal.failed" | "endpoint.disabled" | "endpoint.test")[]; readonly description?: string; readonly status?: "enabled" | "disabled" };

export type ChangeSettings = { readonly allowlistMode?: "off" | "strict"; readonly tradingHalted?: boolean; readonly withdrawalsHalted?: boolean; readonly pausedNetworks?: readonly ("BTC" | "BEP20" | "TRC20" | "SOL" | "ETH" | "ARBITRUM" | "OPTIMISM" | "BASE" | "AVAX" | "POLYGON" | "LTC" | "DOGE")[]; readonly pausedDeposits?: { readonly networks: readonly ("BTC" | "BEP20" | "TRC20" | "SOL" | "ETH" | "ARBITRUM" | "OPTIMISM" | "BASE" | "AVAX" | "POLYGON" | "LTC" | "DOGE")[]; readonly assets: readonly ("USDT" | "USDC" | "BTC" | "ETH" | "AVAX" | "MATIC" | "BNB" | "LTC" | "DOGE")[] }; readonly reviewThreshold?: string | null; readonly supplyCaps?: { readonly USDT?: string; readonly USDC?: string; readonly BTC?: string; readonly ETH?: string; readonly AVAX?: string; readonly MATIC?: string; readonly BNB?: string; readonly LTC?: string; readonly DOGE?: string }; readonly fees?: NetworkAmounts; readonly minimums?: NetworkAmounts; readonly depositMinimums?: NetworkAmounts; readonly spreadBps?: number; readonly exposure?: { readonly USDT?: string; readonly USDC?: string; readonly BTC?: string; readonly ETH?: string; readonly AVAX?: string; readonly MATIC?: string; readonly BNB?: string; readonly LTC?: string; readonly DOGE?: string }; readonly haltedCoins?: readonly ("USDC" | "BTC" | "ETH" | "AVAX" | "MATIC" | "BNB" | "LTC" | "DOGE")[]; readonly coinTerms?: { readonly USDC?: { readonly spreadBps?: number; readonly maxNotional?: string; readonly hedging?: { readonly venue: string; readonly outer: string; readonly inner: string; readonly maxAgeSeconds: number; readonly limitBps: number; readonly maxHedge: string; readonly feeBps: number } }; readonly BTC?: { readonly spreadBps?: number; readonly maxNotional?: string; readonly hedging?: { readonly venue: string; readonly outer: string; readonly inner: string; readonly maxAgeSeconds: number; readonly limitBps: number; readonly maxHedge: string; readonly feeBps: number } }; readonly ETH?: { readonly spreadBps?: number; readonly maxNotional?: string; readonly hedging?: { readonly venue: string; readonly outer: string; readonly inner: string; readonly maxAgeSeconds: number; readonly limitBps: number; readonly maxHedge: string; readonly feeBps: number } }; readonly AVAX?: { readonly spreadBps?: number; readonly maxNotional?: string; readonly hedging?: { readonly venue: string; readonly outer: string; readonly inner: string; readonly maxAgeSeconds: number; readonly limitBps: number; readonly maxHedge: string; readonly feeBps: number } }; readonly MATIC?: { readonly spreadBps?: number; readonly maxNotional?: string; readonly hedging?: { readonly venue: string; readonly outer: string; readonly inner: string; readonly maxAgeSeconds: number; readonly limitBps: number; readonly maxHedge: string; readonly feeBps: number } }; readonly BNB?: { readonly spreadBps?: number; readonly maxNotional?: string; readonly hedging?: { readonly venue: string; readonly outer: string; readonly inner: string; readonly maxAgeSeconds: number; readonly limitBps: number; readonly maxHedge: string; readonly feeBps: number } }; readonly LTC?: { readonly spreadBps?: number; readonly maxNotional?: string; readonly hedging?: { readonly venue: string; readonly outer: string; readonly inner: string; readonly maxAgeSeconds: number; readonly limitBps: number; readonly maxHedge: string; readonly feeBps: number } }; readonly DOGE?: { readonly spreadBps?: number; readonly maxNotional?: string; readonly hedging?: { readonly venue: string; readonly outer: string; readonly inner: string; readonly maxAgeSeconds: number; readonly limitBps: number; readonly maxHedge: string; readonly feeBps: number } } }; readonly hedgingHalted?: boolean; readonly dailyHedgeVolume?: string | null; readonly dailyLoss?: string | null; readonly maxAtVenues?: string | null; readonly approvalAbove?: { readonly USDT?: string; readonly USDC?: string; readonly BTC?: string; readonly ETH?: string; readonly AVAX?: string; readonly MATIC?: string; readonly BNB?: string; readonly LTC?: string; readonly DOGE?: string }; readonly openingWeights?: { readonly [name: string]: number }; readonly notice?: HolderNotice; readonly fallbackPrices?: { readonly USDC?: string | null; readonly BTC?: string | null; readonly ETH?: string | null; readonly AVAX?: string | null; readonly MATIC?: string | null; readonly BNB?: string | null; readonly LTC?: string | null; readonly DOGE?: string | null }; readonly reason?: string };

export type ChangeShares = { readonly ledger: number; readonly supplyCaps?: { readonly USDT?: string; readonly USDC?: string; readonly BTC?: string; readonly ETH?: string; readonly AVAX?: string; readonly MATIC?: string; readonly BNB?: string; readonly LTC?: string; readonly DOGE?: string }; readonly exposure?: { readonly USDT?: string; readonly USDC?: string; readonly BTC?: string; readonly ETH?: string; readonly AVAX?: string; readonly MATIC?: string; readonly BNB?: string; readonly LTC?: string; readonly DOGE?: string } };

export type CreateApiKey = { readonly label: string; readonly scopes: readonly ("read" | "trade" | "withdraw" | "webhooks")[]; readonly expiresAt?: string | null; readonly ipAllowlist?: readonly (string)[] | null; readonly rateLimits?: { readonly read?: { readonly perMinute: number; readonly perDay: number }; readonly trade?: { readonly perMinute: number; readonly perDay: number }; readonly withdraw?: { readonly perMinute: number; readonly perDay: number } } };

export type CreateCredit = { readonly asset: "USDT" | "USDC" | "BTC" | "ETH" | "AVAX" | "MATIC" | "BNB" | "LTC" | "DOGE"; readonly amount: string; readonly reference: string };

export type CreateFunding = { readonly ledger: number; readonly from: string; readonly to: string; readonly asset: "USDT" | "USDC" | "BTC" | "ETH" | "AVAX" | "MATIC" | "BNB" | "LTC" | "DOGE"; readonly amount: string; readonly reference: string };

export type CreateOperatorWebhookEndpoint = { readonly url: string; readonly types?: readonly ("audit.added" | "deposit.completed" | "deposit.pending" | "deposit.failed" | "deposit.quarantined" | "withdrawal.completed" | "withdrawal.pending" | "withdrawal.processing" | "withdrawal.failed" | "endpoint.disabled" | "endpoint.test")[]; readonly description?: string };

export type CreateSettlement = { readonly kind: "P2P"; readonly buyerAccountId: string; readonly sellerAccountId: string; readonly reference: string; readonly coin: string; readonly coinAmount: string; readonly usdtAmount: string } | { readonly kind: "QUICK"; readonly accountId: string; readonly side: "BUY" | "SELL"; readonly reference: string; readonly coin: string; readonly coinAmount: string; readonly usdtAmount: string };

export type Credit = { readonly id: string; readonly ts: string; readonly type: "INTERNAL_DEPOSIT"; readonly asset: string; readonly amount: string; readonly usdValue: string; readonly reference: string; readonly status: "COMPLETED" };

export type Deposit = { readonly id: string; readonly ts: string; readonly accountId: string | null; readonly network: string; readonly address: string; readonly asset: string; readonly amount: string; readonly creditAmount: string; readonly usdValue: string; readonly txHash: string; readonly outputIndex: number; readonly confirmations: number; readonly status: "PENDING" | "COMPLETED" | "FAILED" | "QUARANTINED"; readonly reason: "unknown_address" | "unsupported_asset" | "below_minimum" | "inner_payment" | "supply_cap" | null; readonly agreedBy: number | null };

export type DustSum = { readonly asset: string; readonly network: string; readonly deposits: number; readonly amount: string };

export type EndpointEvent = { readonly id: string; readonly type: "endpoint.disabled" | "endpoint.test"; readonly timestamp: string; readonly sequence: number; readonly data: { readonly webhookEndpoint: { readonly id: string; readonly url: string; readonly reason: "gone" | "failing" | "key_revoked" | null } } };

export type ExchangeSettings = { readonly allowlistMode: "off" | "strict"; readonly tradingHalted: boolean; readonly withdrawalsHalted: boolean; readonly pausedNetworks: readonly ("BTC" | "BEP20" | "TRC20" | "SOL" | "ETH" | "ARBITRUM" | "OPTIMISM" | "BASE" | "AVAX" | "POLYGON" | "LTC" | "DOGE")[]; readonly pausedDeposits: { readonly networks: readonly ("BTC" | "BEP20" | "TRC20" | "SOL" | "ETH" | "ARBITRUM" | "OPTIMISM" | "BASE" | "AVAX" | "POLYGON" | "LTC" | "DOGE")[]; readonly assets: readonly ("USDT" | "USDC" | "BTC" | "ETH" | "AVAX" | "MATIC" | "BNB" | "LTC" | "DOGE")[] }; readonly reviewThreshold: string | null; readonly supplyCaps: { readonly USDT?: string; readonly USDC?: string; readonly BTC?: string; readonly ETH?: string; readonly AVAX?: string; readonly MATIC?: string; readonly BNB?: string; readonly LTC?: string; readonly DOGE?: string }; readonly fees: NetworkAmounts; readonly minimums: NetworkAmounts; readonly depositMinimums: NetworkAmounts; readonly spreadBps: number; readonly exposure: { readonly USDT?: string; readonly USDC?: string; readonly BTC?: string; readonly ETH?: string; readonly AVAX?: string; readonly MATIC?: string; readonly BNB?: string; readonly LTC?: string; readonly DOGE?: string }; readonly haltedCoins: readonly ("USDC" | "BTC" | "ETH" | "AVAX" | "MATIC" | "BNB" | "LTC" | "DOGE")[]; readonly coinTerms: { readonly USDC?: { readonly spreadBps?: number; readonly maxNotional?: string; readonly hedging?: { readonly venue: string; readonly outer: string; readonly inner: string; readonly maxAgeSeconds: number; readonly limitBps: number; readonly maxHedge: string; readonly feeBps: number } }; readonly BTC?: { readonly spreadBps?: number; readonly maxNotional?: string; readonly hedging?: { readonly venue: string; readonly outer: string; readonly inner: string; readonly maxAgeSeconds: number; readonly limitBps: number; readonly maxHedge: string; readonly feeBps: number } }; readonly ETH?: { readonly spreadBps?: number; readonly maxNotional?: string; readonly hedging?: { readonly venue: string; readonly outer: string; readonly inner: string; readonly maxAgeSeconds: number; readonly limitBps: number; readonly maxHedge: string; readonly feeBps: number } }; readonly AVAX?: { readonly spreadBps?: number; readonly maxNotional?: string; readonly hedging?: { readonly venue: string; readonly outer: string; readonly inner: string; readonly maxAgeSeconds: number; readonly limitBps: number; readonly maxHedge: string; readonly feeBps: number } }; readonly MATIC?: { readonly spreadBps?: number; readonly maxNotional?: string; readonly hedging?: { readonly venue: string; readonly outer: string; readonly inner: string; readonly maxAgeSeconds: number; readonly limitBps: number; readonly maxHedge: string; readonly feeBps: number } }; readonly BNB?: { readonly spreadBps?: number; readonly maxNotional?: string; readonly hedging?: { readonly venue: string; readonly outer: string; readonly inner: string; readonly maxAgeSeconds: number; readonly limitBps: number; readonly maxHedge: string; readonly feeBps: number } }; readonly LTC?: { readonly spreadBps?: number; readonly maxNotional?: string; readonly hedging?: { readonly venue: string; readonly outer: string; readonly inner: string; readonly maxAgeSeconds: number; readonly limitBps: number; readonly maxHedge: string; readonly feeBps: number } }; readonly DOGE?: { readonly spreadBps?: number; readonly maxNotional?: string; readonly hedging?: { readonly venue: string; readonly outer: string; readonly inner: string; readonly maxAgeSeconds: number; readonly limitBps: number; readonly maxHedge: string; readonly feeBps: number } } }; readonly hedgingHalted: boolean; readonly dailyHedgeVolume: string | null; readonly dailyLoss: string | null; readonly maxAtVenues: string | null; readonly approvalAbove: { readonly USDT?: string; readonly USDC?: string; readonly BTC?: string; readonly ETH?: string; readonly AVAX?: string; readonly MATIC?: string; readonly BNB?: string; readonly LTC?: string; readonly DOGE?: string }; readonly openingWeights: { readonly [name: string]: number }; readonly notice: HolderNotice; readonly fallbackPrices: { readonly USDC?: { readonly price: string; readonly setAt: string }; readonly BTC?: { readonly price: string; readonly setAt: string }; readonly ETH?: { readonly price: string; readonly setAt: string }; readonly AVAX?: { readonly price: string; readonly setAt: string }; readonly MATIC?: { readonly price: string; readonly setAt: string }; readonly BNB?: { readonly price: string; readonly setAt: string }; readonly LTC?: { readonly price: string; readonly setAt: string }; readonly DOGE?: { readonly price: string; readonly setAt: string } } };

export type ExportList = { readonly list: string; readonly query?: { readonly [name: string]: string } };

export type FlowReport = { readonly ts: string; readonly days: readonly ({ readonly day: string; readonly deposits: { readonly count: number; readonly usdt: string }; readonly withdrawals: { readonly count: number; readonly usdt: string }; readonly orders: { readonly count: number; readonly usdt: string } })[]; readonly missingLedgers: readonly (number)[] };

export type Funding = { readonly ledger: number; readonly from: string; readonly to: string; readonly asset: "USDT" | "USDC" | "BTC" | "ETH" | "AVAX" | "MATIC" | "BNB" | "LTC" | "DOGE"; readonly amount: string; readonly reference: string; readonly id: string; readonly ts: string };

export type GiveDeposit = { readonly accountId: string; readonly asset: string; readonly network: string; readonly amount: string };

export type Hedge = { readonly id: string; readonly ts: string; readonly ledger: number; readonly venue: string; readonly coin: "USDC" | "BTC" | "ETH" | "AVAX" | "MATIC" | "BNB" | "LTC" | "DOGE"; readonly side: "BUY" | "SELL"; readonly status: "OPEN" | "DEALT" | "NEVER"; readonly amount: string; readonly limitPrice: string; readonly middlePrice: string; readonly setAside: string; readonly setAsideAsset: "USDT" | "USDC" | "BTC" | "ETH" | "AVAX" | "MATIC" | "BNB" | "LTC" | "DOGE"; readonly sendBy: string; readonly openSeconds: number | null; readonly dealtAmount: string | null; readonly dealtUsdt: string | null; readonly dealtPrice: string | null; readonly gain: string | null; readonly fee: { readonly asset: "USDT" | "USDC" | "BTC" | "ETH" | "AVAX" | "MATIC" | "BNB" | "LTC" | "DOGE"; readonly amount: string } | null; readonly venueReference: string | null; readonly reason: string | null; readonly endedAt: string | null };

export type HolderNotice = { readonly text: string; readonly from: string; readonly until: string } | null;

export type House = { readonly ts: string; readonly inventoryUsdValue: string | null; readonly custodyAnsweredAt: string | null; readonly assets: readonly ({ readonly asset: string; readonly owedToClients: string; readonly inFlight: string; readonly inTransit: string; readonly feesEarned: string; readonly inventory: string; readonly inventoryUsdValue: string | null; readonly capital: string; readonly position: string; readonly positionUsdValue: string | null; readonly band: { readonly venue: string; readonly outer: string; readonly inner: string } | null; readonly hedging: string; readonly atVenues: string; readonly exposure: string; readonly exposureUsed: string | null; readonly custodyShouldHold: string; readonly coveredByCustody: string | null; readonly coveredWithVenues: string | null; readonly custodyHolds: string | null; readonly custodyCovers: "covered" | "shortfall" | "unknown"; readonly supplyCap: string; readonly supplyCapUsed: string | null; readonly price: string | null })[]; readonly ledgers: readonly ({ readonly ledger: number; readonly assets: readonly ({ readonly asset: string; readonly owedToClients: string; readonly inFlight: string; readonly inTransit: string; readonly feesEarned: string; readonly inventory: string; readonly capital: string; readonly position: string; readonly hedging: string; readonly atVenues: string; readonly exposure: string; readonly exposureUsed: string | null; readonly custodyShouldHold: string; readonly coveredByCustody: string | null; readonly coveredWithVenues: string | null; readonly supplyCap: string; readonly supplyCapUsed: string | null })[] | null })[]; readonly spreadEarned: readonly ({ readonly day: string; readonly coin: string; readonly orders: number; readonly usdt: string })[] | null; readonly positionsByDay: readonly ({ readonly day: string; readonly usdValue: string | null; readonly coins: readonly ({ readonly coin: "USDC" | "BTC" | "ETH" | "AVAX" | "MATIC" | "BNB" | "LTC" | "DOGE"; readonly position: string; readonly usdValue: string | null })[] })[] | null };

export type Invitation = { readonly accountId: string; readonly email: string; readonly expiresAt: string };

export type InviteHolder = { readonly email: string };

export type LedgerStanding = { readonly ledger: number; readonly status: "ok" | "broken" | "pending" | "unreachable"; readonly lastPass: { readonly pass: number; readonly startedAt: string; readonly completedAt: string } | null; readonly progress: { readonly pass: number; readonly startedAt: string | null; readonly lastStepAt: string | null; readonly transfersRead: string; readonly walks: { readonly accounts?: "waiting" | "running" | "done"; readonly history?: "waiting" | "running" | "done"; readonly journal?: "waiting" | "running" | "done" } } | null; readonly history: { readonly transfers: { readonly number: number; readonly upTo: number; readonly digest: string } | null; readonly audit: { readonly number: number; readonly upTo: number; readonly digest: string } | null } | null; readonly violations: readonly ({ readonly id: string; readonly invariant: "ledger_sums_to_zero" | "balances_above_floor" | "balances_match_transfers" | "journal_has_no_gap" | "records_match_transfers" | "payments_have_both_sides" | "withdrawals_paid_once" | "withdrawals_within_limit" | "rounding_favours_house" | "addresses_have_one_owner" | "debts_within_caps" | "pnl_unexplained" | "hedges_sent_once" | "history_unchanged"; readonly pass: number; readonly foundAt: string; readonly examples: readonly ({ readonly [name: string]: string })[] })[] };

export type ListedAccount = Account & { readonly usdValue: string; readonly volume: string; readonly isVolumeWhole: boolean; readonly lastSignInAt: string | null };

export type MovedMarket = { readonly prices: { readonly USDC?: string; readonly BTC?: string; readonly ETH?: string; readonly AVAX?: string; readonly MATIC?: string; readonly BNB?: string; readonly LTC?: string; readonly DOGE?: string }; readonly sources: "up" | "down" | "disputed" };

export type MoveMarket = { readonly prices?: { readonly USDC?: string | null; readonly BTC?: string | null; readonly ETH?: string | null; readonly AVAX?: string | null; readonly MATIC?: string | null; readonly BNB?: string | null; readonly LTC?: string | null; readonly DOGE?: string | null }; readonly sources?: "up" | "down" | "disputed" };

export type NetworkAmounts = { readonly USDT?: { readonly BTC?: string; readonly BEP20?: string; readonly TRC20?: string; readonly SOL?: string; readonly ETH?: string; readonly ARBITRUM?: string; readonly OPTIMISM?: string; readonly BASE?: string; readonly AVAX?: string; readonly POLYGON?: string; readonly LTC?: string; readonly DOGE?: string }; readonly USDC?: { readonly BTC?: string; readonly BEP20?: string; readonly TRC20?: string; readonly SOL?: string; readonly ETH?: string; readonly ARBITRUM?: string; readonly OPTIMISM?: string; readonly BASE?: string; readonly AVAX?: string; readonly POLYGON?: string; readonly LTC?: string; readonly DOGE?: string }; readonly BTC?: { readonly BTC?: string; readonly BEP20?: string; readonly TRC20?: string; readonly SOL?: string; readonly ETH?: string; readonly ARBITRUM?: string; readonly OPTIMISM?: string; readonly BASE?: string; readonly AVAX?: string; readonly POLYGON?: string; readonly LTC?: string; readonly DOGE?: string }; readonly ETH?: { readonly BTC?: string; readonly BEP20?: string; readonly TRC20?: string; readonly SOL?: string; readonly ETH?: string; readonly ARBITRUM?: string; readonly OPTIMISM?: string; readonly BASE?: string; readonly AVAX?: string; readonly POLYGON?: string; readonly LTC?: string; readonly DOGE?: string }; readonly AVAX?: { readonly BTC?: string; readonly BEP20?: string; readonly TRC20?: string; readonly SOL?: string; readonly ETH?: string; readonly ARBITRUM?: string; readonly OPTIMISM?: string; readonly BASE?: string; readonly AVAX?: string; readonly POLYGON?: string; readonly LTC?: string; readonly DOGE?: string }; readonly MATIC?: { readonly BTC?: string; readonly BEP20?: string; readonly TRC20?: string; readonly SOL?: string; readonly ETH?: string; readonly ARBITRUM?: string; readonly OPTIMISM?: string; readonly BASE?: string; readonly AVAX?: string; readonly POLYGON?: string; readonly LTC?: string; readonly DOGE?: string }; readonly BNB?: { readonly BTC?: string; readonly BEP20?: string; readonly TRC20?: string; readonly SOL?: string; readonly ETH?: string; readonly ARBITRUM?: string; readonly OPTIMISM?: string; readonly BASE?: string; readonly AVAX?: string; readonly POLYGON?: string; readonly LTC?: string; readonly DOGE?: string }; readonly LTC?: { readonly BTC?: string; readonly BEP20?: string; readonly TRC20?: string; readonly SOL?: string; readonly ETH?: string; readonly ARBITRUM?: string; readonly OPTIMISM?: string; readonly BASE?: string; readonly AVAX?: string; readonly POLYGON?: string; readonly LTC?: string; readonly DOGE?: string }; readonly DOGE?: { readonly BTC?: string; readonly BEP20?: string; readonly TRC20?: string; readonly SOL?: string; readonly ETH?: string; readonly ARBITRUM?: string; readonly OPTIMISM?: string; readonly BASE?: string; readonly AVAX?: string; readonly POLYGON?: string; readonly LTC?: string; readonly DOGE?: string } };

export type Note = { readonly text: string };

export type OpenAccount = { readonly label: string; readonly externalId?: string };

export type OpenApi = { readonly openapi: string };

export type OperatorDeposit = { readonly id: string; readonly ts: string; readonly type: "ONCHAIN_DEPOSIT" | "INTERNAL_DEPOSIT"; readonly asset: string; readonly amount: string; readonly usdValue: string; readonly network: string | null; readonly address: string | null; readonly txHash: string | null; readonly confirmations: number | null; readonly confirmationsNeeded: number | null; readonly status: "PENDING" | "COMPLETED" | "FAILED" | "QUARANTINED"; readonly accountId: string | null; readonly exactAmount: string | null; readonly outputIndex: number | null; readonly reason: "unknown_address" | "unsupported_asset" | "below_minimum" | "inner_payment" | "supply_cap" | null; readonly remedies: readonly ("raise_supply_cap" | "credit" | "keep")[]; readonly decision: "KEPT" | "CREDITED" | null; readonly creditAccountId: string | null; readonly creditId: string | null; readonly reference: string | null; readonly withdrawalId: string | null };

export type OperatorDepositEvent = { readonly id: string; readonly type: "deposit.completed" | "deposit.pending" | "deposit.failed" | "deposit.quarantined"; readonly timestamp: string; readonly sequence: number; readonly data: { readonly deposit: OperatorDeposit } };

export type OperatorEvent = AuditEvent | OperatorDepositEvent | OperatorWithdrawalEvent | EndpointEvent;

export type OperatorEventPage = { readonly events: readonly (OperatorEvent)[]; readonly nextAfter: number; readonly since: number; readonly newest: number };

export type OperatorWebhookEndpoint = { readonly id: string; readonly url: string; readonly description: string; readonly types: readonly ("audit.added" | "deposit.completed" | "deposit.pending" | "deposit.failed" | "deposit.quarantined" | "withdrawal.completed" | "withdrawal.pending" | "withdrawal.processing" | "withdrawal.failed" | "endpoint.disabled" | "endpoint.test")[]; readonly status: "enabled" | "disabled"; readonly reason: "gone" | "failing" | "key_revoked" | null; readonly createdAt: string; readonly previousSecretUntil: string | null };

export type OperatorWithdrawal = { readonly id: string; readonly ts: string; readonly status: "PENDING" | "PROCESSING" | "COMPLETED" | "FAILED"; readonly txHash: string | null; readonly fee: string; readonly amount: string; readonly asset: string; readonly network: string; readonly address: string; readonly keyId: string | null; readonly note: string | null; readonly clientOrderId?: string; readonly accountId: string; readonly type: "ONCHAIN_WITHDRAWAL" | "INTERNAL_WITHDRAWAL"; readonly usdValue: string; readonly committedAt: string; readonly reason: string | null; readonly held: { readonly reason: string; readonly since: string } | null };

export type OperatorWithdrawalEvent = { readonly id: string; readonly type: "withdrawal.completed" | "withdrawal.pending" | "withdrawal.processing" | "withdrawal.failed"; readonly timestamp: string; readonly sequence: number; readonly data: { readonly withdrawal: OperatorWithdrawal } };

export type Order = { readonly id: string; readonly ts: string; readonly coin: string; readonly side: "BUY" | "SELL"; readonly executedPrice: string; readonly coinAmount: string; readonly usdtAmount: string; readonly status: "COMPLETED" | "FAILED"; readonly keyId: string; readonly midPrice?: string; readonly spreadBps?: number; readonly clientOrderId?: string };

export type PayoutClaim = { readonly accountId: string; readonly withdrawalId: string; readonly claimedBy: string; readonly claimedAt: string };

export type Problem = { readonly type: string; readonly title: string; readonly status: number; readonly detail: string; readonly instance: string; readonly code: string; readonly requestId: string; readonly retryable: boolean; readonly errors?: readonly ({ readonly pointer: string; readonly code: string; readonly detail: string })[] };

export type Profit = { readonly ts: string; readonly from: string; readonly to: string; readonly sum: { readonly orders: number; readonly spread: string; readonly hedges: string; readonly fees: string; readonly settlements: string; readonly revaluation: string; readonly profit: string }; readonly days: readonly ({ readonly day: string; readonly coin: string; readonly orders: number; readonly spread: string; readonly hedges: string; readonly fees: string; readonly settlements: string; readonly revaluation: string; readonly profit: string })[]; readonly ledgers: readonly ({ readonly ledger: number; readonly profit: string | null })[] };

export type Proposal = { readonly id: string; readonly status: "OPEN" | "APPROVED" | "DECLINED" | "EXPIRED"; readonly method: string; readonly path: string; readonly body: { readonly [name: string]: unknown }; readonly digest: string; readonly proposedBy: string; readonly proposedAt: string; readonly expiresAt: string; readonly decidedBy: string | null; readonly decidedAt: string | null; readonly reason: string | null };

export type ReconciledInvariant = { readonly name: "ledger_sums_to_zero" | "balances_above_floor" | "balances_match_transfers" | "journal_has_no_gap" | "records_match_transfers" | "payments_have_both_sides" | "withdrawals_paid_once" | "withdrawals_within_limit" | "rounding_favours_house" | "addresses_have_one_owner" | "debts_within_caps" | "pnl_unexplained" | "hedges_sent_once" | "history_unchanged"; readonly status: "ok" | "broken" | "pending"; readonly figures: { readonly [name: string]: string | { readonly [name: string]: string } }; readonly examples: readonly ({ readonly [name: string]: string })[] };

export type Reconciliation = { readonly status: "ok" | "broken" | "pending"; readonly invariants: readonly (ReconciledInvariant)[]; readonly violations: readonly ({ readonly id: string; readonly invariant: "ledger_sums_to_zero" | "balances_above_floor" | "balances_match_transfers" | "journal_has_no_gap" | "records_match_transfers" | "payments_have_both_sides" | "withdrawals_paid_once" | "withdrawals_within_limit" | "rounding_favours_house" | "addresses_have_one_owner" | "debts_within_caps" | "pnl_unexplained" | "hedges_sent_once" | "history_unchanged"; readonly pass: number; readonly foundAt: string; readonly examples: readonly ({ readonly [name: string]: string })[] })[]; readonly lastPass: { readonly pass: number; readonly startedAt: string; readonly completedAt: string } | null; readonly progress: { readonly pass: number; readonly startedAt: string | null; readonly lastStepAt: string | null; readonly transfersRead: string; readonly walks: { readonly accounts?: "waiting" | "running" | "done"; readonly history?: "waiting" | "running" | "done"; readonly journal?: "waiting" | "running" | "done" } }; readonly history: { readonly transfers: { readonly number: number; readonly upTo: number; readonly digest: string } | null; readonly audit: { readonly number: number; readonly upTo: number; readonly digest: string } | null }; readonly ledgers: readonly (LedgerStanding)[] };

export type ReplayEvents = { readonly after?: number };

export type ReportDeposit = { readonly network: string; readonly address: string; readonly asset: string; readonly amount: string; readonly txHash: string; readonly outputIndex?: number; readonly confirmations: number; readonly failed?: boolean };

export type ResendEvent = { readonly eventId: string };

export type SearchResult = { readonly kind: "account" | "api_key" | "order" | "deposit" | "withdrawal" | "settlement" | "address" | "violation"; readonly id: string; readonly accountId: string | null; readonly network: string | null };

export type SetRoles = { readonly roles: readonly ("admin" | "treasury" | "support" | "compliance" | "auditor")[] };

export type SettleHedge = { readonly outcome: "dealt"; readonly amount: string; readonly usdt: string; readonly fee: { readonly asset: "USDT" | "USDC" | "BTC" | "ETH" | "AVAX" | "MATIC" | "BNB" | "LTC" | "DOGE"; readonly amount: string } | null; readonly venueReference: string; readonly reason: string } | { readonly outcome: "never"; readonly reason: string };

export type Settlement = { readonly kind: "P2P"; readonly buyerAccountId: string; readonly sellerAccountId: string; readonly id: string; readonly ts: string; readonly reference: string; readonly coin: string; readonly coinAmount: string; readonly usdtAmount: string; readonly status: "COMPLETED" } | { readonly kind: "QUICK"; readonly accountId: string; readonly side: "BUY" | "SELL"; readonly id: string; readonly ts: string; readonly reference: string; readonly coin: string; readonly coinAmount: string; readonly usdtAmount: string; readonly status: "COMPLETED" };

export type Shares = { readonly supplyCaps: readonly ({ readonly asset: string; readonly limit: string; readonly ledgers: readonly ({ readonly ledger: number; readonly share: string; readonly allowed: string | null; readonly used: string | null })[] })[]; readonly exposure: readonly ({ readonly asset: string; readonly limit: string; readonly ledgers: readonly ({ readonly ledger: number; readonly share: string; readonly allowed: string | null; readonly used: string | null })[] })[] };

export type SolanaPool = { readonly accepted: number; readonly highestIndex: number; readonly nextAccountIndex: number };

export type SolanaUpload = { readonly addresses: readonly ({ readonly index: number; readonly address: string; readonly signature: string })[] };

export type StaffMember = { readonly email: string; readonly roles: readonly ("admin" | "treasury" | "support" | "compliance" | "auditor")[]; readonly changedAt: string };

export type Transaction = { readonly id: string; readonly ts: string; readonly category: "TRADE" | "DEPOSIT" | "WITHDRAWAL" | "P2P" | "QUICK_TRADE"; readonly type: "SPOT_BUY" | "SPOT_SELL" | "ONCHAIN_DEPOSIT" | "INTERNAL_DEPOSIT" | "ONCHAIN_WITHDRAWAL" | "INTERNAL_WITHDRAWAL" | "P2P_BUY" | "P2P_SELL" | "QUICK_BUY" | "QUICK_SELL"; readonly asset: string; readonly amount: string; readonly fee?: string; readonly usdValue: string; readonly status: "PENDING" | "PROCESSING" | "COMPLETED" | "FAILED"; readonly keyId: string | null; readonly reason: "rejected" | "refused" | "settled" | null };

export type UsedApiKey = ApiKey & { readonly lastUsedAt: string | null };

export type Venue = { readonly venue: string; readonly state: "answers" | "silent" | "unknown"; readonly reportedAt: string | null; readonly latenessSeconds: number | null; readonly markets: readonly ({ readonly coin: string; readonly isOpen: boolean; readonly takerFee: string })[]; readonly balances: readonly ({ readonly asset: "USDT" | "USDC" | "BTC" | "ETH" | "AVAX" | "MATIC" | "BNB" | "LTC" | "DOGE"; readonly holds: string | null; readonly shouldHold: string; readonly difference: string | null; readonly differs: boolean | null; readonly ledgers: readonly ({ readonly ledger: number; readonly amount: string | null })[] })[]; readonly openHedges: readonly (Hedge)[]; readonly toMove: readonly ({ readonly asset: "USDT" | "USDC" | "BTC" | "ETH" | "AVAX" | "MATIC" | "BNB" | "LTC" | "DOGE"; readonly amount: string; readonly from: string; readonly to: string })[] };

export type Venues = { readonly ts: string; readonly hedgingHalted: boolean; readonly halt: { readonly ts: string; readonly by: string; readonly reason: string | null } | null; readonly atVenuesUsdValue: string | null; readonly maxAtVenues: string | null; readonly venues: readonly (Venue)[] };

export type WebhookDelivery = { readonly eventId: string; readonly type: string; readonly at: string; readonly outcome: "DELIVERED" | "FAILED"; readonly status: number | null; readonly fault: "timed_out" | "unreachable" | null; readonly durationMs: number; readonly answer: string | null };

export interface Operations {
  'post /accounts': {
    query: undefined;
    body: OpenAccount;
    answer: { readonly account: Account };
  };
  'get /accounts': {
    query: { readonly limit?: number; readonly cursor?: string; readonly query?: string; readonly ids?: string; readonly status?: "active" | "frozen"; readonly openedFrom?: string; readonly openedTo?: string };
    body: undefined;
    answer: { readonly accounts: readonly (ListedAccount)[]; readonly nextCursor: string | null };
  };
  'patch /accounts/{id}': {
    query: undefined;
    body: ChangeAccount;
    answer: { readonly account: Account } | { readonly proposal: Proposal };
  };
  'get /accounts/{id}': {
    query: undefined;
    body: undefined;
    answer: { readonly account: AccountDetail };
  };
  'post /accounts/{id}/notes': {
    query: undefined;
    body: Note;
    answer: { readonly entry: AuditEntry };
  };
  'post /accounts/{id}/api-keys': {
    query: undefined;
    body: CreateApiKey;
    answer: { readonly apiKey: ApiKey; readonly token: string | null } | { readonly proposal: Proposal };
  };
  'delete /accounts/{id}/api-keys/{keyId}': {
    query: undefined;
    body: undefined;
    answer: { readonly apiKey: ApiKey };
  };
  'post /accounts/{id}/credits': {
    query: undefined;
    body: CreateCredit;
    answer: { readonly credit: Credit } | { readonly proposal: Proposal };
  };
  'get /accounts/{id}/transactions': {
    query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly asset?: "USDT" | "USDC" | "BTC" | "ETH" | "AVAX" | "MATIC" | "BNB" | "LTC" | "DOGE"; readonly type?: "SPOT_BUY" | "SPOT_SELL" | "ONCHAIN_DEPOSIT" | "INTERNAL_DEPOSIT" | "ONCHAIN_WITHDRAWAL" | "INTERNAL_WITHDRAWAL" | "P2P_BUY" | "P2P_SELL" | "QUICK_BUY" | "QUICK_SELL"; readonly status?: "PENDING" | "PROCESSING" | "COMPLETED" | "FAILED" };
    body: undefined;
    answer: { readonly transactions: readonly (Transaction)[]; readonly nextCursor: string | null };
  };
  'get /accounts/{id}/orders': {
    query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly clientOrderId?: string; readonly coin?: "USDC" | "BTC" | "ETH" | "AVAX" | "MATIC" | "BNB" | "LTC" | "DOGE"; readonly side?: "BUY" | "SELL"; readonly status?: "COMPLETED" | "FAILED" };
    body: undefined;
    answer: { readonly orders: readonly (Order)[]; readonly nextCursor: string | null };
  };
  'get /accounts/{id}/withdrawals': {
    query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly clientOrderId?: string; readonly asset?: "USDT" | "USDC" | "BTC" | "ETH" | "AVAX" | "MATIC" | "BNB" | "LTC" | "DOGE"; readonly type?: "ONCHAIN_WITHDRAWAL" | "INTERNAL_WITHDRAWAL"; readonly status?: "PENDING" | "PROCESSING" | "COMPLETED" | "FAILED" };
    body: undefined;
    answer: { readonly withdrawals: readonly (OperatorWithdrawal)[]; readonly nextCursor: string | null };
  };
  'get /accounts/{id}/deposits': {
    query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly asset?: "USDT" | "USDC" | "BTC" | "ETH" | "AVAX" | "MATIC" | "BNB" | "LTC" | "DOGE"; readonly type?: "ONCHAIN_DEPOSIT" | "INTERNAL_DEPOSIT"; readonly status?: "PENDING" | "COMPLETED" | "FAILED" | "QUARANTINED" };
    body: undefined;
    answer: { readonly deposits: readonly (OperatorDeposit)[]; readonly nextCursor: string | null };
  };
  'get /keys/{keyId}': {
    query: undefined;
    body: undefined;
    answer: { readonly apiKey: ApiKey };
  };
  'post /accounts/{id}/totp': {
    query: undefined;
    body: undefined;
    answer: { readonly secret: string; readonly otpauthUri: string };
  };
  'delete /accounts/{id}/totp': {
    query: undefined;
    body: undefined;
    answer: { readonly totp: { readonly enabled: boolean } } | { readonly proposal: Proposal };
  };
  'post /accounts/{id}/totp/confirm': {
    query: undefined;
    body: { readonly totpCode: string };
    answer: { readonly totp: { readonly enabled: boolean } };
  };
  'post /accounts/{id}/allowlist': {
    query: undefined;
    body: { readonly network: string; readonly address: string; readonly label: string };
    answer: { readonly entry: AllowlistEntry } | { readonly proposal: Proposal };
  };
  'get /accounts/{id}/allowlist': {
    query: { readonly limit?: number; readonly cursor?: string };
    body: undefined;
    answer: { readonly entries: readonly (AllowlistEntry)[]; readonly nextCursor: string | null };
  };
  'delete /accounts/{id}/allowlist/{entryId}': {
    query: undefined;
    body: undefined;
    answer: { readonly entry: AllowlistEntry };
  };
  'post /accounts/{id}/invitation': {
    query: undefined;
    body: InviteHolder;
    answer: { readonly invitation: Invitation } | { readonly proposal: Proposal };
  };
  'post /accounts/{id}/recovery': {
    query: undefined;
    body: { readonly reason: string };
    answer: { readonly recovery: { readonly allowedUntil: string } } | { readonly proposal: Proposal };
  };
  'post /deposits': {
    query: undefined;
    body: ReportDeposit;
    answer: { readonly deposit: Deposit } | { readonly proposal: Proposal };
  };
  'get /deposits': {
    query: { readonly limit?: number; readonly cursor?: string; readonly status: "PENDING" | "QUARANTINED"; readonly decision?: "KEPT" | "CREDITED" };
    body: undefined;
    answer: { readonly deposits: readonly (OperatorDeposit)[]; readonly nextCursor: string | null };
  };
  'get /deposits/dust': {
    query: undefined;
    body: undefined;
    answer: { readonly dust: readonly (DustSum)[] };
  };
  'get /solana-addresses': {
    query: { readonly from?: number };
    body: undefined;
    answer: { readonly addresses: readonly ({ readonly index: number; readonly address: string })[] };
  };
  'post /solana-addresses': {
    query: undefined;
    body: SolanaUpload;
    answer: { readonly solanaPool: SolanaPool };
  };
  'get /deposits/{id}': {
    query: undefined;
    body: undefined;
    answer: { readonly deposit: OperatorDeposit };
  };
  'post /deposits/{id}/credit': {
    query: undefined;
    body: { readonly accountId: string; readonly reason: string };
    answer: { readonly deposit: OperatorDeposit } | { readonly proposal: Proposal };
  };
  'post /deposits/{id}/keep': {
    query: undefined;
    body: { readonly reason: string };
    answer: { readonly deposit: OperatorDeposit };
  };
  'post /withdrawals/{id}/look': {
    query: undefined;
    body: undefined;
    answer: { readonly id: string; readonly status: "PROCESSING" | "COMPLETED" | "FAILED" };
  };
  'get /address-range': {
    query: undefined;
    body: undefined;
    answer: { readonly count: number };
  };
  'get /withdrawals': {
    query: { readonly limit?: number; readonly cursor?: string; readonly status: "PENDING" | "PROCESSING"; readonly olderThanMinutes?: number };
    body: undefined;
    answer: { readonly withdrawals: readonly (OperatorWithdrawal)[]; readonly nextCursor: string | null };
  };
  'get /accounts/{id}/withdrawals/{withdrawalId}': {
    query: undefined;
    body: undefined;
    answer: { readonly withdrawal: OperatorWithdrawal };
  };
  'post /accounts/{id}/withdrawals/{withdrawalId}/approve': {
    query: undefined;
    body: { readonly reason: string };
    answer: { readonly withdrawal: OperatorWithdrawal };
  };
  'post /accounts/{id}/withdrawals/{withdrawalId}/reject': {
    query: undefined;
    body: { readonly reason: string; readonly note?: string };
    answer: { readonly withdrawal: OperatorWithdrawal };
  };
  'post /accounts/{id}/withdrawals/{withdrawalId}/settle': {
    query: undefined;
    body: { readonly outcome: "paid"; readonly txHash: string; readonly reason: string } | { readonly outcome: "failed"; readonly reason: string };
    answer: { readonly withdrawal: OperatorWithdrawal } | { readonly proposal: Proposal };
  };
  'get /payout-claims': {
    query: { readonly limit?: number; readonly cursor?: string };
    body: undefined;
    answer: { readonly claims: readonly (PayoutClaim)[]; readonly nextCursor: string | null };
  };
  'post /accounts/{id}/withdrawals/{withdrawalId}/claim': {
    query: undefined;
    body: undefined;
    answer: { readonly claim: PayoutClaim };
  };
  'delete /accounts/{id}/withdrawals/{withdrawalId}/claim': {
    query: undefined;
    body: undefined;
    answer: { readonly claim: PayoutClaim };
  };
  'post /settlements': {
    query: undefined;
    body: CreateSettlement;
    answer: { readonly settlement: Settlement } | { readonly proposal: Proposal };
  };
  'get /settings': {
    query: undefined;
    body: undefined;
    answer: { readonly settings: ExchangeSettings };
  };
  'patch /settings': {
    query: undefined;
    body: ChangeSettings;
    answer: { readonly settings: ExchangeSettings } | { readonly proposal: Proposal };
  };
  'get /shares': {
    query: undefined;
    body: undefined;
    answer: { readonly shares: Shares };
  };
  'patch /shares': {
    query: undefined;
    body: ChangeShares;
    answer: { readonly shares: Shares };
  };
  'get /reconciliation': {
    query: undefined;
    body: undefined;
    answer: { readonly reconciliation: Reconciliation };
  };
  'post /reconciliation/run': {
    query: undefined;
    body: undefined;
    answer: { readonly reconciliation: Reconciliation };
  };
  'post /reconciliation/violations/{violationId}/clear': {
    query: undefined;
    body: { readonly reason: string };
    answer: { readonly reconciliation: Reconciliation } | { readonly proposal: Proposal };
  };
  'post /reconciliation/history/accept': {
    query: undefined;
    body: { readonly reason: string; readonly ledger?: number };
    answer: { readonly reconciliation: Reconciliation };
  };
  'get /audit': {
    query: { readonly limit?: number; readonly cursor?: string; readonly from?: string; readonly to?: string; readonly actor?: string; readonly target?: string; readonly action?: string };
    body: undefined;
    answer: { readonly entries: readonly (AuditEntry)[]; readonly nextCursor: string | null };
  };
  'get /search': {
    query: { readonly q: string };
    body: undefined;
    answer: { readonly results: readonly (SearchResult)[] };
  };
  'get /events': {
    query: { readonly after?: number; readonly types?: string; readonly limit?: number; readonly ledger?: number };
    body: undefined;
    answer: OperatorEventPage;
  };
  'post /webhook-endpoints': {
    query: undefined;
    body: CreateOperatorWebhookEndpoint;
    answer: { readonly webhookEndpoint: OperatorWebhookEndpoint; readonly secret: string };
  };
  'get /webhook-endpoints': {
    query: undefined;
    body: undefined;
    answer: { readonly webhookEndpoints: readonly (OperatorWebhookEndpoint)[] };
  };
  'get /webhook-endpoints/{id}': {
    query: undefined;
    body: undefined;
    answer: { readonly webhookEndpoint: OperatorWebhookEndpoint };
  };
  'patch /webhook-endpoints/{id}': {
    query: undefined;
    body: ChangeOperatorWebhookEndpoint;
    answer: { readonly webhookEndpoint: OperatorWebhookEndpoint };
  };
  'delete /webhook-endpoints/{id}': {
    query: undefined;
    body: undefined;
    answer: { readonly webhookEndpoint: OperatorWebhookEndpoint };
  };
  'post /webhook-endpoints/{id}/rotate-secret': {
    query: undefined;
    body: undefined;
    answer: { readonly webhookEndpoint: OperatorWebhookEndpoint; readonly secret: string };
  };
  'post /webhook-endpoints/{id}/test': {
    query: undefined;
    body: undefined;
    answer: { readonly delivery: WebhookDelivery };
  };
  'post /webhook-endpoints/{id}/resend': {
    query: { readonly ledger?: number };
    body: ResendEvent;
    answer: { readonly delivery: WebhookDelivery };
  };
  'post /webhook-endpoints/{id}/replay': {
    query: { readonly ledger?: number };
    body: ReplayEvents;
    answer: { readonly webhookEndpoint: OperatorWebhookEndpoint };
  };
  'get /webhook-endpoints/{id}/deliveries': {
    query: { readonly ledger?: number };
    body: undefined;
    answer: { readonly deliveries: readonly (WebhookDelivery)[]; readonly setAside: readonly (WebhookDelivery)[]; readonly deliveredTo: number; readonly nextAttemptAt: string | null };
  };
  'get /me': {
    query: undefined;
    body: undefined;
    answer: { readonly me: { readonly actor: string; readonly roles: readonly (string)[] } };
  };
  'get /staff': {
    query: { readonly limit?: number; readonly cursor?: string };
    body: undefined;
    answer: { readonly staff: readonly (StaffMember)[]; readonly nextCursor: string | null };
  };
  'put /staff/{email}': {
    query: undefined;
    body: SetRoles;
    answer: { readonly member: StaffMember } | { readonly proposal: Proposal };
  };
  'get /house': {
    query: undefined;
    body: undefined;
    answer: { readonly house: House };
  };
  'get /flows': {
    query: { readonly from?: string; readonly to?: string };
    body: undefined;
    answer: { readonly flows: FlowReport };
  };
  'get /metrics': {
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  'post /fundings': {
    query: undefined;
    body: CreateFunding;
    answer: { readonly funding: Funding } | { readonly proposal: Proposal };
  };
  'get /profit': {
    query: { readonly from?: string; readonly to?: string; readonly format?: "json" | "csv" };
    body: undefined;
    answer: { readonly profit: Profit };
  };
  'get /hedges': {
    query: { readonly limit?: number; readonly cursor?: string; readonly coin?: "USDC" | "BTC" | "ETH" | "AVAX" | "MATIC" | "BNB" | "LTC" | "DOGE"; readonly status?: "OPEN" | "DEALT" | "NEVER"; readonly venue?: string };
    body: undefined;
    answer: { readonly hedges: readonly (Hedge)[]; readonly nextCursor: string | null };
  };
  'post /hedges/{id}/settle': {
    query: undefined;
    body: SettleHedge;
    answer: { readonly hedge: Hedge } | { readonly proposal: Proposal };
  };
  'get /venues': {
    query: undefined;
    body: undefined;
    answer: { readonly venues: Venues };
  };
  'get /proposals': {
    query: { readonly limit?: number; readonly cursor?: string; readonly status?: "OPEN" | "APPROVED" | "DECLINED" | "EXPIRED" };
    body: undefined;
    answer: { readonly proposals: readonly (Proposal)[]; readonly nextCursor: string | null };
  };
  'get /proposals/{id}': {
    query: undefined;
    body: undefined;
    answer: { readonly proposal: Proposal };
  };
  'post /proposals/{id}/approve': {
    query: undefined;
    body: { readonly digest: string };
    answer: { readonly proposal: Proposal; readonly answer: { readonly [name: string]: unknown } };
  };
  'post /proposals/{id}/decline': {
    query: undefined;
    body: { readonly reason: string };
    answer: { readonly proposal: Proposal };
  };
  'post /exports': {
    query: undefined;
    body: ExportList;
    answer: undefined;
  };
  'patch /sandbox/market': {
    query: undefined;
    body: MoveMarket;
    answer: { readonly market: MovedMarket };
  };
  'post /sandbox/deposits': {
    query: undefined;
    body: GiveDeposit;
    answer: { readonly deposit: Deposit };
  };
  'get /openapi.json': {
    query: undefined;
    body: undefined;
    answer: OpenApi;
  };
}
