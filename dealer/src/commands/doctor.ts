import { readConfig } from '../config.ts';
import { examineVenue } from '../examine.ts';
import { openVenue } from '../venues/open-venue.ts';

/** Checks every venue account before the dealer is started, and sends no order. Its exit code is 1 when a check fails. */
const config = readConfig(process.env);
const findings = (
  await Promise.all(config.venues.map((settings) => examineVenue(openVenue(settings, Date.now))))
).flat();
for (const { name, isRight, detail } of findings) console.log(`${isRight ? 'ok   ' : 'WRONG'}  ${name}: ${detail}`);
if (findings.some(({ isRight }) => !isRight)) process.exitCode = 1;
