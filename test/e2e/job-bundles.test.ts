import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import tap, { test, type Test } from 'tap';
import { runCallsheet, type Ran } from '../cli/run-callsheet.ts';
import { runPython } from '../clients/run-python.ts';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { sharedFolder } from '../spec/shared-folder.ts';

tap.setTimeout(120_000);

/** As the bundles of Deadline Cloud: scripts next to the template, and paths relative to the folder. */
const TEMPLATE = `
specificationVersion: jobtemplate-2023-09
name: 'price: {{Param.Position}}'
parameterDefinitions:
  - { name: ScriptsDir, type: PATH, objectType: DIRECTORY, dataFlow: IN, default: scripts }
  - { name: Data, type: PATH, objectType: FILE, dataFlow: IN }
  - { name: Results, type: PATH, objectType: DIRECTORY, dataFlow: OUT, default: results }
  - { name: Position, type: INT, default: 1 }
steps:
  - name: Price
    hostRequirements: { amounts: [{ name: amount.worker.vcpu, min: 1 }] }
    script:
      actions:
        onRun:
          command: python3
          args:
            - '{{Param.ScriptsDir}}/price_position.py'
            - '{{Param.Data}}'
            - '{{Param.Results}}'
            - '{{Param.Position}}'
`;

const SCRIPT = `
import os, sys
data, results, position = sys.argv[1:]
os.makedirs(results, exist_ok=True)
with open(data) as prices, open(os.path.join(results, "price.txt"), "w") as result:
    result.write(prices.read().split()[int(position)])
`;

const VALUES = `
parameterValues:
- { name: Data, value: data/prices.txt }
- { name: deadline:priority, value: 71 }
- { name: deadline:maxRetriesPerTask, value: 1 }
- { name: deadline:maxFailedTasksCount, value: 20 }
- { name: deadline:targetTaskRunStatus, value: READY }
`;

function writeBundle(folder: string): string {
  const bundle = join(folder, 'position');
  const files = {
    'template.yaml': TEMPLATE,
    'parameter_values.yaml': VALUES,
    'asset_references.yaml': 'assetReferences: { inputs: { filenames: [data/prices.txt] } }\n',
    'scripts/price_position.py': SCRIPT,
    'data/prices.txt': '10 20 30',
  };
  for (const name of ['scripts', 'data']) mkdirSync(join(bundle, name), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(bundle, name), text);
  return bundle;
}

interface Studio {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Runs the command in the folder, and asserts its exit status. */
  readonly run: (status: number, ...args: readonly string[]) => Promise<Ran>;
}

/** Starts a service with a worker, a farm and a queue. */
async function startStudio(t: Test): Promise<Studio> {
  const folder = t.testdir({});
  const service = await startService({ folder, httpPort: await freePort(), busPort: await freePort() });
  const farm = await service.api.must<{ id: string }>('POST', '/api/v1/farms', { name: 'studio' });
  await service.api.must('POST', '/api/v1/queues', { name: 'main', farm_id: farm.id });
  // The sample calls `python`, which Debian does not have.
  const programs = join(folder, 'bin');
  mkdirSync(programs);
  symlinkSync(
    execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim(),
    join(programs, 'python'),
  );
  const worker = startWorker(service, 'w1', [], { PATH: `${programs}:${process.env['PATH'] ?? ''}` });
  t.teardown(async () => {
    await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    if (!t.passing()) t.comment(service.daemon.log().slice(-4000));
  });
  const environment = { SVC_URL: `http://127.0.0.1:${service.httpPort}`, HOME: folder };
  const run = async (status: number, ...args: readonly string[]): Promise<Ran> => {
    const ran = await runCallsheet(args, { environment, cwd: folder });
    t.equal(ran.code, status, `${args.join(' ')}: ${ran.err}`);
    return ran;
  };
  return { folder, environment, run };
}

test('a job bundle is submitted, exported and submitted again', async (t) => {
  const { folder, run } = await startStudio(t);
  const bundle = writeBundle(folder);
  const price = (results: string): string => readFileSync(join(results, 'price.txt'), 'utf8');

  await run(0, 'submit', 'position', '--wait');
  t.equal(price(join(bundle, 'results')), '20', 'defaults and values are in the folder of the bundle');
  const { out } = await run(0, 'job', 'price: 1', '--json');
  const job: unknown = JSON.parse(out);
  t.match(job, {
    priority: 71,
    own_retry: { max_attempts: 2, failure_limit: 20 },
    parameters: { ScriptsDir: join(bundle, 'scripts'), Data: join(bundle, 'data/prices.txt'), Position: '1' },
  });

  t.equal(
    (await run(0, 'bundle', 'export', 'price: 1')).out,
    'price- 1\n',
    'the folder is named after the job',
  );
  await run(5, 'bundle', 'export', 'price: 1');
  await run(0, 'bundle', 'export', 'price: 1', '--force', '--output', 'position');
  t.strictSame(readFileSync(join(folder, 'price- 1/template.yaml'), 'utf8'), TEMPLATE);
  t.match(readFileSync(join(folder, 'price- 1/asset_references.yaml'), 'utf8'), bundle);

  await run(0, 'submit', 'price- 1', '-p', 'Position=2', '-p', 'Results=again', '--wait');
  t.equal(price(join(folder, 'again')), '30', 'a path of the command line is in the working directory');
  t.match(JSON.parse((await run(0, 'job', 'price: 2', '--json')).out), {
    priority: 71,
    own_retry: { max_attempts: 2, failure_limit: 20 },
    parameters: { Data: join(bundle, 'data/prices.txt') },
  });
  t.notOk(existsSync(join(folder, 'price- 1/results')), 'the exported values are those of the job');
});

/** Stand-in for the script of the sample: writes the positions of its chunk, and reads its input. */
const PRICE_POSITION = `
import argparse, json, os
options = argparse.ArgumentParser()
for name in ("portfolio", "results-dir", "position-range", "num-paths"):
    options.add_argument(f"--{name}", required=True)
given = options.parse_args()
first, _, last = given.position_range.partition("-")
os.makedirs(given.results_dir, exist_ok=True)
with open(given.portfolio) as portfolio:
    prices = json.load(portfolio)
for position in range(int(first), int(last or first) + 1):
    with open(os.path.join(given.results_dir, f"{position}.json"), "w") as result:
        json.dump(prices[position] * int(given.num_paths), result)
`;

const AGGREGATE_RESULTS = `
import argparse, json, os
options = argparse.ArgumentParser()
options.add_argument("--results-dir", required=True)
folder = options.parse_args().results_dir
total = sum(json.load(open(os.path.join(folder, name))) for name in sorted(os.listdir(folder)))
with open(os.path.join(folder, "total.txt"), "w") as result:
    result.write(str(total))
`;

const SUBMIT_BUNDLE = `
import sys
from callsheet import Client
client = Client()
job = client.submit_bundle("sample", {"NumPaths": 3, "ResultsDir": "by-python"})
print(client.wait(job["id"], check=True)["priority"])
`;

const templates = sharedFolder('templates');

test(
  'a sample of Deadline Cloud runs, by the command and the Python client',
  { skip: templates === null },
  async (t) => {
    const { folder, environment, run } = await startStudio(t);
    const sample = join(
      templates ?? '',
      'aws-deadline/deadline-cloud-samples/job_bundles/monte_carlo_simulation',
    );
    const bundle = join(folder, 'sample');
    mkdirSync(join(bundle, 'scripts'), { recursive: true });
    const files = {
      // The machine of the test may have less memory.
      'template.yaml': readFileSync(join(sample, 'template.yaml'), 'utf8').replace('min: 8192', 'min: 64'),
      'parameter_values.yaml': `parameterValues:
- name: PositionRange
  value: 0-3
- name: NumPaths
  value: 2
- name: deadline:targetTaskRunStatus
  value: READY
- name: deadline:maxFailedTasksCount
  value: 20
- name: deadline:maxRetriesPerTask
  value: 5
- name: deadline:priority
  value: 62
`,
      'asset_references.yaml': `assetReferences:
  inputs:
    directories:
    - ./scripts
    filenames:
    - portfolio.json
  outputs:
    directories: []
  referencedPaths: []
`,
      'portfolio.json': '[1, 2, 3, 4]',
      'scripts/price_position.py': PRICE_POSITION,
      'scripts/aggregate_results.py': AGGREGATE_RESULTS,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(bundle, name), text);
    await run(0, 'submit', 'sample', '--wait');
    t.equal(readFileSync(join(bundle, 'results/total.txt'), 'utf8'), '20');
    const { code, output } = await runPython(['-c', SUBMIT_BUNDLE], { cwd: folder, environment });
    t.strictSame([code, output], [0, '62\n']);
    t.equal(readFileSync(join(folder, 'by-python/total.txt'), 'utf8'), '30');
  },
);
