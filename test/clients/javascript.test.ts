import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { startFarm } from './recipe-farm.ts';
import { recipesIn, RECIPE_FILES } from './recipes.ts';

tap.setTimeout(300_000);

test('the recipes in JavaScript work with a service', async (t) => {
  const farm = await startFarm(t);
  const recipes = recipesIn('docs/javascript.md', 'js');
  t.strictSame(
    recipes.map(({ title }) => title),
    recipesIn('docs/python.md', 'python').map(({ title }) => title),
    'both pages have the same recipes',
  );
  for (const { title, code: text } of recipes) {
    const cwd = join(farm.folder, 'javascript');
    rmSync(cwd, { recursive: true, force: true });
    mkdirSync(cwd);
    for (const [name, content] of Object.entries(RECIPE_FILES)) writeFileSync(join(cwd, name), content);
    writeFileSync(join(cwd, 'recipe.js'), text);
    await farm.prepare(title);
    const env = { PATH: process.env['PATH'], SVC_URL: farm.url };
    const child = spawn(process.execPath, ['recipe.js'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (output += part));
    child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part));
    const [code] = (await once(child, 'close')) as [number | null];
    t.equal(code, 0, `${title}: ${err}`);
    farm.check(t, title, { output, cwd });
  }
});
