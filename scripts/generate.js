/** `npm run generate` writes the generated files; `--check` reports the stale ones instead. Needs a build. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { capabilitiesPage } from '../dist/scripts/docs/capabilities-page.js';
import { functionsPage } from '../dist/scripts/docs/functions-page.js';
import { mistakesPage } from '../dist/scripts/docs/mistakes-page.js';
import { configurationReference } from '../dist/scripts/docs/configuration-page.js';
import { alertRules } from '../dist/scripts/docs/monitoring/alerts.js';
import { DASHBOARDS, dashboardFile } from '../dist/scripts/docs/monitoring/dashboards.js';
import { pythonModels } from './python-models.js';
import { Stop, root, run, runMain } from './run.js';
import { softwareBill, thirdPartyNotices } from './third-party.js';

const CONTRACT = 'http/openapi/openapi.yaml';

/** Types of the REST contract. */
async function contractTypes() {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-generate-'));
  const output = join(folder, 'generated.ts');
  const cli = join(root, 'node_modules/openapi-typescript/bin/cli.js');
  try {
    const status = await run(
      process.execPath,
      // A client may omit what has a default.
      [cli, join(root, CONTRACT), '--immutable', '--default-non-nullable=false', '--output', output],
      { stdout: 'ignore' },
    );
    if (status !== 0) throw new Stop(`The types of ${CONTRACT} could not be made: see above.`);
    return readFileSync(output, 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Path, generator and source of each generated file. */
const GENERATED = [
  { path: 'docs/configuration.md', make: configurationReference, source: 'src/core/config/keys.ts' },
  { path: 'docs/capabilities.md', make: capabilitiesPage, source: 'src/core/applications' },
  { path: 'docs/expression-functions.md', make: functionsPage, source: 'src/openjd/expr/functions' },
  { path: 'docs/template-mistakes.md', make: mistakesPage, source: 'scripts/docs/template-mistakes.ts' },
  { path: 'deploy/monitoring/alerts.yaml', make: alertRules, source: 'scripts/docs/monitoring/alerts.ts' },
  ...DASHBOARDS.map((dashboard) => ({
    path: `deploy/monitoring/dashboards/${dashboard.uid}.json`,
    make: () => dashboardFile(dashboard),
    source: 'scripts/docs/monitoring/dashboards.ts',
  })),
  { path: 'http/openapi/generated.ts', make: contractTypes, source: CONTRACT },
  { path: 'clients/python/src/callsheet/models.py', make: pythonModels, source: CONTRACT },
  { path: 'THIRD-PARTY-NOTICES', make: thirdPartyNotices, source: 'package-lock.json' },
  { path: 'sbom.cdx.json', make: softwareBill, source: 'package-lock.json' },
];

await runMain(async () => {
  const checking = process.argv.includes('--check');
  let stale = 0;
  for (const { path, make, source } of GENERATED) {
    const file = join(root, path);
    const text = await make();
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    if (checking) {
      stale++;
      console.error(`${path} is not what ${source} makes: run "npm run generate".`);
    } else {
      writeFileSync(file, text);
      console.log(`wrote ${path}`);
    }
  }
  return stale === 0 ? 0 : 1;
});
