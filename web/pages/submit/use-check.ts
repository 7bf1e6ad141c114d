import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import type { DryRun } from '../../api/resources.ts';
import { useService } from '../../state/service.tsx';
import type { Submission } from './model/submission.ts';

/** What the service says of a submission that is only tried. */
export interface Check {
  /** What it was asked; null before it was. */
  readonly request: Submission | null;
  readonly data: DryRun | undefined;
  readonly error: unknown;
  /** The answer is about an earlier request, or on its way. */
  readonly isBusy: boolean;
  /** Asks now. */
  readonly now: () => void;
}

/** The service is asked when nobody has typed for so long. */
const PAUSE_MS = 600;

/** Tries the submission (`dry_run`) after each pause in changing it; null tries nothing. */
export function useCheck(submission: Submission | null): Check {
  const { rest } = useService();
  const text = submission === null ? '' : JSON.stringify(submission);
  const [asked, setAsked] = useState<{ text: string; request: Submission | null }>({
    text: '',
    request: null,
  });
  const ask = useEffectEvent(() => setAsked({ text, request: submission }));
  useEffect(() => {
    const timer = setTimeout(() => ask(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { request } = asked;
  const query = useQuery({
    queryKey: ['dry-run', asked.text],
    queryFn: ({ signal }) => {
      if (request === null) throw new Error('there is nothing to try');
      return rest.call('post', '/jobs', {
        query: { ...request.query, dry_run: true },
        document: request.document,
        signal,
      });
    },
    enabled: request !== null,
    staleTime: Infinity,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  const answer = query.data;
  return {
    request,
    data: answer !== undefined && 'steps' in answer ? answer : undefined,
    error: query.error,
    isBusy: query.isFetching || (text !== asked.text && submission !== null),
    now: () => {
      if (text === asked.text) void query.refetch();
      else setAsked({ text, request: submission });
    },
  };
}
