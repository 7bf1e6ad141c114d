import type { HttpResponse as UwsResponse } from 'uWebSockets.js';
import type { HttpResponse } from '../../pipeline/message.ts';
import { statusLine } from '../status-line.ts';

/** Writes status and headers. Must be called inside `cork`. */
export function writeHead(response: UwsResponse, answer: Pick<HttpResponse, 'status' | 'headers'>): void {
  response.writeStatus(statusLine(answer.status));
  for (const [name, value] of answer.headers) response.writeHeader(name, value);
}
