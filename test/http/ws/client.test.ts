import { test } from 'tap';
import { Client } from '../../../http/ws/client.ts';
import { EventHub } from '../../../http/ws/hub.ts';
import type { LogChunk } from '../../../src/core/records/log-chunk.ts';
import type { Socket } from '../../../http/ws/socket.ts';

const SUBJECT = 'jobs/1/tasks';
const FIVE_MINUTES_MS = 5 * 60_000;

void test('a subject that is opened for a disconnected client is closed', (t) => {
  let steadyNow = 0;
  const hub = new EventHub({ replayDepth: 10, now: () => 1_000, steadyNow: () => steadyNow });
  let closed = 0;
  const opened: string[] = [];
  const socket: Socket = {
    send: () => 'refused',
    isClear: false,
    together: (write) => {
      write();
    },
    ping: () => undefined,
    close: () => {
      client.closed();
    },
  };
  const client = new Client(socket, hub, (subject) => {
    opened.push(subject);
    return { ok: true, channel: hub.open(subject, () => (closed += 1)) };
  });
  client.received(JSON.stringify({ type: 'subscribe', subject: SUBJECT, seq: 1 }));
  t.same(opened, [SUBJECT]);
  t.equal(hub.figures.clients, 0, 'the reply was refused and the connection closed');
  t.not(hub.find(SUBJECT), undefined);
  steadyNow += FIVE_MINUTES_MS;
  hub.tick();
  t.equal(closed, 1, 'its source has ended');
  t.equal(hub.find(SUBJECT), undefined);
  t.end();
});

void test('a busy subject does not starve another subject of the same client', (t) => {
  const hub = new EventHub({ replayDepth: 10, now: () => 1_000, steadyNow: () => 0 });
  const received: string[] = [];
  let room = 2;
  const socket: Socket = {
    send: (text) => {
      const { type, subject } = JSON.parse(text) as { type: string; subject: string };
      received.push(`${type} ${subject}`);
      room -= 1;
      return room > 0 ? 'sent' : 'queued';
    },
    get isClear() {
      return room > 0;
    },
    together: (write) => {
      write();
    },
    ping: () => undefined,
    close: () => undefined,
  };
  const client = new Client(socket, hub, (subject) => ({
    ok: true,
    channel: hub.find(subject) ?? hub.open(subject),
  }));
  const chunk = {
    id: 'chunk',
    taskId: 't' as LogChunk['taskId'],
    attemptId: 'a' as LogChunk['attemptId'],
    seqNum: 1,
    busSeq: 1,
    stream: 'stdout',
    data: 'x',
    at: '',
    receivedAt: 0,
  } as const;
  const readOn = (): readonly string[] => {
    received.length = 0;
    room = 3;
    client.drained();
    return [...received];
  };
  const [busy, quiet] = [hub.open('busy'), hub.open('quiet')];
  hub.publishLog(
    busy,
    Array.from({ length: 10 }, () => chunk),
  );
  hub.publishLog(quiet, [chunk]);
  for (const subject of ['busy', 'quiet']) {
    client.received(JSON.stringify({ type: 'subscribe', subject, seq: 1 }));
  }
  t.strictSame(readOn(), ['push busy', 'push busy', 'push busy']);
  t.strictSame(readOn(), ['push quiet', 'push busy', 'push busy']);
  t.end();
});
