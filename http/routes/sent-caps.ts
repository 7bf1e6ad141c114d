import type { JobCaps } from '../../src/core/records/job-caps.ts';

/** Caps as clients send them: null and 0 mean none. */
interface SentCaps {
  readonly max_concurrent_tasks?: number | null;
  readonly step_max_concurrent_tasks?: Readonly<Record<string, number | null>> | null;
}

/** Returns the caps of a body that has some; undefined without any. */
export function sentCaps({
  max_concurrent_tasks: ofJob,
  step_max_concurrent_tasks: ofSteps,
}: SentCaps): JobCaps | undefined {
  if (ofJob === undefined && ofSteps === undefined) return undefined;
  const stepCaps = Object.entries(ofSteps ?? {}).map(([name, cap]) => [name, cap ?? 0] as const);
  return {
    ...(ofJob !== undefined && { maxConcurrentTasks: ofJob ?? 0 }),
    ...(ofSteps !== undefined && { stepCaps: Object.fromEntries(stepCaps) }),
  };
}

/** Returns the caps of the query of a submission, where each cap of a step is a text `NAME=CAP`. */
export function capsOfQuery(query: {
  readonly max_concurrent_tasks?: number;
  readonly step_max_concurrent_tasks?: readonly string[];
}): JobCaps | undefined {
  const { max_concurrent_tasks, step_max_concurrent_tasks: texts } = query;
  if (max_concurrent_tasks === undefined && texts === undefined) return undefined;
  const ofSteps = texts?.map((text) => {
    const at = text.lastIndexOf('=');
    return [text.slice(0, at), Number(text.slice(at + 1))] as const;
  });
  return sentCaps({
    ...(max_concurrent_tasks !== undefined && { max_concurrent_tasks }),
    ...(ofSteps !== undefined && { step_max_concurrent_tasks: Object.fromEntries(ofSteps) }),
  });
}
