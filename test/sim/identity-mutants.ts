import type { RegistrarState } from '../../actors/agent/registrar/state.ts';
import { handleAgent } from './agent-mutant.ts';
import { hostileWorker } from './identity-scenarios.ts';
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
];
