import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, vi } from 'vitest';
import type { Event } from '../../../src/events/event.ts';
import type { WebhookEndpoint } from '../../../src/events/webhooks/endpoint-schemas.ts';
import type { OperatorEvent } from '../../../src/events/operator-event.ts';
import { type Trader, asOperator, createKey, json, openTrader } from '../exchange.ts';
import { waitFor } from '../wait-for.ts';
import { env } from '../runtime/test-env.ts';

export interface WebhookRequest {
  readonly id: string;
  readonly event: Event | OperatorEvent;
  readonly body: string;
  readonly headers: Record<string, string>;
}

type Answer = (received: WebhookRequest) => Response | Promise<Response>;

const ok: Answer = () => new Response('thank you');

/** By their addresses. Names are not used again, so that no test hears of another's events. */
const receivers = new Map<string, Receiver>();

/** Has requests to receivers answered here; others go on to where they go. */
function listenToFetch(): void {
  if (vi.isMockFunction(globalThis.fetch)) return;
  const send = globalThis.fetch;
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const receiver = typeof input === 'string' ? receivers.get(input) : undefined;
    return receiver ? receiver.take(init ?? {}) : send.call(globalThis, input, init);
  });
  onTestFinished(() => spy.mockRestore());
}

/**
 * A receiver of webhooks that answers inside of the runtime. It verifies each delivery with the reference library by
 * each of its secrets, and keeps what came.
 */
export class Receiver {
  readonly url: string;
  /** Every attempt. */
  readonly received: WebhookRequest[] = [];
  /** Those that were answered with 2xx. */
  readonly taken: WebhookRequest[] = [];
  readonly secrets: string[] = [];
  answer: Answer = ok;

  constructor() {
    this.url = `https://receiver-${receivers.size + 1}.bureau-tests.com/hooks`;
    receivers.set(this.url, this);
    listenToFetch();
  }

  get ids(): string[] {
    return this.received.map(({ id }) => id);
  }

  get types(): string[] {
    return this.received.map(({ event }) => event.type);
  }

  async take(init: RequestInit): Promise<Response> {
    const headers = Object.fromEntries(new Headers(init.headers));
    const body = await new Response(init.body).text();
    for (const secret of this.secrets) new Webhook(secret).verify(body, headers);
    const received = {
      id: headers['webhook-id'] ?? '',
      event: JSON.parse(body) as Event | OperatorEvent,
      body,
      headers,
    };
    this.received.push(received);
    const answer = await this.answer(received);
    if (answer.ok) this.taken.push(received);
    return answer;
  }
}

export type EndpointBody = WebhookEndpoint;

export const ENDPOINTS = '/api/v1/webhook-endpoints';

/** A key that may manage endpoints. */
export function createManager(accountId: string): Promise<Trader> {
  return createKey(accountId, { scopes: ['read', 'trade', 'withdraw', 'webhooks'] });
}

/** A trader who may manage endpoints. */
export async function openManager(funds: Parameters<typeof openTrader>[0] = {}): Promise<Trader> {
  return openTrader(funds, { scopes: ['read', 'trade', 'withdraw', 'webhooks'] });
}

/** Has the events of an account sent to a receiver. */
export function subscribe(trader: Trader, receiver: Receiver, options: object = {}): Promise<EndpointBody> {
  return enlist(receiver, trader.post(ENDPOINTS, { url: receiver.url, ...options }));
}

/** A trader, the receiver of their events, and the endpoint at which these are sent to it. */
export async function listen(funds: Parameters<typeof openManager>[0] = {}, options: object = {}) {
  const [trader, receiver] = [await openManager(funds), new Receiver()];
  return { trader, receiver, endpoint: await subscribe(trader, receiver, options) };
}

/** Has the operator's events sent to a receiver. */
export function subscribeOperator(receiver: Receiver, options: object = {}): Promise<EndpointBody> {
  return enlist(receiver, asOperator('POST', '/webhook-endpoints', { url: receiver.url, ...options }));
}

async function enlist(receiver: Receiver, made: Promise<Response>): Promise<EndpointBody> {
  const response = await made;
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  const { webhookEndpoint, secret } = await json<{ webhookEndpoint: EndpointBody; secret: string }>(response);
  receiver.secrets.push(secret);
  return webhookEndpoint;
}

/** Waits until the endpoint was woken, and has what is there sent. */
export async function deliver(endpoint: { readonly id: string }): Promise<void> {
  await waitFor(async () => expect(await hasAlarm(endpoint)).toBe(true));
  await runAlarm(endpoint);
}

/** The object of an endpoint. A stub no longer works once its object was aborted, so every use takes a new one. */
export const senderOf = ({ id }: { readonly id: string }) => env.WEBHOOK_SENDER.getByName(id);

/** Whether the object of an endpoint was woken, or waits for its next attempt. */
export const hasAlarm = async (endpoint: { readonly id: string }) =>
  (await runInDurableObject(senderOf(endpoint), (_sender, { storage }) => storage.getAlarm())) !== null;

/** Runs the alarm of an endpoint's object, whenever it is due. Returns whether one was set. */
export const runAlarm = (endpoint: { readonly id: string }) => runDurableObjectAlarm(senderOf(endpoint));
