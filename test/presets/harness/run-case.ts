import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { caseIn, type PresetCase } from './case-file.ts';
import { problemsOfFiles } from './check-files.ts';
import type { PresetFarm } from './preset-farm.ts';
import { runProgram } from './run-program.ts';

export interface CaseResult {
  readonly preset: string;
  readonly tasks: number;
  /** From the submission to the event of the job's end. */
  readonly seconds: number;
  /** Errors; empty if the job completed and all files are right. */
  readonly problems: readonly string[];
}

/** Makes the inputs of a case in a fresh directory below `folder`, runs it and checks its files. Throws without inputs. */
export async function runCase(farm: PresetFarm, folder: string, unplaced: PresetCase): Promise<CaseResult> {
  const directory = mkdtempSync(join(folder, `${unplaced.preset.replace('/', '-')} `));
  const placed = caseIn(directory, unplaced);
  for (const [program = '', ...words] of placed.inputs) {
    const { code, err } = await runProgram(program, words, directory);
    if (code !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${String(code)}: ${err}`);
  }
  const { status, tasks, seconds, messages, outputs } = await farm.run(placed);
  const failed = status === 'completed' ? [] : [`the job is ${status}`, ...messages];
  return {
    preset: placed.preset,
    tasks,
    seconds: Math.round(seconds * 10) / 10,
    problems: [...failed, ...(await problemsOfFiles(placed)), ...problemsOfOutputs(placed, outputs)],
  };
}

/** Every expected file is in a named output. */
function problemsOfOutputs({ files, movie }: PresetCase, outputs: readonly string[]): readonly string[] {
  const expected = [...files.map(({ path }) => path), ...(movie === undefined ? [] : [movie.path])];
  return expected
    .filter((path) => !outputs.some((output) => path === output || path.startsWith(`${output}/`)))
    .map((path) => `${path} is not named as an output`);
}
