import { readFileSync } from 'node:fs';

/** One run of a preset with stand-ins: the behavior of the programs, and the expected result. */
export interface StandInCase {
  readonly name: string;
  /** Exit code of the program; below 0: the signal that ends it. */
  readonly exit: number;
  readonly lines: Lines;
  /** The program of `exit` and `lines` where a preset has several; the others succeed. */
  readonly program?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** Replaces `writes`. */
  readonly writes?: readonly (readonly string[])[];
  /** The argument before the file that gets the lines; absent: they are printed. */
  readonly log?: string;
  readonly result: 'succeeded' | 'failed';
  /** Matches standard error, which has the message of each failed task. */
  readonly message?: string;
}

/** Lines that each call prints: the same for all programs, or for each one. */
export type Lines = readonly string[] | Readonly<Record<string, readonly string[]>>;

/** The content of a file in test/presets/stand-ins. */
export interface StandInFile {
  readonly preset: string;
  readonly program: string | readonly string[];
  readonly parameters: Readonly<Record<string, string>>;
  readonly arguments: readonly (readonly string[])[];
  readonly writes: readonly (readonly string[])[];
  readonly lines: Lines;
  readonly progress: readonly number[];
  readonly files?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly encoding?: string;
  readonly runsScripts?: readonly string[];
  readonly cases: readonly StandInCase[];
}

/** Returns the content of a file. Throws if it cannot be read. */
export const readStandInFile = (path: string): StandInFile =>
  JSON.parse(readFileSync(path, 'utf8')) as StandInFile;
