import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ProblemError } from '../../../client/problem.ts';
import type { QueueEnvironmentCheck } from '../../../client/resources.ts';
import { useService } from '../../state/service.tsx';
import { rejectedDraft } from '../products/product-draft.ts';
import type { TemplateError } from '../submit/model/field-errors.ts';

/** Time without a change before the server checks the text. */
const PAUSE_MS = 400;

export interface EnvironmentCheck {
  /** The checked environment; null before the first check, and for a text with errors. */
  readonly valid: QueueEnvironmentCheck | null;
  /** Errors of the text that was checked last. */
  readonly errors: readonly TemplateError[];
  /** An error of the request that is not about the text; null for none. */
  readonly failure: unknown;
  /** The text has not been checked yet. */
  readonly isBusy: boolean;
}

/** JSON begins with a brace, as for the command line. */
export const formatOf = (text: string): 'json' | 'yaml' =>
  text.trimStart().startsWith('{') ? 'json' : 'yaml';

/**
 * Lets the server check an environment template after each pause in typing, together with the other environments of the
 * queue. `replaces`: id of the environment that the text is to replace; null for a new one.
 */
export function useEnvironmentCheck(
  queueId: string,
  replaces: string | null,
  text: string,
): EnvironmentCheck {
  const { rest } = useService();
  const [checked, setChecked] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setChecked(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const isBlank = checked.trim() === '';
  const query = useQuery({
    queryKey: ['environment-check', queueId, replaces, checked],
    queryFn: ({ signal }) =>
      rest.call('post', '/queues/{id}/environments', {
        path: { id: queueId },
        query: { dry_run: true, ...(replaces !== null && { replaces }) },
        body: { template: checked, format: formatOf(checked) },
        signal,
      }),
    enabled: !isBlank,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
    placeholderData: keepPreviousData,
  });
  const { data, error } = query;
  const isOfText = error instanceof ProblemError && error.status === 422;
  const found = isOfText && !isBlank ? rejectedDraft(error.status, error.errors).template : [];
  return {
    valid: !isBlank && error === null && data !== undefined && 'parameters' in data ? data : null,
    errors: isOfText && found.length === 0 && !isBlank ? [{ detail: error.detail }] : found,
    failure: isOfText ? null : error,
    isBusy: checked !== text || query.isFetching,
  };
}
