import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import tap, { test, type Test } from 'tap';
import { parse, stringify } from 'yaml';
import { ALERTS } from '../../scripts/docs/monitoring/alerts.ts';
import { DASHBOARDS } from '../../scripts/docs/monitoring/dashboards.ts';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';
import { ROOT, contentOf } from '../tidy/project-files.ts';
import { ALERT_EXAMPLES, type Series } from './alert-examples.ts';

/** These tests need Debian's package prometheus, which `npm run test:nightly` installs. */
tap.setTimeout(300_000);

const MONITORING = join(ROOT, 'deploy/monitoring');
const run = promisify(execFile);

async function testFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-prometheus-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('promtool accepts the rules and the example configuration', async (t) => {
  const rules = await run('promtool', ['check', 'rules', join(MONITORING, 'alerts.yaml')]);
  t.match(rules.stdout, `SUCCESS: ${Object.values(ALERTS).flat().length} rules found`);
  await t.resolves(run('promtool', ['check', 'config', join(MONITORING, 'prometheus.yaml')]));
});

test('each alert fires in its case, and not in a healthy one', async (t) => {
  const names = Object.values(ALERTS).flatMap((alerts) => alerts.map(({ name }) => name));
  t.strictSame(Object.keys(ALERT_EXAMPLES).sort(), [...names].sort(), 'each alert has an example');
  const folder = await testFolder(t);
  await cp(join(MONITORING, 'alerts.yaml'), join(folder, 'alerts.yaml'));
  const caseOf = (name: string, minutes: number, series: readonly Series[], isFiring: boolean): object => ({
    interval: '1m',
    input_series: series.map(([selector, values]) => ({ series: selector, values })),
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${name}", alertstate="firing"})`,
        eval_time: `${minutes}m`,
        exp_samples: isFiring ? [{ labels: '{}', value: 1 }] : [],
      },
    ],
  });
  const tests = Object.entries(ALERT_EXAMPLES).flatMap(([name, { minutes, fires, calm }]) => [
    caseOf(name, minutes, fires, true),
    caseOf(name, minutes, calm, false),
  ]);
  const file = join(folder, 'tests.yaml');
  await writeFile(file, stringify({ rule_files: ['alerts.yaml'], evaluation_interval: '1m', tests }));
  await t.resolves(run('promtool', ['test', 'rules', file]));
});

interface Answer<Data> {
  readonly status: string;
  readonly error?: string;
  readonly data: Data;
}
interface Vector {
  readonly result: readonly {
    readonly metric: Readonly<Record<string, string>>;
    readonly value: [number, string];
  }[];
}
interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly name: string;
      readonly health: string;
      readonly lastError?: string;
    }[];
  }[];
}
interface Alerts {
  readonly alerts: readonly {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly state: string;
  }[];
}

/** Panels without data on a farm without lease requests that got tasks, refusals or parked jobs, and on a single node. */
const MAY_BE_EMPTY = new Set([
  'Tasks of a lease',
  'Owner of the cluster',
  'Lag of nodes',
  'Records behind',
  'Records of the log',
  'Takeovers',
  'Requests in the cluster',
]);

test('Prometheus scrapes a service, evaluates all alerts and answers every panel', async (t) => {
  const folder = await testFolder(t);
  const service = await startService({ folder, httpPort: await freePort(), busPort: await freePort() });
  t.teardown(() => service.daemon.kill('SIGTERM'));
  const farm = await service.api.makeFarm('show');

  // The rules as they are, without the time for which a condition must hold.
  await writeFile(
    join(folder, 'alerts.yaml'),
    contentOf('deploy/monitoring/alerts.yaml').replaceAll(/for: \w+$/gm, 'for: 0s'),
  );
  const config = contentOf('deploy/monitoring/prometheus.yaml')
    .replaceAll('15s', '1s')
    .replace('callsheet.example:8080', `127.0.0.1:${service.httpPort}`);
  t.match(parse(config), { global: { scrape_interval: '1s' } });
  await writeFile(join(folder, 'prometheus.yaml'), config);
  const port = await freePort();
  const prometheus = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  prometheus.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  t.teardown(async () => {
    if (prometheus.exitCode === null) {
      prometheus.kill('SIGTERM');
      await once(prometheus, 'exit');
    }
    if (!t.passing()) t.comment(log.slice(-4_000));
  });
  const ask = async <Data>(path: string): Promise<Data> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    const answer = (await response.json()) as Answer<Data>;
    if (answer.status !== 'success') throw new Error(`${path}: ${answer.error}`);
    return answer.data;
  };
  const query = (expr: string): Promise<Vector> => ask<Vector>(`query?query=${encodeURIComponent(expr)}`);
  const firing = async (): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> =>
    new Map(
      (await ask<Alerts>('alerts')).alerts
        .filter(({ state }) => state === 'firing')
        .map(({ labels, annotations }) => [labels['alertname'] ?? '', annotations]),
    );
  await until('Prometheus answers', async () => {
    try {
      return (await query('up{job="callsheet"} == 1')).result.length === 1;
    } catch {
      return false;
    }
  });

  const { body } = await farm.submit(
    'specificationVersion: jobtemplate-2023-09\nname: one\nsteps: [{ name: S, script: { actions: { onRun: { command: "true" } } } }]\n',
  );
  const annotations = await until(
    'the alert about missing workers fires',
    async () => (await firing()).get('CallsheetNoWorkers') ?? null,
  );
  t.match(annotations, {
    description: `1 tasks are ready on 127.0.0.1:${service.httpPort}.`,
    runbook: 'docs/runbooks.md#callsheetnoworkers',
  });

  const worker = startWorker(service, 'one');
  t.teardown(() => worker.kill());
  await until('the job has completed', async () => (await service.api.job(body.id)).status === 'completed');
  await until('the alert ends', async () => !(await firing()).has('CallsheetNoWorkers'));
  const { groups } = await until('all rules have been evaluated', async () => {
    const rules = await ask<Rules>('rules');
    return rules.groups.every((group) => group.rules.every(({ health }) => health !== 'unknown'))
      ? rules
      : null;
  });
  const rules = groups.flatMap((group) => group.rules);
  t.equal(rules.length, Object.values(ALERTS).flat().length);
  t.strictSame(
    rules.filter(({ health }) => health !== 'ok'),
    [],
  );

  await until('rates have two samples of the lease', async () => {
    const { result } = await query('rate(svc_scheduler_leased_tasks_total[1m]) > 0');
    return result.length === 1;
  });
  for (const { title, panels } of DASHBOARDS)
    for (const panel of panels)
      for (const { expr } of panel.targets) {
        const resolved = expr
          .replaceAll('$instance', '.*')
          .replaceAll('$farm', '.*')
          .replaceAll('$__rate_interval', '1m');
        t.notMatch(resolved, /\$/, `${title}: ${panel.title}: no other variable`);
        const { result } = await query(resolved);
        if (!MAY_BE_EMPTY.has(panel.title)) t.ok(result.length > 0, `${title}: ${panel.title} has data`);
      }
  const named = await query(
    'svc_queue_tasks{status="ready"} * on (instance, queue) group_left (name) svc_queue_info',
  );
  t.match(named.result, [{ metric: { name: 'main' } }]);
});
