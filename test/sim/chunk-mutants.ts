import type { JobState } from '../../actors/service/job/state.ts';
import type { StepState } from '../../actors/service/job/step-state.ts';
import type { ChunkSection } from '../../src/openjd/template/space-description.ts';
import { openAdaptiveSpace } from '../../src/openjd/template/space/adaptive-space.ts';
import { handle, withDefinitions, type Mutant } from './mutant.ts';
import { contextWith } from './watch-turns.ts';

/** Steps of a job whose chunks have changed their size since `changes` was recorded. */
const changedSteps = (job: JobState, changes: readonly number[]): readonly StepState[] =>
  job.steps.filter(({ record }, order) => (record.chunks?.changes ?? 0) !== changes[order]);

const changesOf = (job: JobState): readonly number[] =>
  job.steps.map(({ record }) => record.chunks?.changes ?? 0);

/** Replaces the last section of a step, and its tasks and their counts with it. */
function replaceLastSection(step: StepState, replace: (last: ChunkSection) => ChunkSection): void {
  const { chunks, taskCounts, taskCount } = step.record;
  const last = chunks?.sections.at(-1);
  if (chunks === null || last === undefined) return;
  const sections = [...chunks.sections.slice(0, -1), replace(last)];
  step.record.chunks = { ...chunks, sections };
  step.adaptive = openAdaptiveSpace(step.plan.space, sections);
  step.space = step.adaptive;
  const change = step.space.length - taskCount;
  step.record.taskCount += change;
  taskCounts.total += change;
  taskCounts.ready += change;
}

/** Mutants of chunks whose size changes. */
export const CHUNK_MUTANTS: readonly Mutant[] = [
  {
    name: 'the lease actor does not get the tasks of changed chunks',
    plant: handle('job', 'tasks.reported', (state, message, context, original) => {
      const job = state as JobState;
      const changes = changesOf(job);
      const offers: (() => void)[] = [];
      const send: typeof context.send = (actor, id, said) => {
        if (said.type === 'steps.ready') offers.push(() => context.send(actor, id, said));
        else context.send(actor, id, said);
      };
      original(job, message, contextWith(context, { send }));
      if (changedSteps(job, changes).length === 0) for (const offer of offers) offer();
    }),
  },
  {
    name: 'the first frame of changed chunks is lost',
    plant: handle('job', 'tasks.reported', (state, message, context, original) => {
      const job = state as JobState;
      const changes = changesOf(job);
      original(job, message, context);
      for (const step of changedSteps(job, changes))
        replaceLastSection(step, (last) => ({ ...last, firstItem: last.firstItem + 1 }));
    }),
  },
  {
    name: 'changed chunks replace a task that has started',
    plant: handle('job', 'tasks.reported', (state, message, context, original) => {
      const job = state as JobState;
      const changes = changesOf(job);
      const before = job.steps.map(({ adaptive }) => adaptive);
      original(job, message, context);
      for (const step of changedSteps(job, changes)) {
        const old = before[step.record.order];
        if (old === null || old === undefined) continue;
        replaceLastSection(step, (last) => {
          const firstTask = Math.max(0, last.firstTask - 1);
          return { ...last, firstTask, firstItem: old.itemsOf(firstTask).first };
        });
      }
    }),
  },
  {
    name: 'clients do not load the tasks of changed chunks again',
    plant: handle('job', 'tasks.reported', (state, message, context, original) => {
      const effect: typeof context.effect = (said) => {
        if (said.kind !== 'event' || said.event.subject !== 'tasks-lost') context.effect(said);
      };
      original(state, message, contextWith(context, { effect }));
    }),
  },
  {
    name: 'measured times are lost when a job is loaded again',
    plant: withDefinitions((definition) => {
      if (definition.kind !== 'job') return definition;
      return {
        ...definition,
        load: (id, reader, now) => {
          const job = definition.load(id, reader, now) as JobState | null;
          for (const { record } of job?.steps ?? [])
            if (record.chunks !== null) record.chunks = { ...record.chunks, measured: [] };
          return job;
        },
      };
    }),
  },
];
