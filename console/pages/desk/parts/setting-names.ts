/** The settings by the name under which people know them. */
export const settingNames: Readonly<Record<string, string>> = {
  allowlistMode: 'Withdrawals go to',
  tradingHalted: 'Trading is halted',
  withdrawalsHalted: 'Withdrawals are halted',
  pausedNetworks: 'Networks without withdrawals',
  pausedDeposits: 'Deposits paused',
  haltedCoins: 'Coins that are not traded',
  notice: 'Notice to all holders',
  reviewThreshold: 'Review limit',
  coinTerms: 'Terms of coins',
  hedgingHalted: 'Hedging is halted',
  dailyHedgeVolume: 'Daily hedging limit',
  dailyLoss: 'Daily loss limit',
  maxAtVenues: 'Limit at venues',
  supplyCaps: 'Supply limit',
  fees: 'Withdrawal fee',
  minimums: 'Minimum withdrawal',
  depositMinimums: 'Minimum deposit',
  spreadBps: 'Spread',
  exposure: 'Position limit',
  approvalAbove: 'Credits by one admin alone',
  openingWeights: 'Ledgers of new accounts',
  fallbackPrices: 'Fallback price',
};

/** The settings that are not on the first part of their page. */
const tabs: Readonly<Record<string, readonly string[]>> = {
  networks: ['fees', 'minimums', 'depositMinimums'],
  accounts: ['reviewThreshold', 'allowlistMode', 'openingWeights', 'approvalAbove'],
  risk: ['dailyLoss', 'dailyHedgeVolume', 'maxAtVenues', 'supplyCaps', 'exposure'],
};

/** What the switches switch; their settings are named by how it stands. */
const switched: Readonly<Record<string, string>> = {
  tradingHalted: 'Trading',
  withdrawalsHalted: 'Withdrawals',
  hedgingHalted: 'Hedging',
  haltedCoins: 'Trading of coins',
  pausedNetworks: 'Withdrawals over networks',
  pausedDeposits: 'Deposits',
  notice: 'Notice to all holders',
};

/** What a change of the settings is about, with the page on which it is changed: of a request, or of a row of the audit. */
export function placeSettings(fields: readonly string[]): readonly [name: string, path: string] {
  const [first = '', ...others] = fields.filter((field) => field !== 'reason' && field !== 'because');
  if (others.length > 0) return ['Settings', '/desk/settings'];
  const name = switched[first];
  if (name !== undefined) return [name, '/desk/switches'];
  const tab = Object.entries(tabs).find(([, names]) => names.includes(first))?.[0];
  return [settingNames[first] ?? 'Settings', `/desk/settings${tab === undefined ? '' : `?show=${tab}`}`];
}
