/**
 * Returns why the worker must not run (docs/contract/limits.md#root: root is refused on Linux and macOS unless
 * `worker.allow_root` is true), or null. `userId`: of this process; null on systems without user ids.
 */
export function rootRefusal(platform: string, userId: number | null, allowRoot: boolean): string | null {
  const guarded = platform === 'linux' || platform === 'darwin';
  if (!guarded || userId !== 0 || allowRoot) return null;
  return 'the worker does not run as root, since tasks would; start it as another user, or set worker.allow_root (SVC_WORKER_ALLOW_ROOT=true)';
}
