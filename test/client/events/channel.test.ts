import { test } from 'tap';
import { EventChannel, eventsUrl, type Clock, type ConnectionState } from '../../../client/events/channel.ts';
import type { SocketEvents, SocketLike } from '../../../client/events/socket.ts';

/** A clock that the test advances. */
class ManualClock implements Clock {
  #now = 1_000;
  readonly #timers = new Map<() => void, number>();

  now(): number {
    return this.#now;
  }

  after(ms: number, call: () => void): () => void {
    const timer = (): void => call();
    this.#timers.set(timer, this.#now + ms);
    return () => this.#timers.delete(timer);
  }

  pass(ms: number): void {
    this.#now += ms;
    for (const [timer, at] of [...this.#timers]) {
      if (at > this.#now || !this.#timers.delete(timer)) continue;
      timer();
    }
  }

  get timers(): number {
    return this.#timers.size;
  }
}

interface Opened {
  readonly url: string;
  readonly events: SocketEvents;
  readonly sent: string[];
  isClosed: boolean;
}

/** A channel over sockets that the test controls. */
function channelOf(options: { readonly url?: string; readonly onProblem?: (message: string) => void } = {}): {
  readonly channel: EventChannel;
  readonly clock: ManualClock;
  readonly sockets: Opened[];
  readonly say: (frame: object) => void;
} {
  const clock = new ManualClock();
  const sockets: Opened[] = [];
  const connect = (url: string, events: SocketEvents): SocketLike => {
    const socket: Opened = { url, events, sent: [], isClosed: false };
    sockets.push(socket);
    return {
      send: (text) => socket.sent.push(text),
      close: () => {
        socket.isClosed = true;
      },
    };
  };
  const channel = new EventChannel({
    url: 'ws://service/api/v1/ws',
    connect,
    clock,
    random: () => 0,
    ...options,
  });
  return { channel, clock, sockets, say: (frame) => sockets.at(-1)?.events.message(JSON.stringify(frame)) };
}

const ack = (subject: string, seq: number, clientSeq: number): object => ({
  type: 'ack',
  subject,
  seq,
  payload: { client_seq: clientSeq, error: '' },
});
const push = (seq: number): object => ({
  type: 'push',
  subject: 'workers',
  seq,
  payload: { worker_id: `${seq}` },
});
const gap = (seq: number): object => ({
  type: 'error',
  subject: 'workers',
  seq,
  payload: { code: 'gap', message: 'lost' },
});

test('events that arrive together are delivered together, in order and asynchronously', (t) => {
  const { channel, clock, sockets, say } = channelOf();
  const told: unknown[] = [];
  channel.subscribe('workers', {
    ready: () => told.push('ready'),
    gap: () => told.push('gap'),
    events: (list) => told.push(list.map(({ subject, seq, payload }) => [subject, seq, payload.worker_id])),
  });
  sockets[0]?.events.opened();
  for (const frame of [ack('workers', 1, 1), push(2), push(3), gap(7), push(8)]) say(frame);
  t.same(told, [], 'no listener is called synchronously');
  clock.pass(0);
  const event = (seq: number): unknown => ['workers', seq, String(seq)];
  t.same(told, ['ready', [event(2), event(3)], 'gap', [event(8)]]);
  t.end();
});

test('an unsubscribed listener receives nothing, not even pending events', (t) => {
  const { channel, clock, sockets, say } = channelOf();
  const told: string[] = [];
  const leaves: (() => void)[] = [];
  for (const name of ['a', 'b']) {
    leaves.push(
      channel.subscribe('workers', {
        events: () => {
          told.push(name);
          for (const leave of leaves) leave();
        },
      }),
    );
  }
  sockets[0]?.events.opened();
  for (const frame of [ack('workers', 1, 1), push(2)]) say(frame);
  clock.pass(0);
  t.same(told, ['a']);
  t.match(JSON.parse(sockets[0]?.sent.at(-1) ?? ''), { type: 'unsubscribe', subject: 'workers' });
  t.end();
});

test('a listener that throws does not affect the others', async (t) => {
  const { channel, clock, sockets, say } = channelOf();
  const told: string[] = [];
  const thrown = new Promise((resolve) => {
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.once('uncaughtException', (error) => {
      for (const each of others) process.on('uncaughtException', each);
      resolve(error);
    });
  });
  channel.subscribe('workers', {
    ready: () => {
      throw new Error('an error in the page');
    },
    events: () => told.push('a'),
  });
  channel.subscribe('workers', { events: () => told.push('b') });
  sockets[0]?.events.opened();
  for (const frame of [ack('workers', 1, 1), push(2)]) say(frame);
  clock.pass(0);
  t.same(told, ['a', 'b']);
  t.match(await thrown, { message: 'an error in the page' });
});

test('the state is one object until it changes, and listeners are notified', (t) => {
  const { channel, clock, sockets, say } = channelOf();
  const seen: ConnectionState[] = [];
  const forget = channel.onState((state) => seen.push(state));
  t.same(channel.state, { kind: 'connecting', since: 1_000, lastFrameAt: null });
  clock.pass(5);
  sockets[0]?.events.opened();
  const { state } = channel;
  t.same(state, { kind: 'live', since: 1_005, lastFrameAt: null });
  clock.pass(10);
  say(push(1));
  t.equal(channel.state, state);
  t.equal(channel.lastFrameAt, 1_015);
  sockets[0]?.events.lost('the service is stopping');
  t.same(channel.state, {
    kind: 'waiting',
    since: 1_015,
    lastFrameAt: 1_015,
    retryAt: 1_265,
    reason: 'the service is stopping',
  });
  clock.pass(249);
  t.equal(sockets.length, 1);
  clock.pass(1);
  t.equal(sockets.length, 2);
  forget();
  sockets[1]?.events.opened();
  t.same(
    seen.map(({ kind }) => kind),
    ['live', 'waiting', 'connecting'],
  );
  t.end();
});

test('a closed channel closes its connection, keeps no timer and calls no listener', (t) => {
  const { channel, clock, sockets, say } = channelOf();
  const told: string[] = [];
  channel.subscribe('workers', { ready: () => told.push('ready'), events: () => told.push('events') });
  sockets[0]?.events.opened();
  say(ack('workers', 1, 1));
  channel.close();
  t.equal(sockets[0]?.isClosed, true);
  t.match(channel.state, { kind: 'closed' });
  clock.pass(0);
  t.same([told, clock.timers], [[], 0]);
  channel.close();
  channel.retryNow();
  sockets[0]?.events.lost('late');
  t.equal(sockets.length, 1);
  t.end();
});

test('a socket that cannot be created counts as a failed attempt', (t) => {
  let attempts = 0;
  const clock = new ManualClock();
  const channel = new EventChannel({
    url: 'wss://service/api/v1/ws',
    clock,
    random: () => 0,
    connect: () => {
      attempts += 1;
      throw new Error('not allowed');
    },
  });
  t.match(channel.state, { kind: 'waiting', reason: 'Error: not allowed', retryAt: 1_250 });
  channel.retryNow();
  t.match([channel.state, attempts], [{ kind: 'waiting', retryAt: 1_500 }, 2]);
  channel.close();
  t.end();
});

test('invalid messages are reported, and only web addresses are accepted', (t) => {
  const problems: string[] = [];
  const { sockets } = channelOf({
    url: 'https://farm.example/api/v1/ws',
    onProblem: (message) => problems.push(message),
  });
  t.equal(sockets[0]?.url, 'wss://farm.example/api/v1/ws');
  sockets[0]?.events.opened();
  sockets[0]?.events.message(null);
  t.same(problems, ['invalid message from the server: bytes']);
  t.equal(eventsUrl('http://127.0.0.1:8080/'), 'ws://127.0.0.1:8080/api/v1/ws');
  t.throws(() => eventsUrl('ftp://farm'), { message: 'not a web address: ftp://farm/api/v1/ws' });
  t.throws(() => eventsUrl(''), TypeError);
  t.end();
});

test('after each loss, the channel uses the next node of a cluster', (t) => {
  const url = eventsUrl('http://a:1/, https://b');
  t.equal(url, 'ws://a:1/api/v1/ws,wss://b/api/v1/ws');
  const { channel, clock, sockets } = channelOf({ url });
  for (const at of [0, 1, 2]) {
    while (sockets.length === at) clock.pass(1_000);
    sockets[at]?.events.lost('gone');
  }
  t.same(
    sockets.slice(0, 3).map((socket) => socket.url),
    ['ws://a:1/api/v1/ws', 'wss://b/api/v1/ws', 'ws://a:1/api/v1/ws'],
  );
  channel.close();
  t.end();
});
