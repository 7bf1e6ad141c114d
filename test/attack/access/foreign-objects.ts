import { WebSocketClient } from '../../kit/web-socket.ts';
import type { AttackCase, AttackTable } from './attack-table.ts';
import { itemsOf, textOf, type Answered } from './caller.ts';
import { submit, template, type AccessStage, type Person, type StagedJob } from './access-stage.ts';

type Case = AttackCase<AccessStage>;

const UNKNOWN_ID = '01980000-0000-7000-8000-00000000dead';
const PARTS = [
  '',
  '/tasks',
  '/steps',
  '/failures',
  '/task-grid',
  '/template',
  '/dependents',
  '/graph',
] as const;
const TASK_PARTS = ['', '/attempts', '/explain', '/logs', '/logs?tail=true', '/log'] as const;

/** Requests about one job, as method, path and body. */
function jobRequests({ id, taskId }: StagedJob): readonly (readonly [string, string, object?])[] {
  const job = `/api/v1/jobs/${id}`;
  const task = `/api/v1/tasks/${taskId}`;
  return [
    ...PARTS.map((part) => ['GET', `${job}${part}`] as const),
    ['PATCH', job, { action: 'pause' }],
    ['PATCH', job, { priority: 99 }],
    ['DELETE', job],
    ['POST', `${job}/cancel`],
    ['POST', `${job}/retry`],
    ['POST', `${job}/retry?with_dependents=true&dry_run=true`, { step: 'render' }],
    ...TASK_PARTS.map((part) => ['GET', `${task}${part}`] as const),
    ['POST', `${task}/cancel`],
    ['POST', `${task}/retry`],
    // Tasks that the job does not have say nothing about it either.
    ['GET', `/api/v1/tasks/${id}-0-99`],
    ['GET', `/api/v1/tasks/${id}-7-0/logs`],
  ];
}

/** Returns what an answer tells about a job that its reader must not see. */
function leakIn(text: string, job: StagedJob): string | null {
  if (text.includes(job.name)) return `names the job: ${text.slice(0, 200)}`;
  return text.includes(job.owner) ? `names the owner: ${text.slice(0, 200)}` : null;
}

const isRefused = ({ status, text }: Answered, job: StagedJob): string | null =>
  status === 403 ? leakIn(text, job) : `${status}, not 403: ${text.slice(0, 200)}`;

function directCases(person: Person, job: StagedJob): Case[] {
  return jobRequests(job).map(([method, path, body]) => ({
    name: `${method} ${path} by ${person.name}`,
    run: async () => isRefused(await person.as.send(method, path, body), job),
  }));
}

const JOB_ACTIONS = ['pause', 'resume', 'cancel', 'delete', 'retry'] as const;

/** Bulk requests with ids of someone else, and with filters that match only jobs of someone else. */
function bulkCases(person: Person, job: StagedJob): Case[] {
  const send = (path: string, body: object): Promise<Answered> => person.as.send('POST', path, body);
  const allRefused = ({ body, text }: Answered): string | null => {
    const statuses = itemsOf(body, 'results').map((each) => each['status']);
    return statuses.length === 1 && statuses[0] === 403 ? leakIn(text, job) : text.slice(0, 300);
  };
  const nothingFound = ({ body, text }: Answered): string | null =>
    body['total'] === 0 ? leakIn(text, job) : text.slice(0, 300);
  return [
    ...JOB_ACTIONS.map((action) => ({
      name: `bulk ${action} of ${job.id} by ${person.name}`,
      run: async () => allRefused(await send('/api/v1/jobs/bulk', { action, ids: [job.id] })),
    })),
    ...(['cancel', 'retry'] as const).map((action) => ({
      name: `bulk ${action} of task ${job.taskId} by ${person.name}`,
      run: async () => allRefused(await send('/api/v1/tasks/bulk', { action, ids: [job.taskId] })),
    })),
    {
      name: `bulk by the owner ${job.owner} by ${person.name}`,
      run: async () =>
        nothingFound(
          await send('/api/v1/jobs/bulk', {
            action: 'cancel',
            filter: { owner: job.owner, search: job.name },
          }),
        ),
    },
    {
      name: `bulk of the tasks of ${job.id} by ${person.name}`,
      run: async () =>
        isRefused(await send('/api/v1/tasks/bulk', { action: 'cancel', filter: { job_id: job.id } }), job),
    },
  ];
}

/** A subject of someone else's job must be refused like one that does not exist. */
function subjectCases(person: Person, job: StagedJob): Case[] {
  const subjects = [
    [`jobs/${job.id}/tasks`, `jobs/${UNKNOWN_ID}/tasks`],
    [`tasks/${job.taskId}/logs`, `tasks/${UNKNOWN_ID}-0-0/logs`],
  ] as const;
  return subjects.map(([foreign, unknown]) => ({
    name: `subject ${foreign} by ${person.name}`,
    run: async ({ port }) => {
      const client = await WebSocketClient.open(port, person.as.headers);
      try {
        const errorOf = async (subject: string, id: string): Promise<string> => {
          client.subscribe(subject);
          const ack = await client.nextWhere((each) => each.type === 'ack' && each.subject === subject);
          return String(ack.payload['error']).replace(id, 'ID');
        };
        const idIn = (subject: string): string => subject.split('/')[1] ?? '';
        const refused = await errorOf(foreign, idIn(foreign));
        const missing = await errorOf(unknown, idIn(unknown));
        if (refused === '') return 'the subscription was accepted';
        return refused === missing ? null : `${refused}, but ${missing} for an unknown one`;
      } finally {
        client.destroy();
      }
    },
  }));
}

/** Without the id, the answer about a job of someone else must be that about an unknown job. */
function dependencyCases(person: Person, job: StagedJob): Case[] {
  return [false, true].map((isDryRun) => ({
    name: `depends_on ${job.id} by ${person.name}${isDryRun ? ', dry run' : ''}`,
    run: async ({ farmId, queueId }) => {
      const send = async (id: string): Promise<string> => {
        const query = new URLSearchParams({
          farm_id: farmId,
          queue_id: queueId,
          depends_on: id,
          dry_run: String(isDryRun),
        });
        const { status, body } = await person.as.send(
          'POST',
          `/api/v1/jobs?${query.toString()}`,
          template('dependent'),
        );
        return `${status} ${String(body['detail'])}`.replace(id, 'ID');
      };
      const [foreign, unknown] = [await send(job.id), await send(UNKNOWN_ID)];
      if (!foreign.startsWith('400 ')) return foreign;
      return foreign === unknown ? null : `${foreign}, but ${unknown} for an unknown job`;
    },
  }));
}

/** Lists and counts of a user must have exactly the user's own jobs, whatever they are asked for. */
function totalCases(person: Person): Case[] {
  const ownCount = ({ jobs }: AccessStage): number => jobs.filter((job) => job.owner === person.name).length;
  const count = async (stage: AccessStage, path: string, wanted: number): Promise<string | null> => {
    const { body, text } = await person.as.must('GET', path);
    const foreign = stage.jobs.find((job) => job.owner !== person.name && text.includes(job.id));
    if (foreign !== undefined) return `has the job ${foreign.id}`;
    return body['total'] === wanted ? null : `${String(body['total'])}, not ${wanted}`;
  };
  const others = person.name === 'alice' ? 'bob' : 'alice';
  const lists: readonly (readonly [string, boolean])[] = [
    ['/api/v1/jobs?limit=1000', true],
    ['/api/v1/jobs?limit=1&offset=11', true],
    [`/api/v1/jobs?owner=${others}`, false],
    [`/api/v1/jobs?owner=${others.toUpperCase()}`, false],
    [`/api/v1/jobs?search=${others}`, false],
    ['/api/v1/jobs?search=secret', true],
    ['/api/v1/jobs/summary', true],
    [`/api/v1/jobs/summary?owner=${others}`, false],
  ];
  return [
    ...lists.map(([path, isOwn]) => ({
      name: `${path} by ${person.name}`,
      run: (stage: AccessStage) => count(stage, path, isOwn ? ownCount(stage) : 0),
    })),
    {
      name: `statistics by ${person.name}`,
      run: async (stage) => {
        const { body } = await person.as.must('GET', '/api/v1/stats');
        const text = JSON.stringify({ jobs: body['jobs'], tasks: body['tasks'] });
        const isOwn =
          text.includes(`"total":${ownCount(stage)}`) && text.includes(`"ready":${3 * ownCount(stage)}`);
        return isOwn ? null : text;
      },
    },
    {
      name: `waiting tasks by ${person.name}`,
      run: async (stage) => {
        const { body, text } = await person.as.must('GET', `/api/v1/stats/waiting?farm_id=${stage.farmId}`);
        if (text.includes(`secret ${others}`)) return text.slice(0, 300);
        return body['tasks'] === 3 * ownCount(stage) ? null : `${String(body['tasks'])} tasks`;
      },
    },
  ];
}

const OWNERS = [
  'bob',
  'BOB',
  'operator',
  'root',
  'no-account',
  ' alice',
  'alice\u0000',
  '__proto__',
] as const;

/** The owner of a job cannot be chosen, and the submitter not at all. */
function identityCases(person: Person): Case[] {
  return [
    ...OWNERS.filter((owner) => owner.toLowerCase() !== person.name).map((owner) => ({
      name: `owner ${JSON.stringify(owner)} by ${person.name}`,
      run: async ({ farmId, queueId }: AccessStage) => {
        const query = new URLSearchParams({ farm_id: farmId, queue_id: queueId, owner });
        const answered = await person.as.send('POST', `/api/v1/jobs?${query.toString()}`, template('taken'));
        const { status, text } = answered;
        return status === 403 || status === 400 ? null : `${status} ${text.slice(0, 200)}`;
      },
    })),
    ...['admin', 'bob', ''].map((submitter) => ({
      name: `submitter ${JSON.stringify(submitter)} by ${person.name}`,
      run: async (stage: AccessStage) => {
        const owner = person.name.toUpperCase();
        const job = await submit(person.as, stage, 'mine', { submitter, owner });
        const { body } = await person.as.must('GET', `/api/v1/jobs/${job.id}`);
        await person.as.must('DELETE', `/api/v1/jobs/${job.id}`);
        const stored = `${textOf(body, 'owner')} ${textOf(body, 'submitter')}`;
        return stored === `${person.name} ${person.name}` ? null : stored;
      },
    })),
  ];
}

/** Keys, queues and idempotency keys of someone else. */
function innerIdCases({ people, otherQueueId }: AccessStage): Case[] {
  const { admin, alice, bob, operator } = people;
  const status = (name: string, wanted: number, send: () => Promise<Answered>): Case => ({
    name,
    run: async () => {
      const answered = await send();
      return answered.status === wanted ? null : `${answered.status}: ${answered.text.slice(0, 200)}`;
    },
  });
  const owners = [alice, bob, operator];
  return [
    ...owners.flatMap((one) =>
      owners
        .filter((other) => other !== one)
        .flatMap((other) => [
          status(`key of ${other.name} below ${one.name}`, 404, () =>
            admin.as.send('DELETE', `/api/v1/users/${one.userId}/api-keys/${other.keyId}`),
          ),
          status(`key of ${other.name} by ${one.name}`, 404, () =>
            one.as.send('DELETE', `/api/v1/api-keys/${other.keyId}`),
          ),
          status(`keys of ${other.name} by ${one.name}`, 403, () =>
            one.as.send('GET', `/api/v1/users/${other.userId}/api-keys`),
          ),
          status(`account of ${other.name} by ${one.name}`, 403, () =>
            one.as.send('PATCH', `/api/v1/users/${other.userId}`, { role: 'admin' }),
          ),
        ]),
    ),
    ...[alice, bob].map((person) =>
      status(`queue of another farm by ${person.name}`, 400, async () => {
        const { body } = await person.as.must('GET', '/api/v1/jobs?limit=1');
        const id = textOf(itemsOf(body)[0] ?? {}, 'id');
        return person.as.send('PATCH', `/api/v1/jobs/${id}`, { queue_id: otherQueueId });
      }),
    ),
    {
      name: 'an Idempotency-Key of someone else',
      run: async ({ farmId, queueId }) => {
        const path = `/api/v1/jobs?farm_id=${farmId}&queue_id=${queueId}`;
        const header = { 'idempotency-key': 'the same for both' };
        const first = await alice.as.must('POST', path, template('once'), header);
        const second = await bob.as.must('POST', path, template('once'), header);
        const [one, two] = [textOf(first.body, 'id'), textOf(second.body, 'id')];
        await alice.as.must('DELETE', `/api/v1/jobs/${one}`);
        await bob.as.must('DELETE', `/api/v1/jobs/${two}`);
        return one === two ? 'the job of the other was returned' : null;
      },
    },
    ...['run_as_user', 'run_as_group'].flatMap((name) =>
      ['root', null].map((value) =>
        status(`${name} ${JSON.stringify(value)} by the operator`, 403, async () => {
          const { body } = await operator.as.must('GET', `/api/v1/queues/${otherQueueId}`);
          const path = `/api/v1/queues/${otherQueueId}`;
          return operator.as.send('PUT', path, { name: textOf(body, 'name'), [name]: value });
        }),
      ),
    ),
  ];
}

/** T2: a role without `jobs.read.all` reaches for what belongs to others. */
export const foreignObjects: AttackTable<AccessStage> = {
  name: 'objects of other users',
  fullCount: 600,
  casesOf: (stage) => {
    const { alice, bob } = stage.people;
    const pairs = [alice, bob].flatMap((person) =>
      stage.jobs.filter((job) => job.owner !== person.name).map((job) => [person, job] as const),
    );
    return [
      ...pairs.flatMap(([person, job]) => directCases(person, job)),
      ...pairs.flatMap(([person, job]) => [
        ...bulkCases(person, job),
        ...subjectCases(person, job),
        ...dependencyCases(person, job),
      ]),
      ...[alice, bob].flatMap(totalCases),
      ...identityCases(alice),
      ...innerIdCases(stage),
    ];
  },
  finish: async ({ people, jobs }) => {
    const { body } = await people.admin.as.must('GET', '/api/v1/jobs?limit=1000');
    const states = new Map(itemsOf(body).map((job) => [job['id'], job]));
    return jobs.flatMap(({ id, owner }) => {
      const now = states.get(id);
      const isSame = now?.['status'] === 'pending' && now['priority'] === 50 && now['owner'] === owner;
      return isSame ? [] : [`the job ${id} has changed: ${JSON.stringify(now)}`];
    });
  },
};
