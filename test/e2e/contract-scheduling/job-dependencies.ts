import type { Case } from '../../kit/cases.ts';
import { jobOf } from '../../kit/contract-bench.ts';
import { type FlowContext, OK } from './kit.ts';

/** Jobs that depend on other jobs (docs/contract/job-states.md). */
export const jobDependencyCases: readonly Case<FlowContext>[] = [
  [
    'depends_on: the job is blocked until every upstream job is completed; its steps and tasks are pending',
    async (t, { farm, quiet, createGate }) => {
      const [one, two] = [createGate(), createGate()];
      const a = await farm.submit(jobOf('a', { line: one.wait }));
      const b = await farm.submit(jobOf('b', { line: two.wait }));
      const made = await farm.trySubmit(jobOf('c', { line: OK }, { name: 'D', line: OK, after: ['Step1'] }), {
        depends_on: `${a} ${b} ${a}`,
      });
      t.match(made, { status: 201, body: { status: 'blocked' } });
      const { id } = made.body;
      const d = await farm.submit(jobOf('d', { line: OK }), { depends_on: id });
      t.match(await farm.job(id), {
        depends_on: [a, b],
        task_counts: { pending: 2, ready: 0 },
        steps: [{ status: 'pending' }, { status: 'pending' }],
      });
      one.open();
      await farm.waitForJobStatus(a);
      t.equal((await farm.job(id)).status, 'blocked', 'one of two upstream jobs is not enough');
      await farm.waitForExplanation((await farm.task(id)).id, /^Waits for job b/);
      two.open();
      await farm.waitForJobStatus(d);
      t.equal((await farm.job(id)).status, 'completed');
      t.match(
        await quiet.trySubmit(jobOf('x', { line: OK }), { depends_on: a }),
        { status: 400 },
        'the upstream job is in another farm',
      );
      const late = await farm.submit(jobOf('late', { line: OK }), { depends_on: `${a} ${b}` });
      await farm.waitForJobStatus(late);
    },
  ],
  [
    'a blocked job and its dependents are canceled when an upstream job is failed, canceled or deleted',
    async (t, { farm, createGate }) => {
      const hold = createGate();
      const worker = await farm.submit(jobOf('busy', { line: hold.wait }));
      await farm.waitForTaskCount(worker, 'running', 1);
      const after = (id: string): Promise<string> =>
        farm.submit(jobOf('dependent', { line: OK, tasks: 2 }), { depends_on: id });
      const end = {
        failed: async (id: string) => {
          hold.open();
          await farm.waitForJobStatus(id, 'failed');
        },
        canceled: (id: string) => farm.cancel(id),
        deleted: (id: string) => farm.api.must('DELETE', `/api/v1/jobs/${id}`),
      };
      for (const how of ['canceled', 'deleted', 'failed'] as const) {
        const upstream = await farm.submit(jobOf('upstream', { line: 'exit 3' }), { max_attempts: 1 });
        const dependent = await after(upstream);
        const next = await after(dependent);
        await end[how](upstream);
        for (const id of [dependent, next]) {
          t.match(await farm.waitForJobStatus(id, 'canceled'), { task_counts: { canceled: 2 } }, how);
          for (const task of await farm.tasks(id)) {
            t.match(task, { status: 'canceled', failure_reason: 'canceled: upstream job failed' }, how);
          }
        }
        await farm.waitForExplanation(
          (await farm.task(dependent)).id,
          new RegExp(`Canceled because upstream job .* ${how}`),
        );
        if (how === 'deleted') continue;
        await farm.waitForJobStatus(await after(upstream), 'canceled');
      }
    },
  ],
  [
    'a blocked job that is paused and resumed is blocked again; upstream jobs that complete meanwhile count',
    async (t, { farm, createGate }) => {
      const hold = createGate();
      const up = await farm.submit(jobOf('up', { line: hold.wait }));
      const one = await farm.submit(jobOf('one', { line: OK }), { depends_on: up });
      const two = await farm.submit(jobOf('two', { line: OK }), { depends_on: up });
      for (const id of [one, two]) {
        t.match(await farm.patch(id, { action: 'pause' }), { body: { status: 'paused' } });
      }
      t.match(await farm.patch(one, { action: 'resume' }), { body: { status: 'blocked' } });
      hold.open();
      await farm.waitForJobStatus(one);
      t.match(await farm.job(two), { status: 'paused' });
      await farm.patch(two, { action: 'resume' });
      await farm.waitForJobStatus(two);
    },
  ],
];
