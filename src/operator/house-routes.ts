import { createRoute, z } from '@hono/zod-openapi';
import { type WrittenAnswer, createArea, jsonContent, problemResponses } from '../http/area.ts';
import { describeError, logFault } from '../platform/log.ts';
import { firstLedger } from '../ledger/ledgers.ts';
import { type KeeperBindings, type KeeperStanding, reachKeeper } from '../ledger/reach-keeper.ts';
import { VALUE_MAX_AGE_MS } from '../markets/firm-price.ts';
import { readSnapshot } from '../markets/read-hub.ts';
import { authenticateOperator, operatorRefusals } from './authenticate-operator.ts';
import { House, describeHouse, readPositions } from './house.ts';
import { METRICS_TYPE, readOpenWork, writeMetrics } from './metrics.ts';

/** The operator's routes for the position of the house, and for a scraper. */
export const houseRoutes = createArea();

houseRoutes.openapi(
  createRoute({
    operationId: 'getHouse',
    method: 'get',
    path: '/operator/v1/house',
    tags: ['House'],
    summary: 'What is owed to clients, and the house’s own position in each asset',
    description:
      'Owed to clients, in flight, fees earned, inventory with its value, and how much of exposure and supply cap is used. The balances are of one moment.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperator('read'),
    responses: {
      200: { description: 'The position', content: jsonContent(z.object({ house: House })) },
      ...problemResponses(...operatorRefusals),
    },
  }),
  async (c) => {
    const [positions, snapshot] = await Promise.all([
      readPositions(firstLedger(c.env)),
      readSnapshot(c.env, VALUE_MAX_AGE_MS),
    ]);
    return c.json({ house: describeHouse(positions, snapshot, Date.now()) }, 200);
  },
);

houseRoutes.openapi(
  createRoute({
    operationId: 'getMetrics',
    method: 'get',
    path: '/operator/v1/metrics',
    tags: ['House'],
    summary: 'Metrics for a scraper, as OpenMetrics text',
    description:
      'Halts, what is open and how old it is, positions and limits, prices, the progress of the reconciliation. What cannot be reached is absent. docs/alerts.yml has rules for alerts upon them.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperator('read'),
    responses: {
      200: {
        description: 'The metrics of this moment',
        content: {
          [METRICS_TYPE]: {
            schema: z.string().openapi({
              description: 'OpenMetrics 1.0.0',
              example:
                '# TYPE bureau_trading_halted gauge\n# HELP bureau_trading_halted Whether trading is halted\nbureau_trading_halted 0\n# EOF\n',
            }),
          },
        },
      },
      ...problemResponses(...operatorRefusals),
    },
  }),
  async (c) => {
    const database = firstLedger(c.env);
    const [work, positions, snapshot, keeper] = await Promise.all([
      readOpenWork(database),
      readPositions(database),
      readSnapshot(c.env, VALUE_MAX_AGE_MS),
      readKeeper(c.env),
    ]);
    const now_ms = Date.now();
    const house = describeHouse(positions, snapshot, now_ms);
    const text = writeMetrics({ work, house, snapshot, keeper, now_ms });
    return c.body(text, 200, { 'Content-Type': METRICS_TYPE }) as Response as WrittenAnswer;
  },
);

/** The keeper's progress; `undefined` when it does not answer, which is a metric of its own. */
async function readKeeper(bindings: KeeperBindings): Promise<KeeperStanding | undefined> {
  try {
    return await reachKeeper(bindings).read();
  } catch (error) {
    logFault('keeper_unreachable', { error: describeError(error) });
    return undefined;
  }
}
