import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { listenToVenues } from '../../scripts/doctor/listen-to-venues.ts';
import { startVenueServer } from '../support/node/venues/start-venue-server.ts';
import { VenueRemote, venueUrlVariables } from '../support/node/venues/venue-remote.ts';
import { openFolder } from '../support/node/open-folder.ts';

const folder = openFolder('doctor-venues');
const played = await startVenueServer();
const venues = new VenueRemote(played.url);
const configFile = join(folder, 'wrangler.toml');
let toml = readFileSync('wrangler.toml', 'utf8');
for (const [name, value] of Object.entries(venueUrlVariables(played.url)))
  toml = toml.replaceAll(new RegExp(`^${name} = .*$`, 'gm'), `${name} = "${value}"`);
writeFileSync(configFile, toml);

afterAll(async () => {
  await played.stop();
});

const listen = () => listenToVenues({ configFile, environment: 'production' }, 5);

it('the doctor says which venues are heard from here, and that four are needed', async () => {
  await venues.set('okx', { stream: 'refused' });
  const { lines, isEnough } = await listen();
  expect(lines.find((line) => line.includes('okx'))).toMatch(/^error: okx: is not heard; could not be reached/);
  const heard = lines.filter((line) => line.startsWith('ok: '));
  expect(heard).toHaveLength(lines.length - 2);
  for (const line of heard) expect(line).toMatch(/ (\d+) of \1 markets, [1-9]\d* messages a second, \d+ ms later/);
  expect(isEnough).toBe(true);

  for (const venue of ['binance', 'coinbase', 'kraken', 'kucoin', 'gate', 'bybit'] as const) {
    await venues.set(venue, { stream: 'refused' });
  }
  const silent = await listen();
  expect(silent.lines.filter((line) => line.startsWith('error: '))).toHaveLength(silent.lines.length - 1);
  expect(silent).toMatchObject({ isEnough: false });
});
