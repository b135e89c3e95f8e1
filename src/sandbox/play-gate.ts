import { houseIsFull } from '../orders/batches.ts';
import type { GateCall, GateReply, OrderGate } from '../orders/place-order.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import { currentScene } from './scenario.ts';

/**
 * The gate as a lane of the sandbox reaches it: full, lost or overloaded for an order whose scenario says so. It is
 * played before the gate, because the gate answers the orders of all lanes at once.
 */
export function playGate(gates: DurableObjectNamespace): DurableObjectNamespace {
  const getByName: DurableObjectNamespace['getByName'] = (...where) => {
    const gate = gates.getByName(...where) as unknown as OrderGate;
    const played: OrderGate = {
      placeOrder: (call) => placeOrder(gate, call),
      preview: (ledger, terms) => gate.preview(ledger, terms),
      readLoad: () => gate.readLoad(),
      awaitOrders: (accountId) => gate.awaitOrders(accountId),
    };
    return played as unknown as DurableObjectStub;
  };
  return { getByName } as unknown as DurableObjectNamespace;
}

async function placeOrder(gate: OrderGate, call: GateCall): Promise<GateReply> {
  const scene = currentScene();
  if (scene?.scenario === 'service_unavailable') {
    // What the platform throws for an object that has too much to do.
    throw Object.assign(new Error('Durable Object is overloaded.'), { overloaded: true });
  }
  if (scene?.scenario === 'order_rejected') {
    const planned = await gate.preview(ledgerNumberOf(call.orderId), call.terms);
    return { kind: 'refused', refusal: planned.ok ? houseIsFull : planned };
  }
  const reply = await gate.placeOrder(call);
  if (scene?.scenario !== 'outcome_unknown') return reply;
  scene.isCutOff = true;
  throw new Error('Network connection lost.');
}
