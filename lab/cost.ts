import { parseArgs } from 'node:util';
import { priceDay, priceMillion, showDollars } from './cost/cost-model.ts';
import { measureTimes } from './cost/measure-times.ts';
import { storage_dollarsPerGigabyte as stored } from './cost/price-list.ts';
import { type CountedRequests, idleHours, requestCounts } from './cost/request-counts.ts';

/**
 * `npm run cost` prints what a million requests of each kind cost at the platform's list prices, and what a month costs in
 * which nobody or somebody trades, without what a plan includes. With `-- --measure` it sends requests to the deployed bundle and prints the CPU time of each instead.
 */

const HUB_ROUND = 'round of prices, every 8 s while anyone asks';
const BESIDE_ORDERS = 'settings beside orders, every 2 s while anyone trades';

const { values } = parseArgs({ options: { measure: { type: 'boolean', default: false } } });

const show = (name: string, cells: readonly string[]) =>
  console.log(name.padEnd(52), ...cells.map((cell) => cell.padStart(8)));

if (values.measure) {
  show('', ['CPU, ms', 'wait, ms']);
  for (const { name, cpu_ms, answer_ms } of await measureTimes()) show(name, [cpu_ms.toFixed(2), answer_ms.toFixed(1)]);
} else {
  show('Dollars for a million', ['Worker', 'objects', 'D1', 'total', '+ log']);
  for (const [name, counted] of Object.entries<CountedRequests>(requestCounts)) {
    const { worker, objects, database, total, log } = priceMillion(counted);
    show(name, [worker, objects, database, total, log].map(showDollars));
  }
  show('\nDollars for a month', ['Worker', 'objects', 'D1', 'total', '+ log']);
  const show30 = (name: string, counted: CountedRequests, timesADay: number) => {
    const { worker, objects, database, total, log } = priceDay(counted, timesADay);
    show(
      name,
      [worker, objects, database, total, log].map((part) => showDollars(30 * part)),
    );
  };
  for (const [name, hour] of Object.entries(idleHours)) show30(`${name}, which nobody uses`, hour, 24);
  const { [HUB_ROUND]: round, [BESIDE_ORDERS]: beside } = requestCounts;
  show30('prices, while somebody reads them', round, 86_400 / 8);
  show30('prices and settings, while orders come', beside, 86_400 / 2);
  console.log(`\nA GB for a month: ${stored.database} in D1, ${stored.objects} in objects`);
}
