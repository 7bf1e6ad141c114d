import { test } from 'tap';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { readContract } from '../../../http/openapi/contract.ts';

/** Exceptions from the linter's recommended rules, each with its reason. Empty at present. */
const EXCEPTIONS: Readonly<Record<string, string>> = {};

/** Returns the linter's findings in a document. Reads nothing from the network. */
async function lint(source: string): Promise<readonly string[]> {
  const config = await createConfig({
    extends: ['recommended'],
    rules: Object.fromEntries(Object.keys(EXCEPTIONS).map((rule) => [rule, 'off' as const])),
    resolve: {
      http: {
        headers: [],
        customFetch: (url: unknown) =>
          Promise.reject(
            new Error(`the document refers to ${String(url)}; it must not have external references`),
          ),
      },
    },
  });
  const problems = await lintFromString({ source, absoluteRef: '/openapi.yaml', config });
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer ?? ''})`,
  );
}

void test('the contract satisfies the recommended rules of an OpenAPI linter', async (t) => {
  t.strictSame(await lint(readContract().text), []);
});

void test('the linter detects an error', async (t) => {
  const { text } = readContract();
  const cases: readonly (readonly [from: string, to: string, found: RegExp])[] = [
    ["schemas/Health'", "schemas/Wealth'", /^no-unresolved-refs: /],
    ['operationId: getFarm\n', 'operationId: getQueue\n', /^operation-operationId-unique: /],
    ['      summary: One farm\n', '', /^operation-summary: /],
    ["$ref: '#/components/schemas/Readiness'", 'tpye: object', /^struct: /],
  ];
  for (const [from, to, found] of cases) {
    const wrong = text.replace(from, to);
    t.not(wrong, text);
    t.match((await lint(wrong))[0] ?? '', found);
  }
});
