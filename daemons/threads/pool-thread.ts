import { threadId } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import {
  describeDefinition,
  describeQueueEnvironments,
  describeText,
  prepareTemplate,
  type PoolTask,
} from './pool-task.ts';
import { serveProfiles } from './profile-channel.ts';
import { poolThreadName } from './entry-url.ts';

/** Entry of a pool thread: piscina calls the default export. The rows of large jobs are transferred, not copied. */
export { run as default };

function run({ startedAt, ...task }: PoolTask): object {
  Atomics.store(startedAt, 0, process.hrtime.bigint());
  if (task.kind === 'describe') return describeText(task);
  if (task.kind === 'definition') return describeDefinition(task);
  if (task.kind === 'environments') return describeQueueEnvironments(task);
  const result = prepareTemplate(task);
  if (!result.ok || result.job.rows === null) return result;
  const { rows } = result.job;
  return move({ [valueSymbol]: result, [transferableSymbol]: [rows.plan.buffer, rows.template.buffer] });
}

serveProfiles(poolThreadName(threadId));
