import { test } from 'tap';
import { Client } from '../../../http/ws/client.ts';
import { EventHub } from '../../../http/ws/hub.ts';
import type { Socket } from '../../../http/ws/socket.ts';

const SUBJECT = 'jobs/1/tasks';
const FIVE_MINUTES_MS = 5 * 60_000;

void test('a subject that was opened for a client that is hung up on is forgotten like any other', (t) => {
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
  t.equal(hub.figures.clients, 0, 'its answer was refused, and so is it');
  t.not(hub.find(SUBJECT), undefined);
  steadyNow += FIVE_MINUTES_MS;
  hub.tick();
  t.equal(closed, 1, 'what feeds it has ended');
  t.equal(hub.find(SUBJECT), undefined);
  t.end();
});
