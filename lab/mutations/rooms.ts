import { checks } from './checks.ts';
import { deposits } from './deposits.ts';
import { http } from './http.ts';
import { keys } from './keys.ts';
import { lane } from './lane.ts';
import { ledger } from './ledger.ts';
import { money } from './money.ts';
import { placeMutations } from './mutation.ts';
import { trade } from './trade.ts';
import { triggers } from './triggers.ts';
import { withdrawals } from './withdrawals.ts';

export const mutations = placeMutations([
  money,
  trade,
  ledger,
  keys,
  http,
  lane,
  withdrawals,
  deposits,
  triggers,
  checks,
]);
