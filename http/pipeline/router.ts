import { decodePercent } from './query-string.ts';

/** Result of matching a path. */
export type Match<Target> =
  | { readonly found: true; readonly target: Target; readonly parameters: ReadonlyMap<string, string> }
  /** `methods` is empty when no route has the path. */
  | { readonly found: false; readonly methods: readonly string[] };

interface Branch<Target> {
  readonly literals: Map<string, Branch<Target>>;
  parameter: {
    readonly name: string;
    /** Maximum number of segments that it matches. */
    readonly segments: number;
    readonly branch: Branch<Target>;
  } | null;
  readonly targets: Map<string, Target>;
}

/** A branch that a path leads to. */
interface Leaf<Target> {
  readonly branch: Branch<Target>;
  readonly parameters: ReadonlyMap<string, string>;
}

const newBranch = <Target>(): Branch<Target> => ({
  literals: new Map(),
  parameter: null,
  targets: new Map(),
});

/**
 * Maps method and path to a target. Literal segments have precedence over parameters, and short values of a parameter
 * over long ones. A parameter matches one decoded segment, or up to the number that its route allows, joined with a
 * slash.
 */
export class Router<Target> {
  readonly #root = newBranch<Target>();

  /**
   * `path` contains `{name}` for a parameter; `segments` is the maximum of each parameter, 1 if it is not in there.
   * Throws if the route exists already.
   */
  add(method: string, path: string, target: Target, segments: ReadonlyMap<string, number> = new Map()): void {
    let branch = this.#root;
    for (const segment of path.slice(1).split('/')) {
      const name = /^\{(.+)\}$/.exec(segment)?.[1];
      branch =
        name === undefined
          ? literalBranch(branch, segment)
          : parameterBranch(branch, name, segments.get(name) ?? 1, path);
    }
    if (branch.targets.has(method)) throw new Error(`two routes for ${method} ${path}`);
    branch.targets.set(method, target);
  }

  /** Matches a percent-encoded path, ignoring one trailing slash. HEAD matches the routes of GET. */
  match(method: string, path: string): Match<Target> {
    const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    const segments = trimmed.slice(1).split('/');
    const parameters = new Map<string, string>();
    let branch: Branch<Target> | undefined = this.#root;
    for (const [index, segment] of segments.entries()) {
      if ((branch.parameter?.segments ?? 1) > 1)
        return firstOf(leaves(branch, segments.slice(index), parameters), method);
      branch = step(branch, segment, parameters);
      if (branch === undefined) return { found: false, methods: [] };
    }
    return firstOf([{ branch, parameters }], method);
  }
}

/** Returns the first leaf that has the method. */
function firstOf<Target>(found: Iterable<Leaf<Target>>, method: string): Match<Target> {
  const methods = new Set<string>();
  for (const { branch, parameters } of found) {
    const target = branch.targets.get(method === 'HEAD' ? 'GET' : method);
    if (target !== undefined) return { found: true, target, parameters };
    for (const each of methodsOf(branch)) methods.add(each);
  }
  return { found: false, methods: methods.size === 0 ? [] : [...methods, 'OPTIONS'] };
}

const methodsOf = <Target>(branch: Branch<Target>): readonly string[] =>
  [...branch.targets.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

function step<Target>(
  branch: Branch<Target>,
  segment: string,
  parameters: Map<string, string>,
): Branch<Target> | undefined {
  const literal = branch.literals.get(segment);
  if (literal !== undefined) return literal;
  const value = decodePercent(segment);
  if (branch.parameter === null || value === null || value === '') return undefined;
  parameters.set(branch.parameter.name, value);
  return branch.parameter.branch;
}

/** Yields the branches for the rest of a path, the preferred one first. */
function* leaves<Target>(
  branch: Branch<Target>,
  rest: readonly string[],
  parameters: ReadonlyMap<string, string>,
): Iterable<Leaf<Target>> {
  const [segment] = rest;
  if (segment === undefined) {
    yield { branch, parameters };
    return;
  }
  const literal = branch.literals.get(segment);
  if (literal !== undefined) yield* leaves(literal, rest.slice(1), parameters);
  const { parameter } = branch;
  if (parameter === null) return;
  for (let count = 1; count <= Math.min(parameter.segments, rest.length); count += 1) {
    const value = decodedSegments(rest.slice(0, count));
    if (value === null) return;
    const withValue = new Map([...parameters, [parameter.name, value]]);
    yield* leaves(parameter.branch, rest.slice(count), withValue);
  }
}

function decodedSegments(segments: readonly string[]): string | null {
  const decoded = segments.map(decodePercent);
  // An encoded slash belongs to a value of its own, so that no value has more parts than its route allows.
  const isPart = (text: string | null): boolean =>
    text !== null && text !== '' && (segments.length === 1 || !text.includes('/'));
  return decoded.every(isPart) ? decoded.join('/') : null;
}

function literalBranch<Target>(branch: Branch<Target>, segment: string): Branch<Target> {
  const known = branch.literals.get(segment);
  if (known !== undefined) return known;
  const made = newBranch<Target>();
  branch.literals.set(segment, made);
  return made;
}

function parameterBranch<Target>(
  branch: Branch<Target>,
  name: string,
  segments: number,
  path: string,
): Branch<Target> {
  branch.parameter ??= { name, segments, branch: newBranch() };
  if (branch.parameter.name !== name || branch.parameter.segments !== segments)
    throw new Error(`the parameter {${name}} of ${path} has another name or length elsewhere`);
  return branch.parameter.branch;
}
