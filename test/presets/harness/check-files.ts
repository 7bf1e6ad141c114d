import { statSync } from 'node:fs';
import type { ExpectedFile, ExpectedMovie, PresetCase } from './case-file.ts';
import { runProgram } from './run-program.ts';

/** Difference in seconds between the wanted and the real length of a movie: less than a frame. */
const LENGTH_TOLERANCE = 0.03;

/** Returns what is wrong with the files that a case has to write; none if it is right. */
export async function problemsOfFiles({ files, movie }: PresetCase): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const file of files) problems.push(...(await problemsOfFile(file)));
  if (movie !== undefined) problems.push(...(await problemsOfMovie(movie)));
  return problems;
}

function isEmpty(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined || stats.size === 0;
}

async function problemsOfFile({ path, width, height }: ExpectedFile): Promise<readonly string[]> {
  if (isEmpty(path)) return [`${path} is missing or empty`];
  if (width === undefined || height === undefined) return [];
  const { code, out, err } = await runProgram('oiiotool', ['--wildcardoff', '--info', '--stats', path]);
  const [, foundWidth, foundHeight] = /:\s+(\d+) x\s+(\d+), \d+ channel/.exec(out) ?? [];
  if (code !== 0 || foundWidth === undefined) return [`${path} cannot be read: ${err.trim()}`];
  return [
    ...(Number(foundWidth) === width && Number(foundHeight) === height
      ? []
      : [`${path} is ${foundWidth} x ${foundHeight} instead of ${width} x ${height}`]),
    ...(/Constant: No/.test(out) ? [] : [`${path} has one colour everywhere`]),
  ];
}

interface Probed {
  readonly streams: readonly {
    readonly nb_read_frames: string;
    readonly width: number;
    readonly height: number;
  }[];
  readonly format: { readonly duration: string };
}

async function problemsOfMovie(movie: ExpectedMovie): Promise<readonly string[]> {
  const { path, width, height, frames, seconds } = movie;
  if (isEmpty(path)) return [`${path} is missing or empty`];
  const entries = 'stream=nb_read_frames,width,height:format=duration';
  const words = ['-v', 'error', '-count_frames', '-select_streams', 'v', '-show_entries', entries];
  const { code, out, err } = await runProgram('ffprobe', [...words, '-of', 'json', path]);
  if (code !== 0) return [`${path} cannot be read: ${err.trim()}`];
  const { streams, format } = JSON.parse(out) as Probed;
  const found = streams.map((each) => `${each.width} x ${each.height}, ${each.nb_read_frames} frames`).join();
  const wanted = `${width} x ${height}, ${frames} frames`;
  return [
    ...(found === wanted ? [] : [`${path} is ${found} instead of ${wanted}`]),
    ...(Math.abs(Number(format.duration) - seconds) <= LENGTH_TOLERANCE
      ? []
      : [`${path} has ${format.duration} s instead of ${seconds}`]),
  ];
}
