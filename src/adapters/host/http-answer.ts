import type { HttpAnswer } from '../../core/host-check/service-findings.ts';

/** Requests an address and returns the response. Does not throw: a request without a response has its reason. */
export async function httpAnswer(url: string, signal: AbortSignal): Promise<HttpAnswer> {
  const sentAt = Date.now();
  try {
    const response = await fetch(url, { signal });
    const receivedAt = Date.now();
    return {
      ok: true,
      status: response.status,
      date: timeOf(response.headers.get('date')),
      text: await response.text(),
      sentAt,
      receivedAt,
    };
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  }
}

function timeOf(header: string | null): number | null {
  const time = Date.parse(header ?? '');
  return Number.isNaN(time) ? null : time;
}

/** The error of fetch says only that it failed; its cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}
