import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DATA_FILE, openExistingDatabase, type Environment } from './environment.ts';

/**
 * Page usage of an environment's file. LMDB never makes a file smaller: pages of deleted rows become free and are
 * reused.
 */
export interface PageCounts {
  readonly fileBytes: number;
  readonly pageBytes: number;
  readonly usedPages: number;
  readonly freePages: number;
}

interface TreePages {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

interface EnvironmentStats {
  readonly lastPageNumber: number;
  readonly root: TreePages & { readonly pageSize: number };
  readonly free: TreePages;
}

const META_PAGES = 2;

const pagesOf = (tree: TreePages): number =>
  tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages;

/** Counts the pages of an open environment of that directory, in microseconds, regardless of its size. */
export function pageMeter(environment: Environment, directory: string): () => PageCounts {
  const databases = [...environment.getKeys()].flatMap((name) => {
    const database = openExistingDatabase(environment, name);
    return database === undefined ? [] : [database];
  });
  return () => {
    // lmdb-js types them as an empty object.
    const stats = environment.getStats() as EnvironmentStats;
    const trees = [stats.root, stats.free, ...databases.map((each) => each.getStats() as TreePages)];
    const all = stats.lastPageNumber + 1;
    // A commit between two of the counts must not result in more used pages than there are.
    const usedPages = Math.min(
      all,
      trees.reduce((sum, tree) => sum + pagesOf(tree), META_PAGES),
    );
    return {
      fileBytes: statSync(join(directory, DATA_FILE)).size,
      pageBytes: stats.root.pageSize,
      usedPages,
      freePages: all - usedPages,
    };
  };
}
