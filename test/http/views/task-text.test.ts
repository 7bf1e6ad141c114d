import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'tap';
import { spacesOf } from '../../../http/views/job-spaces.ts';
import { TaskViewer } from '../../../http/views/task-viewer.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { attemptIdOf } from '../../../src/core/ids.ts';
import { TASK_STATUSES } from '../../../src/core/lifecycle/task-transitions.ts';
import type { SpaceDescription } from '../../../src/openjd/template/space-description.ts';
import { put } from '../../../src/core/records/change-set.ts';
import type { StepRecord } from '../../../src/core/records/step.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { TaskState } from '../../../src/core/records/task-page.ts';
import { attemptRecord, FARM, jobChanges, jobNumber, T0, taskState, WORKER } from '../kit/records.ts';
import { NO_CALLBACKS } from '../../kit/commit-callbacks.ts';

const JOB = jobNumber(1);
const TASKS = 40;
const LATEST = Date.UTC(2100, 0, 1);

const word = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12, size: 'max' }),
  fc.constantFrom('Frame', '7', '__proto__', 'a"b', '\\', '\u2028', 'é', '', 'x'.repeat(150)),
);
const time = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: LATEST }));

const spaceArbitrary: fc.Arbitrary<SpaceDescription> = fc
  .uniqueArray(word, { minLength: 1, maxLength: 4 })
  .chain((names) =>
    fc.tuple(...names.map(() => fc.array(word, { minLength: TASKS, maxLength: TASKS }))).map((lists) => ({
      kind: 'zip' as const,
      parts: names.map((name, nth) => ({
        kind: 'axis' as const,
        name,
        values: { kind: 'list' as const, values: lists[nth] ?? [] },
      })),
    })),
  );

const state: fc.Arbitrary<TaskState> = fc
  .record({
    status: fc.constantFrom(...TASK_STATUSES),
    failedAttempts: fc.nat(0xffff),
    attemptNumber: fc.nat(3),
    updatedAt: time,
    assignedAt: fc.option(time),
    retryAfter: fc.option(time),
    workerOrdinal: fc.constantFrom(null, 7, 8),
    hasText: fc.boolean(),
    unschedulable: fc.boolean(),
    silent: fc.boolean(),
    exiting: fc.boolean(),
    cascaded: fc.boolean(),
  })
  .map((given) => taskState(given));

const said = fc.record(
  { progress: fc.double({ min: 0, max: 100, noNaN: true }).map((value) => value + 0), statusMessage: word },
  { requiredKeys: [] },
);

const step = fc.record({
  name: word,
  untouched: fc.record({
    status: fc.constantFrom('pending' as const, 'ready' as const, 'canceled' as const),
    updatedAt: time,
    failureReason: word,
    unschedulable: fc.boolean(),
  }),
  reason: fc.option(word, { nil: undefined }),
});

test('the text of a task equals its view as JSON', () => {
  fc.assert(
    fc.property(
      spaceArbitrary,
      step,
      fc.uniqueArray(fc.tuple(fc.nat(TASKS - 1), state, said, word), { selector: ([index]) => index }),
      (space, { name, untouched, reason }, touched) => {
        const store = createMemoryStore();
        const states = new Map(touched.map(([index, task]) => [index, task]));
        const sketch = { name, untouched: 'ready' as const, taskCount: TASKS, space, touched: states };
        const texts = touched.flatMap(([index, task, told, failureReason]) => {
          const address = { jobId: JOB, stepOrder: 0, index, attemptNumber: task.attemptNumber };
          const attempt = attemptRecord({ id: attemptIdOf(address), ...told });
          return [
            put('taskText', keys.taskText(address), { version: 1, failureReason }),
            put('attempt', keys.attempt(address, task.attemptNumber), attempt),
          ];
        });
        const worker = put('workerOrdinal', keys.workerOrdinal(FARM, 7), { version: 1, workerId: WORKER });
        const changes = [...jobChanges({ createdAt: T0 }, [sketch]), ...texts, worker];
        store.commit({ version: 1, shard: 0, sequence: 1, changes }, NO_CALLBACKS);
        store.flushAll();
        const job = store.get('job', keys.job(JOB));
        const written = store.get('step', keys.step(JOB, 0));
        if (job === undefined || written === undefined) throw new Error('the job was not written');
        const record: StepRecord = {
          ...written,
          untouched,
          ...(reason !== undefined && { unschedulableReason: reason }),
        };
        const viewer = new TaskViewer(store, job, spacesOf(store, JOB));
        for (let index = 0; index < TASKS; index++) {
          assert.equal(viewer.text(record, index), JSON.stringify(viewer.view(record, index)));
        }
      },
    ),
  );
  return Promise.resolve();
});
