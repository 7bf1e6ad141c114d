import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../../src/adapters/system/package-root.ts';

export const CASES = fileURLToPath(new URL('test/presets/real/', packageRoot));
const INPUTS = fileURLToPath(new URL('test/presets/inputs', packageRoot));

/** A file that a preset has to write. With a size it is a picture, which must not have one colour everywhere. */
export interface ExpectedFile {
  readonly path: string;
  readonly width?: number;
  readonly height?: number;
}

export interface ExpectedMovie {
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly seconds: number;
}

/** A run of a preset with the real programs: a file of test/presets/real (docs/testing.md). */
export interface PresetCase {
  readonly preset: string;
  /** Names of programs that must be on the PATH. */
  readonly programs: readonly string[];
  /** Programs that cannot be installed, with the file of test/presets/real/stand-ins that takes their place. */
  readonly standIns?: Readonly<Record<string, string>>;
  /** Commands that make the inputs, in the directory of the case. */
  readonly inputs: readonly (readonly string[])[];
  readonly parameters: Readonly<Record<string, string>>;
  readonly files: readonly ExpectedFile[];
  readonly movie?: ExpectedMovie;
  /** Part of `npm test`. */
  readonly quick: boolean;
}

/** Returns all cases in the order of their file names. Throws if a file is not JSON. */
export const readCases = (): readonly PresetCase[] =>
  readdirSync(CASES)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(CASES, name), 'utf8')) as PresetCase);

/** Replaces `{dir}`, the directory of the run, and `{inputs}`, the folder test/presets/inputs, in all texts of a case. */
export function caseIn(directory: string, unplaced: PresetCase): PresetCase {
  const text = JSON.stringify(unplaced);
  const inJson = (path: string): string => JSON.stringify(path).slice(1, -1);
  return JSON.parse(
    text.replaceAll('{dir}', () => inJson(directory)).replaceAll('{inputs}', () => inJson(INPUTS)),
  ) as PresetCase;
}

/** Returns the programs that a case and the checks of its files need and that are not on the PATH. */
export function missingPrograms({ programs, files, movie }: PresetCase): readonly string[] {
  const needed = new Set(programs);
  if (files.some(({ width }) => width !== undefined)) needed.add('oiiotool');
  if (movie !== undefined) needed.add('ffprobe');
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return [...needed].filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
}
