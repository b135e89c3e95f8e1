import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { operate } from './operate.ts';
import { type Duty, findRoleFor } from '../../../src/operator/roles.ts';
import type { Role } from '../../../src/db/role.ts';

/** Who is signed in, as the exchange says. */
export interface Staff {
  readonly actor: string;
  readonly roles: readonly string[];
}

export const StaffContext = createContext<Staff | undefined>(undefined);

/** Who is signed in. Only pages behind the sign-in call it. */
export function useStaff(): Staff {
  const staff = useContext(StaffContext);
  if (!staff) throw new Error('nobody is signed in');
  return staff;
}

/** The most that one answer holds. */
const MOST_READ = 200;

export async function readStaff() {
  return (await operate('get /staff', { query: { limit: MOST_READ } })).staff;
}

/** Whether there are two admins. Once there are, what needs two people becomes a proposal. */
export async function areTwoAdmins(): Promise<boolean> {
  return (await readStaff()).filter(({ roles }) => roles.includes('admin')).length > 1;
}

/** Whether the one who is signed in may do something, by the roles that the exchange itself goes by. */
export function useMay(): (duty: Duty) => boolean {
  const { roles } = useStaff();
  return (duty) => findRoleFor(duty, roles as readonly Role[]) !== undefined;
}
