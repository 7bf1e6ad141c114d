import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import tap, { test, type Test } from 'tap';
import { packageRoot } from '../../src/adapters/system/package-root.ts';
import { runCallsheet } from '../cli/run-callsheet.ts';
import { freePort, startService, startWorker } from '../kit/daemons.ts';

tap.setTimeout(600_000);

const fileOf = (path: string): string => fileURLToPath(new URL(path, packageRoot));

/** Output of the script. */
interface Result {
  readonly unsaved: string;
  readonly refreshed: readonly string[];
  readonly report: { readonly missing: readonly string[]; readonly paths: unknown };
  readonly followed: readonly string[];
  readonly jobs: readonly { readonly id: string; readonly url: string }[];
  readonly copies: readonly { readonly id: string; readonly name: string }[];
  readonly [member: string]: unknown;
}

/** Runs Blender without a window, with the built add-on in its scripts. */
function runBlender(scripts: string, environment: Record<string, string>, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(
    'blender',
    ['-b', '--factory-startup', '--python-exit-code', '1', ...args],
    {
      encoding: 'utf8',
      env: { ...process.env, BLENDER_USER_SCRIPTS: scripts, ...environment },
      timeout: 300_000,
    },
  );
  if (status !== 0) throw new Error(`blender ended with ${status}:\n${stdout}\n${stderr}`);
  return stdout;
}

/** Asserts that a picture has a size and more than one color. */
async function checkPicture(t: Test, path: string): Promise<Buffer> {
  const picture = sharp(path);
  const { width, height } = await picture.metadata();
  const { channels } = await picture.stats();
  t.strictSame([width, height], [96, 54], path);
  t.ok(
    channels.slice(0, 3).some(({ stdev }) => stdev > 5),
    `${path} shows the cube`,
  );
  return picture.raw().toBuffer();
}

const blender = spawnSync('blender', ['--version']).status === 0 ? false : 'no blender on the PATH';

test('the Blender add-on submits scenes, which a worker renders', { skip: blender }, async (t) => {
  const folder = t.testdir({ scripts: { addons: {} }, scene: {} });
  const [scripts, scene] = [join(folder, 'scripts'), join(folder, 'scene')];
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
  const environment = { SVC_URL: `http://127.0.0.1:${service.httpPort}`, HOME: folder };
  const output = runBlender(scripts, environment, [
    '-P',
    fileOf('test/integrations/blender/submit_scene.py'),
    '--',
    scene,
  ]);
  const result = JSON.parse(/^RESULT (.*)$/m.exec(output)?.[1] ?? 'null') as Result;

  t.match(result.unsaved, /Save the scene first/);
  t.match(result, {
    refreshed: ['FINISHED'],
    farms: ['studio'],
    queues: ['main'],
    cameras: ['Camera', 'Close'],
    layers: ['ViewLayer'],
    checked: ['FINISHED'],
    panel: 'render',
  });
  t.ok((result['products'] as readonly string[]).includes('blender/render'));
  t.strictSame(result.report.missing, [join(scene, 'missing.png')], 'UDIM tiles exist');
  t.strictSame(result.report.paths, [
    [
      'Scene',
      [
        ['annex', '/Volumes/shows/shot.blend'],
        ['default', join(scene, 'shot.blend')],
      ],
    ],
    [
      'Output',
      [
        ['annex', '/Volumes/shows/out/shot.####.png'],
        ['default', join(scene, 'out/shot.####.png')],
      ],
    ],
  ]);

  const texts = (name: string): string => (result[name] as readonly string[]).join('\n');
  t.match(texts('drawn_unsaved'), /^Save the scene first: workers read its file\.$/m);
  t.match(texts('drawn'), /^Missing files: 1$/m);
  t.match(texts('drawn'), /^annex: \/Volumes\/shows\/shot\.blend$/m);
  t.match(texts('drawn'), /^shot Close: completed, 1 of 1 tasks\nOpen$/m);

  t.strictSame(result['submitted'], ['FINISHED']);
  t.equal(result.jobs.length, 1);
  t.match(result.jobs[0]?.url, /^http:\/\/127\.0\.0\.1:\d+\/jobs\//);
  t.strictSame(result.followed, ['completed', 'completed', 'completed']);
  const job = await api.must<object>('GET', `/api/v1/jobs/${result.jobs[0]?.id}`);
  t.match(job, { priority: 65, task_counts: { total: 2, succeeded: 2 }, parameters: { Frames: '1-3' } });
  const frames = [1, 2, 3].map((frame) => join(scene, `out/shot.000${frame}.png`));
  const pictures = await Promise.all(frames.map((path) => checkPicture(t, path)));
  t.notSame(pictures[0], pictures[2], 'the cube turns');

  t.strictSame(
    result.copies.map(({ name }) => name),
    ['shot Camera', 'shot Close'],
    'a job for each selected camera',
  );
  const wide = await checkPicture(t, join(scene, 'out/shot.Camera.0002.png'));
  const close = await checkPicture(t, join(scene, 'out/shot.Close.0002.png'));
  t.notSame(wide, close, 'each job has its camera');
  t.equal(readdirSync(scene).filter((name) => /^shot\.callsheet-.*\.blend$/.test(name)).length, 2);

  t.match(result['unknown'], /there is no farm 'none'/);
  t.match(result['movie'], /The output is a movie/);
  t.strictSame(result['names'], ['/out/shot.Cam-A_Layer.####.png', '/out/A.####.exr']);
  t.strictSame(result['preview'], [
    [
      ['annex', '/Volumes/shows/a/b.blend'],
      ['default', '/mnt/shows/a/b.blend'],
      ['office', 'S:\\shows\\a\\b.blend'],
    ],
    [
      ['annex', '/Volumes/shows/a.blend'],
      ['default', '/mnt/shows/a.blend'],
      ['office', 'S:\\shows\\a.blend'],
    ],
    [['default', '/mnt/showreel/a']],
    [],
  ]);

  t.strictSame(result['exported'], ['FINISHED']);
  const bundle = join(scene, 'bundle');
  t.match(JSON.parse(readFileSync(join(bundle, 'parameter_values.json'), 'utf8')), {
    parameterValues: [{ name: 'Scene', value: 'shot.blend' }],
  });
  const ran = await runCallsheet(
    ['submit', bundle, '-p', `Output=${join(scene, 'bundled/a.####.png')}`, '--wait'],
    { environment },
  );
  t.equal(ran.code, 0, ran.err);
  await checkPicture(t, join(scene, 'bundled/a.0002.png'));
});
