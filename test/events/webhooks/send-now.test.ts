import { beforeEach, describe, expect, it } from 'vitest';
import { purgeEvents } from '../../../src/events/purge-events.ts';
import { database } from '../../support/db/raw-ledger.ts';
import { tellOld } from '../../support/events/feed.ts';
import {
  type Delivery,
  changeBeforeEvents,
  id,
  ids,
  nextAttempt,
  readDeliveries,
  readEndpoint,
  send,
  tell,
  wake,
} from '../../support/events/deliveries.ts';
import { ENDPOINTS, type EndpointBody, listen, runAlarm } from '../../support/events/receiver.ts';
import { type Trader, asOperator, expectCode, json } from '../../support/exchange.ts';
import { moveClock, stopClock } from '../../support/withdrawals/withdrawals.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The clock stands still a day ahead, so that only the alarms run that a test runs. */
beforeEach(() => {
  stopClock();
  moveClock(24 * HOUR_MS);
});

const resend = (trader: Trader, endpoint: EndpointBody, eventId: string) =>
  trader.post(`${ENDPOINTS}/${endpoint.id}/resend`, { eventId });

const answerOf = async (response: Promise<Response>) =>
  (await json<{ delivery: Delivery }>(await response)).delivery.answer;

describe('an endpoint', () => {
  it('is sent one event again at once, signed, under its old id, and how far it is stays', async () => {
    const { trader, receiver, endpoint } = await listen();
    await tell(trader, 3);
    receiver.answer = ({ id: received }) => new Response(null, { status: received === id(trader, 3) ? 503 : 200 });
    await send(endpoint);
    const before = await readDeliveries(trader, endpoint);
    const [first] = receiver.received;
    const sent = await json<{ delivery: Delivery }>(await resend(trader, endpoint, id(trader, 1)));
    expect(sent.delivery).toMatchObject({ eventId: id(trader, 1), outcome: 'DELIVERED', status: 200 });
    expect(receiver.received.at(-1)).toMatchObject({ id: id(trader, 1), body: first?.body });
    receiver.answer = () => new Response(null, { status: 410 });
    expect(await json(await resend(trader, endpoint, id(trader, 2)))).toMatchObject({ delivery: { status: 410 } });
    const { deliveries, ...standing } = await readDeliveries(trader, endpoint);
    expect(deliveries.map(({ eventId }) => eventId)).toEqual(ids(trader, 2, 1, 3, 2, 1));
    expect({ ...standing, deliveries: before.deliveries }).toEqual(before);
    expect(await readEndpoint(trader, endpoint)).toMatchObject({ status: 'enabled' });
    // The schedule goes on as if nothing had been sent: the second failure in a row.
    receiver.answer = () => new Response(null, { status: 503 });
    await runAlarm(endpoint);
    expect(await nextAttempt(endpoint)).toBeGreaterThan(4 * MINUTE_MS);
    expect(await nextAttempt(endpoint)).toBeLessThan(6 * MINUTE_MS);
  });

  it('is not sent again what is not its own, not wanted, not kept or not there', async () => {
    const { trader, receiver, endpoint } = await listen({}, { types: ['allowlist.removed', 'key.created'] });
    const other = await listen();
    await tell(other.trader, 2);
    await tellOld(trader, 1, 2);
    await tell(trader, 1);
    await tellOld(trader, 4, 4, Date.now());
    for (const eventId of [
      id(trader, 0),
      id(trader, 3),
      id(trader, 5),
      id(other.trader, 2),
      `evt_test_${crypto.randomUUID()}`,
      'evt_operator_0_2',
      'nonsense',
    ]) {
      await expectCode(resend(trader, endpoint, eventId), '404 not_found');
    }
    expect((await resend(trader, endpoint, id(trader, 2))).status).toBe(200);
    await purgeEvents(database, null);
    await expectCode(resend(trader, endpoint, id(trader, 2)), '404 not_found');
    expect((await resend(trader, endpoint, id(trader, 4))).status).toBe(200);
    expect(receiver.ids).toEqual(ids(trader, 2, 4));
  });

  it('is sent one event again as often as it is tested, and not more often', async () => {
    const { trader, receiver, endpoint } = await listen();
    await tell(trader, 1);
    const again = () => resend(trader, endpoint, id(trader, 1));
    for (let sent = 0; sent < 5; sent += 1) {
      expect((await again()).status).toBe(200);
      expect((await trader.post(`${ENDPOINTS}/${endpoint.id}/test`, {})).status).toBe(200);
    }
    const refused = await again();
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '10']);
    // What cannot be sent uses up nothing.
    moveClock(1_000);
    await expectCode(resend(trader, endpoint, id(trader, 2)), '404 not_found');
    expect((await again()).status).toBe(200);
    expect(receiver.received).toHaveLength(11);
  });

  it('is sent no event again while it is switched off, not even where it was just switched off', async () => {
    const { trader, receiver, endpoint } = await listen();
    await tell(trader, 1);
    const switchOff = async () => {
      await trader.send({ method: 'PATCH', path: `${ENDPOINTS}/${endpoint.id}`, body: { status: 'disabled' } });
    };
    await changeBeforeEvents(switchOff, () => expectCode(resend(trader, endpoint, id(trader, 1)), '409 invalid_state'));
    await expectCode(resend(trader, endpoint, id(trader, 1)), '409 invalid_state');
    expect(receiver.received).toEqual([]);
  });

  it('is sent no event again that came after a freeze until the account is active again', async () => {
    const { trader, receiver, endpoint } = await listen();
    const setStatus = (status: string) => asOperator('PATCH', `/accounts/${trader.accountId}`, { status });
    await tell(trader, 1);
    // A frozen account is refused before; this freeze comes once the request was admitted.
    const freeze = async () => {
      await setStatus('frozen');
      await tell(trader, 1);
    };
    await changeBeforeEvents(freeze, () => expectCode(resend(trader, endpoint, id(trader, 3)), '404 not_found'));
    await expectCode(resend(trader, endpoint, id(trader, 1)), '403 account_frozen');
    await setStatus('active');
    expect((await resend(trader, endpoint, id(trader, 3))).status).toBe(200);
    expect(receiver.ids).toEqual(ids(trader, 3));
  });

  it('that takes an event which was put aside has it put aside no longer, nor while it is replayed', async () => {
    const { trader, receiver, endpoint } = await listen();
    receiver.answer = ({ id: received }) => new Response(null, { status: received === id(trader, 1) ? 422 : 200 });
    await tell(trader, 2);
    await wake();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await runAlarm(endpoint);
      moveClock(HOUR_MS);
    }
    const aside = async () => (await readDeliveries(trader, endpoint)).setAside.map(({ eventId }) => eventId);
    await resend(trader, endpoint, id(trader, 2));
    await resend(trader, endpoint, id(trader, 1));
    expect(await aside()).toEqual(ids(trader, 1));
    for (const after of [1, 0]) {
      expect(await aside()).toEqual(ids(trader, 1));
      expect((await trader.post(`${ENDPOINTS}/${endpoint.id}/replay`, { after })).status).toBe(200);
    }
    expect(await aside()).toEqual([]);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await runAlarm(endpoint);
      moveClock(HOUR_MS);
    }
    expect(await aside()).toEqual(ids(trader, 1));
    receiver.answer = () => new Response();
    await resend(trader, endpoint, id(trader, 1));
    expect(await aside()).toEqual([]);
  });

  it.each<[string, () => Response, string | null]>([
    ['what it was', () => new Response('No such table: «orders»', { status: 500 }), 'No such table: «orders»'],
    [
      'one line without control characters, as text',
      () => new Response('\u202e<b>\r\n\u0000\u001b[31m\tno\u2028</b>\n', { status: 500 }),
      '<b> [31m no </b>',
    ],
    ['its first 200 characters', () => new Response('😀'.repeat(300), { status: 400 }), '😀'.repeat(200)],
    ['a redirect’s too', () => new Response('moved', { status: 302, headers: { Location: '/' } }), 'moved'],
    ['nothing where it was empty', () => new Response(null, { status: 500 }), null],
    ['nothing where it took the event', () => new Response('thank you'), null],
    ['nothing where none came', () => Response.error(), null],
  ])('that fails has its answer kept: %s', async (_, answer, kept) => {
    const { trader, receiver, endpoint } = await listen();
    await tell(trader, 1);
    receiver.answer = async () => {
      const response = answer();
      if (response.type === 'error') throw new Error('no route to host');
      return response;
    };
    await send(endpoint);
    expect((await readDeliveries(trader, endpoint)).deliveries.map((delivery) => delivery.answer)).toEqual([kept]);
  });

  it.each(['goes on without end', 'stops without an end', 'breaks off'])(
    'has the beginning of an answer kept that %s, which ends there',
    async (kind) => {
      const { trader, receiver, endpoint } = await listen();
      const cancelled = Promise.withResolvers<void>();
      let pulls = 0;
      receiver.answer = () => {
        const body = new ReadableStream<Uint8Array>({
          pull: (controller) => {
            pulls += 1;
            // Two of these are as much as is read, so no time decides how much came.
            if (kind === 'goes on without end') controller.enqueue(new TextEncoder().encode('no room '.repeat(50)));
            else if (pulls === 1) controller.enqueue(new TextEncoder().encode('no room '));
            else if (kind === 'breaks off') controller.error(new Error('reset'));
            else return new Promise(() => {});
            return undefined;
          },
          cancel: () => cancelled.resolve(),
        });
        return new Response(body, { status: 500 });
      };
      const answer = await answerOf(trader.post(`${ENDPOINTS}/${endpoint.id}/test`, {}));
      expect(answer).toBe(kind === 'goes on without end' ? 'no room '.repeat(25).trim() : 'no room');
      if (kind !== 'breaks off') await cancelled.promise;
      expect(pulls).toBeLessThanOrEqual(4);
    },
  );
});
