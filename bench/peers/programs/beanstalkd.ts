import { connect, type Socket } from 'node:net';
import { BeanstalkReplies, type BeanstalkReply } from '../beanstalk-replies.ts';
import type { WorkFigures } from '../peer.ts';
import { WorkClock } from '../work-clock.ts';
import { runProgram, type Order } from './host.ts';

/** Priority, delay and time to run of a job, as beanstalkd calls them. */
const PUT = 'put 0 0 600';
const BULK = 1_000;

await runProgram((order) => (order.role === 'submit' ? submitter(order) : workers(order)));

async function submitter(order: Order): Promise<() => Promise<null>> {
  let accepted = 0;
  let allAccepted: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    allAccepted = resolve;
  });
  const socket = await open(order, ({ words }) => {
    if (words[0] !== 'INSERTED') fail(words);
    if (++accepted === order.tasks) allAccepted();
  });
  return async () => {
    for (let at = 0; at < order.tasks; at += BULK) {
      const puts = Array.from({ length: Math.min(BULK, order.tasks - at) }, (_unused, index) => {
        const body = String(at + index);
        return `${PUT} ${body.length}\r\n${body}\r\n`;
      });
      socket.write(puts.join(''));
    }
    await finished;
    return null;
  };
}

async function workers(order: Order): Promise<() => Promise<WorkFigures>> {
  const clock = new WorkClock(order.tasks, order.warmUp, () => performance.now());
  const starters = await Promise.all(
    Array.from({ length: order.workers }, async () => {
      let askedAt = 0;
      const socket: Socket = await open(order, ({ words }) => {
        if (words[0] === 'DELETED') clock.end();
        else if (words[0] === 'RESERVED') {
          const now = performance.now();
          clock.startAfter(now - askedAt);
          askedAt = now;
          socket.write(`delete ${words[1] ?? ''}\r\nreserve\r\n`);
        } else fail(words);
      });
      return () => {
        askedAt = performance.now();
        socket.write('reserve\r\n');
      };
    }),
  );
  return async () => {
    for (const start of starters) start();
    await clock.finished;
    return clock.figures();
  };
}

function open({ port }: Order, onReply: (reply: BeanstalkReply) => void): Promise<Socket> {
  const replies = new BeanstalkReplies();
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true }, () => resolve(socket));
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      for (const reply of replies.take(chunk)) onReply(reply);
    });
    socket.once('error', reject);
  });
}

function fail(words: readonly string[]): never {
  console.error(`beanstalkd said ${words.join(' ')}`);
  process.exit(1);
}
