import { id } from 'ethers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeTransfer } from '../../src/evm/token-transfer.ts';
import type { EvmNetwork } from '../../src/networks.ts';
import { PlayedBureau } from '../support/play-bureau.ts';
import { type RunningCustodian, runCustodian, until, wallet } from '../support/run-custodian.ts';
import { newFolder, policy } from '../support/signing.ts';
import { type Anvil, RICH, startAnvil } from '../support/start-anvil.ts';

/** What one transaction pays in several ways, and what a transaction costs beside its gas. */
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const ether = 10n ** 18n;
const customer = wallet.evmAddress({ account: 'deposit', index: 3 });

/**
 * A contract that makes the same call to the token twice, and then forwards its value to the recipient of the transfer:
 * `calldatacopy(0, 0, 68); call(token, 0, memory) twice; call(calldataload(4), callvalue)`.
 */
const SPLITTER = '0x3333333333333333333333333333333333333333';
const TRANSFER = `5f5f60445f5f73${USDT.slice(2).toLowerCase()}5af150`;
const SPLITTER_CODE = `0x60445f5f37${TRANSFER}${TRANSFER}5f5f5f5f346004355af15000`;

/** Answers `getL1FeeUpperBound(uint256)` with its argument in units of 0.001 ETH, and reverts any other call. */
const ORACLE = '0x420000000000000000000000000000000000000F';
const ORACLE_CODE = `0x5f3560e01c63${id('getL1FeeUpperBound(uint256)').slice(2, 10)}146011575f5ffd5b60043566038d7ea4c68000025f5260205ff3`;

let anvil: Anvil;
let bureau: PlayedBureau;
let custodian: RunningCustodian;

async function start(network: EvmNetwork, chainId: number, changes: object): Promise<void> {
  anvil = await startAnvil(chainId);
  await anvil.mine();
  const settings = { nodes: [anvil.url], interval_ms: 20, startHeight: 0, hasTraces: true, ...changes };
  const { ETH } = policy.networks;
  const networks = { ...policy.networks, ...(ETH && { OPTIMISM: { ...ETH, maxFee: '1' } }) };
  custodian = await runCustodian(bureau.url, { evm: { [network]: settings } }, newFolder(), { ...policy, networks });
}

beforeEach(async () => {
  bureau = await PlayedBureau.start();
});

afterEach(async () => {
  await custodian.stop();
  await anvil.stop();
  await bureau.stop();
});

const mineOne = () => anvil.mine();

test('each payment of a transaction has an index of its own, which does not depend on its place in the block', async () => {
  await start('ETH', 1, {});
  await anvil.call('anvil_setCode', [SPLITTER, SPLITTER_CODE]);
  await anvil.setToken(USDT, RICH, 1_000_000_000n);
  await anvil.call('anvil_setStorageAt', [
    USDT,
    `0x${SPLITTER.slice(2).padStart(64, '0')}`,
    `0x${'0'.repeat(56)}3b9aca00`,
  ]);
  const value = await anvil.send(customer, ether);
  const token = await anvil.send(USDT, 0n, writeTransfer(customer, 25_000_000n));
  const several = await anvil.send(SPLITTER, ether, writeTransfer(customer, 10_000_000n));
  await anvil.mine();
  await until('final', () => custodian.events.some(({ state }) => state === 'FINAL'), mineOne);
  const places = bureau.reports
    // The inner payment is reported later, when it is final.
    .filter(({ outputIndex }) => outputIndex < 2 ** 31)
    .map(({ txHash, outputIndex, asset, amount }) => ({ txHash, outputIndex, asset, amount }));
  expect(places).toHaveLength(4);
  expect(places).toEqual(
    expect.arrayContaining([
      { txHash: value, outputIndex: 0, asset: 'ETH', amount: '1' },
      { txHash: token, outputIndex: 1, asset: 'USDT', amount: '25' },
      { txHash: several, outputIndex: 1, asset: 'USDT', amount: '10' },
      { txHash: several, outputIndex: 2, asset: 'USDT', amount: '10' },
    ]),
  );
  const inner = custodian.events.filter(({ event, isInner }) => event === 'deposit_moved' && isInner === true);
  expect(inner).toMatchObject([{ txHash: several, outputIndex: 2 ** 31 + 2 }]);
});

test('on OP Mainnet a sweep leaves what its data may cost on Ethereum, and is worth ten times all its costs', async () => {
  await start('OPTIMISM', 10, { sweepFrom: { ETH: '0.1' } });
  await anvil.call('anvil_setCode', [ORACLE, ORACLE_CODE]);
  const poor = wallet.evmAddress({ account: 'deposit', index: 1 });
  await anvil.send(poor, ether);
  await anvil.send(customer, 3n * ether);
  await until(
    'swept',
    () => custodian.events.some(({ state, purpose }) => purpose === 'sweep' && state === 'FINAL_PAID'),
    mineOne,
  );
  // An unsigned transaction of this kind has at most 120 bytes. The node of the test does not take this fee.
  expect(await anvil.balance(customer)).toBeGreaterThanOrEqual((120n * ether) / 1000n);
  expect(await anvil.balance(customer)).toBeLessThan((121n * ether) / 1000n);
  expect(await anvil.balance(poor)).toBe(ether);
});
