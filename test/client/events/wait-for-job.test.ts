import { test } from 'tap';
import { EventChannel } from '../../../client/events/channel.ts';
import type { SocketEvents } from '../../../client/events/socket.ts';
import { waitForJob } from '../../../client/events/wait-for-job.ts';
import { Rest } from '../../../client/rest.ts';
import { answeringService, type Answer } from '../../cli/answering-service.ts';
import { until } from '../../kit/until.ts';

const JOB = 'a-job';
const job = (status: string): Answer => ({ body: { id: JOB, status } });

/** A service with one job and events from the test. */
async function serviceOf(
  answers: readonly Answer[],
  refusal = '',
): Promise<{
  readonly rest: Rest;
  readonly channel: EventChannel;
  readonly asked: () => number;
  readonly tell: (jobId: string) => void;
  readonly close: () => Promise<void>;
}> {
  const service = await answeringService({ [`GET /api/v1/jobs/${JOB}`]: answers });
  let socket: SocketEvents | null = null;
  let seq = 100;
  const say = (type: string, payload: object): void =>
    socket?.message(JSON.stringify({ type, subject: 'jobs', seq, payload }));
  const channel = new EventChannel({
    url: 'ws://service/',
    connect: (_, events) => {
      socket = events;
      queueMicrotask(() => events.opened());
      return {
        send: (text) => {
          const { type, seq: clientSeq } = JSON.parse(text) as { type: string; seq: number };
          if (type === 'subscribe')
            queueMicrotask(() => say('ack', { client_seq: clientSeq, error: refusal }));
        },
        close: () => undefined,
      };
    },
  });
  return {
    rest: new Rest({ base: service.url }),
    channel,
    asked: () => service.requests.length,
    tell: (jobId) => {
      seq += 1;
      say('push', { job_id: jobId, status: 'running' });
    },
    close: async () => {
      channel.close();
      await service.close();
    },
  };
}

test('requests the job after its own events, not after those of other jobs', async (t) => {
  const { rest, channel, asked, tell, close } = await serviceOf([
    job('pending'),
    job('running'),
    job('completed'),
  ]);
  t.teardown(close);
  const seen: string[] = [];
  const ended = waitForJob(rest, channel, JOB, { onJob: ({ status }) => seen.push(status) });
  await until('it was requested', () => seen.length === 1);
  tell('another');
  tell(JOB);
  await until('it was requested again', () => seen.length === 2);
  t.equal(asked(), 2);
  tell(JOB);
  t.match(await ended, { id: JOB, status: 'completed' });
  t.same([seen, asked()], [['pending', 'running', 'completed'], 3]);
});

test('repeats the request after a temporary error', async (t) => {
  const { rest, channel, asked, close } = await serviceOf([
    { status: 503, body: { title: 'Service Unavailable' } },
    { body: '', cuts: true },
    job('failed'),
  ]);
  t.teardown(close);
  t.match(await waitForJob(rest, channel, JOB), { status: 'failed' });
  t.equal(asked(), 3);
});

test('rejects at once if the job cannot be followed', async (t) => {
  for (const [answer, fault] of [
    [
      { status: 404, body: { title: 'Not Found' } },
      { name: 'ProblemError', status: 404 },
    ],
    [
      { status: 403, body: { title: 'Forbidden' } },
      { name: 'ProblemError', status: 403 },
    ],
    [{ body: '<html>' }, { name: 'UnreadableAnswer' }],
  ] as const) {
    const { rest, channel, asked, close } = await serviceOf([answer]);
    t.teardown(close);
    await t.rejects(waitForJob(rest, channel, JOB), fault);
    t.equal(asked(), 1);
  }
  const { rest, channel, asked, close } = await serviceOf([job('completed')], 'not allowed');
  t.teardown(close);
  await t.rejects(waitForJob(rest, channel, JOB), {
    message: 'the events of jobs are not available: not allowed',
  });
  const gone = AbortSignal.abort(new Error('enough'));
  await t.rejects(waitForJob(rest, channel, JOB, { signal: gone }), { message: 'enough' });
  t.equal(asked(), 0);
});
