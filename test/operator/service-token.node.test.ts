import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { connectBureau } from '../../custodian/src/contract/bureau.ts';
import { writeConfig } from '../../custodian/test/support/run-custodian.ts';
import { runShell } from '../../scripts/run-examples.ts';
import { publicSecrets } from '../../src/public-secrets.ts';
import { startAccessGate } from '../support/node/access/start-access-gate.ts';
import { type Exchange, startExchange } from '../support/node/exchange/start-exchange.ts';
import { openFolder } from '../support/node/open-folder.ts';

const serviceToken = { id: '0f1e2d3c4b5a69788796a5b4c3d2e1f0.access', secret: 'f'.repeat(64) };
const depositToken = publicSecrets.DEPOSIT_TOKEN;

let exchange: Exchange;
let gate: Awaited<ReturnType<typeof startAccessGate>>;
const folder = openFolder('service-token');

beforeAll(async () => {
  exchange = await startExchange({
    bundle: inject('workerBundle'),
    site: false,
    variables: {
      ACCESS_ISSUER: 'https://team.cloudflareaccess.com',
      ACCESS_AUDIENCE: 'tag',
      CONSOLE_ORIGIN: 'https://console.bureau.test',
    },
  });
  gate = await startAccessGate(exchange.urls[0] ?? '', serviceToken);
});

afterAll(async () => {
  await gate.stop();
  await exchange.dispose();
});

describe('behind Cloudflare Access', () => {
  it('the custodian’s requests are let in with a service token', async () => {
    await expect(connectBureau(gate.url, { depositToken, serviceToken }).countAddresses()).resolves.toBe(0);
  });

  it.each([
    ['none', undefined],
    ['a wrong one', { ...serviceToken, secret: 'e'.repeat(64) }],
  ])('a custodian with %s is told what it needs', async (_, presented) => {
    const bureau = connectBureau(gate.url, { depositToken, serviceToken: presented });
    await expect(bureau.countAddresses()).rejects.toThrow(/cloudflareaccess\.com.*CF_ACCESS_CLIENT_ID/);
  });

  it('the custodian’s doctor reaches Bureau with the variables of its environment', async () => {
    const config = join(folder, 'custodian.json');
    writeFileSync(config, JSON.stringify(writeConfig(folder, gate.url, {})));
    const examine = (variables: string) =>
      runShell(
        `${variables} BUREAU_DEPOSIT_TOKEN=${depositToken} CUSTODY_SECRETS='{}' ${process.execPath} custodian/src/commands/doctor.ts --config ${config} || true`,
      );
    const set = `CF_ACCESS_CLIENT_ID=${serviceToken.id} CF_ACCESS_CLIENT_SECRET=${serviceToken.secret}`;
    expect(await examine(set)).toContain('ok     Bureau answers with the deposit token');
    expect(await examine('')).toMatch(/WRONG {2}Bureau answers with the deposit token: .*CF_ACCESS_CLIENT_ID/);
  });

  it('every operate() of the guides is let in with a service token', async () => {
    const guides = readdirSync('docs/guides').map((file) => readFileSync(join('docs/guides', file), 'utf8'));
    const functions = guides.flatMap((text) => text.match(/^operate\(\) [^]*?; \}$/gm) ?? []);
    expect(functions.length).toBeGreaterThan(3);
    const set = `URL=${gate.url} OPERATOR=${publicSecrets.OPERATOR_TOKEN} CF_ACCESS_CLIENT_ID=${serviceToken.id} CF_ACCESS_CLIENT_SECRET=${serviceToken.secret}`;
    for (const written of functions) {
      // Nobody has this route, so the answer is the Worker's own problem, whatever the function does.
      expect(await runShell(`${set}\n${written}\noperate POST /nothing '{}'`), written).toContain('"code":"not_found"');
    }
  });

  it('every printed request to the operator’s API names the two headers', () => {
    const documents = ['README.md', 'custodian/README.md'].concat(
      ...['docs', 'docs/guides', 'docs/design'].map((room) =>
        readdirSync(room).flatMap((file) => (file.endsWith('.md') ? [join(room, file)] : [])),
      ),
    );
    const requests = documents.flatMap(
      (file) =>
        readFileSync(file, 'utf8')
          .replaceAll('\\\n', '')
          .match(/^.*curl .*\/operator\/v1.*Bearer.*$/gm) ?? [],
    );
    expect(requests.length).toBeGreaterThan(5);
    expect(requests.filter((line) => !/CF-Access-Client-Id.*CF-Access-Client-Secret/.test(line))).toEqual([]);
  });
});
