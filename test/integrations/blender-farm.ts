import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { packageRoot } from '../../src/adapters/system/package-root.ts';
import type { ApiClient } from '../kit/api-client.ts';
import { freePort, startService, startWorker } from '../kit/daemons.ts';

const fileOf = (path: string): string => fileURLToPath(new URL(path, packageRoot));

/** A service with a worker that renders, and Blender with the built add-on. */
export interface BlenderFarm {
  readonly api: ApiClient;
  /** Folder of the scene: the storage location `shows`. */
  readonly scene: string;
  /** Variables for Blender and for the command. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts the farm, and stops it when the test ends. */
export async function startBlenderFarm(t: Test): Promise<BlenderFarm> {
  const folder = t.testdir({ scripts: { addons: {} } });
  const scripts = join(folder, 'scripts');
  // Short, because the panel shows it.
  const scene = mkdtempSync(join(tmpdir(), 'shows-'));
  t.teardown(() => rmSync(scene, { recursive: true, force: true }));
  const zip = execFileSync('python3', [fileOf('integrations/blender/build_addon.py'), folder], {
    encoding: 'utf8',
  }).trim();
  execFileSync('python3', ['-m', 'zipfile', '-e', zip, join(scripts, 'addons')]);
  const service = await startService({ folder, httpPort: await freePort(), busPort: await freePort() });
  const { api } = service;
  const farm = await api.must<{ id: string }>('POST', '/api/v1/farms', { name: 'studio' });
  await api.must('POST', '/api/v1/queues', { name: 'main', farm_id: farm.id });
  await api.must('POST', '/api/v1/presets/blender/render/install');
  await api.must('POST', '/api/v1/storage-locations', {
    name: 'shows',
    roots: { default: scene, annex: '/Volumes/shows' },
  });
  const worker = startWorker(service, 'w1');
  t.teardown(async () => {
    await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    if (!t.passing()) t.comment(service.daemon.log().slice(-4000));
  });
  const environment = {
    SVC_URL: `http://127.0.0.1:${service.httpPort}`,
    HOME: folder,
    BLENDER_USER_SCRIPTS: scripts,
  };
  return { api, scene, environment };
}

/** Runs a script of the tests in Blender, and returns the object that it prints. */
export function runInBlender<Result>(
  [program, ...options]: readonly [string, ...string[]],
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Result {
  const path = fileOf(`test/integrations/blender/${script}`);
  const { status, stdout, stderr } = spawnSync(
    program,
    [...options, '--factory-startup', '--python-exit-code', '1', '-P', path, '--', ...args],
    { encoding: 'utf8', env: { ...process.env, ...environment }, timeout: 300_000 },
  );
  if (status !== 0) throw new Error(`blender ended with ${status}:\n${stdout}\n${stderr}`);
  return JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? 'null') as Result;
}
