import type { Role } from '../db/role.ts';

/** The roles that a person of the staff can have. */
export const staffRoles = ['admin', 'treasury', 'support', 'compliance', 'auditor'] as const satisfies readonly Role[];

export type StaffRole = (typeof staffRoles)[number];

/** The operator's token, and people who may do all that it may. */
const chiefs = ['operator', 'admin'] as const satisfies readonly Role[];

/**
 * What a route is for, and the roles that it opens to. Treasury moves money, compliance reviews and freezes, support
 * opens accounts and takes rights away, auditors read. Nobody but an admin sees a token or a secret.
 */
export const duties = {
  /** Any token, and any person of the staff. */
  know_interface: [...chiefs, 'deposits', 'watcher', 'auditor', 'treasury', 'support', 'compliance'],
  read: [...chiefs, 'auditor', 'treasury', 'support', 'compliance'],
  /** What the second watcher reports credits nothing by itself. */
  report_deposits: [...chiefs, 'deposits', 'watcher'],
  ask_custodian: [...chiefs, 'deposits', 'watcher', 'treasury'],
  open_accounts: [...chiefs, 'support'],
  note_accounts: [...chiefs, 'treasury', 'support', 'compliance'],
  /** To another ledger. */
  freeze_accounts: [...chiefs, 'support', 'compliance'],
  thaw_accounts: [...chiefs, 'compliance'],
  set_limits: chiefs,
  make_keys: chiefs,
  revoke_keys: [...chiefs, 'support', 'compliance'],
  set_second_factor: chiefs,
  approve_addresses: chiefs,
  recover_accounts: [...chiefs, 'support', 'compliance'],
  remove_approvals: [...chiefs, 'support', 'compliance'],
  credit: [...chiefs, 'treasury'],
  settle_trades: [...chiefs, 'treasury'],
  fund_house: [...chiefs, 'treasury'],
  decide_quarantine: [...chiefs, 'compliance'],
  review_withdrawals: [...chiefs, 'compliance'],
  settle_withdrawals: [...chiefs, 'treasury'],
  set_caps: [...chiefs, 'treasury'],
  change_settings: chiefs,
  reconcile: [...chiefs, 'treasury'],
  clear_violations: chiefs,
  /** The signer's signature says whose an address is, not who uploads it. */
  fill_address_pool: [...chiefs, 'deposits'],
  manage_staff: chiefs,
  /** Where the audit and all deposits and withdrawals are sent. */
  manage_webhooks: chiefs,
  /** Whole lists leave the exchange as files. */
  export_lists: chiefs,
  /** To approve or decline a proposal; the change itself needs its own duty as well. */
  decide_proposals: [...chiefs, 'treasury', 'support', 'compliance'],
} as const satisfies Record<string, readonly Role[]>;

export type Duty = keyof typeof duties;

/** The first of some roles that may do this, or `undefined`. */
export function findRoleFor(duty: Duty, roles: readonly Role[]): Role | undefined {
  return roles.find((role) => (duties[duty] as readonly Role[]).includes(role));
}
