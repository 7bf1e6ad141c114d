import { readAttempt } from '../../src/core/records/open-attempt.ts';
import type { Header } from '../pipeline/message.ts';
import { logChunkView } from '../views/log-chunk-view.ts';
import { lineStart } from '../views/log-line.ts';
import { logText } from '../views/log-text.ts';
import { findTask, type FoundTask } from './find-task.ts';
import type { Ports } from '../ports.ts';
import { notFound, type Handler } from './operation.ts';
import { withState } from './task-facts.ts';

/** Size in characters at which a page is closed, so that pages of large chunks have a limited size. */
const PAGE_CHARACTERS_MAX = 8 * 2 ** 20;

export const getTaskLogs: Handler<'getTaskLogs'> = async ({ path, query, principal, ended }, ports) => {
  const task = findTask(ports.store, path.id, principal.ownerScope);
  if (!task.ok) return { kind: 'problem', problem: task.problem };
  const { address } = task.value;
  const { limit, attempt, from_line: line } = query;
  if (line !== undefined && attempt === undefined)
    return { kind: 'problem', problem: { kind: 'bad-request', detail: 'from_line: requires attempt' } };
  if (attempt !== undefined && !hasAttempt(ports, task.value, attempt))
    return notFound('attempt', String(attempt));
  const start =
    line === undefined || attempt === undefined
      ? null
      : await lineStart(ports.logs, { ...address, attemptNumber: attempt }, line);
  const after = start?.afterBusSeq ?? query.after_bus_seq;
  if (query.tail) {
    const pieces = ports.tails.follow(address, after, limit, ended());
    return { kind: 'stream', contentType: 'application/x-ndjson', pieces };
  }
  const items = ports.logs.page(address, after, limit, PAGE_CHARACTERS_MAX).map(logChunkView);
  const body = {
    items,
    after_bus_seq: items.at(-1)?.bus_seq ?? after,
    ...(start !== null && {
      position: { lines: start.lines, stdout_open: start.open.stdout, stderr_open: start.open.stderr },
    }),
  };
  return { kind: 'json', status: 200, body };
};

export const downloadTaskLog: Handler<'downloadTaskLog'> = ({ path, query, principal }, ports) => {
  const task = findTask(ports.store, path.id, principal.ownerScope);
  if (!task.ok) return { kind: 'problem', problem: task.problem };
  const { address } = task.value;
  const { attempt, stream } = query;
  if (attempt !== undefined && !hasAttempt(ports, task.value, attempt))
    return notFound('attempt', String(attempt));
  const extent = ports.logs.extent(address);
  const parts = [
    path.id,
    ...(attempt === undefined ? [] : [`attempt-${attempt}`]),
    ...(stream === undefined ? [] : [stream]),
  ];
  const headers: Header[] = [
    // A task id contains only letters, digits, dashes and colons.
    ['Content-Disposition', `attachment; filename="${parts.join('-')}.log"`],
    ['ETag', `W/"${extent.lastBusSeq}-${extent.bytes}"`],
  ];
  const pieces = logText(ports.logs, address, extent, {
    ...(attempt === undefined ? {} : { attempt }),
    ...(stream === undefined ? {} : { stream }),
  });
  return { kind: 'stream', contentType: 'text/plain; charset=utf-8', headers, pieces };
};

const hasAttempt = (ports: Ports, task: FoundTask, attempt: number): boolean =>
  readAttempt(ports.store, withState(ports.store, task), attempt) !== undefined;
