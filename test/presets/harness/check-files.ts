import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import type { ExpectedFile, ExpectedMovie, PresetCase } from './case-file.ts';

/** Difference in seconds between the wanted and the real length of a movie: less than a frame. */
const LENGTH_TOLERANCE = 0.03;

/** Returns what is wrong with the files that a case has to write; none if it is right. */
export const problemsOfFiles = ({ files, movie }: PresetCase): readonly string[] => [
  ...files.flatMap(problemsOfFile),
  ...(movie === undefined ? [] : problemsOfMovie(movie)),
];

function isEmpty(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined || stats.size === 0;
}

function problemsOfFile({ path, width, height }: ExpectedFile): readonly string[] {
  if (isEmpty(path)) return [`${path} is missing or empty`];
  if (width === undefined || height === undefined) return [];
  const { status, stdout, stderr } = spawnSync('oiiotool', ['--wildcardoff', '--info', '--stats', path], {
    encoding: 'utf8',
  });
  const [, foundWidth, foundHeight] = /:\s+(\d+) x\s+(\d+), \d+ channel/.exec(stdout) ?? [];
  if (status !== 0 || foundWidth === undefined) return [`${path} cannot be read: ${stderr.trim()}`];
  return [
    ...(Number(foundWidth) === width && Number(foundHeight) === height
      ? []
      : [`${path} is ${foundWidth} x ${foundHeight} instead of ${width} x ${height}`]),
    ...(/Constant: No/.test(stdout) ? [] : [`${path} has one colour everywhere`]),
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

function problemsOfMovie({ path, width, height, frames, seconds }: ExpectedMovie): readonly string[] {
  if (isEmpty(path)) return [`${path} is missing or empty`];
  const entries = 'stream=nb_read_frames,width,height:format=duration';
  const words = ['-v', 'error', '-count_frames', '-select_streams', 'v', '-show_entries', entries];
  const { status, stdout, stderr } = spawnSync('ffprobe', [...words, '-of', 'json', path], {
    encoding: 'utf8',
  });
  if (status !== 0) return [`${path} cannot be read: ${stderr.trim()}`];
  const { streams, format } = JSON.parse(stdout) as Probed;
  const found = streams.map((each) => `${each.width} x ${each.height}, ${each.nb_read_frames} frames`).join();
  const wanted = `${width} x ${height}, ${frames} frames`;
  return [
    ...(found === wanted ? [] : [`${path} is ${found} instead of ${wanted}`]),
    ...(Math.abs(Number(format.duration) - seconds) <= LENGTH_TOLERANCE
      ? []
      : [`${path} has ${format.duration} s instead of ${seconds}`]),
  ];
}
