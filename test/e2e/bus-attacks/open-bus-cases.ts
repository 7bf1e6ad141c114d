import { existsSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { openAccess } from '../../kit/worker-access.ts';
import { ScriptedWorker } from '../../kit/scripted-worker.ts';
import { until } from '../../kit/until.ts';
import { incarnationOf, streamsOf, workersOf } from '../../attack/bus/bus-state.ts';
import type { BusAttack } from './bus-attack.ts';
import { AT, changesNothing, REFUSED_BY_SERVER, shellJob, submitTo, succeeded } from './bus-farm.ts';
import { forgedAssignment, hostileJob } from './hostile-job.ts';
import type { OpenBus } from './open-bus.ts';

const ATTACKER = 'anonymous client of an open bus';
const POSSIBLE = 'possible, as documented';

const act = ({ service }: OpenBus, name: string): Promise<ScriptedWorker> =>
  ScriptedWorker.act(openAccess(), service.busPort, name, 1);

/** Sends text of the NATS protocol, which the client library would refuse, and resolves with the answers. */
const raw = (port: number, commands: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connectSocket(port, '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      if (/PONG|-ERR 'Unknown|-ERR 'Invalid/.test(text)) socket.destroy();
    });
    socket.on('error', reject).on('close', () => resolve(text));
    socket.write(['CONNECT {"verbose":false}', ...commands, 'PING', ''].join('\r\n'));
  });

export const OPEN_BUS_ATTACKS: readonly BusAttack<OpenBus>[] = [
  {
    id: 'B29',
    attacker: 'isolated job (`nobody`, no capabilities) on an open bus',
    action:
      'subscribes to lease requests and inboxes, and answers its own worker with an assignment without an account',
    outcome: 'the worker runs no program of the job; the job sees replies to workers',
    proof:
      'the log of the job, which runs in a real worker; the forged program has left no file after the next task of that worker',
    run: async (t, { service, farm, queues, node, victim }) => {
      const planted = join(service.folder, 'planted');
      const denied = ['SUB _INBOX.> 1', 'SUB work.lease.> 2', 'SUB > 3', 'SUB work.lease.* 4'];
      const answers = ['PUB _INBOX.guess.inbox 2\r\n{}', `PUB task.cancel.${victim.task} 2\r\n{}`];
      const job = await submitTo(
        farm,
        queues.isolated,
        hostileJob({
          node,
          secret: join(service.folder, 'data/bus/keys.json'),
          port: service.busPort,
          mode: 'plain',
          commands: [...denied, ...answers, 'SUB _INBOX.*.* 5'],
          assignment: forgedAssignment(`id -u > ${planted}`),
        }),
      );
      const log = await until('the job has tried', async () => {
        const text = await service.api.log(`${job}-0-0`);
        return /^(?:closed|the answer was refused)$/m.test(text) && text;
      });
      t.match(log, /^nobody\nCapEff:\s+0{16}\n/);
      t.match(log, /Permission denied/);
      for (const command of denied)
        t.ok(
          log.includes(`Permissions Violation for Subscription to "${command.split(' ')[1] ?? ''}"`),
          command,
        );
      t.match(log, /Permissions Violation for Publish to "_INBOX\.guess\.inbox"/);
      t.match(log, /Permissions Violation for Publish to "task\.cancel\./);
      t.match(log, /the answer was refused/, 'it saw an inbox, and could not answer there');
      const next = await submitTo(farm, queues.main, shellJob('echo genuine'));
      await until('the genuine task has run', async () =>
        (await service.api.log(`${next}-0-0`)).includes('genuine'),
      );
      t.notOk(existsSync(planted));
    },
  },
  {
    id: 'B30',
    attacker: ATTACKER,
    action: 'subscribes to requests and reports, publishes replies and cancels, and connects as a known user',
    outcome: 'it reads no request and no report, and cancels nothing',
    proof: `${REFUSED_BY_SERVER}; the errors of the client`,
    run: async (t, bus) => {
      const { client, victim, service } = bus;
      const heard = [
        ...['>', '*', '_INBOX.>', '_INBOX.*', 'work.>', 'work.lease.*', 'work.lease._any', 'task.>'],
        ...['task.status.*', 'task.logs.*', 'worker.*', 'worker.diag.*', 'service.present.*'],
        ...['_SERVICE.>', '$JS.>', '$SYS.>'],
      ];
      t.strictSame(await client.permitted('subscribe', heard), []);
      const sent = [
        ...[
          '_INBOX.a.b',
          '_SERVICE.a.b',
          `task.cancel.${victim.task}`,
          'service.join.x',
          `worker.renew.${victim.id}`,
        ],
        ...['$JS.API.STREAM.NAMES', '$JS.API.STREAM.DELETE.CALLSHEET_STATUS', '$SYS.REQ.SERVER.PING', 'x'],
        ...[`worker.heartbeat.${victim.id}`, `task.status.${victim.job}.${victim.id}`],
      ];
      t.strictSame(await client.permitted('publish', sent), []);
      for (const options of [
        { user: 'anonymous', pass: 'anonymous' },
        { user: 'admin', pass: '' },
        { token: 'x' },
      ])
        await t.rejects(
          connect({ servers: [`127.0.0.1:${service.busPort}`], reconnect: false, ...options }),
          /Authorization/i,
        );
    },
  },
  {
    id: 'B31',
    attacker: ATTACKER,
    action: 'lets acknowledgements of stored messages go to the API of the streams',
    outcome: 'streams and consumers are unchanged',
    proof: 'the list of streams and consumers before and after',
    run: async (t, bus) => {
      const { client, service, victim } = bus;
      const before = await streamsOf(service, false);
      await changesNothing(t, bus, async () => {
        for (const name of ['CALLSHEET_STATUS', 'CALLSHEET_LOGS', 'CALLSHEET_CANCEL', 'CALLSHEET_PRESENCE'])
          for (const call of ['STREAM.DELETE', 'STREAM.PURGE', 'STREAM.UPDATE', 'CONSUMER.CREATE']) {
            client.say(`task.logs.${victim.task}`, {}, `$JS.API.${call}.${name}`);
            client.say(
              '$JS.API.DIRECT.GET.CALLSHEET_CANCEL',
              { last_by_subj: 'x' },
              `$JS.API.${call}.${name}`,
            );
          }
        client.say(`task.logs.${victim.task}`, {}, '$SYS.REQ.CLAIMS.UPDATE');
        await client.nc.flush();
      });
      t.strictSame(await streamsOf(service, false), before);
    },
  },
  {
    id: 'B32',
    attacker: ATTACKER,
    action:
      'sends heartbeats and departures of a worker without its incarnation, ends with wrong ids, and registers under its name',
    outcome: 'the worker and its attempt are unchanged',
    proof: 'the replies; a request after them gets its reply',
    run: async (t, bus) => {
      const { victim, farm } = bus;
      const forger = await act(bus, 'victim');
      try {
        await changesNothing(t, bus, async () => {
          forger.farmId = farm.farmId;
          t.match(await forger.register('show'), {
            type: 'refused',
            reason: /named "victim" that is online/,
          });
          const own = forger.workerId;
          forger.workerId = victim.id;
          t.match(await forger.heartbeat([]), { type: 'unknown' });
          t.match(await forger.deregister(), { type: 'departed' });
          for (const worker_id of [own, '01936ad0-0000-7000-8000-000000000001'])
            await forger.report(victim.job, { ...succeeded(victim.attempt), worker_id });
          for (const attempt of [`${victim.task}-2`, `${victim.task}-999`, `${victim.job}-0-1-1`])
            await forger.report(victim.job, { ...succeeded(attempt), worker_id: victim.id });
          t.match(await forger.lease({ worker_id: victim.id }), { type: 'unknown' });
        });
      } finally {
        await forger.close();
      }
    },
  },
  {
    id: 'B33',
    attacker: ATTACKER,
    action: 'uses wildcards, spaces and dots in subjects and ids',
    outcome: 'none of them selects more than one id',
    proof: 'refused by the server, or discarded and logged',
    run: async (t, bus) => {
      const { service, victim } = bus;
      await changesNothing(t, bus, async () => {
        const answers = await raw(service.busPort, [
          ...['PUB task.status.a b 2\r\n{}', 'PUB task.status.> 2\r\n{}', 'PUB task.status.* 2\r\n{}'],
          ...['PUB worker.* 2\r\n{}', 'PUB task.status.a.b 2\r\n{}', 'PUB work.lease.> _INBOX.a.b 2\r\n{}'],
        ]);
        t.match(answers, /Permissions Violation for Publish to "task\.status\.a\.b"/);
        for (const id of ['*', '>', '..', victim.task]) {
          const forged = { v: 1, worker_id: id, task_id: `${id}-0-0`, ...succeeded(`${id}-0-0-1`) };
          bus.client.say(`task.status.${victim.job}`, forged);
          bus.client.say(`task.status.${victim.job}`, { ...forged, task_id: victim.task });
        }
        await bus.client.nc.flush();
      });
      t.match(service.daemon.log(), /bus: poisoned/);
    },
  },
  {
    id: 'B34',
    attacker: ATTACKER,
    action: 'reads the replies to workers at `_INBOX.*.*`',
    outcome: `${POSSIBLE}: it sees assignments with their commands, but no incarnation`,
    proof: 'the reply with the command of a task',
    run: async (t, bus) => {
      const { client, farm, queues, victim, service } = bus;
      const seen: string[] = [];
      const subscription = client.nc.subscribe('_INBOX.*.*', {
        callback: (_error, message) => void seen.push(message.string()),
      });
      await client.nc.flush();
      await submitTo(farm, queues.main, shellJob('echo shown-to-all'));
      await until('it sees the assignment', () => seen.some((text) => text.includes('shown-to-all')));
      await until('it sees a reply to a heartbeat', () => seen.some((text) => text.includes('"alive"')));
      subscription.unsubscribe();
      const incarnation = await incarnationOf(service, victim.id, false);
      t.notOk(seen.some((text) => text.includes(incarnation)));
    },
  },
  {
    id: 'B35',
    attacker: ATTACKER,
    action: 'registers as a new worker, and takes the place of an offline worker by its name',
    outcome: `${POSSIBLE}: it gets tasks, and the id of the offline worker`,
    proof: 'the replies',
    run: async (t, bus) => {
      const { farm, queues } = bus;
      const first = await act(bus, 'guest');
      try {
        const registered = await first.register('show');
        t.match(registered, { type: 'registered', worker_id: first.workerId });
        first.farmId = farm.farmId;
        t.match(await first.deregister(), { type: 'departed' });
        const second = await act(bus, 'guest');
        try {
          second.farmId = farm.farmId;
          t.match(await second.register('show'), { type: 'registered', worker_id: first.workerId });
          second.workerId = first.workerId;
          await bus.spare.kill('SIGTERM');
          const job = await submitTo(farm, queues.main, shellJob('true'));
          t.match(await second.lease(), { type: 'leases', assignments: [{ job_id: job }] });
          t.match(await second.deregister(), { type: 'departed' });
        } finally {
          await second.close();
        }
      } finally {
        await first.close();
      }
    },
  },
  {
    id: 'B36',
    attacker: ATTACKER,
    action: 'sends a log chunk and the end of an attempt in the name of its worker, with the right ids',
    outcome: `${POSSIBLE}: the chunk is in the log, the attempt has ended, and its worker stops the task`,
    proof: 'the log, the attempt, the log of the worker',
    run: async (t, bus) => {
      const { client, victim, service } = bus;
      client.say(`task.logs.${victim.task}`, {
        ...{ v: 1, task_id: victim.task, attempt_id: victim.attempt },
        ...{ seq_num: 2, stream: 'stdout', data: 'forged\n', at: AT },
      });
      await until('the chunk is in the log', async () =>
        (await service.api.log(victim.task)).includes('forged'),
      );
      const forged = { v: 1, task_id: victim.task, worker_id: victim.id, ...succeeded(victim.attempt) };
      client.say(`task.status.${victim.job}`, forged);
      await until(
        'the job has ended',
        async () => (await service.api.job(victim.job)).status === 'completed',
      );
      t.match(await service.api.attempts(victim.task), [{ status: 'succeeded', worker_id: victim.id }]);
      const names = (await workersOf(service)).filter(({ status }) => status === 'online');
      t.ok(names.some(({ name }) => name === 'victim'));
    },
  },
];
