import { type Refusal, refuse } from '../http/refusal.ts';
import type { CommitOutcome, Guard } from './commit.ts';

const approvalRefusals: Partial<Record<Guard, Refusal>> = {
  two_people_needed: refuse('approval_required', 'Two people must agree on this.'),
  proposed_by_oneself: refuse('invalid_state', 'Nobody approves their own proposal.'),
  proposal_decided: refuse('invalid_state', 'The proposal was decided meanwhile. Read it again.'),
  proposal_expired: refuse('invalid_state', 'The proposal has expired. Make it again.'),
};

/**
 * The refusal of an operator's change that needs two people, or whose proposal can no longer be approved; `undefined` for
 * every other outcome. The area of the operator's routes turns the first into a proposal.
 */
export function explainApproval(outcome: CommitOutcome): Refusal | undefined {
  return outcome.kind === 'guarded' ? approvalRefusals[outcome.guard] : undefined;
}
