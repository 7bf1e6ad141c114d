/**
 * `npm run presets -- --sync` copies presets/kit/callsheet_watch.py into all presets.
 * `npm run presets -- --real [--only povray/render,files/copy]` runs presets with their real programs, which it installs
 * from Debian's packages, and checks what they write (docs/presets.md#figures).
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bootstrap, installPresetPrograms } from './bootstrap.js';
import { programsOfCases } from './presets/programs.js';
import { copyWatch } from './presets/watch-copies.js';
import { Stop, root, run, runMain } from './run.js';

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      sync: { type: 'boolean', default: false },
      real: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
    },
  });
  if (!values.sync && !values.real) throw new Stop('Use --sync or --real.');
  if (values.sync) {
    const changed = copyWatch();
    process.stdout.write(changed.length === 0 ? 'All presets are up to date.\n' : `${changed.join('\n')}\n`);
  }
  if (!values.real) return 0;
  const env = await bootstrap();
  await installPresetPrograms(env, programsOfCases(values.only === '' ? null : values.only.split(',')));
  return run(process.execPath, [join(root, 'dist/test/presets/real-presets.js'), '--only', values.only], {
    env,
  });
});
