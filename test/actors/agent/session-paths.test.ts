import { test } from 'tap';
import type { AgentEffect } from '../../../actors/agent/agent-world.ts';
import type { AttemptId } from '../../../src/core/ids.ts';
import type { LeaseReply, StepAssignment } from '../../../src/core/wire/bus-messages.ts';
import { action, AgentHouse, assignmentOf, environment, leases, stepOf } from './agent-house.ts';

type Effect<Kind extends AgentEffect['kind']> = Extract<AgentEffect, { kind: Kind }>;

const PATH_MAP: NonNullable<Extract<LeaseReply, { type: 'leases' }>['path_map']> = {
  compute_location: 'berlin',
  locations: [{ root: '/storage', sources: [{ format: 'POSIX', path: '/mnt' }] }],
};

const RULES_FILE =
  '{"version":"pathmapping-1.0","path_mapping_rules":[{"source_path_format":"POSIX","source_path":"/mnt","destination_path":"/storage"}]}';

const STEP: Partial<StepAssignment> = {
  job_parameters: {
    Scene: { type: 'PATH', value: '/mnt/a.ma', dataFlow: 'IN', objectType: 'FILE' },
    Out: { type: 'PATH', value: '/mnt/out', dataFlow: 'OUT', objectType: 'DIRECTORY' },
  },
  script: {
    onRun: action('render', {
      args: ['{{Param.Scene}}', '{{RawParam.Scene}}', '{{Session.HasPathMappingRules}}'],
    }),
    embeddedFiles: [],
  },
};

/** A worker whose one session stages its files, and what it has said. */
class Staged extends AgentHouse {
  readonly directory: string;

  constructor(step: Partial<StepAssignment> = {}, map: typeof PATH_MAP | null = PATH_MAP) {
    super();
    const [request] = this.register();
    if (request === undefined) throw new Error('no lease request');
    const given = leases([assignmentOf('a', { cores: 4 })], stepOf({ ...STEP, ...step }));
    this.lease(request, map === null ? given : { ...given, path_map: map });
    const opening = this.said().find((effect) => effect.kind === 'open-session');
    this.directory = opening?.kind === 'open-session' ? opening.opening.directory : '';
  }

  /** The kinds of what was said; what was asked of the session's files and processes alone. */
  kinds(): string[] {
    return this.said()
      .map((effect) => (effect.kind === 'stage' ? `stage ${effect.request.direction}` : effect.kind))
      .filter((kind) => /stag|action|close/.test(kind));
  }

  one<Kind extends AgentEffect['kind']>(kind: Kind): Effect<Kind> {
    const found = this.said().find((effect): effect is Effect<Kind> => effect.kind === kind);
    if (found === undefined) throw new Error(`${kind} was not said`);
    return found;
  }

  staged(run: number, failure: string | null = null): void {
    this.tellSession('a', { type: 'staging.ended', run, failure });
  }

  /** The processes are gone and the logs are on the bus; gives the report. */
  finish(): object | null {
    this.closed('a');
    this.drained('a');
    const [report] = this.disk.reports;
    return report === undefined ? null : { status: report.status, message: report.message };
  }
}

const STAGE = { deliveries: [{ type: 'swap_in_place' }, { type: 'stage_locally' }] } as const;

test('without a word of the template paths are swapped and the rules are in the file', (t) => {
  const house = new Staged();
  house.opened('a');
  const { action: started } = house.one('start-action');
  t.strictSame(started.args, ['/storage/a.ma', '/mnt/a.ma', 'true']);
  t.strictSame(started.files, [
    { path: `${house.directory}/path_mapping_rules.json`, data: RULES_FILE, runnable: false },
  ]);
  t.end();
});

test('a template with EXPR knows of sources that are URIs', (t) => {
  const [location] = PATH_MAP.locations;
  const sources = [...(location?.sources ?? []), { format: 'URI', path: 's3://shows' } as const];
  const map = { ...PATH_MAP, locations: [{ root: '/storage', sources }] };
  const fileOf = (step: Partial<StepAssignment>): string | undefined => {
    const house = new Staged(step, map);
    house.opened('a');
    return house.one('start-action').action.files[0]?.data;
  };
  t.equal(fileOf({}), RULES_FILE);
  const uri = '{"source_path_format":"URI","source_path":"s3://shows","destination_path":"/storage"}';
  // The longest source comes first.
  t.equal(fileOf({ extensions: ['EXPR'] }), RULES_FILE.replace('[', `[${uri},`));
  t.end();
});

test('a reply without a path map leaves paths alone', (t) => {
  const house = new Staged({}, null);
  house.opened('a');
  const { action: started } = house.one('start-action');
  t.strictSame(started.args, ['/mnt/a.ma', '/mnt/a.ma', 'false']);
  t.equal(started.files[0]?.data, '{}');
  t.end();
});

test('flags are for the task alone, variables for all that runs', (t) => {
  const house = new Staged({
    deliveries: [
      { type: 'command_flags', args: ['-s', '{{Rule.Source}}'], position: 'START' },
      { type: 'environment', variable: 'PATHMAP' },
    ],
    step_environments: [
      environment('E', {
        variables: { OTHER: '{{Param.Scene}}' },
        onEnter: action('enter', { args: ['x'] }),
      }),
    ],
  });
  house.opened('a');
  const entered = house.one('start-action').action;
  t.strictSame(entered.args, ['x']);
  const variables = {
    PATHMAP: '{"/mnt":"/storage"}',
    OPENJD_SESSION_WORKING_DIR: house.directory,
    OTHER: '/mnt/a.ma',
  };
  t.strictSame(entered.variables, variables);
  house.started('a', 1);
  house.ended('a', 1, 0);
  const ran = house.one('start-action').action;
  t.strictSame(ran.args, ['-s', '/mnt', '/mnt/a.ma', '/mnt/a.ma', 'false']);
  t.strictSame(ran.variables, variables);
  t.equal(ran.files[0]?.data, '{}', 'the file was not asked for');
  t.end();
});

test('files are copied in before anything is entered, and out before the report', (t) => {
  const house = new Staged({
    ...STAGE,
    step_environments: [environment('E', { onEnter: action('enter', { args: ['{{Param.Scene}}'] }) })],
  });
  house.opened('a');
  const { request } = house.one('stage');
  t.match(request, { run: 1, direction: 'in', runAs: null });
  t.strictSame(
    request.transfers.map(({ parameter, root, below, local }) => [parameter, root, below, local]),
    [
      ['Scene', '/storage', ['a.ma'], `${house.directory}/staged/Scene/a.ma`],
      ['Out', '/storage', ['out'], `${house.directory}/staged/Out/out`],
    ],
  );
  house.staged(1);
  const entered = house.one('start-action').action;
  t.strictSame(entered.args, [`${house.directory}/staged/Scene/a.ma`]);
  house.started('a', 1);
  house.ended('a', 1, 0);
  t.strictSame(house.one('start-action').action.args, [
    `${house.directory}/staged/Scene/a.ma`,
    '/mnt/a.ma',
    'false',
  ]);
  house.started('a', 2);
  house.ended('a', 2, 0);
  t.strictSame(house.kinds(), ['stage out']);
  house.staged(2);
  t.strictSame(house.kinds(), ['forget-staging', 'close-session']);
  t.strictSame(house.finish(), { status: 'succeeded', message: undefined });
  t.end();
});

test('a task whose files are copied in counts as running', (t) => {
  const house = new Staged(STAGE);
  house.opened('a');
  house.ranForAMoment('a');
  t.match(
    house.said().filter(({ kind }) => kind === 'report'),
    [{ kind: 'report', report: { status: 'running' } }],
  );
  house.staged(1);
  house.started('a', 1);
  t.strictSame(
    house.said().filter(({ kind }) => kind === 'report'),
    [],
    'once',
  );
  t.end();
});

test('a copy that fails fails the task', (t) => {
  const house = new Staged(STAGE);
  house.opened('a');
  house.staged(1, 'no such file');
  t.strictSame(house.kinds(), ['stage in', 'forget-staging', 'close-session']);
  t.strictSame(house.finish(), { status: 'failed', message: 'no such file' });

  const out = new Staged(STAGE);
  out.opened('a');
  out.staged(1);
  out.started('a', 1);
  out.ended('a', 1, 0);
  out.staged(2, 'disk full');
  t.strictSame(out.finish(), { status: 'failed', message: 'disk full' });
  t.end();
});

test('a path that cannot be staged fails the task before anything is done', (t) => {
  const house = new Staged({
    ...STAGE,
    job_parameters: { P: { type: 'PATH', value: '/etc/shadow', dataFlow: 'IN' } },
  });
  house.opened('a');
  t.strictSame(house.kinds(), ['close-session']);
  t.strictSame(house.finish(), {
    status: 'failed',
    message: `stage_locally: parameter P: "/etc/shadow" is in no storage location of this worker's place`,
  });
  t.end();
});

test('a task that fails is not copied out', (t) => {
  const house = new Staged(STAGE);
  house.opened('a');
  house.staged(1);
  house.started('a', 1);
  house.said();
  house.ended('a', 1, 3);
  t.strictSame(house.kinds(), ['forget-staging', 'close-session']);
  t.end();
});

for (const direction of ['in', 'out'] as const) {
  const begun = (): Staged => {
    const house = new Staged(STAGE);
    house.opened('a');
    if (direction === 'out') {
      house.staged(1);
      house.started('a', 1);
      house.ended('a', 1, 0);
    }
    house.said();
    return house;
  };
  const run = direction === 'in' ? 1 : 2;

  test(`a cancel ends a copy ${direction}`, (t) => {
    const house = begun();
    house.tellSession('a', {
      type: 'session.cancel',
      attemptId: 'a' as AttemptId,
      reason: 'canceled by user',
    });
    t.strictSame(house.kinds(), ['stop-staging']);
    house.staged(run, 'the copy was canceled');
    t.strictSame(house.kinds(), ['forget-staging', 'close-session']);
    t.strictSame(house.finish(), { status: 'canceled', message: 'canceled by user' });
    t.end();
  });

  test(`a worker that leaves gives back a task with a copy ${direction}`, (t) => {
    const house = begun();
    house.tellSession('a', { type: 'session.interrupt', graceMs: 0 });
    t.strictSame(house.kinds(), ['stop-staging']);
    house.staged(run, 'the copy was canceled');
    t.strictSame(house.kinds(), ['forget-staging', 'close-session']);
    t.equal(house.finish(), null);
    t.end();
  });
}

test('the next task of the step finds what was copied in, unless storage has moved', (t) => {
  const house = new Staged({ ...STAGE, ready_left: 5 });
  house.opened('a');
  house.staged(1);
  house.started('a', 1);
  house.ended('a', 1, 0);
  house.staged(2);
  house.drained('a');
  const next = (attempt: string, map: typeof PATH_MAP): string[] => {
    const request = house
      .said()
      .find((effect): effect is Effect<'request-lease'> => effect.kind === 'request-lease');
    if (request === undefined) throw new Error('no lease request');
    const step = stepOf({ ...STEP, ...STAGE, ready_left: 5 });
    house.lease(request, { ...leases([assignmentOf(attempt, { cores: 4 })], step), path_map: map });
    return house
      .said()
      .map(({ kind }) => kind)
      .filter((kind) => /stage|action|open/.test(kind));
  };
  t.strictSame(next('b', PATH_MAP), ['start-action'], 'nothing is copied in twice');
  house.ended('a', 2, 0);
  house.staged(3);
  house.drained('b', 'a');
  t.strictSame(next('c', { ...PATH_MAP, locations: [{ root: '/moved', sources: [] }] }), ['open-session']);
  t.end();
});

test('files belong to the account of the task', (t) => {
  const house = new Staged({ ...STAGE, isolation: { user: 'artist' } });
  house.opened('a');
  t.strictSame(house.one('stage').request.runAs, { user: 'artist', group: null });
  t.end();
});
