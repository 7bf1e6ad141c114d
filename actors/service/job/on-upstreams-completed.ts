import type { ServiceContext } from '../service-system.ts';
import { JobTurn } from './job-turn.ts';
import type { JobState } from './state.ts';

/** Unblocks the job: every upstream job has completed. A paused job becomes pending when it is resumed. */
export function onUpstreamsCompleted(
  state: JobState,
  _message: unknown,
  context: ServiceContext<'job'>,
): void {
  const turn = new JobTurn(state, context);
  const waitsWhilePaused = state.record.status === 'paused' && state.record.waitsWhilePaused === true;
  if (waitsWhilePaused) turn.patchJob({ waitsWhilePaused: false });
  else if (!turn.moveJob('every upstream completed')) return;
  turn.promoteFreeSteps();
  turn.end();
}
