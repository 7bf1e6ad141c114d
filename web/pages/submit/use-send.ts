import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import type { Draft } from './model/draft.ts';
import { newKey } from './model/request-key.ts';
import { sendSubmission } from './send-submission.ts';
import type { ChangeDraft } from './use-draft.ts';
import type { Refusal } from './use-form.ts';

export interface Sending {
  /** Submits a job and opens its page. Returns false if the server rejected it. */
  readonly send: (submission: Refusal['request'], before: Draft['sent']) => Promise<boolean>;
  readonly isSending: boolean;
  readonly refusal: Refusal | null;
  readonly clearRefusal: () => void;
}

/** Sends submissions, and calls `onSent` after each job. A repeated request has the same key, so that it creates no second job after a lost response. */
export function useSend(change: ChangeDraft, onSent: () => void): Sending {
  const { rest } = useService();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [isSending, setIsSending] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);

  const send: Sending['send'] = async (submission, before) => {
    const request = JSON.stringify(submission);
    const key = before?.request === request ? before.key : newKey();
    change({ sent: { request, key } });
    setIsSending(true);
    setRefusal(null);
    try {
      const job = await sendSubmission(rest, submission, { isDryRun: false, key });
      if (!('id' in job)) throw new Error('the response contains no job');
      onSent();
      void client.invalidateQueries({ queryKey: ['jobs'] });
      toasts.done('Job submitted', job.name);
      navigate(`/jobs/${encodeURIComponent(job.id)}`);
      return true;
    } catch (error) {
      setRefusal({ request: submission, error });
      return false;
    } finally {
      setIsSending(false);
    }
  };
  return { send, isSending, refusal, clearRefusal: () => setRefusal(null) };
}
