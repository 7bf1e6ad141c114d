import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import tap, { test, type Test } from 'tap';
import { runCallsheet } from '../cli/run-callsheet.ts';
import { SCREENSHOTS } from '../kit/browser/browser.ts';
import { runInBlender, startBlenderFarm } from './blender-farm.ts';

tap.setTimeout(600_000);

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
  const { api, scene, environment } = await startBlenderFarm(t);
  const result = runInBlender<Result>(['blender', '-b'], 'submit_scene.py', [scene], environment);

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
  t.equal(readdirSync(scene).filter((name) => /^shot\.callsheet-.*\.blend$/.test(name)).length, 1);

  t.match(result['unknown'], /there is no farm 'none'/);
  t.strictSame(result['left'], [], 'a failed submission leaves no copy of the scene');
  t.match(result['deleted'], /The scene has no camera Deleted: refresh the list/);
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

/** Output of the script with a window. */
interface WindowResult {
  readonly jobs: readonly (readonly [name: string, status: string, url: string])[];
  readonly error: string;
  readonly [member: string]: unknown;
}

const display =
  blender !== false
    ? blender
    : spawnSync('xvfb-run', ['--help']).status === 0
      ? false
      : 'no xvfb-run on the PATH';

test('the panel of the add-on works in a window', { skip: display }, async (t) => {
  const { api, scene, environment } = await startBlenderFarm(t);
  mkdirSync(SCREENSHOTS, { recursive: true });
  const screen = '-screen 0 900x1100x24';
  const result = runInBlender<WindowResult>(
    ['xvfb-run', '-a', '-s', screen, 'blender', '--window-geometry', '0', '0', '900', '1100'],
    'panel_in_window.py',
    [scene, SCREENSHOTS],
    { ...environment, LIBGL_ALWAYS_SOFTWARE: '1' },
  );
  t.match(result, {
    refreshed: ['FINISHED'],
    checked: ['FINISHED'],
    submitted: ['FINISHED'],
    redraws: true,
    refused: ['FINISHED'],
    left: [],
  });
  t.match(result.error, /there is no farm 'none'/);
  t.strictSame(
    result.jobs.map(([name, status]) => [name, status]),
    [
      ['shot Camera', 'completed'],
      ['shot Close', 'completed'],
    ],
    'the submission and the status of its jobs need no further action',
  );
  for (const [, , url] of result.jobs) {
    const id = url.slice(url.lastIndexOf('/') + 1);
    t.match(await api.must('GET', `/api/v1/jobs/${id}`), { status: 'completed', priority: 65 });
  }
  await Promise.all([1, 2, 3].map((frame) => checkPicture(t, join(scene, `out/shot.Close.000${frame}.png`))));
  const pictures = await Promise.all(
    ['blender-panel', 'blender-panel-jobs', 'blender-panel-error'].map((name) =>
      sharp(join(SCREENSHOTS, `${name}.png`))
        .raw()
        .toBuffer(),
    ),
  );
  t.equal(new Set(pictures.map((picture) => picture.toString('base64'))).size, 3, 'the panel changes');
});
