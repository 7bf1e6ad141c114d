import { useEffect, useEffectEvent, useRef } from 'react';
import { ProblemError } from '../../client/problem.ts';
import type { AnswerWithHeaders, Rest } from '../../client/rest.ts';
import { useService } from './service.tsx';

/** The version of an object that a form was opened with (docs/rest.md#concurrent-changes). */
export interface OpenedVersion<Body> {
  /** Returns a client whose change is refused with 412 if another user has changed the object since. */
  readonly guarded: () => Promise<Rest>;
  /** Loads the object; a later change is refused only if it was changed after that. */
  readonly renew: () => Promise<Body | null>;
  /**
   * Sends a change, unless another user has changed one of these settings since (null: any). Then it rejects with 412,
   * and the next try replaces their change.
   */
  readonly change: <Answer>(
    settings: readonly string[] | null,
    send: (client: Rest) => Promise<Answer>,
  ) => Promise<Answer>;
}

/** Reports whether a change was refused because the object was changed meanwhile. */
export const isOutdated = (error: unknown): error is ProblemError & { readonly status: 412 } =>
  error instanceof ProblemError && error.status === 412;

/**
 * Loads the version of an object when a form opens. `read` requests the object; null for a new one. `onOpened` gets it,
 * because the form may show an older one.
 */
export function useOpenedVersion<Body>(
  read: ((rest: Rest) => Promise<AnswerWithHeaders<Body>>) | null,
  onOpened: (body: Body) => void = () => undefined,
): OpenedVersion<Body> {
  const { rest } = useService();
  const etag = useRef<Promise<string | null>>(Promise.resolve(null));
  const renew = async (): Promise<Body | null> => {
    if (read === null) return null;
    const answer = read(rest);
    // Without an answer, the change fails as well, or is made without a comparison.
    etag.current = answer.then(
      ({ headers }) => headers.get('etag'),
      () => null,
    );
    return (await answer).body;
  };
  const open = useEffectEvent(() => {
    renew().then(
      (body) => {
        if (body !== null) onOpened(body);
      },
      () => undefined,
    );
  });
  useEffect(() => open(), []);
  const guarded = async (): Promise<Rest> => {
    const known = await etag.current;
    return known === null ? rest : rest.withHeaders({ 'If-Match': known });
  };
  return {
    guarded,
    renew,
    change: async (settings, send) => {
      try {
        return await send(await guarded());
      } catch (error) {
        if (!isOutdated(error)) throw error;
        await renew();
        const isSame =
          settings === null || error.errors.some(({ pointer }) => settings.includes(pointer.slice(1)));
        if (isSame) throw error;
        return send(await guarded());
      }
    },
  };
}

/**
 * Returns the two answers of a user whose change was refused: `overwrite` saves it nevertheless, `takeOver` gives the
 * present object to `take`, which puts it into the form.
 */
export const conflictAnswers = <Body>(
  { renew }: Pick<OpenedVersion<Body>, 'renew'>,
  form: {
    readonly save: () => Promise<void>;
    readonly take: (body: Body) => void;
    readonly failed: (reason: unknown) => void;
  },
): { readonly overwrite: () => Promise<void>; readonly takeOver: () => Promise<void> } => ({
  overwrite: async () => {
    try {
      await renew();
    } catch (reason) {
      form.failed(reason);
      return;
    }
    await form.save();
  },
  takeOver: async () => {
    try {
      const body = await renew();
      if (body !== null) form.take(body);
    } catch (reason) {
      form.failed(reason);
    }
  },
});
