/**
 * `npm run bench -- NAME [OPTION]...`: runs one bench (bench/, one question per file) and stores its figures. Without a
 * name it runs short versions of all benches and renders the results.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.js';
import { Stop, root, run, runMain } from './run.js';

await runMain(async () => {
  const [name = 'all', ...options] = process.argv.slice(2);
  const benches = readdirSync(join(root, 'bench')).flatMap((file) => /^([a-z-]+)\.ts$/.exec(file)?.[1] ?? []);
  if (!benches.includes(name)) throw new Stop(`Which bench? One of: ${benches.join(', ')}.`);
  const env = await bootstrap();
  const program = join(root, `dist/bench/${name}.js`);
  if (!existsSync(program)) throw new Stop(`${program} was not built.`);
  return run(process.execPath, [program, ...options], { env });
});
