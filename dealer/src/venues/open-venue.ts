import type { VenueSettings } from '../config.ts';
import { Asker } from './ask.ts';
import { openBinance } from './binance.ts';
import { openBureau } from './bureau.ts';
import { openKraken } from './kraken.ts';
import type { Venue } from './venue.ts';

const kinds = { binance: openBinance, kraken: openKraken, bureau: openBureau };

export function openVenue(settings: VenueSettings, now: () => number): Venue {
  return kinds[settings.kind](settings, new Asker(settings.url, now), now);
}
