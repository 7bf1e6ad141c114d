import type { LeaseExplanation } from '../lease/explanation.ts';
import type { QuarantineGate } from './task-explanation.ts';
import type { TaskFacts } from './task-facts.ts';
import { listText, pluralize, sentenceOf } from './wording.ts';

/** Maximum number of workers in the gate and in its sentence. */
const LISTED_MAX = 20;
const NAMED_MAX = 2;

/** Returns the gate of workers that could run the task and are kept from it because of their failures. */
export function quarantineGates(
  { names }: Pick<TaskFacts, 'names'>,
  { workers: { doubted = [] } }: LeaseExplanation,
): QuarantineGate[] {
  if (doubted.length === 0) return [];
  const listed = doubted.slice(0, LISTED_MAX).map(({ workerId, kind, since, reason, isWhole }) => ({
    worker: { id: workerId, name: names.worker(workerId) },
    kind,
    since,
    reason,
    isWhole,
  }));
  const texts = listed.slice(0, NAMED_MAX).map(doubtText);
  const others = doubted.length - texts.length;
  if (others > 0) texts.push(`${pluralize(others, 'more worker')} likewise`);
  const sentence = sentenceOf(listText(texts));
  return [{ gate: 'quarantine', reason: 'workers in quarantine', sentence, doubted: listed }];
}

/** `worker render-017 is in quarantine for the step (2 tasks of the step failed on it and succeeded elsewhere)`. */
function doubtText({ worker, kind, reason, isWhole }: QuarantineGate['doubted'][number]): string {
  const what = kind === 'quarantined' ? 'in quarantine' : 'under suspicion';
  return `worker ${worker.name} is ${what}${isWhole ? '' : ' for the step'} (${reason})`;
}
