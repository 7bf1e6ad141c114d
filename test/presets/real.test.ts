import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { caseIn, missingPrograms, readCases, type PresetCase } from './harness/case-file.ts';
import { problemsOfFiles } from './harness/check-files.ts';
import { PresetFarm } from './harness/preset-farm.ts';
import { runCase } from './harness/run-case.ts';

tap.setTimeout(300_000);

const quick = readCases().filter((each) => each.quick);
const runnable = quick.filter((each) => missingPrograms(each).length === 0);
const folder = mkdtempSync(join(tmpdir(), 'callsheet-real-presets-'));
const farm = runnable.length === 0 ? null : await PresetFarm.start(folder, runnable);
tap.teardown(async () => {
  await farm?.stop();
  rmSync(folder, { recursive: true, force: true });
});

for (const each of quick) {
  const missing = missingPrograms(each);
  const skip = missing.length === 0 ? false : `no ${missing.join(', ')} on the PATH`;
  await test(`${each.preset} runs as a product and writes its files`, { skip }, async (t) => {
    if (farm === null) throw new Error('there is no farm');
    t.strictSame((await runCase(farm, folder, each)).problems, []);
  });
}

const oiiotool: PresetCase = {
  preset: 'a/b',
  programs: ['oiiotool'],
  inputs: [],
  parameters: { Text: '{dir}/a "{inputs}"' },
  files: [],
  quick: true,
};
const noTool = missingPrograms(oiiotool).length > 0 ? 'no oiiotool on the PATH' : false;

await test(
  'a run whose input is missing is a problem with the message of the task',
  { skip: noTool },
  async (t) => {
    const convert = quick.find(({ preset }) => preset === 'image/convert');
    if (farm === null || convert === undefined) throw new Error('there is no case for image/convert');
    const { problems } = await runCase(farm, folder, { ...convert, inputs: [] });
    t.equal(problems[0], 'the job is failed');
    t.match(problems[1], /frame 1 is missing: .* does not exist/);
    t.match(problems.at(-1), /is missing or empty/);
  },
);

await test(
  'the check of files finds missing and empty ones, other sizes and one colour',
  { skip: noTool },
  async (t) => {
    const [empty, picture] = [join(folder, 'empty'), join(folder, 'picture.pnm')];
    writeFileSync(empty, '');
    writeFileSync(picture, 'P2 2 1 255\n7 7\n');
    const problems = await problemsOfFiles({
      ...oiiotool,
      files: [
        { path: join(folder, 'none') },
        { path: empty },
        { path: picture },
        { path: picture, width: 2, height: 1 },
        { path: picture, width: 1, height: 2 },
      ],
    });
    t.strictSame(problems, [
      `${join(folder, 'none')} is missing or empty`,
      `${empty} is missing or empty`,
      `${picture} has one colour everywhere`,
      `${picture} is 2 x 1 instead of 1 x 2`,
      `${picture} has one colour everywhere`,
    ]);
  },
);

await test('directories are put into the texts of a case', (t) => {
  const placed = caseIn('/tmp/a "b"', oiiotool);
  t.match(placed.parameters['Text'], /^\/tmp\/a "b"\/a ".*\/test\/presets\/inputs"$/);
  t.strictSame(missingPrograms({ ...oiiotool, programs: ['no-such-program'] }), ['no-such-program']);
  t.end();
});
