import type { AgentSystem } from '../../../actors/agent/agent-system.ts';
import type { AnyDefinition } from '../../../actors/kernel/actor.ts';

/**
 * Replacements for the worker's outbox, registrar and poller in a run without a service. They confirm the end of an
 * attempt at once, so that the run continues.
 */
export const stubActors: readonly AnyDefinition<AgentSystem>[] = [
  {
    kind: 'outbox',
    load: () => ({}),
    onMissing: () => null,
    handlers: {
      'report.running': () => undefined,
      'report.progress': () => undefined,
      'report.discard': () => undefined,
      'report.persist': (_state, message, context) => {
        if (message.type === 'report.persist') context.effect({ kind: 'report', report: message.report });
      },
    },
  },
  {
    kind: 'registrar',
    load: () => ({}),
    onMissing: () => null,
    handlers: {
      'attempt.over': (_state, _message, context) => context.effect({ kind: 'stopped' }),
    },
  },
  {
    kind: 'poller',
    load: () => ({}),
    onMissing: () => null,
    handlers: {
      'session.idle': () => undefined,
      'session.ended': () => undefined,
      'session.lost': (_state, _message, context) => context.effect({ kind: 'stopped' }),
    },
  },
];
