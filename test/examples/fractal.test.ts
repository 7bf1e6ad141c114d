import { execFile } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'tap';
import { parse } from 'yaml';
import { decodePixels, decodePng, pngChunks, type Picture } from './png.ts';

/** Fields of the template that the test reads. */
interface Template {
  parameterDefinitions: { name: string; default?: string | number }[];
  jobEnvironments: { variables: Record<string, string> }[];
  steps: {
    name: string;
    script: {
      actions: { onRun: { command: string; args: string[] } };
      embeddedFiles: { name: string; filename: string; data: string }[];
    };
  }[];
}

const WIDTH = 64;
const HEIGHT = 36;
const FRAMES = 48;
const FRAMES_PER_SECOND = 16;

const template = parse(
  readFileSync(new URL('../../../examples/fractal/template.yaml', import.meta.url), 'utf8'),
) as Template;

/** Replaces the names in a format string with their values. Throws for an unknown name. */
function resolved(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\{\{\s*([A-Za-z0-9_.]+)\s*\}\}/g, (_, name: string) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`unknown name ${name}`);
    return value;
  });
}

/** Runs one task of a step like its template, with the job's variables and its own parameters. */
async function runTask(
  step: Template['steps'][number],
  dir: string,
  values: ReadonlyMap<string, string>,
): Promise<string> {
  const all = new Map(values);
  for (const file of step.script.embeddedFiles) {
    const path = join(dir, file.filename);
    writeFileSync(path, resolved(file.data, values));
    all.set(`Task.File.${file.name}`, path);
  }
  const variables = Object.entries(template.jobEnvironments[0]?.variables ?? {});
  const environment = Object.fromEntries(variables.map(([name, value]) => [name, resolved(value, all)]));
  const { command, args } = step.script.actions.onRun;
  const { stdout } = await promisify(execFile)(
    resolved(command, all),
    args.map((arg) => resolved(arg, all)),
    { cwd: dir, env: { PATH: process.env['PATH'], ...environment } },
  );
  return stdout;
}

const difference = (one: Picture, other: Picture): number =>
  one.pixels.reduce((sum, value, at) => sum + Math.abs(value - (other.pixels[at] ?? 0)), 0) /
  one.pixels.length;

test('the scripts of the fractal template render real frames and assemble them', async (t) => {
  const dir = t.testdir();
  const outputDir = join(dir, 'pictures');
  const chosen: Record<string, string> = {
    OutputDir: outputDir,
    Width: String(WIDTH),
    Height: String(HEIGHT),
  };
  const values = new Map(
    template.parameterDefinitions.map(({ name, default: standard }) => [
      `Param.${name}`,
      chosen[name] ?? String(standard),
    ]),
  );
  const [render, assemble] = template.steps;
  if (render === undefined || assemble === undefined) throw new Error('the template has two steps');

  for (let frame = 1; frame <= FRAMES; frame++) {
    const said = await runTask(render, dir, new Map([...values, ['Task.Param.Frame', String(frame)]]));
    if (frame === 1) t.match(said, /^frame 1 of 48: 64x36, [0-9]+ bytes, /);
  }
  const names = Array.from(
    { length: FRAMES },
    (_, index) => `frame-${String(index + 1).padStart(4, '0')}.png`,
  );
  t.same(readdirSync(outputDir).sort(), names, 'exactly one file per frame');

  const frames = names.map((name) => decodePng(readFileSync(join(outputDir, name))));
  t.ok(frames.every(({ width, height }) => width === WIDTH && height === HEIGHT));
  const [first] = frames;
  if (first === undefined) throw new Error('there are frames');
  t.ok(new Set(first.pixels).size > 100, 'a frame has many shades');
  for (const [index, frame] of frames.entries()) {
    const next = frames[(index + 1) % FRAMES] ?? first;
    const step = difference(frame, next);
    t.ok(step > 0.5, `frame ${index + 1} differs from the next`);
    t.ok(step < 64, `frame ${index + 1} changes smoothly to the next`);
  }

  await runTask(assemble, dir, values);
  const chunks = pngChunks(readFileSync(join(outputDir, 'fractal.png')));
  const header = chunks[0]?.data ?? Buffer.alloc(0);
  const control = chunks.find(({ type }) => type === 'acTL')?.data ?? Buffer.alloc(0);
  t.equal(control.readUInt32BE(0), FRAMES, 'the animation has the number of its frames');
  t.equal(control.readUInt32BE(4), 0, 'it loops forever');
  const controls = chunks.filter(({ type }) => type === 'fcTL');
  t.equal(controls.length, FRAMES);
  t.ok(
    controls.every(({ data }) => data.readUInt16BE(20) === 1 && data.readUInt16BE(22) === FRAMES_PER_SECOND),
  );
  const sequence = chunks
    .filter(({ type }) => type === 'fcTL' || type === 'fdAT')
    .map(({ data }) => data.readUInt32BE(0));
  t.same(
    sequence,
    Array.from({ length: 2 * FRAMES - 1 }, (_, index) => index),
  );
  const packed = chunks.flatMap(({ type, data }) =>
    type === 'IDAT' ? [data] : type === 'fdAT' ? [data.subarray(4)] : [],
  );
  t.same(
    packed.map((data) => decodePixels(header, data)),
    frames,
    'the animation contains the frames',
  );

  const sheet = decodePng(readFileSync(join(outputDir, 'contact-sheet.png')));
  t.same({ width: sheet.width, height: sheet.height }, { width: 4 + 8 * (16 + 4), height: 4 + 6 * (9 + 4) });
  t.ok(new Set(sheet.pixels).size > 100, 'the contact sheet shows pictures');
});

test('the embedded scripts contain no braces that look like format strings', async (t) => {
  for (const { script } of template.steps) {
    for (const { name, data } of script.embeddedFiles) t.notMatch(data, /\{\{|\}\}/, name);
  }
});
