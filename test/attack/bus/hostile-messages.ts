import { attemptIdOf, taskIdOf, type JobId } from '../../../src/core/ids.ts';

/** Ids that a hostile worker may know: all of them are in the REST API. */
export interface KnownIds {
  readonly farm: string;
  readonly victim: string;
  readonly victimIncarnation: string;
  readonly eve: string;
  readonly job: JobId;
}

/** One message of a hostile worker. */
export interface HostileMessage {
  readonly subject: string;
  readonly reply: string;
  readonly payload: string;
}

type Random = () => number;

const AT = '2026-11-20T10:00:00Z';
const PAYLOAD_BYTES = 200_000;

const pick = <T>(random: Random, items: readonly [T, ...T[]]): T =>
  items[Math.floor(random() * items.length)] ?? items[0];

/** Returns a message that must change nothing, of a kind chosen by `random`. */
export function hostileMessage(random: Random, ids: KnownIds): HostileMessage {
  const address = { jobId: ids.job, stepOrder: 0, index: 0 };
  const [task, attempt] = [taskIdOf(address), attemptIdOf({ ...address, attemptNumber: 1 })];
  const worker = pick(random, [ids.victim, ids.eve, '*', '>', `${ids.eve}.x`, 'a b', '']);
  const own = pick(random, [ids.eve, ids.eve, ids.eve, worker]);
  const claimed = pick(random, [ids.victim, ids.eve]);
  const inbox = pick(random, [
    `_INBOX.${ids.eve}.x.y`,
    `_INBOX.${ids.victim}.x.y`,
    `task.cancel.${task}.${ids.victim}`,
    `task.status.${ids.job}.${ids.victim}`,
    '$JS.API.STREAM.DELETE.CALLSHEET_STATUS',
    '$JS.API.STREAM.PURGE.CALLSHEET_LOGS',
    '$JS.ACK.CALLSHEET_STATUS.shard-0-of-1.1.1.1.1.0',
    '$SYS.REQ.CLAIMS.UPDATE',
  ]);
  const incarnation = pick(random, [ids.victimIncarnation, '01936ad0-0000-7000-8000-00000000000e']);
  const report = {
    attempt_id: attempt,
    status: pick(random, ['succeeded', 'failed', 'canceled']),
    exit_code: 0,
    timestamp: AT,
    session_id: 's',
  };
  const presence = { v: 1, worker_id: claimed, farm_id: ids.farm, incarnation, reply_to: inbox };
  const messages: readonly [HostileMessage, ...HostileMessage[]] = [
    {
      subject: `task.status.${ids.job}.${own}`,
      reply: inbox,
      payload: JSON.stringify({ v: 1, task_id: task, worker_id: claimed, ...report }),
    },
    {
      subject: `task.logs.${task}.${own}`,
      reply: inbox,
      payload: JSON.stringify({
        v: 1,
        task_id: task,
        attempt_id: attempt,
        seq_num: 1 + Math.floor(random() * 100),
        stream: 'stdout',
        data: 'forged\n',
        at: AT,
      }),
    },
    {
      subject: `worker.heartbeat.${own}`,
      reply: '',
      payload: JSON.stringify({
        ...presence,
        type: 'heartbeat',
        open_attempts: random() < 0.5 ? [attempt] : [],
      }),
    },
    {
      subject: `worker.deregister.${own}`,
      reply: '',
      payload: JSON.stringify({ ...presence, worker_id: ids.victim, type: 'deregister' }),
    },
    {
      subject: `worker.register.${own}`,
      reply: '',
      payload: JSON.stringify({
        ...presence,
        worker_id: ids.victim,
        type: 'register',
        name: pick(random, ['victim', 'other', '\u0000']),
        hostname: 'h',
        farm: '',
        queues: [],
        cpu_count: pick(random, [1, 65_536, 1_000_000]),
        memory_mib: 1,
        os: 'linux',
        arch: 'x86_64',
        software_version: '1',
        compute_location: '',
        tags: {},
        open_attempts: [attempt],
      }),
    },
    {
      subject: `work.lease._any.${own}`,
      reply: inbox,
      payload: JSON.stringify({
        v: 1,
        worker_id: ids.victim,
        farm_id: ids.farm,
        incarnation,
        reports: [report],
      }),
    },
    { subject: `worker.diag.${own}`, reply: '', payload: 'x'.repeat(Math.floor(random() * PAYLOAD_BYTES)) },
    {
      subject: `worker.renew.${own}`,
      reply: inbox,
      payload: JSON.stringify({ v: 1, type: 'renew', worker_id: claimed }),
    },
    { subject: `service.join.${own}`, reply: inbox, payload: '{}' },
    { subject: `task.cancel.${task}.${ids.victim}`, reply: inbox, payload: '{}' },
    { subject: '$JS.API.STREAM.DELETE.CALLSHEET_STATUS', reply: inbox, payload: '' },
    {
      subject: `$JS.API.DIRECT.GET.CALLSHEET_CANCEL.task.cancel.${task}.${own}`,
      reply: inbox,
      payload: '',
    },
    {
      subject: `task.status.${ids.job}.${own}`,
      reply: inbox,
      payload: '{'.repeat(Math.floor(random() * 1000)),
    },
  ];
  return pick(random, messages);
}
