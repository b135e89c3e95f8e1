/** What the caller of the operator's API may do: the role of a token, or of a person of the staff. */
export type Role = 'operator' | 'deposits' | 'watcher' | 'auditor' | 'admin' | 'treasury' | 'support' | 'compliance';
