import type { AgentWorld } from '../../../actors/agent/agent-world.ts';
import type { AnyDefinition } from '../../../actors/kernel/actor.ts';

/**
 * What a session says to the worker's outbox, registrar and poller, when there is no service behind them: the end of an attempt is told at
 * once, and lets the run go on.
 */
export const localDesks: readonly AnyDefinition<AgentWorld>[] = [
  {
    kind: 'outbox',
    load: () => ({}),
    absent: () => null,
    handlers: {
      'report.running': () => undefined,
      'report.progress': () => undefined,
      'report.void': () => undefined,
      'report.keep': (_state, message, context) => {
        if (message.type === 'report.keep') context.effect({ kind: 'report', report: message.report });
      },
    },
  },
  {
    kind: 'registrar',
    load: () => ({}),
    absent: () => null,
    handlers: {
      'attempt.over': (_state, _message, context) => context.effect({ kind: 'left' }),
    },
  },
  {
    kind: 'poller',
    load: () => ({}),
    absent: () => null,
    handlers: {
      'session.idle': () => undefined,
      'session.gone': () => undefined,
      'session.lost': (_state, _message, context) => context.effect({ kind: 'left' }),
    },
  },
];
