/** Drops all capabilities for good, as a command in a user namespace of its own must. */
export const DROP_ALL: readonly string[] = [
  'setpriv',
  '--no-new-privs',
  '--inh-caps=-all',
  '--ambient-caps=-all',
  '--bounding-set=-all',
  '--',
];

/**
 * Returns the start of a command that runs what follows it in new namespaces, which `options` of unshare(1) name. An
 * account other than root needs a user namespace for that, and has all capabilities in it: what follows must drop them.
 */
export const unshareArguments = (isRoot: boolean, options: readonly string[]): readonly string[] => [
  'unshare',
  ...(isRoot ? [] : ['--user', '--map-current-user', '--keep-caps']),
  ...options,
  '--',
];
