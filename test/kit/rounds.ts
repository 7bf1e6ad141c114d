/**
 * Returns how often a test repeats a case: `short` in `npm test`, `full` in `npm run test:nightly` (docs/testing.md#nightly).
 * Both run the same assertions.
 */
export const rounds = (short: number, full: number): number =>
  process.env['CALLSHEET_TEST_NIGHTLY'] === 'true' ? full : short;
