import type { AgentSystem } from '../../../actors/agent/agent-system.ts';
import type { AnyDefinition } from '../../../actors/kernel/actor.ts';

/**
 * What a session says to the worker's outbox, registrar and poller, when there is no service behind them: the end of an attempt is told at
 * once, and lets the run go on.
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
