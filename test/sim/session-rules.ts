import type { SessionState } from '../../actors/agent/session/state.ts';
import type { SessionId } from '../../src/core/ids.ts';
import type { ActionStart } from '../../src/core/ports/task-processes.ts';
import { Violation } from './violation.ts';

/** Effect of an action of the simulated templates, by its command (job-plans.ts). */
export type ActionKind = 'enter' | 'run' | 'exit';

/** Checks the OpenJD order of a session, based on its processes. Only the tasks are taken from the session actor. */
export class SessionRules {
  private readonly sessionId: SessionId;
  private stepId: string | null = null;
  private readonly entered: string[] = [];
  private hasFailed = false;

  constructor(sessionId: SessionId) {
    this.sessionId = sessionId;
  }

  /** An action is about to start. */
  starts(kind: ActionKind, { args }: ActionStart, session: SessionState): void {
    const { attempt, step } = session;
    const environments = [...step.job_environments, ...step.step_environments].map(({ name }) => name);
    const [environment = ''] = args;
    if (attempt !== null) {
      const { step_id: stepId } = attempt.assignment;
      this.stepId ??= stepId;
      if (stepId !== this.stepId)
        this.fail('a session serves tasks of one step', `${stepId} after ${this.stepId}`);
    }
    switch (kind) {
      case 'enter':
        if (environment !== environments[this.entered.length])
          this.fail(
            'environments are entered in their order',
            `${environment} after ${this.entered.join(' ')}`,
          );
        if (this.hasFailed) this.fail('nothing is entered or run after a failed environment', environment);
        this.entered.push(environment);
        return;
      case 'run':
        if (this.entered.length < environments.length || this.hasFailed)
          this.fail('a task runs when all of its environments are entered', `only ${this.entered.join(' ')}`);
        return;
      case 'exit':
        if (this.entered.pop() !== environment)
          this.fail(
            'environments are exited in reverse',
            `${environment}, with ${this.entered.join(' ')} left`,
          );
    }
  }

  /** An environment has failed to enter. */
  enterFailed(): void {
    this.hasFailed = true;
  }

  /** The session has ended. `isForced`: the worker had to stop it, or the service has closed its attempt. */
  closes(isForced: boolean): void {
    if (this.entered.length > 0 && !isForced)
      this.fail('environments that were entered are exited', `${this.entered.join(' ')} was not`);
  }

  private fail(invariant: string, detail: string): never {
    throw new Violation(invariant, `${this.sessionId}: ${detail}`);
  }
}
