import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import type { ParameterDefinition } from './model/definition.ts';
import type { Draft } from './model/draft.ts';
import { withQueueParameters } from './model/queue-parameters.ts';
import { readTemplate } from './model/read-template.ts';
import type { TemplateState } from './use-template.ts';

type Definitions = readonly (readonly ParameterDefinition[])[];

const NONE: Definitions = [];

/** Adds the parameters that the environments of the queue and of the draft define to those of the template. */
export function useQueueParameters(
  template: TemplateState,
  { queueId, environments: sent }: Pick<Draft, 'queueId' | 'environments'>,
): TemplateState {
  const { rest } = useService();
  const { can } = usePermissions();
  const environments = useQuery({
    ...queries.queueEnvironments(rest, queueId),
    enabled: template.readable !== null && queueId !== '' && can('infra.read'),
  });
  const texts = [...(environments.data ?? []), ...sent].map((environment) => environment.template);
  const read = useQuery({
    queryKey: ['environment-parameters', texts],
    queryFn: () => definitionsOf(texts),
    enabled: texts.length > 0,
    staleTime: Infinity,
  });
  const definitions = texts.length === 0 ? NONE : (read.data ?? NONE);
  return useMemo(() => {
    const { readable } = template;
    if (readable === null || definitions.length === 0) return template;
    return {
      ...template,
      readable: { ...readable, outline: withQueueParameters(readable.outline, definitions) },
    };
  }, [template, definitions]);
}

async function definitionsOf(texts: readonly string[]): Promise<Definitions> {
  const { readDocument } = await import('./model/read-document.ts');
  return texts.flatMap((text) => {
    const reading = readDocument(text);
    return reading.ok ? [readTemplate(reading.root).definitions] : [];
  });
}
