import { retryOverride } from '../views/retry-view.ts';
import { definitionOf } from '../views/product-view.ts';
import type { JobRequest } from './create-job.ts';
import { bodyFingerprint } from './idempotent-submit.ts';
import { notFound, type Call, type Handler, type ProblemReply } from './operation.ts';
import { findProduct } from './products.ts';
import { sentCaps } from './sent-caps.ts';
import { environmentTexts } from './sent-environments.ts';
import { submissionHandler } from './submission-handler.ts';
import type { Ports } from '../ports.ts';

const DEFAULT_PRIORITY = 50;

/** docs/contract/products.md#submission. The job gets a copy of the template. */
export const submitProductJob = (): Handler<'submitProductJob'> =>
  submissionHandler<'submitProductJob'>(requestOf, ({ path, body }) =>
    bodyFingerprint('product', path.name, body),
  );

async function requestOf(
  { path, body, principal, client }: Call<'submitProductJob'>,
  ports: Ports,
): Promise<JobRequest | ProblemReply> {
  const product = await findProduct(path.name, ports);
  if (product === null) return notFound('product', path.name);
  const { name, version, template, format, retryRules } = definitionOf(product);
  return {
    principal,
    client,
    pointer: '',
    farmId: body.farm_id,
    queueId: body.queue_id,
    owner: body.owner,
    project: body.project ?? '',
    priority: body.priority ?? DEFAULT_PRIORITY,
    retry: retryOverride(body),
    retryRules,
    dependsOn: body.depends_on ?? [],
    isPaused: body.paused ?? false,
    startAfter: body.start_after ?? undefined,
    caps: sentCaps(body),
    jobName: body.name ?? '',
    text: template,
    format,
    values: body.parameters ?? {},
    environments: environmentTexts(body) ?? [],
    product: { name, version },
  };
}
