import { readAttempt } from '../../src/core/records/open-attempt.ts';
import type { Header } from '../pipeline/message.ts';
import { logChunkView } from '../views/log-chunk-view.ts';
import { logText } from '../views/log-text.ts';
import { findTask } from './find-task.ts';
import { notFound, type Handler } from './operation.ts';
import { withState } from './task-facts.ts';

/** Size in characters at which a page is closed, so that pages of large chunks have a limited size. */
const PAGE_CHARACTERS_MAX = 8 * 2 ** 20;

export const getTaskLogs: Handler<'getTaskLogs'> = ({ path, query, principal, ended }, ports) => {
  const task = findTask(ports.store, path.id, principal.ownerScope);
  if (!task.ok) return { kind: 'problem', problem: task.problem };
  const { address } = task.value;
  const { after_bus_seq: after, limit } = query;
  if (query.tail) {
    const pieces = ports.tails.follow(address, after, limit, ended());
    return { kind: 'stream', contentType: 'application/x-ndjson', pieces };
  }
  const items = ports.logs.page(address, after, limit, PAGE_CHARACTERS_MAX).map(logChunkView);
  return { kind: 'json', status: 200, body: { items, after_bus_seq: items.at(-1)?.bus_seq ?? after } };
};

export const downloadTaskLog: Handler<'downloadTaskLog'> = ({ path, query, principal }, ports) => {
  const task = findTask(ports.store, path.id, principal.ownerScope);
  if (!task.ok) return { kind: 'problem', problem: task.problem };
  const { address } = task.value;
  const { attempt, stream } = query;
  const isKnown =
    attempt === undefined ||
    readAttempt(ports.store, withState(ports.store, task.value), attempt) !== undefined;
  if (!isKnown) return notFound('attempt', String(attempt));
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
