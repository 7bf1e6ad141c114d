import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import tap, { test, type Test } from 'tap';
import { announceService, type Announcement } from '../../../src/adapters/discovery/announce.ts';
import { searchServices } from '../../../src/adapters/discovery/search.ts';
import type { AnnouncedService } from '../../../src/core/discovery/announced-service.ts';
import { Recorder } from '../../kit/nats-recorder.ts';

tap.setTimeout(60_000);

/** Packets stay on this machine. */
const LOOPBACK = '127.0.0.1';
const GROUP = '224.0.0.251';
const PORT = 5353;
/** Number of packets that one side may send at once before its rate is limited. */
const MOST_AT_ONCE = 30;

/** The names contain the process ID, because other tests may announce services at the same time. */
const nameOf = (name: string): string => `${name}-${process.pid}`;

const announce = (t: Test, name: string, port: number, urls: readonly string[] | null): Announcement => {
  const announcement = announceService({
    name: nameOf(name),
    hostName: 'sun.farm',
    port,
    urls,
    interfaces: [LOOPBACK],
    complain: (text, reason) => t.comment(`${text}: ${reason}`),
  });
  t.teardown(() => announcement.withdraw());
  return announcement;
};

/** Starts a search; `names` limits what is recorded. */
function search(t: Test, name: string): Recorder<AnnouncedService> {
  const found = new Recorder<AnnouncedService>();
  const search = searchServices({
    interfaces: [LOOPBACK],
    complain: (text, reason) => t.comment(`${text}: ${reason}`),
    heard: (services) => {
      for (const service of services) if (service.name === nameOf(name)) found.add(service);
    },
  });
  t.teardown(() => search.stop());
  return found;
}

const any = (): boolean => true;

async function speaker(t: Test): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  socket.bind(PORT, LOOPBACK);
  await once(socket, 'listening');
  socket.setMulticastInterface(LOOPBACK);
  t.teardown(() => new Promise((resolve) => socket.close(() => resolve(undefined))));
  return socket;
}

const say = (socket: Socket, data: Buffer): Promise<void> =>
  new Promise((resolve) => socket.send(data, PORT, GROUP, () => resolve()));

test('a service is found by searches that start before and after it', async (t) => {
  const before = search(t, 'both');
  announce(t, 'both', 14_222, null);
  const expected = {
    name: nameOf('both'),
    instance: `both-${process.pid}-sun-farm-14222`,
    urls: ['nats://127.0.0.1:14222'],
  };
  t.same(await before.next(any), expected);
  t.same(await search(t, 'both').next(any), expected);
});

test('a withdrawn service is not found any more; one at another port is', async (t) => {
  const first = announce(t, 'moved', 14_222, ['nats://127.0.0.1:14222']);
  t.same((await search(t, 'moved').next(any)).urls, ['nats://127.0.0.1:14222']);
  await first.withdraw();
  announce(t, 'moved', 14_333, ['nats://127.0.0.1:14333']);
  t.same((await search(t, 'moved').next(any)).urls, ['nats://127.0.0.1:14333']);
});

/** Returns a header with these counts of questions and records. */
function header(flags: number, counts: readonly number[], rest: Buffer = Buffer.alloc(0)): Buffer {
  const data = Buffer.alloc(12);
  data.writeUInt16BE(flags, 2);
  for (const [index, count] of counts.entries()) data.writeUInt16BE(count, 4 + 2 * index);
  return Buffer.concat([data, rest]);
}

const label = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
const name = (...labels: readonly string[]): Buffer =>
  Buffer.concat([...labels.map(label), Buffer.from([0])]);

/** Returns a record with arbitrary data. */
function record(owner: Buffer, type: number, data: Buffer, length = data.length): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(120, 4);
  fixed.writeUInt16BE(length, 8);
  return Buffer.concat([owner, fixed, data]);
}

const RESPONSE = 0x8400;
const [PTR, TXT, SRV] = [12, 16, 33] as const;
const TYPE = name('_callsheet', '_tcp', 'local');
const srv = (target: Buffer): Buffer => Buffer.concat([Buffer.from([0, 0, 0, 0, 0x37, 0x8e]), target]);

test('malformed packets and floods affect neither side', async (t) => {
  announce(t, 'tough', 14_222, null);
  const found = search(t, 'tough');
  await found.next(any);
  const socket = await speaker(t);
  const instance = name('evil', '_callsheet', '_tcp', 'local');
  const bad: readonly Buffer[] = [
    Buffer.alloc(0),
    Buffer.from([1, 2, 3]),
    Buffer.alloc(8_900, 0xff),
    header(0, [0xffff, 0, 0, 0]),
    header(RESPONSE, [0, 0xffff, 0xffff, 0xffff]),
    header(0, [1, 0, 0, 0], Buffer.from([0xc0, 0x0c, 0, 12, 0, 1])),
    header(0, [1, 0, 0, 0], Buffer.from([0x3f, 0x41])),
    header(RESPONSE, [0, 1, 0, 0], record(TYPE, PTR, instance, 0xffff)),
    header(RESPONSE, [0, 1, 0, 0], record(TYPE, PTR, Buffer.from([0]))),
    header(
      RESPONSE,
      [0, 2, 0, 0],
      Buffer.concat([
        record(TYPE, PTR, Buffer.from([0])),
        record(Buffer.from([0]), SRV, srv(Buffer.from([0]))),
      ]),
    ),
    header(
      RESPONSE,
      [0, 2, 0, 0],
      Buffer.concat([record(TYPE, PTR, instance), record(instance, SRV, srv(Buffer.from([0])))]),
    ),
    header(
      RESPONSE,
      [0, 3, 0, 0],
      Buffer.concat([
        record(TYPE, PTR, instance),
        record(instance, SRV, srv(name('x'))),
        record(instance, TXT, Buffer.concat([label('__proto__=1'), label('v=1'), label('name'), label('=')])),
      ]),
    ),
  ];
  for (const packet of bad) await say(socket, packet);
  for (let at = 0; at < 400; at++) {
    const noise = Buffer.from(
      Array.from({ length: 40 + (at % 60) }, (_, index) => (index * 7 + at * 13) % 256),
    );
    await say(socket, header(at % 2 === 0 ? RESPONSE : 0, [1, 1, 0, 0], noise));
  }
  // Both are still announced after the flood: a new search repeats its question until it is answered.
  t.same((await search(t, 'tough').next(any)).urls, ['nats://127.0.0.1:14222']);
});

test('a packet with many questions does not cause as many responses', async (t) => {
  announce(t, 'calm', 14_222, null);
  await search(t, 'calm').next(any);
  const socket = await speaker(t);
  const ear = createSocket({ type: 'udp4', reuseAddr: true });
  const answers = new Recorder<Buffer>();
  ear.on('message', (data) => {
    if ((data[2] ?? 0) >= 0x80 && data.includes(`calm-${process.pid}`)) answers.add(data);
  });
  ear.bind(PORT, '0.0.0.0', () => ear.addMembership(GROUP, LOOPBACK));
  await once(ear, 'listening');
  t.teardown(() => new Promise((resolve) => ear.close(() => resolve(undefined))));
  const question = Buffer.concat([TYPE, Buffer.from([0, PTR, 0, 1])]);
  const again = Buffer.from([0xc0, 12, 0, PTR, 0, 1]);
  for (let at = 0; at < 40; at++) {
    await say(socket, header(0, [30, 0, 0, 0], Buffer.concat([question, ...Array<Buffer>(29).fill(again)])));
  }
  await search(t, 'calm').next(any);
  await answers.count(MOST_AT_ONCE);
  t.ok(answers.all.length < 200, `1200 questions caused ${answers.all.length} responses`);
});
