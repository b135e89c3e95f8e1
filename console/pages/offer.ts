import { ask } from './ask.ts';

/** What the exchange tells everybody, signed in or not. */
interface Offer {
  readonly selfOpening: boolean;
  /** Where one writes to it. */
  readonly mailFrom: string;
}

let offer: Promise<Offer> | undefined;

/** Reads the offer, which stays as it is: once, unless that failed. */
export function readOffer(): Promise<Offer> {
  offer ??= ask<Offer>('GET', '/session/offer').catch((error: unknown) => {
    offer = undefined;
    throw error;
  });
  return offer;
}
