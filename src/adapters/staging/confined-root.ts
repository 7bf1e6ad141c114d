import { readlink, realpath } from 'node:fs/promises';
import type { FileOwner } from '../../core/ports/staging.ts';
import { maySearch } from './access.ts';
import { OpenHandle } from './open-handle.ts';
import { STAGING_LIMITS } from './limits.ts';
import { withPath, stagingError } from './staging-error.ts';

/** `inside`: links are followed while they stay inside the root. `refuse`: a link is an error. */
export type LinkRule = 'inside' | 'refuse';

/**
 * A directory that no path leads out of. Each step opens a name in an open directory, so that a concurrent replacement,
 * a link or `..` cannot lead outside.
 */
export class ConfinedRoot {
  readonly path: string;
  private readonly realPath: string;
  private readonly root: OpenHandle;
  private readonly owner: FileOwner | null;

  private constructor(path: string, realPath: string, root: OpenHandle, owner: FileOwner | null) {
    this.path = path;
    this.realPath = realPath;
    this.root = root;
    this.owner = owner;
  }

  /**
   * Opens the root, which the operator of the service configures and which may be a link. With an owner, only
   * directories that its account may traverse are used.
   */
  static async open(path: string, owner: FileOwner | null): Promise<ConfinedRoot> {
    try {
      const root = await OpenHandle.at(path);
      if (root.stat.isDirectory()) return new ConfinedRoot(path, await realpath(path), root, owner);
      await root.close();
    } catch (error) {
      throw withPath(path, error);
    }
    throw stagingError(path, 'is not a directory');
  }

  close(): Promise<void> {
    return this.root.close();
  }

  /** Returns the text of a path from the root. */
  textOf(below: readonly string[]): string {
    return below.length === 0 ? this.path : `${this.path.replace(/\/+$/, '')}/${below.join('/')}`;
  }

  /** Opens the path `below`, and returns the result of `use`. It stays open during the call. Errors name the path. */
  async use<T>(
    below: readonly string[],
    links: LinkRule,
    use: (found: OpenHandle) => Promise<T>,
  ): Promise<T> {
    const found = await this.walk(below, links, null);
    try {
      return await use(found);
    } finally {
      if (found !== this.root) await found.close();
    }
  }

  /**
   * Like `use`, for a directory: `make` creates missing directories on the way. Links in the first `resolved` steps are
   * followed inside the root; later ones are refused.
   */
  async useDirectory<T>(
    below: readonly string[],
    resolved: number,
    make: ((parent: OpenHandle, name: string) => Promise<void>) | null,
    use: (directory: OpenHandle) => Promise<T>,
  ): Promise<T> {
    const base = await this.walk(below.slice(0, resolved), 'inside', make);
    const held = base === this.root ? [] : [base];
    try {
      let here = base;
      for (const [index, name] of below.slice(resolved).entries()) {
        here = await this.step(here, name, below.slice(0, resolved + index + 1), make);
        held.push(here);
        if (here.stat.isSymbolicLink()) throw stagingError(this.textOf(below), 'is below a symbolic link');
      }
      if (!here.stat.isDirectory()) throw stagingError(this.textOf(below), 'is not a directory');
      return await use(here);
    } finally {
      for (const each of held) await each.close();
    }
  }

  private async walk(
    below: readonly string[],
    links: LinkRule,
    make: ((parent: OpenHandle, name: string) => Promise<void>) | null,
  ): Promise<OpenHandle> {
    const stack: OpenHandle[] = [];
    const todo = [...below];
    let hops = 0;
    try {
      for (let name = todo.shift(); name !== undefined; name = todo.shift()) {
        const here = stack.at(-1) ?? this.root;
        if (name === '..') {
          const left = stack.pop();
          if (left === undefined) throw stagingError(this.textOf(below), 'leads out of its storage location');
          await left.close();
          continue;
        }
        const next = await this.step(here, name, below, make);
        if (!next.stat.isSymbolicLink()) {
          stack.push(next);
          continue;
        }
        await next.close();
        if (links === 'refuse') throw stagingError(this.textOf(below), 'is a symbolic link, or is below one');
        if (++hops > STAGING_LIMITS.linkHops)
          throw stagingError(this.textOf(below), 'has too many links in its path');
        const target = await readlink(here.pathOf(name));
        if (target.startsWith('/')) {
          for (const each of stack.splice(0)) await each.close();
          todo.unshift(...this.insideOf(target, below));
        } else todo.unshift(...stepsOf(target));
      }
      return stack.pop() ?? this.root;
    } catch (error) {
      throw withPath(this.textOf(below), error);
    } finally {
      for (const each of stack) await each.close();
    }
  }

  private async step(
    here: OpenHandle,
    name: string,
    below: readonly string[],
    make: ((parent: OpenHandle, name: string) => Promise<void>) | null,
  ): Promise<OpenHandle> {
    if (!here.stat.isDirectory())
      throw stagingError(this.textOf(below), 'is below a file that is not a directory');
    if (this.owner !== null && !maySearch(here.stat, this.owner)) throw accessDenied(this.textOf(below));
    try {
      return await here.child(name);
    } catch (error) {
      if (make === null || !isMissing(error)) throw withPath(this.textOf(below), error);
      await make(here, name);
      return here.child(name);
    }
  }

  /** Returns the steps from the root to an absolute target inside it. */
  private insideOf(target: string, below: readonly string[]): readonly string[] {
    for (const root of [this.path, this.realPath]) {
      const base = root.replace(/\/+$/, '');
      if (target === base || target.startsWith(`${base}/`)) return stepsOf(target.slice(base.length));
    }
    throw stagingError(this.textOf(below), 'leads out of its storage location');
  }
}

/** Returns the error for access that the account of a task does not have. */
export const accessDenied = (path: string): Error =>
  stagingError(path, 'may not be read or written by the account of the task');

const stepsOf = (path: string): readonly string[] =>
  path.split('/').filter((step) => step !== '' && step !== '.');

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
