import { z } from 'zod';

interface ScopeRecord {
  /** How a token and the database write it. */
  readonly letter: string;
  /** Whether a frozen account may still use it. Without this a freeze ends it. */
  readonly worksWhenFrozen?: true;
}

/** The one list of scopes (spec, "Authentication"), in the order in which tokens write them. */
const scopes = {
  read: { letter: 'r', worksWhenFrozen: true },
  trade: { letter: 't' },
  withdraw: { letter: 'w' },
  webhooks: { letter: 'h' },
} as const satisfies Record<string, ScopeRecord>;

export const Scope = z.enum(Object.keys(scopes) as [keyof typeof scopes]);

export type Scope = z.output<typeof Scope>;

const records: Readonly<Record<Scope, ScopeRecord>> = scopes;

/** Scopes as a token and the database write them: their letters, each once at most, in one order. */
export const WRITTEN_SCOPES = Scope.options.map((scope) => `${records[scope].letter}?`).join('');

export function writeScopes(wanted: readonly Scope[]): string {
  return Scope.options
    .filter((scope) => wanted.includes(scope))
    .map((scope) => records[scope].letter)
    .join('');
}

export function readScopes(written: string): Scope[] {
  return Scope.options.filter((scope) => written.includes(records[scope].letter));
}

/** Whether a frozen account may use a scope; `null` means an operation that needs no scope. */
export function worksWhenFrozen(scope: Scope | null): boolean {
  return scope === null || records[scope].worksWhenFrozen === true;
}

/** The buckets of a key, as the specification names them. */
export const bucketNames = ['read', 'trade', 'withdraw'] as const;

export type BucketName = (typeof bucketNames)[number];

export interface BucketLimits {
  readonly perMinute: number;
  readonly perDay: number;
}

export const defaultLimits: Readonly<Record<BucketName, BucketLimits>> = {
  read: { perMinute: 120, perDay: 5_000 },
  trade: { perMinute: 30, perDay: 500 },
  withdraw: { perMinute: 30, perDay: 200 },
};

/**
 * The limits of a signed-in holder, for all sessions of an account together: a page reads more at once than a program.
 */
const sessionLimits: Readonly<Record<BucketName, BucketLimits>> = {
  ...defaultLimits,
  read: { perMinute: 600, perDay: 20_000 },
};

/** The limits of one bucket of a key: its own, or the defaults of its kind. */
export function limitsOf(
  key: {
    readonly kind: 'standing' | 'session';
    readonly rateLimits: { readonly [Name in BucketName]?: BucketLimits | undefined };
  },
  bucket: BucketName,
): BucketLimits {
  return key.rateLimits[bucket] ?? (key.kind === 'session' ? sessionLimits : defaultLimits)[bucket];
}
