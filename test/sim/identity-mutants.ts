import type { RegistrarState } from '../../actors/agent/registrar/state.ts';
import { handleAgent } from './agent-mutant.ts';
import { hostileWorker, revokedWorker } from './identity-scenarios.ts';
import type { Mutant } from './mutant.ts';

/** Mutants of the identity of workers on the bus. */
export const IDENTITY_MUTANTS: readonly Mutant[] = [
  {
    name: 'a worker cancels without confirmation',
    plant: handleAgent('registrar', 'cancel.hinted', (state, { attemptId, reason }, context) => {
      if ((state as RegistrarState).running.has(attemptId))
        context.send('poller', 'poller', { type: 'attempt.cancel', attemptId, reason });
    }),
    scenario: hostileWorker,
  },
  {
    name: 'the service believes what a message says about its sender',
    plant: (build) => ({ ...build, service: { ...build.service, believesSenders: true } }),
    scenario: hostileWorker,
  },
  {
    name: 'the bus refuses no key of a revoked worker',
    plant: (build) => {
      build.terms.refusedKeys = () => [];
      return build;
    },
    scenario: revokedWorker,
  },
  {
    name: 'a revocation refuses only the first key of a worker',
    plant: (build) => {
      const { refusedKeys } = build.terms;
      build.terms.refusedKeys = (credential, now) =>
        refusedKeys(credential, now).filter((key) => key === credential.keys[0]?.key);
      return build;
    },
    scenario: revokedWorker,
  },
];
