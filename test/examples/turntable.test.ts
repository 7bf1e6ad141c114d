import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';
import { runCallsheet, type Ran } from '../cli/run-callsheet.ts';

const TEMPLATE = fileURLToPath(new URL('../../../examples/turntable/template.yaml', import.meta.url));

const run = (outputDir: string, parameters: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  runCallsheet([
    ...['openjd', 'run', TEMPLATE, '-p', `OutputDir=${outputDir}`],
    ...Object.entries(parameters).flatMap(([name, value]) => ['-p', `${name}=${value}`]),
  ]);

/** Returns how often a text contains a part. */
const count = (text: string, part: string): number => text.split(part).length - 1;

test('the turntable rotates all solids and arranges their frames', async (t) => {
  const outputDir = join(t.testdir(), 'pictures');
  const ran = await run(outputDir);
  if (!t.equal(ran.code, 0)) return t.comment(ran.err);
  t.match(ran.err, 'Turntable of cube, octahedron, 24 frames\n');
  t.match(ran.err, /Render +succeeded +6\/6/);
  const names = Array.from({ length: 24 }, (_, index) => `turn.${String(index + 1).padStart(4, '0')}.svg`);
  for (const [solid, edges] of [
    ['cube', 12],
    ['octahedron', 12],
  ] as const) {
    t.strictSame(readdirSync(join(outputDir, solid)).sort(), names, 'exactly one file per frame');
    const frames = names.map((name) => readFileSync(join(outputDir, solid, name), 'utf8'));
    t.ok(
      frames.every((frame) => /^<svg [^]+<\/svg>\n$/.test(frame) && count(frame, '<line ') === edges),
      'each frame has content',
    );
    t.ok(frames.every((frame) => count(frame, '<circle ') === 0));
    t.ok(new Set(frames).size > 1, 'the solid rotates');
    const sheet = readFileSync(join(outputDir, `${solid}-sheet.svg`), 'utf8');
    t.match(sheet, '<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="1200">\n');
    t.equal(count(sheet, '<g transform='), 24);
    t.ok(frames.every((frame) => sheet.includes(frame)));
    t.match(sheet, '<g transform="translate(960 960)">', 'the last frame');
  }
  t.match(ran.out, /^Render\[Solid=cube, Frame=9-16\] \| cube at 120 degrees: /m);
});

test('the turntable uses the selected options', async (t) => {
  const outputDir = join(t.testdir(), 'it is "here"');
  const ran = await run(outputDir, {
    Solids: '["tetrahedron"]',
    Frames: '1-12:3',
    FramesPerTask: '3',
    Corners: 'yes',
    FileName: 'f.svg',
    Size: '[64, "48"]',
  });
  if (!t.equal(ran.code, 0)) return t.comment(ran.err);
  t.match(ran.err, /Render +succeeded +2\/2/);
  const names = ['f_0001.svg', 'f_0004.svg', 'f_0007.svg', 'f_0010.svg'];
  t.strictSame(readdirSync(join(outputDir, 'tetrahedron')).sort(), names);
  for (const name of names) {
    const frame = readFileSync(join(outputDir, 'tetrahedron', name), 'utf8');
    t.match(frame, ' width="64" height="48" ');
    t.strictSame([count(frame, '<line '), count(frame, '<circle ')], [6, 4]);
  }
  t.match(readFileSync(join(outputDir, 'tetrahedron-sheet.svg'), 'utf8'), ' width="128" height="96">');
});

test('the turntable rejects invalid options', async (t) => {
  const outputDir = join(t.testdir(), 'pictures');
  const refused = await run(outputDir, { Solids: '["cube", "sphere"]' });
  t.match(refused, { code: 1, err: /the value of "Solids" at \[1\]: .*"sphere"/ });
  t.notOk(existsSync(outputDir));
});
