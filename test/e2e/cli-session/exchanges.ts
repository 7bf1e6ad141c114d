import type { Case } from '../../kit/cases.ts';
import { sessionCheck } from '../../kit/session-check.ts';
import type { CliSession } from './kit.ts';

/** Checks of the recorded exchanges, after all commands. */
export const exchangeChecks: readonly Case<CliSession>[] = [
  [
    'every command was run, and every exchange matches the OpenAPI document',
    async (t, session) => {
      const { proxy, missingCommands } = session;
      t.same(missingCommands(), [], 'every client command and every action was run');

      const check = sessionCheck();
      const violations = proxy.exchanges.flatMap((exchange) =>
        check(exchange).map(
          (violation) => `${exchange.method} ${exchange.target} ${exchange.status}: ${violation}`,
        ),
      );
      t.same([...new Set(violations)], []);
      const statuses = new Set(proxy.exchanges.map(({ status }) => status));
      t.same(
        [...statuses].sort(),
        [200, 201, 202, 204, 304, 400, 404, 409, 422],
        'responses of every expected status occurred',
      );
      const submissions = proxy.exchanges.filter(
        ({ method, target }) =>
          method === 'POST' && target.startsWith('/api/v1/jobs?') && !target.includes('dry_run=true'),
      );
      t.ok(submissions.length > 8);
      for (const { requestHeaders } of submissions)
        t.ok(
          requestHeaders.some(([name]) => name === 'idempotency-key'),
          'every submission has an idempotency key',
        );
      for (const { requestHeaders } of proxy.exchanges)
        t.ok(
          requestHeaders.some(([name, value]) => name === 'authorization' && value === 'Bearer svc_session'),
        );
    },
  ],
];
