import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { startFarm } from './recipe-farm.ts';
import { recipesIn, RECIPE_FILES } from './recipes.ts';
import { PYTHON_CLIENT, findPythons, runPython, unitTests } from './run-python.ts';

tap.setTimeout(300_000);

test('the Python client works with a service', async (t) => {
  const farm = await startFarm(t);
  const environment = { SVC_URL: farm.url, HOME: farm.folder, SVC_API_KEY: '' };

  // The oldest Python that the client supports, and the latest that it was run with.
  for (const { program, version } of findPythons(['3.9', '3.13'])) {
    await t.test(`calls, events, bundles and asyncio with ${version}`, async (t) => {
      const { code, output } = await runPython(unitTests(join(PYTHON_CLIENT, 'tests/with-service')), {
        cwd: farm.folder,
        environment,
        program,
      });
      t.equal(code, 0, output);
    });

    await t.test(`recipes of the page with ${version}`, async (t) => {
      const recipes = recipesIn('docs/python.md', 'python');
      t.equal(recipes.length, 10);
      for (const { title, code: text } of recipes) {
        const cwd = join(farm.folder, 'python');
        rmSync(cwd, { recursive: true, force: true });
        mkdirSync(cwd);
        for (const [name, content] of Object.entries(RECIPE_FILES)) writeFileSync(join(cwd, name), content);
        writeFileSync(join(cwd, 'recipe.py'), text);
        await farm.prepare(title);
        const { code, output } = await runPython(['recipe.py'], { cwd, environment, program });
        t.equal(code, 0, `${title}: ${output}`);
        farm.check(t, title, { output, cwd });
      }
    });
  }
});
