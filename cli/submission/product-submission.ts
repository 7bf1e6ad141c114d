import type { ProductParameter } from '../../client/resources.ts';
import type { BodyOf } from '../../client/rest-calls.ts';
import { parametersText } from '../products/product-text.ts';
import type { ClientContext } from '../client/client-command.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { findPlace, type Place } from './job-place.ts';
import { withFlags } from './parameter-flags.ts';
import type { RestClient } from '../client/rest-client.ts';
import { explainedRequest, type SubmitRequest } from './submit-once.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** A job to submit from a product. Farm, queue and jobs are as given on the command line. */
interface ProductSubmission extends Place {
  readonly product: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly options: Omit<
    BodyOf<'post', '/products/{name}/jobs'>,
    'farm_id' | 'queue_id' | 'depends_on' | 'parameters' | 'submitter'
  >;
}

/**
 * Returns the request of a submission from a product. If the service refuses it because of its parameters, the error
 * names those that are unknown or missing, with all parameters of the product.
 */
export async function productRequest(
  context: ClientContext,
  submission: ProductSubmission,
): Promise<SubmitRequest> {
  const { client, terminal } = context;
  const path = { name: submission.product };
  const place = await findPlace(context, submission);
  const body = {
    ...place,
    ...submission.options,
    parameters: Object.fromEntries(submission.parameters),
  };
  return explainedRequest(
    {
      create: (headers) => client.call('post', '/products/{name}/jobs', { path, headers, body }),
      preview: () =>
        client.call('post', '/products/{name}/jobs', {
          path,
          query: { dry_run: true },
          body,
        }),
    },
    (error) => explain(error, client, submission, terminal),
  );
}

async function explain(
  error: unknown,
  client: RestClient,
  { product, parameters: given }: ProductSubmission,
  terminal: Terminal,
): Promise<unknown> {
  if (!(error instanceof CommandError) || error.exitCode !== EXIT.usage) return error;
  const known = await client.call('get', '/products/{name}/parameters', {
    path: { name: product },
  });
  const faults = parameterFaults(product, known, given);
  const flagged = withFlags(error, given);
  if (faults.length === 0 || !(flagged instanceof CommandError)) return flagged;
  const text = [
    flagged.message,
    // The flags name the faults already.
    ...(flagged === error ? faults : []),
    '',
    parametersText(known, { ...terminal, columns: null }).trimEnd(),
  ];
  return new CommandError(error.exitCode, text.join('\n'));
}

/** Returns a sentence for each parameter that is unknown or missing. */
function parameterFaults(
  product: string,
  known: readonly Pick<ProductParameter, 'name' | 'required'>[],
  given: ReadonlyMap<string, string>,
): readonly string[] {
  const names = new Set(known.map(({ name }) => name));
  const unknown = [...given.keys()].filter((name) => !names.has(name));
  const missing = known.filter(({ name, required }) => required && !given.has(name));
  return [
    ...unknown.map((name) => `${product} has no parameter ${name}`),
    ...missing.map(({ name }) => `${product} needs a value for ${name} (-p ${name}=VALUE)`),
  ];
}
