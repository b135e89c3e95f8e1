import type { Room } from './mutation.ts';

const once = 'test/lane/execute-once.test.ts';
const crashes = 'test/lane/crashes.test.ts';
const replaysTest = 'test/lane/replays.test.ts';
const mutexTest = 'test/lane/mutex.pure.test.ts';
const ratesTest = 'test/lane/rate-buckets.pure.test.ts';
const countedTest = 'test/lane/counted-buckets.test.ts';
const gateTest = 'test/lane/ledger-gate.test.ts';
const conditionsTest = 'test/lane/gate-conditions.test.ts';

const GATE = 'src/lane/ledger-gate.ts';
const CONDITIONS = 'src/lane/gate-conditions.ts';

const COMMIT = 'const end = await commitAndLook(execution, recordId, planned.value);';

export const lane: Room = {
  name: 'lane',
  file: 'src/lane/execute-once.ts',
  tests: [once],
  mutations: [
    {
      name: 'the intent is written after the commit',
      find: `  if (request && !earlier) {
    replays.intend(request, recordId, now_ms);
    intended = true;
  }
  await lane.sync();
  ${COMMIT}`,
      replace: `  ${COMMIT}
  if (request && !earlier) {
    replays.intend(request, recordId, now_ms);
    intended = true;
  }
  await lane.sync();`,
      tests: [crashes],
    },
    { name: 'the intent is not waited for to be durable', find: '  await lane.sync();\n', replace: '' },
    {
      name: 'the answer is stored before the commit',
      find: `  ${COMMIT}`,
      replace: `  if (request) replays.remember(request.idempotencyKey, answerProblem(reused, facts));\n  ${COMMIT}`,
      tests: [crashes],
    },
    {
      name: 'the fingerprint is not compared',
      find: 'if (earlier.fingerprint !== request.fingerprint)',
      replace: 'if (false as boolean)',
    },
    {
      name: 'a retry does not look before it executes',
      find: 'const found = await execution.lookUp(earlier.recordId);',
      replace: "const found = { kind: 'absent' } as LookUp<Row>;",
      tests: [crashes],
    },
    {
      name: 'a retry executes under a new id',
      find: 'earlier?.recordId ?? newRecordId(now_ms)',
      replace: 'newRecordId(now_ms)',
    },
    {
      name: 'a write of unknown outcome is sent again without a look',
      find: 'const found = await execution.lookUp(recordId);',
      replace: "const found = { kind: 'absent' } as LookUp<Row>;",
    },
    {
      name: 'the refusal of a second write is taken for final',
      find: "if (end.kind === 'refused' && attempt === 1) return end;",
      replace: "if (end.kind === 'refused') return end;",
    },
    {
      name: 'a refusal is final while an earlier write may land',
      find: 'if (kept && mayStillLand)',
      replace: 'if (false as boolean)',
    },
    {
      name: 'a refusal about money is not kept',
      find: '    if (request && kept) {',
      replace: '    if (request && kept && intended) {',
    },
    {
      name: 'an order’s answer is not remembered',
      find: 'else if (request) replays.rememberLate(request.idempotencyKey, answer);',
      replace: '',
    },
    {
      name: 'the mutex is free while it passes on',
      file: 'src/lane/mutex.ts',
      find: 'if (next) next();\n      else this.#held = false;',
      replace: 'this.#held = false;\n      if (next) next();',
      tests: [mutexTest],
    },
    {
      name: 'the mutex is never held',
      file: 'src/lane/mutex.ts',
      find: '    this.#held = true;\n',
      replace: '',
      tests: [mutexTest],
    },
    {
      name: 'the newest of the queue goes first',
      file: 'src/lane/mutex.ts',
      find: 'this.#waiting.shift()',
      replace: 'this.#waiting.pop()',
      tests: [mutexTest],
    },
    {
      name: 'one more than its room waits in the queue',
      file: 'src/lane/mutex.ts',
      find: 'this.#waiting.length < this.#room',
      replace: 'this.#waiting.length <= this.#room',
      tests: [mutexTest],
    },
    {
      name: 'who was turned away at the deadline is run',
      file: 'src/lane/mutex.ts',
      find: 'resolve(false);',
      replace: 'resolve(true);',
      tests: [mutexTest],
    },
    {
      name: 'a frozen account is not told what it was answered',
      find: '  const earlier = request && replays.find(request.idempotencyKey, now_ms);\n',
      replace:
        '  const refused = lane.mayAct();\n  if (!refused.ok) return { answer: answerProblem(refused, facts), replayed: false };\n' +
        '  const earlier = request && replays.find(request.idempotencyKey, now_ms);\n',
    },
    {
      name: 'an older record of a key replaces a newer one',
      file: 'src/lane/held-record.ts',
      find: 'read.number < this.#record.number',
      replace: 'read.number < 0',
      tests: ['test/keys/revocation.test.ts'],
    },
    {
      name: 'a record that is read later brings a revoked key back',
      file: 'src/lane/held-record.ts',
      find: 'this.#record.revokedAt_ms ?? this.#revokedAt_ms ?? null',
      replace: 'this.#record.revokedAt_ms',
      tests: ['test/keys/revocation.test.ts'],
    },
    {
      name: 'a revocation is forgotten with the object’s memory',
      file: 'src/lane/held-record.ts',
      find: "    this.#state.write('revoked', now_ms);\n",
      replace: '',
      tests: ['test/keys/revocation.test.ts'],
    },
    {
      name: 'a request leaves the minute a millisecond early',
      file: 'src/lane/rate-buckets.ts',
      find: 'leaves_ms > now_ms)',
      replace: 'leaves_ms > now_ms + 1)',
      tests: [ratesTest],
    },
    {
      name: 'a clock that goes back over midnight empties the day',
      file: 'src/lane/rate-buckets.ts',
      find: 'Math.max(bucket.day, Math.floor(now_ms / DAY_MS))',
      replace: 'Math.floor(now_ms / DAY_MS)',
      tests: [ratesTest],
    },
    {
      name: 'the day is not counted',
      file: 'src/lane/rate-buckets.ts',
      find: 'dayCount: bucket.dayCount + requests };',
      replace: 'dayCount: bucket.dayCount };',
      tests: [ratesTest],
    },
    {
      name: 'reads that were written down ahead are forgiven',
      file: 'src/lane/counted-buckets.ts',
      find: 'spendReserve(buckets.read, readReserve)',
      replace: 'buckets.read',
      tests: [countedTest],
    },
    {
      name: 'a lost block counts for a minute from when the object wakes',
      file: 'src/lane/rate-buckets.ts',
      find: '[last[0], last[1] + reserve]',
      replace: '[Date.now() + MINUTE_MS, last[1] + reserve]',
      tests: [countedTest],
    },
    {
      name: 'trades and withdrawals are counted in memory alone',
      file: 'src/lane/counted-buckets.ts',
      find: '    else this.#late.add(this.#write);\n',
      replace: '',
      tests: [countedTest],
    },
    {
      name: 'an order has its effect before it is counted for good',
      file: 'src/lane/key-lane.ts',
      find: '    this.#late.flush();\n',
      replace: '',
      tests: [crashes],
    },
    {
      name: 'a late write waits for the next one for ever',
      file: 'src/lane/late-writes.ts',
      find: '    setTimeout(() => this.#writeAlone(), LATE_WRITE_PAUSE_MS);\n',
      replace: '',
      tests: ['test/lane/late-writes.test.ts'],
    },
    {
      name: 'an answer that is not written yet is not known',
      file: 'src/lane/replays.ts',
      find: 'this.#unwritten.get(idempotencyKey) ?? null',
      replace: 'null',
      tests: [replaysTest],
    },
    {
      name: 'an answer is written over one that is late',
      file: 'src/lane/replays.ts',
      find: '  remember(idempotencyKey: string, answer: Answer): Answer {\n    this.#late.flush();\n',
      replace: '  remember(idempotencyKey: string, answer: Answer): Answer {\n',
      tests: [replaysTest],
    },
    {
      name: 'an Idempotency-Key protects a minute less than a day',
      file: 'src/lane/replays.ts',
      find: 'REPLAY_WINDOW_MS = 86_400_000',
      replace: 'REPLAY_WINDOW_MS = 86_340_000',
      tests: [replaysTest],
    },
    {
      name: 'a second answer takes the place of the first',
      file: 'src/lane/replays.ts',
      find: ' AND answer IS NULL',
      replace: '',
      tests: [replaysTest],
    },
    {
      name: 'the purge leaves what expires at this moment',
      file: 'src/lane/replays.ts',
      find: 'WHERE received_at <= ?',
      replace: 'WHERE received_at < ?',
      tests: [replaysTest],
    },
    {
      name: 'an order is not counted',
      file: 'src/lane/key-lane.ts',
      find: 'if (!counted.outcome.ok) return problem(counted.outcome, counted.rate);',
      replace: '',
      tests: ['test/api/rate-limits.test.ts'],
    },
    {
      name: 'the alarm leaves an order’s intent open',
      file: 'src/lane/key-lane.ts',
      find: "if (found.kind === 'found') this.#replays.remember(intent.idempotencyKey, answerOrder(found.row));",
      replace: '',
      tests: [crashes],
    },
    {
      name: 'the alarm forgets an intent whose order is still on its way',
      file: 'src/lane/key-lane.ts',
      find: "      if (found.kind === 'found') this.#replays.remember(intent.idempotencyKey, answerOrder",
      replace:
        "      if (found.kind === 'absent') this.#replays.forget(intent.idempotencyKey);\n" +
        "      if (found.kind === 'found') this.#replays.remember(intent.idempotencyKey, answerOrder",
      tests: [crashes],
    },
    {
      name: 'the alarm answers for a withdrawal that is under way at the custodian',
      file: 'src/lane/key-lane.ts',
      find: ' || isWithCustodian(found.row)) return;',
      replace: ') return;',
      tests: ['test/wallet/withdrawals/crashes.test.ts'],
    },
    {
      name: 'no alarm stands for the replays',
      file: 'src/lane/key-lane.ts',
      find: '      if (call.request) await this.#ensureAlarm();\n',
      replace: '',
      tests: [crashes],
    },
    {
      name: 'settings once read are never read again',
      file: CONDITIONS,
      find: 'const isSettled = isWithin(SETTINGS_MAX_AGE_MS, this.#settings?.read_ms, now_ms);',
      replace: 'const isSettled = this.#settings !== undefined;',
      tests: [conditionsTest],
    },
    {
      name: 'an order waits for prices that are fetched beside it',
      file: CONDITIONS,
      find: 'if (!isPriced || !isSettled) {',
      replace: 'await this.#refresh();\n    if (!isPriced || !isSettled) {',
      tests: [conditionsTest],
    },
    {
      name: 'an order is filled at a price that is over two seconds old',
      file: 'src/markets/firm-price.ts',
      find: 'FILL_MAX_AGE_MS = 2_000',
      replace: 'FILL_MAX_AGE_MS = 3_000',
      tests: ['test/trade/plan-order.pure.test.ts'],
    },
    {
      name: 'the gate takes up an order after its deadline',
      file: GATE,
      find: "if (now_ms > call.deadline_ms) return { kind: 'refused', refusal: overloaded };",
      replace: '',
      tests: [gateTest],
    },
    {
      name: 'a second call with an order’s id is a second order',
      file: GATE,
      find: 'if (underWay) return underWay;',
      replace: '',
      tests: [gateTest],
    },
    {
      name: 'the gate takes one order more than it has room for',
      file: GATE,
      find: 'this.#orders.size >= ROOM',
      replace: 'this.#orders.size > ROOM',
      tests: [gateTest],
    },
    {
      name: 'a batch that D1 does not answer is waited for',
      file: GATE,
      find: 'BATCH_DEADLINE_MS = 3_000',
      replace: 'BATCH_DEADLINE_MS = 300_000',
      tests: [gateTest],
    },
    {
      name: 'an order that newer prices have overtaken is planned again at the old ones',
      file: CONDITIONS,
      find: 'if (this.#prices && this.#prices.snapshot.round <= round) await this.#readPrices();',
      replace: '',
      tests: [gateTest],
    },
    {
      name: 'an order that was overtaken twice is left open',
      file: GATE,
      find: "return { kind: 'refused', refusal: noFirmPrice(terms.value.coin) };",
      replace: "return { kind: 'unknown' };",
      tests: [gateTest],
    },
  ],
};
