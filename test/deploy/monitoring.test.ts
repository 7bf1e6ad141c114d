import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { parse } from 'yaml';
import { ALERTS, alertRules } from '../../scripts/docs/monitoring/alerts.ts';
import { DASHBOARDS, dashboardFile } from '../../scripts/docs/monitoring/dashboards.ts';
import { METRICS, PROCESS_METRICS } from '../../src/core/metrics/metric-table.ts';
import { ROOT, contentOf } from '../tidy/project-files.ts';

const FOLDER = 'deploy/monitoring';
const NAMES: ReadonlySet<string> = new Set([...Object.keys(METRICS), ...PROCESS_METRICS]);
const metricsIn = (text: string): readonly string[] =>
  [...text.matchAll(/\b(?:svc|process|nodejs)_[a-z_]+/g)].map(([name]) => name);

test('dashboards and alerts are current', async (t) => {
  t.equal(contentOf(join(FOLDER, 'alerts.yaml')), alertRules(), 'run "npm run generate"');
  const files = readdirSync(join(ROOT, FOLDER, 'dashboards'));
  t.strictSame(files.sort(), DASHBOARDS.map(({ uid }) => `${uid}.json`).sort());
  for (const dashboard of DASHBOARDS)
    t.equal(
      contentOf(join(FOLDER, 'dashboards', `${dashboard.uid}.json`)),
      dashboardFile(dashboard),
      'run "npm run generate"',
    );
});

test('dashboards, alerts and their pages name existing metrics', async (t) => {
  const texts = [
    alertRules(),
    ...DASHBOARDS.map(dashboardFile),
    contentOf('docs/monitoring.md'),
    contentOf('docs/runbooks.md'),
  ];
  for (const text of texts) {
    const named = metricsIn(text);
    const unknown = named.filter(
      (name) => !NAMES.has(name) && !NAMES.has(name.replace(/_(bucket|count|sum)$/, '')),
    );
    t.strictSame([...new Set(unknown)], []);
  }
  t.ok(metricsIn(texts.join('')).length > 50);
  const shown = new Set(texts.slice(0, 5).flatMap(metricsIn));
  const unused = Object.keys(METRICS).filter((name) => !shown.has(name) && !shown.has(`${name}_bucket`));
  t.strictSame(unused, [], 'each metric is in a dashboard or an alert');
});

test('each alert has a runbook, and each runbook an alert', async (t) => {
  const names = Object.values(ALERTS).flatMap((alerts) => alerts.map(({ name }) => name));
  t.equal(new Set(names).size, names.length);
  const page = contentOf('docs/runbooks.md');
  const sections = [...page.matchAll(/^## (Callsheet\w+)$/gm)].map(([, name = '']) => name);
  t.strictSame([...sections].sort(), [...names].sort());
});

test('the example scrapes the job that the alerts select', async (t) => {
  const { rule_files, scrape_configs } = parse(contentOf(join(FOLDER, 'prometheus.yaml'))) as {
    readonly rule_files: readonly string[];
    readonly scrape_configs: readonly { readonly job_name: string }[];
  };
  t.strictSame(rule_files, ['alerts.yaml']);
  const [job] = scrape_configs;
  for (const alert of Object.values(ALERTS).flat())
    t.ok(alert.expr.includes(`job="${job?.job_name}"`), alert.name);
});
