import type { StepHold, StepRecord } from '../../src/core/records/step.ts';

import type { Principal } from '../guards/principal.ts';
import type { Ports } from '../ports.ts';
import { stepView } from '../views/step-view.ts';
import { findJob, findStep, stepsOf } from './find-task.ts';
import { notFound, type Handler, type Reply } from './operation.ts';

export const holdStep: Handler<'holdStep'> = ({ path, body, principal }, ports) =>
  changeHold(path, principal, { by: principal.username, reason: body?.reason ?? '' }, ports);

export const releaseStep: Handler<'releaseStep'> = ({ path, principal }, ports) =>
  changeHold(path, principal, null, ports);

async function changeHold(
  { id, step: idOrName }: { readonly id: string; readonly step: string },
  { ownerScope }: Principal,
  hold: Omit<StepHold, 'at'> | null,
  ports: Ports,
): Promise<Reply<'releaseStep'>> {
  const job = findJob(ports.store, id, ownerScope);
  if (!job.ok) return { kind: 'problem', problem: job.problem };
  const steps = stepsOf(ports.store, job.value.id);
  const step = findStep(steps, idOrName);
  if (step === null) return notFound('step', idOrName);
  const outcome = await ports.actors.ask<StepRecord>((replyTo) => ({
    actor: 'job',
    id: job.value.id,
    message: { type: 'step.hold', stepOrder: step.order, hold, replyTo },
  }));
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  return { kind: 'json', status: 200, body: stepView(outcome.value, steps, null) };
}
