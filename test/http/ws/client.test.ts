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

/** A client whose socket takes everything, and the frames that it got. */
function reader(hub: EventHub): { readonly client: Client; readonly frames: string[] } {
  const frames: string[] = [];
  const socket: Socket = {
    send: (text) => {
      const { type, seq } = JSON.parse(text) as { type: string; seq: number };
      frames.push(`${type} ${seq - 1_000_000}`);
      return 'sent';
    },
    isClear: true,
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
  return { client, frames };
}

const publishChunks = (hub: EventHub, count: number): void => {
  const channel = hub.find('logs') ?? hub.open('logs');
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
  hub.publishLog(
    channel,
    Array.from({ length: count }, () => chunk),
  );
  for (const follower of channel.followers) follower.deliver();
};

void test('a client that subscribes again gets one copy of each event', (t) => {
  const hub = new EventHub({ replayDepth: 10, now: () => 1_000, steadyNow: () => 0 });
  const { client, frames } = reader(hub);
  const subscribe = (sinceSeq: number): void => {
    client.received(
      JSON.stringify({ type: 'subscribe', subject: 'logs', seq: 1, payload: { since_seq: sinceSeq } }),
    );
  };
  subscribe(0);
  publishChunks(hub, 2);
  subscribe(1_000_001);
  t.strictSame(frames, ['ack 0', 'push 1', 'push 2', 'ack 2', 'push 2'], 'from the number that it names');
  frames.length = 0;
  publishChunks(hub, 1);
  t.strictSame(frames, ['push 3']);
  t.equal(hub.find('logs')?.followers.size, 1);
  client.received(JSON.stringify({ type: 'unsubscribe', subject: 'logs', seq: 2 }));
  frames.length = 0;
  publishChunks(hub, 1);
  t.strictSame(frames, [], 'nothing after it has unsubscribed');
  t.equal(hub.find('logs')?.followers.size, 0);
  t.end();
});

void test('a connection is counted until it is closed, once', (t) => {
  const hub = new EventHub({ replayDepth: 10, now: () => 1_000, steadyNow: () => 0 });
  const [first] = [reader(hub), reader(hub)];
  t.equal(hub.figures.clients, 2);
  first.client.closed();
  first.client.closed();
  t.equal(hub.figures.clients, 1);
  t.end();
});

void test('an event that the socket refuses is sent when there is room again', (t) => {
  const hub = new EventHub({ replayDepth: 10, now: () => 1_000, steadyNow: () => 0 });
  const sent: string[] = [];
  let isFull = false;
  const socket: Socket = {
    send: (text) => {
      if (isFull) return 'refused';
      const { type, seq } = JSON.parse(text) as { type: string; seq: number };
      sent.push(`${type} ${seq - 1_000_000}`);
      return 'sent';
    },
    get isClear() {
      return !isFull;
    },
    together: (write) => {
      write();
    },
    ping: () => undefined,
    close: () => undefined,
  };
  const client = new Client(socket, hub, (subject) => ({ ok: true, channel: hub.open(subject) }));
  client.received(JSON.stringify({ type: 'subscribe', subject: 'logs', seq: 1 }));
  isFull = true;
  publishChunks(hub, 2);
  isFull = false;
  client.drained();
  t.same(sent, ['ack 0', 'push 1', 'push 2']);
  t.equal(hub.figures.pushed, 2);
  t.end();
});
