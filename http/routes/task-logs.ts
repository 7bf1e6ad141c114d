import { taskIdOf, type TaskAddress, type TaskId } from '../../src/core/ids.ts';
import { isTerminalTask } from '../../src/core/lifecycle/task-transitions.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { keys } from '../../src/core/records/tables.ts';
import { taskStateOf } from '../../src/core/records/task-view.ts';
import type { Ports } from '../ports.ts';
import { logChunkView } from '../views/log-chunk-view.ts';
import { findTask } from './find-task.ts';
import { notFound, type Handler } from './operation.ts';

/** How long a tail of an ended task waits for chunks that are still on the bus, since the last one. */
const DRAIN_MS = 2000;

export const getTaskLogs: Handler<'getTaskLogs'> = ({ path, query, ended }, ports) => {
  const task = findTask(ports.store, path.id);
  if (task === null) return notFound('task', path.id);
  const { address } = task;
  if (query.tail)
    return { kind: 'lines', lines: tail(ports, address, query.after_bus_seq, query.limit, ended()) };
  const items = ports.logs.page(address, query.after_bus_seq, query.limit).map(logChunkView);
  return {
    kind: 'json',
    status: 200,
    body: { items, after_bus_seq: items.at(-1)?.bus_seq ?? query.after_bus_seq },
  };
};

/** The chunks of a task as lines, until the task has ended and its log is drained or the client is gone. */
async function* tail(
  ports: Ports,
  address: TaskAddress,
  afterBusSeq: number,
  limit: number,
  gone: AbortSignal,
): AsyncGenerator<string> {
  const changes = new Changes();
  const taskId = taskIdOf(address);
  const unsubscribe = ports.events.subscribe((event) => {
    if (event.kind === 'job' ? event.jobId === address.jobId : event.taskId === taskId) changes.note();
  });
  const leave = (): void => {
    changes.note();
  };
  gone.addEventListener('abort', leave);
  try {
    let cursor = afterBusSeq;
    while (!gone.aborted) {
      changes.forget();
      const hasEnded = isEnded(ports.store, taskId);
      const chunks = ports.logs.page(address, cursor, limit);
      const last = chunks.at(-1);
      if (last !== undefined) {
        cursor = last.busSeq;
        yield chunks.map((chunk) => `${JSON.stringify(logChunkView(chunk))}\n`).join('');
      } else if (!hasEnded) {
        await changes.next();
      } else if (!(await changedWithin(ports, changes, DRAIN_MS))) {
        return;
      }
    }
  } finally {
    gone.removeEventListener('abort', leave);
    unsubscribe();
  }
}

/** Whether a task is terminal; a deleted one is. */
function isEnded(store: StoreReader, taskId: TaskId): boolean {
  const task = findTask(store, taskId);
  if (task === null) return true;
  const page = store.get('taskPage', keys.taskPageOf(task.address));
  return isTerminalTask(taskStateOf(task.step, page, task.address.index).status);
}

async function changedWithin(ports: Ports, changes: Changes, milliseconds: number): Promise<boolean> {
  const waited = new AbortController();
  try {
    return await Promise.race([
      changes.next().then(() => true),
      ports.delay(milliseconds, waited.signal).then(() => false),
    ]);
  } finally {
    waited.abort();
  }
}

/** Whether something has changed since it was last asked. */
class Changes {
  #changed = false;
  #wake: (() => void) | null = null;

  note(): void {
    this.#changed = true;
    this.#wake?.();
  }

  forget(): void {
    this.#changed = false;
  }

  /** Resolves at the next change, or at once when there was one since `forget`. */
  next(): Promise<void> {
    if (this.#changed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
