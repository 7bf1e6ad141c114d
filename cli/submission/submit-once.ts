import { randomUUID } from 'node:crypto';
import type { DryRun, Job } from '../../client/resources.ts';
import { CommandError, EXIT, ServiceUnavailable } from '../terminal/exit-codes.ts';
import type { RestClient } from '../client/rest-client.ts';
import { retryWhileUnavailable } from '../client/retry-while-unavailable.ts';

/** A request that creates a job, or previews one. */
export interface SubmitRequest {
  readonly create: (headers: { readonly 'Idempotency-Key': string }) => Promise<Job | DryRun>;
  readonly preview: () => Promise<Job | DryRun>;
}

/** Returns the request with each error replaced by what `explain` makes of it. */
export function explainedRequest(
  { create, preview }: SubmitRequest,
  explain: (error: unknown) => unknown,
): SubmitRequest {
  const explained = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      throw await explain(error);
    }
  };
  return { create: (headers) => explained(create(headers)), preview: () => explained(preview()) };
}

/**
 * Submits a job and returns it as stored. If the response is lost, repeats the request with the same `Idempotency-Key`,
 * so that only one job is created, and calls `onOutage`.
 */
export async function submitOnce(
  { url }: Pick<RestClient, 'url'>,
  { create }: SubmitRequest,
  onOutage: () => void,
): Promise<Job> {
  const headers = { 'Idempotency-Key': randomUUID() };
  let mayBeMade = false;
  const passes = (error: CommandError): boolean => {
    mayBeMade ||= error instanceof ServiceUnavailable && error.answerLost;
    // 409 means that the first request is still being processed.
    return mayBeMade && (error instanceof ServiceUnavailable || error.exitCode === EXIT.conflict);
  };
  const answer = await retryWhileUnavailable(() => create(headers), onOutage, passes);
  if (!('id' in answer)) throw new CommandError(EXIT.failed, `the server at ${url} stored no job`);
  return answer;
}

/** Returns the preview of a submission: the service validates and resolves it, but stores nothing. */
export async function previewSubmission(
  { url }: Pick<RestClient, 'url'>,
  { preview }: SubmitRequest,
): Promise<DryRun> {
  const answer = await preview();
  if ('id' in answer)
    throw new CommandError(
      EXIT.failed,
      `the server at ${url} does not support --dry-run and created job ${answer.id}`,
    );
  return answer;
}
