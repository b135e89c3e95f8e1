import type { Room } from './mutation.ts';

const once = 'test/lane/execute-once.test.ts';
const crashes = 'test/lane/crashes.test.ts';
const replaysTest = 'test/lane/replays.test.ts';
const mutexTest = 'test/platform/mutex.pure.test.ts';
const ratesTest = 'test/lane/rate-buckets.pure.test.ts';
const countedTest = 'test/lane/counted-buckets.test.ts';
const gateTest = 'test/orders/gate.test.ts';
const gatesTest = 'test/lane/gates.test.ts';
const conditionsTest = 'test/orders/conditions.test.ts';

const GATE = 'src/orders/gate.ts';
const BATCHES = 'src/orders/batches.ts';
const CONDITIONS = 'src/orders/gate.ts';

const COMMIT = 'const end = await commitAndLook(execution, recordId, planned.value);';

export const lane: Room = {
  name: 'lane',
  file: 'src/lane/once.ts',
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
    { name: 'the order is sent before the intent is on disk', find: '  await lane.sync();\n', replace: '' },
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
      name: 'a retry executes without looking for the record',
      find: 'const found = await execution.lookUp(earlier.recordId);',
      replace: "const found = { kind: 'absent' } as LookUp<Row>;",
      tests: [crashes],
    },
    {
      name: 'a retry executes under a new id',
      find: 'earlier?.recordId ?? newRecordId(now_ms, lane.ledger)',
      replace: 'newRecordId(now_ms, lane.ledger)',
    },
    {
      name: 'a write of unknown outcome is sent again without looking for the record',
      find: 'const found = await execution.lookUp(recordId);',
      replace: "const found = { kind: 'absent' } as LookUp<Row>;",
    },
    {
      name: 'the refusal of a second write is remembered although the first may still land',
      find: "if (end.kind === 'refused' && attempt === 1) return end;",
      replace: "if (end.kind === 'refused') return end;",
    },
    {
      name: 'a refusal is remembered although an earlier write may still land',
      find: 'if (kept && mayStillLand)',
      replace: 'if (false as boolean)',
    },
    {
      name: 'a refusal about money is not remembered',
      find: '    if (request && kept) {',
      replace: '    if (request && kept && intended) {',
    },
    {
      name: 'an order’s answer is not remembered',
      find: 'else if (request) replays.rememberLate(request.idempotencyKey, answer);',
      replace: '',
    },
    {
      name: 'the mutex is free while the next call is woken',
      file: 'src/platform/turns.ts',
      find: 'if (next) next();\n      else this.#held = false;',
      replace: 'this.#held = false;\n      if (next) next();',
      tests: [mutexTest],
    },
    {
      name: 'the mutex is never held',
      file: 'src/platform/turns.ts',
      find: '    this.#held = true;\n',
      replace: '',
      tests: [mutexTest],
    },
    {
      name: 'the newest of the queue goes first',
      file: 'src/platform/turns.ts',
      find: 'this.#waiting.shift()',
      replace: 'this.#waiting.pop()',
      tests: [mutexTest],
    },
    {
      name: 'the queue takes one call more than it has room for',
      file: 'src/platform/turns.ts',
      find: 'this.#waiting.length < this.#room',
      replace: 'this.#waiting.length <= this.#room',
      tests: [mutexTest],
    },
    {
      name: 'a call that was refused at the deadline still runs',
      file: 'src/platform/turns.ts',
      find: 'resolve(false);',
      replace: 'resolve(true);',
      tests: [mutexTest],
    },
    {
      name: 'a frozen account gets no replays',
      find: '  const earlier = request && replays.find(request.idempotencyKey, now_ms);\n',
      replace:
        '  const refused = lane.mayAct();\n  if (!refused.ok) return { answer: answerProblem(refused, facts), replayed: false };\n' +
        '  const earlier = request && replays.find(request.idempotencyKey, now_ms);\n',
    },
    {
      name: 'an older record of a key replaces a newer one',
      file: 'src/lane/key-lane.ts',
      find: 'read.number < this.#record.number',
      replace: 'read.number < 0',
      tests: ['test/keys/revocation.test.ts'],
    },
    {
      name: 'an older record, read later, makes a revoked key valid again',
      file: 'src/lane/key-lane.ts',
      find: 'this.#record.revokedAt ?? this.#revokedAt_ms ?? null',
      replace: 'this.#record.revokedAt',
      tests: ['test/keys/revocation.test.ts'],
    },
    {
      name: 'a revocation is not stored',
      file: 'src/lane/key-lane.ts',
      find: "    this.#state.write('revoked', now_ms);\n",
      replace: '',
      tests: ['test/keys/revocation.test.ts'],
    },
    {
      name: 'a request counts for a millisecond less than a minute',
      file: 'src/lane/buckets.ts',
      find: 'leaves_ms > now_ms)',
      replace: 'leaves_ms > now_ms + 1)',
      tests: [ratesTest],
    },
    {
      name: 'a clock that is set back over midnight empties the daily bucket',
      file: 'src/lane/buckets.ts',
      find: 'Math.max(bucket.day, Math.floor(now_ms / DAY_MS))',
      replace: 'Math.floor(now_ms / DAY_MS)',
      tests: [ratesTest],
    },
    {
      name: 'the daily limit is not counted',
      file: 'src/lane/buckets.ts',
      find: 'dayCount: bucket.dayCount + 1 };',
      replace: 'dayCount: bucket.dayCount };',
      tests: [ratesTest],
    },
    {
      name: 'reads that were stored in advance are not counted after a restart',
      file: 'src/lane/buckets.ts',
      find: 'spendReserve(buckets.read, readReserve)',
      replace: 'buckets.read',
      tests: [countedTest],
    },
    {
      name: 'a lost block of reads counts for a minute from the restart on',
      file: 'src/lane/buckets.ts',
      find: '[last[0], last[1] + reserve]',
      replace: '[Date.now() + MINUTE_MS, last[1] + reserve]',
      tests: [countedTest],
    },
    {
      name: 'trades and withdrawals are counted only in memory',
      file: 'src/lane/buckets.ts',
      find: '    else this.#late.add(this.#write);\n',
      replace: '',
      tests: [countedTest],
    },
    {
      name: 'an order is executed before its count is stored',
      file: 'src/lane/key-lane.ts',
      find: '    this.#late.flush();\n',
      replace: '',
      tests: [crashes],
    },
    {
      name: 'a late write waits until another write comes',
      file: 'src/platform/turns.ts',
      find: '    setTimeout(() => this.#writeAlone(), LATE_WRITE_PAUSE_MS);\n',
      replace: '',
      tests: ['test/platform/late-writes.test.ts'],
    },
    {
      name: 'an answer that is not stored yet is not replayed',
      file: 'src/lane/once.ts',
      find: 'this.#unwritten.get(idempotencyKey) ?? null',
      replace: 'null',
      tests: [replaysTest],
    },
    {
      name: 'a new answer replaces one that is not stored yet',
      file: 'src/lane/once.ts',
      find: '  remember(idempotencyKey: string, answer: Answer): Answer {\n    this.#late.flush();\n',
      replace: '  remember(idempotencyKey: string, answer: Answer): Answer {\n',
      tests: [replaysTest],
    },
    {
      name: 'an Idempotency-Key is remembered for a minute less than 24 hours',
      file: 'src/lane/once.ts',
      find: 'REPLAY_WINDOW_MS = 86_400_000',
      replace: 'REPLAY_WINDOW_MS = 86_340_000',
      tests: [replaysTest],
    },
    {
      name: 'a second answer replaces the first',
      file: 'src/lane/once.ts',
      find: ' AND answer IS NULL',
      replace: '',
      tests: [replaysTest],
    },
    {
      name: 'the purge leaves answers that expire at this moment',
      file: 'src/lane/once.ts',
      find: 'WHERE received_at <= ?',
      replace: 'WHERE received_at < ?',
      tests: [replaysTest],
    },
    {
      name: 'an order above the rate limit is executed',
      file: 'src/lane/key-lane.ts',
      find: 'if (!counted.outcome.ok) return problem(counted.outcome, counted.rate);',
      replace: '',
      tests: ['test/api/rate-limits.test.ts'],
    },
    {
      name: 'the alarm does not close the intent of an order',
      file: 'src/lane/key-lane.ts',
      find: 'this.#replays.remember(intent.idempotencyKey, steps.answer(found.row));',
      replace: '',
      tests: [crashes],
    },
    {
      name: 'the alarm deletes an intent whose order may still land',
      file: 'src/lane/key-lane.ts',
      find: "    if (found.kind !== 'found' || steps",
      replace:
        "    if (found.kind === 'absent') this.#replays.forget(intent.idempotencyKey);\n" +
        "    if (found.kind !== 'found' || steps",
      tests: [crashes],
    },
    {
      name: 'the alarm stores an answer for a withdrawal that the custodian has not decided',
      file: 'src/lane/key-lane.ts',
      find: ' || steps.finish?.isOpen(found.row)) return;',
      replace: ') return;',
      tests: ['test/withdrawals/crashes.test.ts'],
    },
    {
      name: 'no alarm is set to delete old replays',
      file: 'src/lane/key-lane.ts',
      find: '      if (call.request) await this.#ensureAlarm();\n',
      replace: '',
      tests: [crashes],
    },
    {
      name: 'settings once read are never read again',
      file: CONDITIONS,
      find: 'isRecent(SETTINGS_MAX_AGE_MS, this.#settings?.read_ms, Date.now());',
      replace: 'this.#settings !== undefined;',
      tests: [conditionsTest],
    },
    {
      name: 'settings that grew too old while an order waited for a window are not read again',
      file: CONDITIONS,
      find: '    if (!this.#isSettled()) await this.#readSettings();\n',
      replace: '',
      tests: ['test/lane/gates.test.ts'],
    },
    {
      name: 'an order waits for prices although it has fresh ones',
      file: CONDITIONS,
      find: 'if (!wasPriced || !isSettled) {',
      replace: 'await this.#refresh();\n    if (!wasPriced || !isSettled) {',
      tests: [conditionsTest],
    },
    {
      name: 'an order is filled at a price that is over two seconds old',
      file: 'src/markets/firm-price.ts',
      find: 'FILL_MAX_AGE_MS = 2_000',
      replace: 'FILL_MAX_AGE_MS = 3_000',
      tests: ['test/orders/plan.pure.test.ts'],
    },
    {
      name: 'the gate begins with an order after its deadline',
      file: BATCHES,
      find: 'if (now_ms > waiting.call.deadline_ms) {',
      replace: 'if (now_ms > Infinity) {',
      tests: [gateTest],
    },
    {
      name: 'a second call with an order’s id is a second order',
      file: GATE,
      find: 'if (underWay) return underWay.reply;',
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
      name: 'an account has one order more in the gate than it may have',
      file: GATE,
      find: '>= ACCOUNT_ROOM',
      replace: '> ACCOUNT_ROOM',
      tests: [gateTest],
    },
    {
      name: 'the gate waits without a limit for a batch that D1 does not answer',
      file: BATCHES,
      find: 'BATCH_DEADLINE_MS = 3_000',
      replace: 'BATCH_DEADLINE_MS = 300_000',
      tests: [gateTest],
    },
    {
      name: 'the gates of several ledgers fill at whatever round each of them read last',
      file: CONDITIONS,
      find: 'this.#isOneOfSeveral = listLedgers(bindings).length > 1;',
      replace: 'this.#isOneOfSeveral = false;',
      tests: [gatesTest],
    },
    {
      name: 'a round holds before the window of the round before is over',
      file: 'src/markets/round-window.ts',
      find: 'isAhead ? taken_ms : Math.max(taken_ms, before.until_ms)',
      replace: 'taken_ms',
      tests: ['test/markets/round-window.pure.test.ts'],
    },
    {
      name: 'a hub that was reset gives out a round that holds at once',
      file: 'src/markets/record-round.ts',
      find: 'Math.max(window.until_ms, least.from_ms)',
      replace: 'window.until_ms',
      tests: ['test/markets/round-window.pure.test.ts'],
    },
    {
      name: 'an order that was refused for an old round is planned again at the same prices',
      file: CONDITIONS,
      find: 'if (newest && newest.round <= round) await this.#readPrices();',
      replace: '',
      tests: [gateTest],
    },
    {
      name: 'an order that was refused twice for an old round has an unknown outcome',
      file: BATCHES,
      find: "if (refused.reason === 'exists') return",
      replace: "if (refused.reason === 'exists' || waiting.wasOvertaken) return",
      tests: [gateTest],
    },
    {
      name: 'a batch has an order more than it may have',
      file: BATCHES,
      find: 'MAX_ORDERS = 50',
      replace: 'MAX_ORDERS = 51',
      tests: [gateTest],
    },
    {
      name: 'an order that arrives while a batch is under way is sent by itself',
      file: BATCHES,
      find: 'if (this.#isSending) return;',
      replace: '',
      tests: [gateTest],
    },
    {
      name: 'an error that names no order fails its whole batch',
      file: BATCHES,
      find: 'if (batch.length > 1) return this.#sendEach(batch);',
      replace: '',
      tests: [gateTest],
    },
    {
      name: 'after a lost connection the orders of a batch count as refused',
      file: BATCHES,
      find: "if (outcome.kind === 'unknown') return waiting.reply({ kind: 'unknown' });",
      replace: "if (outcome.kind === 'unknown') return waiting.reply({ kind: 'refused', refusal: overloaded });",
      tests: [gateTest],
    },
  ],
};
