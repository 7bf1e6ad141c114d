import { test } from 'tap';
import type { AgentEffect } from '../../../actors/agent/agent-system.ts';
import type { AttemptId } from '../../../src/core/ids.ts';
import type { LeaseReply, StepAssignment } from '../../../src/core/wire/bus-messages.ts';
import { action, AgentFixture, assignmentOf, environment, leases, stepOf } from './agent-fixture.ts';

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

/** A worker whose only session stages files, with its effects. */
class Staged extends AgentFixture {
  readonly directory: string;

  constructor(step: Partial<StepAssignment> = {}, map: typeof PATH_MAP | null = PATH_MAP) {
    super();
    const [request] = this.register();
    if (request === undefined) throw new Error('no lease request');
    const given = leases([assignmentOf('a', { cores: 4 })], stepOf({ ...STEP, ...step }));
    this.lease(request, map === null ? given : { ...given, path_map: map });
    const opening = this.takeEffects().find((effect) => effect.kind === 'open-session');
    this.directory = opening?.kind === 'open-session' ? opening.opening.directory : '';
  }

  /** Kinds of the effects since the last call, only those on files and processes of the session. */
  kinds(): string[] {
    return this.takeEffects()
      .map((effect) => (effect.kind === 'stage' ? `stage ${effect.request.direction}` : effect.kind))
      .filter((kind) => /stag|action|close/.test(kind));
  }

  one<Kind extends AgentEffect['kind']>(kind: Kind): Effect<Kind> {
    const found = this.takeEffects().find((effect): effect is Effect<Kind> => effect.kind === kind);
    if (found === undefined) throw new Error(`missing effect: ${kind}`);
    return found;
  }

  staged(run: number, failure: string | null = null): void {
    this.deliverToSession('a', { type: 'staging.ended', run, failure });
  }

  /** Ends the processes and stores the logs. Returns the report. */
  finish(): object | null {
    this.closed('a');
    this.drained('a');
    const [report] = this.disk.reports;
    return report === undefined ? null : { status: report.status, message: report.message };
  }
}

const STAGE = { deliveries: [{ type: 'swap_in_place' }, { type: 'stage_locally' }] } as const;

test('by default paths are mapped and the rules are in the file', (t) => {
  const fixture = new Staged();
  fixture.opened('a');
  const { action: started } = fixture.one('start-action');
  t.strictSame(started.args, ['/storage/a.ma', '/mnt/a.ma', 'true']);
  t.strictSame(started.files, [
    { path: `${fixture.directory}/path_mapping_rules.json`, data: RULES_FILE, runnable: false },
  ]);
  t.end();
});

test('a template with EXPR gets rules with URI sources', (t) => {
  const [location] = PATH_MAP.locations;
  const sources = [...(location?.sources ?? []), { format: 'URI', path: 's3://shows' } as const];
  const map = { ...PATH_MAP, locations: [{ root: '/storage', sources }] };
  const fileOf = (step: Partial<StepAssignment>): string | undefined => {
    const fixture = new Staged(step, map);
    fixture.opened('a');
    return fixture.one('start-action').action.files[0]?.data;
  };
  t.equal(fileOf({}), RULES_FILE);
  const uri = '{"source_path_format":"URI","source_path":"s3://shows","destination_path":"/storage"}';
  // The longest source comes first.
  t.equal(fileOf({ extensions: ['EXPR'] }), RULES_FILE.replace('[', `[${uri},`));
  t.end();
});

test('without a path map in the reply, paths stay as they are', (t) => {
  const fixture = new Staged({}, null);
  fixture.opened('a');
  const { action: started } = fixture.one('start-action');
  t.strictSame(started.args, ['/mnt/a.ma', '/mnt/a.ma', 'false']);
  t.equal(started.files[0]?.data, '{}');
  t.end();
});

test('command flags apply only to the task, and variables to all actions', (t) => {
  const fixture = new Staged({
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
  fixture.opened('a');
  const entered = fixture.one('start-action').action;
  t.strictSame(entered.args, ['x']);
  const variables = {
    PATHMAP: '{"/mnt":"/storage"}',
    OPENJD_SESSION_WORKING_DIR: fixture.directory,
    OTHER: '/mnt/a.ma',
  };
  t.strictSame(entered.variables, variables);
  fixture.started('a', 1);
  fixture.ended('a', 1, 0);
  const ran = fixture.one('start-action').action;
  t.strictSame(ran.args, ['-s', '/mnt', '/mnt/a.ma', '/mnt/a.ma', 'false']);
  t.strictSame(ran.variables, variables);
  t.equal(ran.files[0]?.data, '{}', 'the file was not requested');
  t.end();
});

test('files are staged in before the environments and staged out before the report', (t) => {
  const fixture = new Staged({
    ...STAGE,
    step_environments: [environment('E', { onEnter: action('enter', { args: ['{{Param.Scene}}'] }) })],
  });
  fixture.opened('a');
  const { request } = fixture.one('stage');
  t.match(request, { run: 1, direction: 'in', runAs: null });
  t.strictSame(
    request.transfers.map(({ parameter, root, below, local }) => [parameter, root, below, local]),
    [
      ['Scene', '/storage', ['a.ma'], `${fixture.directory}/staged/Scene/a.ma`],
      ['Out', '/storage', ['out'], `${fixture.directory}/staged/Out/out`],
    ],
  );
  fixture.staged(1);
  const entered = fixture.one('start-action').action;
  t.strictSame(entered.args, [`${fixture.directory}/staged/Scene/a.ma`]);
  fixture.started('a', 1);
  fixture.ended('a', 1, 0);
  t.strictSame(fixture.one('start-action').action.args, [
    `${fixture.directory}/staged/Scene/a.ma`,
    '/mnt/a.ma',
    'false',
  ]);
  fixture.started('a', 2);
  fixture.ended('a', 2, 0);
  t.strictSame(fixture.kinds(), ['stage out']);
  fixture.staged(2);
  t.strictSame(fixture.kinds(), ['forget-staging', 'close-session']);
  t.strictSame(fixture.finish(), { status: 'succeeded', message: undefined });
  t.end();
});

test('a task whose files are being staged in counts as running', (t) => {
  const fixture = new Staged(STAGE);
  fixture.opened('a');
  fixture.ranForAMoment('a');
  t.match(
    fixture.takeEffects().filter(({ kind }) => kind === 'report'),
    [{ kind: 'report', report: { status: 'running' } }],
  );
  fixture.staged(1);
  fixture.started('a', 1);
  t.strictSame(
    fixture.takeEffects().filter(({ kind }) => kind === 'report'),
    [],
    'once',
  );
  t.end();
});

test('a failed copy fails the task', (t) => {
  const fixture = new Staged(STAGE);
  fixture.opened('a');
  fixture.staged(1, 'no such file');
  t.strictSame(fixture.kinds(), ['stage in', 'forget-staging', 'close-session']);
  t.strictSame(fixture.finish(), { status: 'failed', message: 'no such file' });

  const out = new Staged(STAGE);
  out.opened('a');
  out.staged(1);
  out.started('a', 1);
  out.ended('a', 1, 0);
  out.staged(2, 'disk full');
  t.strictSame(out.finish(), { status: 'failed', message: 'disk full' });
  t.end();
});

test('a path that cannot be staged fails the task before any action', (t) => {
  const fixture = new Staged({
    ...STAGE,
    job_parameters: { P: { type: 'PATH', value: '/etc/shadow', dataFlow: 'IN' } },
  });
  fixture.opened('a');
  t.strictSame(fixture.kinds(), ['close-session']);
  t.strictSame(fixture.finish(), {
    status: 'failed',
    message: `stage_locally: parameter P: "/etc/shadow" is in no storage location of this worker's place`,
  });
  t.end();
});

test('files of a failed task are not staged out', (t) => {
  const fixture = new Staged(STAGE);
  fixture.opened('a');
  fixture.staged(1);
  fixture.started('a', 1);
  fixture.takeEffects();
  fixture.ended('a', 1, 3);
  t.strictSame(fixture.kinds(), ['forget-staging', 'close-session']);
  t.end();
});

for (const direction of ['in', 'out'] as const) {
  const begun = (): Staged => {
    const fixture = new Staged(STAGE);
    fixture.opened('a');
    if (direction === 'out') {
      fixture.staged(1);
      fixture.started('a', 1);
      fixture.ended('a', 1, 0);
    }
    fixture.takeEffects();
    return fixture;
  };
  const run = direction === 'in' ? 1 : 2;

  test(`a cancel ends a copy ${direction}`, (t) => {
    const fixture = begun();
    fixture.deliverToSession('a', {
      type: 'session.cancel',
      attemptId: 'a' as AttemptId,
      reason: 'canceled by user',
    });
    t.strictSame(fixture.kinds(), ['stop-staging']);
    fixture.staged(run, 'the copy was canceled');
    t.strictSame(fixture.kinds(), ['forget-staging', 'close-session']);
    t.strictSame(fixture.finish(), { status: 'canceled', message: 'canceled by user' });
    t.end();
  });

  test(`a worker that leaves gives back a task with a copy ${direction}`, (t) => {
    const fixture = begun();
    fixture.deliverToSession('a', { type: 'session.interrupt', graceMs: 0 });
    t.strictSame(fixture.kinds(), ['stop-staging']);
    fixture.staged(run, 'the copy was canceled');
    t.strictSame(fixture.kinds(), ['forget-staging', 'close-session']);
    t.equal(fixture.finish(), null);
    t.end();
  });
}

test('the next task of the step uses the staged files, unless storage has moved', (t) => {
  const fixture = new Staged({ ...STAGE, ready_left: 5 });
  fixture.opened('a');
  fixture.staged(1);
  fixture.started('a', 1);
  fixture.ended('a', 1, 0);
  fixture.staged(2);
  fixture.drained('a');
  const next = (attempt: string, map: typeof PATH_MAP): string[] => {
    const request = fixture
      .takeEffects()
      .find((effect): effect is Effect<'request-lease'> => effect.kind === 'request-lease');
    if (request === undefined) throw new Error('no lease request');
    const step = stepOf({ ...STEP, ...STAGE, ready_left: 5 });
    fixture.lease(request, { ...leases([assignmentOf(attempt, { cores: 4 })], step), path_map: map });
    return fixture
      .takeEffects()
      .map(({ kind }) => kind)
      .filter((kind) => /stage|action|open/.test(kind));
  };
  t.strictSame(next('b', PATH_MAP), ['start-action'], 'files are not staged in twice');
  fixture.ended('a', 2, 0);
  fixture.staged(3);
  fixture.drained('b', 'a');
  t.strictSame(next('c', { ...PATH_MAP, locations: [{ root: '/moved', sources: [] }] }), ['open-session']);
  t.end();
});

test('staged files belong to the account of the task', (t) => {
  const fixture = new Staged({ ...STAGE, isolation: { user: 'artist' } });
  fixture.opened('a');
  t.strictSame(fixture.one('stage').request.runAs, { user: 'artist', group: null });
  t.end();
});
