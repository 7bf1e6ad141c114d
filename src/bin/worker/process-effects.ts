import type { AgentEffect } from '../../../actors/agent/agent-world.ts';
import type { TaskProcesses } from '../../core/ports/task-processes.ts';

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

/** Does to the processes of tasks what a session says. */
export function executeOnProcesses(processes: TaskProcesses, effect: ProcessEffect): void {
  const { attemptId } = effect;
  switch (effect.kind) {
    case 'open-session':
      processes.open(attemptId, effect.directory);
      return;
    case 'start-action':
      processes.start(attemptId, effect.action);
      return;
    case 'notify-action':
      processes.notify(attemptId, effect.run, effect.notifyEndAt);
      return;
    case 'terminate-action':
      processes.askToEnd(attemptId, effect.run);
      return;
    case 'kill-action':
      processes.kill(attemptId, effect.run);
      return;
    case 'output-consumed':
      processes.consumed(attemptId, effect.bytes);
      return;
    case 'close-session':
      processes.close(attemptId);
  }
}
