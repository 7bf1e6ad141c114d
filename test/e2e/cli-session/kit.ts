import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Test } from 'tap';
import { standardVerbOf } from '../../../cli/grammar/noun-command.ts';
import { verbFirst } from '../../../cli/grammar/object-first.ts';
import { callsheetProgram } from '../../../cli/commands/program.ts';
import { runCallsheet, type Ran } from '../../cli/run-callsheet.ts';
import { freePort, startService, startWorker, type Daemon, type RunningService } from '../../kit/daemons.ts';
import { recordingProxy, type RecordingProxy } from '../../kit/recording-proxy.ts';
import { until } from '../../kit/until.ts';

/** A template of two steps. Tasks of the first wait for the file `Gate`, if given, and exit with the status `Exit`. */
const RENDER = `
specificationVersion: jobtemplate-2023-09
name: "{{Param.Name}}"
parameterDefinitions:
  - { name: Name, type: STRING, default: shot }
  - { name: Exit, type: INT, default: 0 }
  - { name: Gate, type: STRING, default: "" }
steps:
  - name: Render
    parameterSpace:
      taskParameterDefinitions:
        - { name: Frame, type: INT, range: "1-2" }
    hostRequirements:
      amounts: [{ name: amount.worker.vcpu, min: 1 }]
    script:
      actions:
        onRun:
          command: bash
          args:
            - "-c"
            - >-
              echo frame {{Task.Param.Frame}};
              while [ -n "{{Param.Gate}}" ] && [ ! -e "{{Param.Gate}}" ]; do sleep 0.1; done;
              echo "ends with {{Param.Exit}}" >&2;
              exit {{Param.Exit}}
  - name: Join
    dependencies: [{ dependsOn: Render }]
    script:
      actions:
        onRun: { command: bash, args: ["-c", "echo joined"] }
`;

/** A preset whose task needs a usage pool. Its command holds the version. */
const licensedPreset = (version: string): string => `
name: studio/licensed
title: Licensed
description: Prints its version.
readme: |
  ## Needs

  - a **license**
category: Studio tools
version: ${version}
template:
  specificationVersion: jobtemplate-2023-09
  name: licensed
  parameterDefinitions:
    - { name: Text, type: STRING, default: none }
  steps:
    - name: Print
      hostRequirements:
        amounts:
          - { name: amount.worker.vcpu, min: 1 }
          - { name: amount.worker.usagepool.studio, min: 1 }
      script:
        actions: { onRun: { command: echo, args: ['version ${version}', '{{Param.Text}}'] } }
`;

/** Commands of one subtest: each asserts the exit status. */
export interface SessionCommands {
  readonly run: (status: number, ...args: readonly string[]) => Promise<Ran>;
  /** Runs a command with `--json` and returns its output. */
  readonly json: (status: number, ...args: readonly string[]) => Promise<unknown>;
}

/** Fixture of the cases: a service behind a recording proxy, which all commands use. */
export interface CliSession {
  readonly service: RunningService;
  readonly proxy: RecordingProxy;
  readonly commandsOf: (t: Test) => SessionCommands;
  /** Arguments that submit the template to the queue `render` of the farm `north`. */
  readonly submit: readonly string[];
  /** File of a template without steps. */
  readonly invalidTemplate: string;
  readonly environmentTemplate: string;
  /** File of a rule that requeues tasks that exit with 70. */
  readonly retryRules: string;
  /** Writes the preset `studio/licensed` with this version; the service reads it again. */
  readonly publishPreset: (version: string) => Promise<void>;
  /** File that ends tasks which were submitted with it as `Gate`. */
  readonly gate: string;
  /** Returns the number of rows of a list. */
  readonly totalOf: (path: string) => Promise<number>;
  /** Starts the worker `w1` of the farm `north` and waits until it is online. */
  readonly startWorker: () => Promise<void>;
  /** Stops the worker and waits until it is offline. */
  readonly stopWorker: () => Promise<void>;
  /** Returns the client commands and actions that have not been run. */
  readonly missingCommands: () => readonly string[];
}

/** Commands that do not use the REST API. */
const LOCAL = new Set([
  'server',
  'worker',
  'backup',
  'restore',
  'compact',
  'openjd',
  'completion',
  'bus',
  'doctor',
  'context',
]);

/** Commands that need authentication: test/e2e/accounts-cli.test.ts runs them. */
const OF_ACCOUNTS = new Set(['login', 'logout', 'whoami', 'keys', 'users', 'audit']);

/** Returns every verb of the client commands with its noun, such as `pools set`, and every short form. */
function clientCommands(program: Command): string[] {
  const leaves = (command: Command, path: string): readonly string[] =>
    command.commands.length === 0
      ? [path]
      : command.commands.flatMap((inner) => leaves(inner, `${path} ${inner.name()}`));
  return program.commands
    .filter((command) => !LOCAL.has(command.name()) && !OF_ACCOUNTS.has(command.name()))
    .flatMap((command) => leaves(command, command.name()));
}

/** Returns the command of a line with its noun. */
function commandOf(program: Command, args: readonly string[]): string {
  let command = program;
  const path: string[] = [];
  for (const word of verbFirst(program, args)) {
    const inner = command.commands.find((each) => [each.name(), ...each.aliases()].includes(word));
    if (inner === undefined) break;
    command = inner;
    path.push(inner.name());
  }
  const standard = standardVerbOf(command);
  return [...path, ...(standard === undefined ? [] : [standard.name()])].join(' ');
}

/** Starts the service and its proxy. Stops them, and the worker, when the test ends. */
export async function startCliSession(t: Test): Promise<CliSession> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-session-'));
  const presets = join(folder, 'presets');
  await mkdir(presets);
  const service = await startService({
    folder,
    // The session shows how commands about tokens are refused; test/e2e/worker-join.test.ts uses them.
    isBusAuthenticated: false,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: [
      '--scheduler-retry-delay-seconds=0',
      '--scheduler-max-attempts=1',
      `--presets-dir=${presets}`,
      '--webhooks-allow-private=127.0.0.0/8',
    ],
  });
  const proxy = await recordingProxy(service.httpPort);
  let worker: Daemon | null = null;
  t.teardown(async () => {
    await worker?.kill('SIGTERM');
    await proxy.close();
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(service.daemon.log().slice(-4000));
  });
  const template = join(folder, 'render.yaml');
  const invalidTemplate = join(folder, 'invalid.yaml');
  const environmentTemplate = join(folder, 'environment.yaml');
  const retryRules = join(folder, 'rules.yaml');
  await writeFile(template, RENDER);
  await writeFile(invalidTemplate, 'specificationVersion: jobtemplate-2023-09\nname: x\nsteps: []\n');
  await writeFile(retryRules, '- { name: seats, match: { exit_codes: [70] }, action: requeue }\n');
  await writeFile(
    environmentTemplate,
    'specificationVersion: environment-2023-09\nenvironment: { name: Licence, variables: { SERVER: here } }\n',
  );

  const program = await callsheetProgram();
  const known = clientCommands(program);
  const done = new Set<string>();
  const totalOf = async (path: string): Promise<number> =>
    (await service.api.must<{ readonly total: number }>('GET', path)).total;
  const untilOneWorker = (status: string): Promise<boolean> =>
    until(`the worker is ${status}`, async () => (await totalOf(`/api/v1/workers?status=${status}`)) === 1);
  return {
    service,
    proxy,
    commandsOf: (t) => {
      const run = async (status: number, ...args: readonly string[]): Promise<Ran> => {
        const environment = { SVC_URL: proxy.url, SVC_API_KEY: 'svc_session' };
        const ran = await runCallsheet(args, { environment });
        t.equal(ran.code, status, `${args.join(' ')}: ${ran.err}`);
        done.add(commandOf(program, args));
        return ran;
      };
      const json = async (status: number, ...args: readonly string[]): Promise<unknown> =>
        JSON.parse((await run(status, ...args, '--json')).out);
      return { run, json };
    },
    submit: ['submit', template, '--farm', 'north', '--queue', 'render'],
    invalidTemplate,
    environmentTemplate,
    retryRules,
    publishPreset: async (version) => {
      await writeFile(join(presets, 'licensed.yaml'), licensedPreset(version));
      process.kill(service.daemon.child.pid ?? 0, 'SIGHUP');
    },
    gate: join(folder, 'gate'),
    totalOf,
    startWorker: async () => {
      worker = startWorker(service, 'w1', ['--worker-cpus=4', '--worker-farm=north']);
      await untilOneWorker('online');
    },
    stopWorker: async () => {
      await worker?.kill('SIGTERM');
      await untilOneWorker('offline');
    },
    missingCommands: () => known.filter((command) => !done.has(command)),
  };
}
