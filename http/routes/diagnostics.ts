import { nanosOf } from '../../src/core/diagnostics/nano-time.ts';
import { diagnosticView } from '../views/diagnostic-view.ts';
import { invalid, problem, type Handler } from './operation.ts';

export const getDiagnosticLogs: Handler<'getDiagnosticLogs'> = ({ query }, ports) => {
  const diagnostics = ports.diagnostics();
  if (diagnostics === null) {
    return problem('unavailable', 'diagnostics are disabled: diagnostics.buffer_size is 0');
  }
  const { component, level, task_id: taskId, since, limit } = query;
  const after = since === undefined ? undefined : nanosOf(since);
  if (after === null) return invalid('/query/since', 'must be an RFC 3339 time');
  const records = diagnostics.records({
    limit,
    ...(component === undefined ? {} : { component }),
    ...(level === undefined ? {} : { level }),
    ...(taskId === undefined ? {} : { taskId }),
    ...(after === undefined ? {} : { since: after }),
  });
  return { kind: 'json', status: 200, body: { records: records.map(diagnosticView) } };
};
