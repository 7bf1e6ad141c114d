import { decodePercent } from './query-string.ts';

/** Result of matching a path. */
export type Match<Target> =
  | { readonly found: true; readonly target: Target; readonly parameters: ReadonlyMap<string, string> }
  /** `methods` is empty when no route has the path. */
  | { readonly found: false; readonly methods: readonly string[] };

interface Branch<Target> {
  readonly literals: Map<string, Branch<Target>>;
  parameter: { readonly name: string; readonly branch: Branch<Target> } | null;
  readonly targets: Map<string, Target>;
}

const newBranch = <Target>(): Branch<Target> => ({
  literals: new Map(),
  parameter: null,
  targets: new Map(),
});

/**
 * Maps method and path to a target. Literal segments have precedence over parameters. A parameter matches one
 * segment, decoded.
 */
export class Router<Target> {
  readonly #root = newBranch<Target>();

  /** `path` contains `{name}` for a parameter. Throws if the route exists already. */
  add(method: string, path: string, target: Target): void {
    let branch = this.#root;
    for (const segment of path.slice(1).split('/')) {
      const name = /^\{(.+)\}$/.exec(segment)?.[1];
      branch = name === undefined ? literalBranch(branch, segment) : parameterBranch(branch, name, path);
    }
    if (branch.targets.has(method)) throw new Error(`two routes for ${method} ${path}`);
    branch.targets.set(method, target);
  }

  /** Matches a percent-encoded path, ignoring one trailing slash. HEAD matches the routes of GET. */
  match(method: string, path: string): Match<Target> {
    const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    const parameters = new Map<string, string>();
    let branch: Branch<Target> | undefined = this.#root;
    for (const segment of trimmed.slice(1).split('/')) {
      branch = step(branch, segment, parameters);
      if (branch === undefined) return { found: false, methods: [] };
    }
    const target = branch.targets.get(method === 'HEAD' ? 'GET' : method);
    if (target !== undefined) return { found: true, target, parameters };
    return { found: false, methods: methodsOf(branch) };
  }
}

function methodsOf<Target>(branch: Branch<Target>): readonly string[] {
  const methods = [...branch.targets.keys()];
  if (methods.length === 0) return [];
  return [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'];
}

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

function literalBranch<Target>(branch: Branch<Target>, segment: string): Branch<Target> {
  const known = branch.literals.get(segment);
  if (known !== undefined) return known;
  const made = newBranch<Target>();
  branch.literals.set(segment, made);
  return made;
}

function parameterBranch<Target>(branch: Branch<Target>, name: string, path: string): Branch<Target> {
  branch.parameter ??= { name, branch: newBranch() };
  if (branch.parameter.name !== name)
    throw new Error(`the parameter {${name}} of ${path} has another name elsewhere`);
  return branch.parameter.branch;
}
