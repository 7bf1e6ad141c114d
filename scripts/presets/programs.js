import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stop, root } from '../run.js';

const CASES = join(root, 'test/presets/real');

/** Debian's packages of the programs that cases use, and the words that make a program end with 0 at once. */
const PROGRAMS = {
  blender: { versionFlag: '--version', packages: ['blender', 'fonts-dejavu-core'] },
  colmap: { versionFlag: 'help', packages: ['colmap'] },
  convert: { versionFlag: '-version', packages: ['imagemagick'] },
  ffmpeg: { versionFlag: '-version', packages: ['ffmpeg', 'fonts-dejavu-core'] },
  ffprobe: { versionFlag: '-version', packages: ['ffmpeg'] },
  maketx: { versionFlag: '--version', packages: ['openimageio-tools'] },
  oiiotool: { versionFlag: '--version', packages: ['openimageio-tools'] },
  povray: { versionFlag: '--version', packages: ['povray'] },
  rsync: { versionFlag: '--version', packages: ['rsync'] },
};

/**
 * Returns the programs of the cases in test/presets/real, each with its Debian packages. `only` are names of presets; null:
 * all. Throws if a case uses a program that is not in the list.
 */
export function programsOfCases(only) {
  const cases = readdirSync(CASES)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(CASES, name), 'utf8')))
    .filter(({ preset }) => only === null || only.includes(preset));
  const needed = cases.flatMap(({ programs, files, movie }) => [
    ...programs,
    ...(files.some(({ width }) => width !== undefined) ? ['oiiotool'] : []),
    ...(movie === undefined ? [] : ['ffprobe']),
  ]);
  return [...new Set(needed)].sort().map((name) => {
    const program = PROGRAMS[name];
    if (program === undefined) throw new Stop(`scripts/presets/programs.js has no package of ${name}`);
    return { name, ...program };
  });
}
