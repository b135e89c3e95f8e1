import { parseAmount } from '../../../src/money/amounts.ts';
import { type ServedNetwork, isBitcoinLike, isSolana } from '../networks.ts';
import { writePayment } from '../solana/write-payment.ts';
import { signBitcoin, signEvm, signSolana, signTron } from './encode.ts';
import {
  type SignerAddresses,
  LIMIT_DECIMALS,
  isEvmRequest,
  isSolanaRequest,
  isTronRequest,
  judge,
  nameDeed,
  partiesOf,
} from './judge.ts';
import type { Policy } from './policy.ts';
import type {
  HouseAddresses,
  RefusalReason,
  SignedTransaction,
  SignerAnswer,
  SignerRequest,
  SignRequest,
} from './requests.ts';
import type { LimitOf, SignatureLog } from './signature-log.ts';
import type { KeyName, Wallet } from './wallet.ts';

/** What a signer works with. The clock is an argument, so that hourly limits can be tested. */
export interface SignerParts {
  readonly wallet: Wallet;
  readonly policy: Policy;
  readonly log: SignatureLog;
  readonly now: () => number;
}

/**
 * Answers one request. A signature is recorded in the log before it is returned, and nothing is signed for a burnt id.
 * Throws only when the log cannot be read or written; then no signature leaves the signer.
 */
export function answerSigner(parts: SignerParts, request: SignerRequest): SignerAnswer {
  const { policy, log, now, wallet } = parts;
  if (request.kind === 'addresses')
    return { kind: 'addresses', networks: listHouse(parts), signerKey: wallet.signerKey };
  if (request.kind === 'burn') {
    const signed = log.burn(request.withdrawalId, now());
    return { kind: 'burnt', signed, signature: wallet.signBurnt(request.withdrawalId, signed) };
  }
  if (request.kind === 'fence') return { kind: 'fence', signed: log.isUsed(request.network, request.fence) };
  const derived = deriveOf(parts, request.network);
  if (request.kind === 'deposit_addresses') {
    const { from, count } = request;
    return { kind: 'deposit_addresses', addresses: Array.from({ length: count }, (_, n) => derived.deposit(from + n)) };
  }
  if (request.kind === 'pool_entries') {
    const { from, count } = request;
    return {
      kind: 'pool_entries',
      entries: Array.from({ length: count }, (_, n) => wallet.signSolanaAddress(from + n)),
    };
  }
  const refuse = (reason: RefusalReason): SignerAnswer => {
    const signed = log.hasSigned(nameDeed(request, derived), request.network);
    return { kind: 'refused', reason, signed };
  };
  const deed = judge(request, policy, derived);
  if (deed.kind === 'refused') return refuse(deed.reason);
  const reason = log.findObjection(deed, request.network, limitsOf(policy), now());
  if (reason !== undefined) return refuse(reason);
  const signed = trySign(wallet, request, derived);
  if (!signed) return refuse('cannot_be_signed');
  log.recordSigned(deed, request.network, signed.txHash, now());
  return signed;
}

/** Signs a request; `undefined` when its transaction cannot be encoded, so that the payer can give up its fence. */
function trySign(wallet: Wallet, request: SignRequest, derived: SignerAddresses): SignedTransaction | undefined {
  try {
    return sign(wallet, request, derived);
  } catch {
    return undefined;
  }
}

function sign(wallet: Wallet, request: SignRequest, derived: SignerAddresses): SignedTransaction {
  if (isEvmRequest(request)) return signEvm(request.transaction, wallet.evmKey(nameKey(request)));
  if (isTronRequest(request)) return signTron(request.transaction, wallet.tronKey(nameKey(request)));
  if (isSolanaRequest(request)) {
    const names: KeyName[] = [{ account: 'hot', index: 0 }];
    if (request.kind === 'solana_sweep') names.push({ account: 'deposit', index: request.index });
    const message = writePayment(request.transaction, partiesOf(request, derived));
    return signSolana(
      message,
      names.map((name) => wallet.solanaKey(name)),
    );
  }
  return signBitcoin(request.network, request.transaction, (name) => wallet.bitcoinKey(request.network, name));
}

function nameKey(request: SignRequest): KeyName {
  if (request.kind === 'evm_sweep' || request.kind === 'tron_sweep')
    return { account: 'deposit', index: request.index };
  return { account: request.kind === 'evm_gas' || request.kind === 'tron_gas' ? 'gas' : 'hot', index: 0 };
}

function deriveOf({ wallet, policy }: SignerParts, network: ServedNetwork): SignerAddresses {
  const cold = policy.networks[network]?.cold ?? '';
  const addressOf = (name: KeyName) => wallet.addressOf(network, name);
  return {
    hot: addressOf({ account: 'hot', index: 0 }),
    gas: isBitcoinLike(network) || isSolana(network) ? null : addressOf({ account: 'gas', index: 0 }),
    cold,
    deposit: (index) => addressOf({ account: 'deposit', index }),
  };
}

function listHouse(parts: SignerParts): Record<string, HouseAddresses> {
  const served = Object.keys(parts.policy.networks) as ServedNetwork[];
  return Object.fromEntries(
    served.map((network) => {
      const { hot, gas, cold } = deriveOf(parts, network);
      return [network, { hot, gas, cold }];
    }),
  );
}

function limitsOf({ payoutsPerHour, networks }: Policy): LimitOf {
  return ({ limit, name }) => {
    const rules = networks[name as ServedNetwork];
    const amount = { payout: payoutsPerHour[name], gas: rules?.gasPerHour, fee: rules?.feesPerHour }[limit];
    return amount === undefined ? undefined : parseAmount(amount, LIMIT_DECIMALS);
  };
}
