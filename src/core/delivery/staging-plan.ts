import { isUriPath } from '../../openjd/primitives/uri-path.ts';
import { pathsOf } from '../../openjd/template/path-values.ts';
import type { DataFlow, ObjectType, ParameterValue } from '../../openjd/template/plan.ts';

/** A path of a job parameter that is copied between its storage location and the session's directory. */
export interface StagingTransfer {
  /** Name of the path; for an element of a list with its index, `Scenes[0]`. */
  readonly parameter: string;
  readonly objectType: ObjectType;
  readonly flow: DataFlow;
  /**
   * Root of the storage location: an absolute path, or `s3://bucket[/prefix]`. Staging accesses nothing outside of it.
   */
  readonly root: string;
  /** Path components from the root, without `.` and `..`; empty for the root itself. */
  readonly below: readonly string[];
  /** Directory of the session, absolute. */
  readonly directory: string;
  /** Path components from the session's directory to the local copy. */
  readonly localBelow: readonly string[];
  /** Path of the local copy, absolute: the path that the task uses. */
  readonly local: string;
}

type StagingPlan =
  | { readonly ok: true; readonly transfers: readonly StagingTransfer[] }
  | { readonly ok: false; readonly detail: string };

/** Name of the directory below the session's directory. */
const STAGED_DIRECTORY = 'staged';
/** Name of the local copy of a root itself. */
const ROOT_NAME = 'root';
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * Returns the transfers for every PATH, and every element of a LIST[PATH], with the dataFlow IN, OUT or INOUT and a
 * value. `mapPath` maps a value to its path at the worker's compute location. Errors: a path below none of `roots`, and
 * a path with `..`.
 */
export function planStaging(
  parameters: Readonly<Record<string, ParameterValue>>,
  mapPath: (path: string) => string,
  roots: readonly string[],
  directory: string,
): StagingPlan {
  const transfers: StagingTransfer[] = [];
  const longestFirst = roots.toSorted((a, b) => b.length - a.length);
  for (const [name, parameter] of Object.entries(parameters)) {
    const { dataFlow, objectType = 'DIRECTORY' } = parameter;
    if (dataFlow === undefined) continue;
    for (const [index, { name: pathName, path: given }] of pathsOf(name, parameter).entries()) {
      if (given === '') continue;
      const path = mapPath(given);
      const found = findRoot(path, longestFirst);
      if (typeof found === 'string') {
        return {
          ok: false,
          detail: `stage_locally: parameter ${pathName}: ${JSON.stringify(path)} ${found}`,
        };
      }
      const own = found.below.at(-1) ?? ROOT_NAME;
      // Each element of a list gets its own directory, because two elements may have the same file name.
      const localBelow = [STAGED_DIRECTORY, name, ...(parameter.type === 'PATH' ? [] : [String(index)]), own];
      const local = `${directory}/${localBelow.join('/')}`;
      const flow = dataFlow;
      transfers.push({ parameter: pathName, objectType, flow, ...found, directory, localBelow, local });
    }
  }
  return { ok: true, transfers };
}

interface Found {
  readonly root: string;
  readonly below: readonly string[];
}

/** Returns the root that a path is below, or why the path cannot be staged. */
function findRoot(path: string, roots: readonly string[]): Found | string {
  if (CONTROL.test(path)) return 'holds control characters';
  const parts = partsOf(path);
  if (parts.includes('..')) return 'must not climb with ".."';
  for (const root of roots) {
    if (isUriPath(root) !== isUriPath(path) || (!isUriPath(root) && !path.startsWith('/'))) continue;
    const rootParts = partsOf(root);
    if (rootParts.every((part, index) => part === parts[index])) {
      return { root, below: parts.slice(rootParts.length) };
    }
  }
  return "is in no storage location of this worker's place";
}

const partsOf = (path: string): readonly string[] =>
  path.split('/').filter((part) => part !== '' && part !== '.');
