import type { Settings } from '../../../src/db/settings.ts';

/** The settings of an exchange whose operator has set nothing. */
export const settings: Settings = {
  tradingHalted: false,
  withdrawalsHalted: false,
  allowlistMode: null,
  pausedNetworks: [],
  pausedDeposits: { networks: [], assets: [] },
  reviewThreshold: null,
  fees: {},
  minimums: {},
  depositMinimums: {},
  spreadBps: null,
  fallbackPrices: {},
  haltedCoins: [],
  coinTerms: {},
  hedgingHalted: false,
  dailyHedgeVolume: null,
  dailyLoss: null,
  maxAtVenues: null,
  notice: null,
};
