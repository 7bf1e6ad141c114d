import type { AgentEffect, AgentEnvelope } from '../../actors/agent/agent-system.ts';
import type { Staging, StagingEvents } from '../../src/core/ports/staging.ts';

type StagingEffect = Extract<AgentEffect, { kind: 'stage' | 'stop-staging' | 'forget-staging' }>;

/** Executes the copy effects of a session. */
export function executeOnStaging(staging: Staging, effect: StagingEffect): void {
  switch (effect.kind) {
    case 'stage':
      staging.begin(effect.sessionId, effect.request);
      return;
    case 'stop-staging':
      staging.stop(effect.sessionId);
      return;
    case 'forget-staging':
      staging.forget(effect.sessionId);
  }
}

/** Returns the listener that sends results of copies to their sessions. */
export function stagingEvents(post: (envelope: AgentEnvelope) => void): StagingEvents {
  return {
    ended: (id, run, failure) => {
      post({ actor: 'session', id, message: { type: 'staging.ended', run, failure } });
    },
  };
}
