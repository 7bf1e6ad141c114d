import type { AgentEffect } from '../../actors/agent/agent-system.ts';
import type { TaskProcesses } from '../../src/core/ports/task-processes.ts';

type ProcessEffect = Extract<
  AgentEffect,
  {
    kind:
      | 'open-session'
      | 'start-action'
      | 'notify-action'
      | 'terminate-action'
      | 'kill-action'
      | 'output-consumed'
      | 'close-session';
  }
>;

/** Executes the effects of a session on task processes. */
export function executeOnProcesses(processes: TaskProcesses, effect: ProcessEffect): void {
  const { sessionId } = effect;
  switch (effect.kind) {
    case 'open-session':
      processes.open(sessionId, effect.opening);
      return;
    case 'start-action':
      processes.start(sessionId, effect.action);
      return;
    case 'notify-action':
      processes.notify(sessionId, effect.run, effect.notifyEndAt);
      return;
    case 'terminate-action':
      processes.askToEnd(sessionId, effect.run);
      return;
    case 'kill-action':
      processes.kill(sessionId, effect.run);
      return;
    case 'output-consumed':
      processes.consumed(sessionId, effect.bytes);
      return;
    case 'close-session':
      processes.close(sessionId, effect.closing);
  }
}
