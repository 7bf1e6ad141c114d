import { nanoText } from '../../src/core/diagnostics/nano-time.ts';
import type { DiagnosticRecord } from '../../src/core/diagnostics/record.ts';
import type { Schemas } from './schemas.ts';

/** docs/contract/resources.md#diagnostic-record. */
export const diagnosticView = ({
  at,
  component,
  level,
  msg,
  attrs,
}: DiagnosticRecord): Schemas['DiagnosticRecord'] => ({
  ts: nanoText(at),
  component,
  level,
  msg,
  ...(Object.keys(attrs).length > 0 ? { attrs } : {}),
});
