import type { LeaseExplanation } from '../lease/explanation.ts';
import { keepsBack, placeText, type Outage } from '../outages/outage.ts';
import type { OutageGate } from './task-explanation.ts';
import type { TaskFacts } from './task-facts.ts';
import { clockText, durationText, listText, pluralize, sentenceOf } from './wording.ts';

/** Returns the gate of outages that hold the task. */
export function outageGates(
  { now }: Pick<TaskFacts, 'now'>,
  { outages = [] }: Pick<LeaseExplanation, 'outages'>,
): OutageGate[] {
  if (outages.length === 0) return [];
  const sentence = sentenceOf(listText(outages.map((outage) => outageText(outage, now))));
  return [{ gate: 'outage', reason: 'outage', sentence, outages }];
}

/** `usage pool houdini is held until 10:00:42 UTC, for 42 s more: 5 attempts of 3 jobs failed on 4 workers (“no license”)`. */
function outageText(outage: Outage, now: number): string {
  const { failures, jobs, workers, message } = outage;
  const why = `${pluralize(failures, 'attempt')} failed, first of ${jobs} jobs on ${workers} workers (“${message}”)`;
  return `${placeText(outage)} ${phaseText(outage, now)}: ${why}`;
}

function phaseText(outage: Outage, now: number): string {
  const { until, probe } = outage;
  if (probe !== null) return 'is held while one task is tried';
  if (!keepsBack(outage, now)) return 'is held until one task has been tried';
  return `is held until ${clockText(until, now)}, for ${durationText(until - now)} more, and then one task is tried`;
}
