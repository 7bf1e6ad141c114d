import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../src/adapters/system/package-root.ts';

const ROOT = fileURLToPath(packageRoot);

/** Returns why the repository does not have a commit; null if it has. */
export function commitFault(commit: string): string | null {
  const found = spawnSync('git', ['-C', ROOT, 'cat-file', '-e', `${commit}^{commit}`]);
  return found.status === 0 ? null : `the repository does not have commit ${commit}`;
}

/**
 * Builds the sources of a commit in a folder of their own, with the packages of this version. Returns the path of its command.
 * A build that exists already is used again.
 */
export function commandOfCommit(commit: string): string {
  const folder = join(ROOT, '.tap', 'earlier', commit);
  const command = join(folder, 'bin', 'callsheet.js');
  if (existsSync(folder)) return command;
  const making = `${folder}.${process.pid}`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  // Each step ends with a status of its own, and the next one begins only after a success.
  runOrThrow('git', ['-C', ROOT, 'archive', '--output', join(making, 'sources.tar'), commit]);
  runOrThrow('tar', ['-xf', join(making, 'sources.tar'), '-C', making]);
  symlinkSync(join(ROOT, 'node_modules'), join(making, 'node_modules'));
  runOrThrow(process.execPath, [join(making, 'scripts', 'build.js')]);
  renameSync(making, folder);
  return command;
}

function runOrThrow(program: string, parameters: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, parameters, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${parameters.join(' ')}: ${error?.message ?? stderr}`);
}
