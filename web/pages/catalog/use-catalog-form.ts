import { useRef, useState } from 'react';
import { ProblemError } from '../../../client/problem.ts';
import { useService } from '../../state/service.tsx';
import { conflictAnswers, isOutdated, useOpenedVersion } from '../../state/use-opened-version.ts';
import type { Catalog, CatalogEntry } from './catalog.ts';
import {
  bodyOf,
  problemsByField,
  problemsOf,
  valuesOf,
  type FieldValue,
  type FormField,
  type FormValues,
} from './form-model.ts';

export interface CatalogFormModel {
  readonly fields: readonly FormField[];
  readonly values: FormValues;
  /** Returns the problem to show at a field; empty for none. */
  readonly problemAt: (name: string) => string;
  /** The error of the last request, if it concerns no field; null for none. */
  readonly error: unknown;
  readonly isBusy: boolean;
  readonly change: (name: string, value: FieldValue) => void;
  /** Shows the problems of a field from now on. */
  readonly visit: (name: string) => void;
  readonly save: () => Promise<void>;
  /** Set if another user has changed the entry since the form was opened. */
  readonly conflict: ProblemError | null;
  /** Saves the values of the form in place of those of the other user. */
  readonly overwrite: () => Promise<void>;
  /** Replaces the values that the other user has changed by the new ones. */
  readonly takeOver: () => Promise<void>;
}

/** Holds the values of the form of an entry and sends them. `entry` is null for a new one. */
export function useCatalogForm<Entry extends CatalogEntry>(
  catalog: Catalog<Entry>,
  entry: Entry | null,
  onDone: (entry: Entry) => void,
): CatalogFormModel {
  const { rest } = useService();
  const fields = catalog.fields.filter(({ isFixed }) => entry === null || isFixed !== true);
  const [values, setValues] = useState<FormValues>(() => valuesOf(catalog.fields, entry));
  const [visited, setVisited] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map());
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [conflict, setConflict] = useState<ProblemError | null>(null);
  const isTouched = useRef(false);
  const version = useOpenedVersion(
    entry === null
      ? null
      : (client) => client.callWithHeaders('get', `/${catalog.id}/{id}`, { path: { id: entry.id } }),
    (opened) => {
      if (!isTouched.current) setValues(valuesOf(catalog.fields, opened));
    },
  );
  const problems = problemsOf(fields, values);

  const save = async (): Promise<void> => {
    setVisited(new Set(fields.map(({ name }) => name)));
    if (problems.size > 0 || isBusy) return;
    setIsBusy(true);
    setError(null);
    setConflict(null);
    try {
      const body = bodyOf(catalog.fields, values);
      onDone(
        await (entry === null
          ? catalog.create(rest, body)
          : catalog.replace(await version.guarded(), entry, body)),
      );
    } catch (reason) {
      if (isOutdated(reason)) {
        setConflict(reason);
        setIsBusy(false);
        return;
      }
      const found =
        reason instanceof ProblemError ? problemsByField(fields, reason.errors) : new Map<string, string>();
      setRefused(found);
      setError(found.size > 0 && !found.has('') ? null : reason);
      setIsBusy(false);
    }
  };
  return {
    fields,
    values,
    problemAt: (name) => refused.get(name) ?? (visited.has(name) ? (problems.get(name) ?? '') : ''),
    error,
    isBusy,
    change: (name, value) => {
      isTouched.current = true;
      setValues({ ...values, [name]: value });
      setRefused(new Map([...refused].filter(([other]) => other !== name)));
    },
    visit: (name) => setVisited(new Set([...visited, name])),
    save,
    conflict,
    ...conflictAnswers(version, {
      save,
      take: (now) => {
        const changed = new Set(conflict?.errors.map(({ pointer }) => pointer.slice(1)));
        const theirs = valuesOf(catalog.fields, now);
        setValues(
          Object.fromEntries(
            Object.entries(values).map(([name, value]) => [
              name,
              changed.has(name) ? (theirs[name] ?? value) : value,
            ]),
          ),
        );
        setConflict(null);
      },
      failed: setError,
    }),
  };
}
