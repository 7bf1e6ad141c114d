import { test, type Test } from 'tap';

/** Runs a test with processes that the daemon starts, and again with processes that the session's launcher starts. */
export function bothWays(
  name: string,
  options: { readonly skip?: string | boolean },
  body: (t: Test, launcher: boolean) => Promise<void>,
): void {
  void test(name, options, (t) => body(t, false));
  void test(`${name}, by a launcher`, options, (t) => body(t, true));
}
